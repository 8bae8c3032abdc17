r"""The largest of N squared standard Gaussians, dependent or not.

By the moment generating function E e^(s G^2) = (1 - 2s)^(-1/2), for 0 < s < 1/2,

    E max_j G_j^2 <= (log N - log(1 - 2s)/2)/s,          at s = 1/4:  4 log N + 2 log 2.

For independent variables it is at least int_0^T (1 - P(G^2 <= t)^N) dt, enclosed from below by a step function, which
grows like 2 log N: the logarithm cannot be dropped. For N = 2 it is 1 + 2/pi.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.symbolic_step import SymbolicStep

BITS = 64
CELLS, CELL = 400, fmpq(1, 8)
"""The step function: up to t = 50."""
count, rate = sp.symbols("N s", positive=True)
t = sp.Symbol("t", real=True)


def upper_steps() -> tuple[SymbolicStep, ...]:
    """E max <= 4 log N + 2 log 2."""
    density = sp.exp(-(t**2) / 2) / sp.sqrt(2 * sp.pi)
    quarter = sp.Rational(1, 4)
    moment = sp.integrate(sp.exp(quarter * t**2) * density, (t, -sp.oo, sp.oo))
    bound = sp.expand_log(sp.log(count * moment)) / quarter
    return (
        SymbolicStep("E e^(G^2/4) = sqrt(2)", moment, "=", sp.sqrt(2)),
        SymbolicStep("log(N sqrt(2))/(1/4)", sp.expand(bound), "=", 4 * sp.log(count) + 2 * sp.log(2)),
    )


def pair_mean() -> Any:
    """E max(G_1^2, G_2^2) = 1 + E|G_1^2 - G_2^2|/2 = 1 + E|G_1 - G_2| E|G_1 + G_2|/2, the two being independent."""
    size = sp.sqrt(2) * sp.sqrt(2 / sp.pi)
    return 1 + size**2 / 2


def lower_mean(number: int) -> arb:
    """A lower bound of E max of N independent squares: the integrand falls, so its right ends are below."""
    with ctx.workprec(BITS):
        total = arb(0)
        for k in range(1, CELLS + 1):
            inside = (arb(k * CELL) / 2).sqrt().erf()
            total += (1 - inside**number) * arb(CELL)
        return arb(total.lower())
