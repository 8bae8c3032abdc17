r"""The covering argument behind the norms of the initial weights, step by step (B, Appendix A.3).

A net N of the sphere with |N| <= 5^d and ||w|| <= 2 max_{v in N} <v, w>; a union bound over the net and the rows, with
P(g > t/2) <= exp(-t^2/8); and t^2 = 8 (d log 5 + log(m/delta)), which makes the bound delta. Every step holds. The
net loses a factor 2 where 8/7 would do, as ||u - v|| <= 1/2 on the sphere gives <u, v> = 1 - ||u - v||^2/2 >= 7/8, and
the whole argument a factor 2.36 in t against the best constant (initial_norms.py).
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.largest_norm import BEST_SQUARE, BITS, delta, dimension, excess, width
from theorems.beyond_linearization.initial_norms import exact_law
from theorems.claim import Bound, Decision, Equation, Fact, Identity, Inequality, Mutant, Reading, Statement, Theorem

distance = sp.Symbol("e", nonnegative=True)
threshold = sp.Symbol("t", positive=True)
_lambda = sp.Symbol("lambda", positive=True)
_g = sp.Symbol("g", real=True)
PRINTED_SQUARE = 8 * (dimension * sp.log(5) + excess)


def _printed_square(d: arb, log_ratio: arb) -> arb:
    return 8 * (d * arb(5).log() + log_ratio)


def _net_size(base: int) -> tuple[Statement, ...]:
    """Balls of radius 1/4 around the points of a maximal 1/2-packing are disjoint and lie in the ball of radius 5/4.

    The print means such a net, not any covering. In the plane the least covering is known: a cap of chord 1/2 spans the
    angle 4 arcsin(1/4), so 7 are needed.
    """
    quarter = sp.Rational(1, 4)
    planar = sp.ceiling(2 * sp.pi / (4 * sp.asin(quarter)))
    return (
        Equation("volumes: ((5/4)/(1/4))^d", ((1 + quarter) / quarter) ** dimension, sp.Integer(base) ** dimension),
        Bound("d = 1: the two points of the sphere", sp.Integer(2), sp.Integer(base)),
        Bound("d = 2: seven points", planar, sp.Integer(base) ** 2),
    )


def _net_norm(factor: Any) -> tuple[Statement, ...]:
    """<v, u> >= 1/factor for unit vectors u = w/||w|| and v with ||u - v|| = 1/2 - e, 0 <= e <= 1/2."""
    a, b = sp.symbols("alpha beta", real=True)
    half = sp.Rational(1, 2)
    u, v = sp.Matrix([sp.cos(a), sp.sin(a)]), sp.Matrix([sp.cos(b), sp.sin(b)])
    return (
        Equation("<u, v> = 1 - ||u - v||^2/2", u.dot(v), 1 - (u - v).dot(u - v) / 2),
        Bound(
            f"||w|| <= {factor} <v, w>",
            1 / factor,
            1 - (half - distance) ** 2 / 2,
            certificate=distance * (1 - distance) / 2 + (sp.Rational(7, 8) - 1 / factor),
            domain={distance: (0, half)},
        ),
    )


def _union(share: Any) -> tuple[Statement, ...]:
    """P(<v, g> > t/2) <= exp(-share t^2) by Chernoff, times the size of the net, times m."""
    density = sp.exp(-(_g**2) / 2) / sp.sqrt(2 * sp.pi)
    moment = sp.integrate(sp.exp(_lambda * _g) * density, (_g, -sp.oo, sp.oo))
    size = 5**dimension
    return (
        Equation("E exp(lambda g) = exp(lambda^2/2)", sp.simplify(moment), sp.exp(_lambda**2 / 2)),
        Equation("at lambda = t/2", (_lambda**2 / 2 - _lambda * threshold / 2).subs(_lambda, threshold / 2),
                 -share * threshold**2),
        _gaussian_tail(share),
        Equation("times |N| and m", sp.expand_log(sp.log(size * width)), dimension * sp.log(5) + sp.log(width)),
    )  # fmt: skip


def _gaussian_tail(share: Any) -> Fact:
    """P(g > t/2) <= exp(-share t^2) at t = 0, 1/4, ..., 40, by certified values of erfc."""
    with ctx.workprec(BITS):
        levels = [arb(fmpq(k, 4)) for k in range(161)]
        rate = arb(fmpq(share.p, share.q))
        broken = [t for t in levels if not (t / arb(8).sqrt()).erfc() / 2 <= (-rate * t**2).exp()]
    reason = f"not at t = {broken[0].str(4, radius=False)}" if broken else f"certified at {len(levels)} values of t"
    return Fact("the tail of a Gaussian", Decision(not broken, reason), certain=True)


def _choice(square: Any) -> tuple[Statement, ...]:
    """exp(-t^2/8 + d log 5 + log m) at t^2 = square(L), L = log(m/delta)."""
    exponent = -square / 8 + dimension * sp.log(5) + sp.log(width)
    return (
        Equation("the exponent is log delta", sp.expand_log(exponent.subs(excess, sp.log(width) - sp.log(delta))),
                 sp.log(delta)),
        Bound("t^2 <= 8 log 5 (d + L)", square, 8 * sp.log(5) * (dimension + excess)),
        Bound("and t^2 >= c^2 (d + L): larger than needed", BEST_SQUARE * (dimension + excess), square,
              certificate=(8 * sp.log(5) - BEST_SQUARE) * dimension + (8 - BEST_SQUARE) * excess),
        exact_law("t as printed", _printed_square),
    )  # fmt: skip


THEOREM = Theorem(
    slug="covering-argument",
    title="The covering argument for the initial norms",
    source="B, Appendix A.3",
    latex=r"\mathbb{P}\big(\max_r B_x\|w_{0,r}\|_2 > t\big) \le \exp(-t^2/8 + d\log 5 + \log m)",
    uses=("initial-norms",),
    claims=(
        Inequality(
            id="BL-E4",
            part="step-net-size",
            readings=(
                Reading(
                    document="B",
                    place="A.3",
                    printed="Let N be an 1/2-covering of S^{d-1}(1). We have |N| <= 5^d",
                    scan="gives 5% for 5^d",
                    states=lambda setting: _net_size(5),
                ),
            ),
            mutants=(Mutant(name="2^d", states=lambda setting: _net_size(2)),),
        ),
        Inequality(
            id="BL-E4",
            part="step-net-norm",
            readings=(
                Reading(
                    document="B",
                    place="A.3",
                    printed="for any vector w that ||w||_2 <= 2 sup_{v in N} (v.w)",
                    states=lambda setting: (*_net_norm(sp.Integer(2)), *_net_norm(sp.Rational(8, 7))),
                ),
            ),
            mutants=(Mutant(name="9/8-for-2", states=lambda setting: _net_norm(sp.Rational(9, 8))),),
        ),
        Identity(
            id="BL-E4",
            part="step-union",
            readings=(
                Reading(
                    document="B",
                    place="A.3",
                    printed=(
                        "P(max B_x (v.w_{0,r}) > t/2) <= exp(-t^2/8 + log|N| + log m) <= exp(-t^2/8 + d log 5 + log m)"
                    ),
                    scan="maNx for the maximum over v in N and r",
                    states=lambda setting: _union(sp.Rational(1, 8)),
                ),
            ),
            mutants=(Mutant(name="t^2/4-for-t^2/8", states=lambda setting: _union(sp.Rational(1, 4))),),
        ),
        Inequality(
            id="BL-E4",
            part="step-choice",
            readings=(
                Reading(
                    document="B",
                    place="A.3",
                    printed="t = sqrt(8 (d log 5 + log(m/delta))) ensures that the above does not exceed delta",
                    states=lambda setting: _choice(PRINTED_SQUARE),
                ),
            ),
            mutants=(
                Mutant(name="4-for-8", states=lambda setting: _choice(PRINTED_SQUARE / 2)),
                Mutant(name="m-forgotten", states=lambda setting: _choice(PRINTED_SQUARE - 8 * sp.log(width))),
            ),
        ),
    ),
)
