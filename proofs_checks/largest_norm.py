r"""The largest norm of n independent standard Gaussian vectors of dimension d: its exact law, and a bound for every d.

P(max_r ||g_r|| <= t) = F_d(t^2)^n with F_d the distribution function of chi^2_d, an incomplete gamma function.

Chernoff: E exp(s g^2) = (1 - 2s)^(-1/2), so P(chi^2_d >= d x) <= exp(-d I(x)), I(x) = (x - 1 - log x)/2, from
s = (1 - 1/x)/2. Let L = log(m/delta) >= 0 and c^2 = 2/(1 - e^-2). With d x = c^2 (d + L),

    2 I(x) - 2 L/d = x - 1 - log x - 2 (x/c^2 - 1) = y - 1 - log y >= 0,   y = e^-2 x,

so P(chi^2_d >= c^2 (d + L)) <= delta/m for all d, m and delta. No smaller c will do for all of them: I is the exact
rate (Cramer), and at y = 1, that is L = (e^2 (1 - e^-2)/2 - 1) d, nothing is left.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.symbolic_step import SymbolicStep

BITS = 1024
"""Precision of tails as small as exp(-700): the complement of a power of 1 - tail must keep its digits."""

dimension, width, delta = sp.symbols("d m delta", positive=True)
excess, ratio = sp.symbols("L x", positive=True)
_q, _y = sp.symbols("q y", positive=True)
_g = sp.Symbol("g", real=True)

BEST_SQUARE = 2 / (1 - sp.exp(-2))
"""c^2: the least with max_r ||g_r||^2 <= c^2 (d + log(m/delta)) with probability 1 - delta for all d, m, delta."""


def norm_tail(d: int, square: arb) -> arb:
    """P(chi^2_d > square)."""
    return (square / 2).gamma_upper(arb(d) / 2, regularized=1)


def exceeds(d: int, vectors: int, square: arb) -> arb:
    """P(max of `vectors` independent norms > sqrt(square)) = 1 - (1 - tail)^vectors."""
    return 1 - (1 - norm_tail(d, square)) ** vectors


def exceeds_at(d: int, m: int, probability: fmpq, square: Any) -> tuple[arb, arb]:
    """The certified probability that B_x max ||w_{0,r}|| exceeds sqrt(square(d, L)), and what is allowed, delta.

    Of the m rows m/2 are distinct, each a standard Gaussian vector after multiplication by B_x.
    """
    with ctx.workprec(BITS):
        level = arb(probability)
        return exceeds(d, m // 2, square(arb(d), (arb(m) / level).log())), level


def chernoff_steps() -> tuple[SymbolicStep, ...]:
    """P(chi^2_d >= d x) <= exp(-d (x - 1 - log x)/2) for x > 1."""
    tilt = _q / (2 * (1 + _q))  # any s in (0, 1/2), for which 1 - 2s = 1/(1 + q)
    density = sp.exp(-(_g**2) / 2) / sp.sqrt(2 * sp.pi)
    moment = sp.integrate(sp.simplify(sp.exp(tilt * _g**2) * density), (_g, -sp.oo, sp.oo))
    best = (1 - 1 / ratio) / 2
    logarithm = -best * dimension * ratio - dimension / 2 * sp.expand_log(sp.log(1 / ratio))
    return (
        SymbolicStep("E exp(s g^2) = (1 - 2s)^(-1/2)", moment, "=", (1 - 2 * tilt) ** sp.Rational(-1, 2)),
        SymbolicStep("the tilt s = (1 - 1/x)/2 has 1 - 2s = 1/x", 1 - 2 * best, "=", 1 / ratio),
        SymbolicStep(
            "the logarithm of exp(-s d x) (1 - 2s)^(-d/2) there",
            logarithm,
            "=",
            -dimension * (ratio - 1 - sp.log(ratio)) / 2,
        ),
    )


def union_steps(square: Any = BEST_SQUARE) -> tuple[SymbolicStep, ...]:
    """(m/2) P(chi^2_d >= c^2 (d + L)) <= delta/2: the rate leaves y - 1 - log y, convex with minimum 0 at y = 1."""
    scaled = ratio * sp.exp(-2)
    rate = (ratio - 1 - sp.log(ratio)) / 2
    left = _y - 1 - sp.log(_y)
    return (
        SymbolicStep(
            "2 I(x) - 2 L/d = y - 1 - log y at d x = c^2 (d + L), y = e^-2 x",
            2 * rate - 2 * (ratio / square - 1),
            "=",
            scaled - 1 - sp.expand_log(sp.log(scaled)),
        ),
        SymbolicStep("y - 1 - log y vanishes at y = 1", left.subs(_y, 1), "=", sp.S.Zero),
        SymbolicStep("so does its derivative", sp.diff(left, _y).subs(_y, 1), "=", sp.S.Zero),
        SymbolicStep("and it is convex", sp.S.Zero, "<", sp.diff(left, _y, 2), certificate=1 / _y**2),
        SymbolicStep("(m/2) exp(-L) = delta/2", width / 2 * sp.exp(-sp.log(width / delta)), "=", delta / 2),
    )
