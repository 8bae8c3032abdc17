"""Symbolic proofs about the ridge formulas: the printed polynomials without cancellation, and their limits.

Everything is a rational function of zeta, psi1, psi2 and p = -chi once lambda_bar is eliminated by the equation for
p, psi1 psi2 lambda_bar p = a_1 a_2, so each step is an identity or a sign that SymPy decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_checks.feature_ridge_point import RidgePoint
from proofs_checks.symbolic_step import SymbolicStep

zeta, psi1, psi2, p = sp.symbols("zeta psi1 psi2 p", positive=True)
s = zeta**2 * p / (1 + zeta**2 * p)
g = p + s
lambda_bar = (psi1 - g) * (psi2 - g) / (psi1 * psi2 * p)
"""The lambda_bar at which the product of the printed pair has the solution -chi = p."""

Polynomials = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any]]
"""E_0, E_1, E_2 as functions of zeta, psi1, psi2 and chi."""


def printed_polynomials(zeta: Any, psi1: Any, psi2: Any, chi: Any) -> tuple[Any, Any, Any]:
    """E_0, E_1, E_2 term by term as the talk prints them."""
    e0 = (
        -(chi**5) * zeta**6
        + 3 * chi**4 * zeta**4
        + (psi1 * psi2 - psi2 - psi1 + 1) * chi**3 * zeta**6
        - 2 * chi**3 * zeta**4
        - 3 * chi**3 * zeta**2
        + (psi1 + psi2 - 3 * psi1 * psi2 + 1) * chi**2 * zeta**4
        + 2 * chi**2 * zeta**2
        + chi**2
        + 3 * psi1 * psi2 * chi * zeta**2
        - psi1 * psi2
    )
    e1 = psi2 * chi**3 * zeta**4 - psi2 * chi**2 * zeta**2 + psi1 * psi2 * chi * zeta**2 - psi1 * psi2
    e2 = (
        chi**5 * zeta**6
        - 3 * chi**4 * zeta**4
        + (psi1 - 1) * chi**3 * zeta**6
        + 2 * chi**3 * zeta**4
        + 3 * chi**3 * zeta**2
        + (-psi1 - 1) * chi**2 * zeta**4
        - 2 * chi**2 * zeta**2
        - chi**2
    )
    return e0, e1, e2


def point() -> RidgePoint:
    """The point at p, with psi1 and psi2 free."""
    return RidgePoint(zeta**2, psi2, p, psi1 - g, psi2 - g)


def polynomial_steps(polynomials: Polynomials = printed_polynomials) -> tuple[SymbolicStep, ...]:
    """E_0, E_1, E_2 at -chi = p are the sums of positive terms of `RidgePoint`."""
    pairs = zip(polynomials(zeta, psi1, psi2, -p), point().polynomials(), strict=True)
    return tuple(
        SymbolicStep(f"E_{index} as printed is a sum of terms of one sign", left, "=", right)
        for index, (left, right) in enumerate(pairs)
    )


def cancellation_steps() -> tuple[SymbolicStep, ...]:
    """The printed polynomials lose nothing to cancellation once written so, and E_0 does not vanish."""
    here = point()
    first, second = sp.symbols("a_1 a_2", positive=True)
    positive = RidgePoint(zeta**2, psi2, p, first, second)
    return (
        *polynomial_steps(),
        SymbolicStep("K = p g'(p)", here.K, "=", p * sp.diff(g, p)),
        SymbolicStep("D = -p^2 (a_1 a_2/p)'", here.D, "=", -(p**2) * sp.diff(here.a1 * here.a2 / p, p)),
        SymbolicStep("so E_0 never vanishes: D > 0", sp.S.Zero, "<", positive.D, certificate=positive.D),
    )


def root_steps() -> tuple[SymbolicStep, ...]:
    """One p > 0 with a_1, a_2 > 0: g(p) + delta(p) increases from 0 and is concave; with least = min(psi1, psi2)."""
    square, excess = sp.symbols("t2 c", positive=True)
    gap = (sp.sqrt(excess**2 + 4 * square * p) - excess) / 2
    stable = 2 * square * p / (excess + sp.sqrt(excess**2 + 4 * square * p))
    root = sp.sqrt(excess**2 + 4 * square * p)
    return (
        SymbolicStep("g increases", sp.S.Zero, "<", sp.diff(g, p), certificate=1 + zeta**2 / (1 + zeta**2 * p) ** 2),
        SymbolicStep(
            "g is concave",
            sp.S.Zero,
            "<",
            -sp.diff(g, p, 2),
            certificate=2 * zeta**4 / (1 + zeta**2 * p) ** 3,
        ),
        SymbolicStep("the smaller a_j solves delta (delta + c) = t^2 p", gap * (gap + excess), "=", square * p),
        SymbolicStep("and is written without a difference", gap, "=", stable),
        SymbolicStep("it increases", sp.S.Zero, "<", sp.diff(gap, p), certificate=square / root),
        SymbolicStep("it is concave", sp.S.Zero, "<", -sp.diff(gap, p, 2), certificate=2 * square**2 / root**3),
        SymbolicStep("g(0) = 0", g.subs(p, 0), "=", sp.S.Zero),
        SymbolicStep("g(p) exceeds p, so the sum reaches every level", p, "<", g, certificate=s),
    )


def limit_steps() -> tuple[SymbolicStep, ...]:
    """Ridgeless, wide and large-sample limits, and the first order at a large penalty."""
    here = point()
    bias, variance = here.bias_variance()
    wide_bias, wide_variance = here.wide()
    large_bias, _ = here.large_sample()
    under = {psi1: g}  # lambda_bar = 0 and psi1 < psi2: a_1 = 0
    over = {psi2: g}  # lambda_bar = 0 and psi2 < psi1: a_2 = 0
    delta = sp.Symbol("delta", positive=True)
    edge = {psi1: g + delta, psi2: g + delta}
    return (
        SymbolicStep("ridgeless, N < n: V = psi1/(psi2 - psi1)", variance.subs(under), "=", g / (psi2 - g)),
        SymbolicStep(
            "ridgeless, N < n: B = (1 - s)/(1 - psi1/psi2)", bias.subs(under), "=", here.rest / (1 - g / psi2)
        ),
        SymbolicStep(
            "ridgeless, N > n: D = K (psi1 - psi2)", here.D.subs(over), "=", (here.K * (psi1 - psi2)).subs(over)
        ),
        SymbolicStep("ridgeless, N > n: lambda_bar = 0", lambda_bar.subs(over), "=", sp.S.Zero),
        SymbolicStep("ridgeless, N < n: lambda_bar = 0", lambda_bar.subs(under), "=", sp.S.Zero),
        SymbolicStep(
            "N = n: D/delta -> 2 K", sp.limit(sp.cancel(here.D.subs(edge) / delta), delta, 0), "=", 2 * here.K
        ),
        SymbolicStep(
            "N = n: delta = psi sqrt(lambda_bar p)", lambda_bar.subs(edge), "=", delta**2 / (p * (g + delta) ** 2)
        ),
        SymbolicStep("psi1 -> infinity: B", _at_infinity(bias, psi1), "=", wide_bias),
        SymbolicStep("psi1 -> infinity: V", _at_infinity(variance, psi1), "=", wide_variance),
        SymbolicStep(
            "psi1 -> infinity: psi2 lambda_bar p = a_2", _at_infinity(psi2 * p * lambda_bar, psi1), "=", here.a2
        ),
        SymbolicStep("psi2 -> infinity: B", _at_infinity(bias, psi2), "=", large_bias),
        SymbolicStep("psi2 -> infinity: V", _at_infinity(variance, psi2), "=", sp.S.Zero),
        SymbolicStep(
            "psi2 -> infinity: psi1 lambda_bar p = a_1", _at_infinity(psi1 * p * lambda_bar, psi2), "=", here.a1
        ),
        SymbolicStep("psi2 -> infinity without penalty: B = 1 - s", large_bias.subs(under), "=", here.rest),
        large_penalty_step(),
    )


def large_penalty_step() -> SymbolicStep:
    """lambda_bar (1 - B) -> 2 zeta^2 as lambda_bar -> infinity, that is p -> 0."""
    gain = sp.cancel(sp.together(lambda_bar * (1 - point().bias_variance()[0])))
    return SymbolicStep("lambda_bar (1 - B) -> 2 zeta^2 as lambda_bar -> infinity", gain.subs(p, 0), "=", 2 * zeta**2)


def training_steps() -> tuple[SymbolicStep, ...]:
    """Training error + penalty = objective, and the derivative of the objective in the penalty is the norm."""
    here = point()
    penalty = psi1 * lambda_bar
    steps = []
    for index, name in enumerate(("signal", "noise")):
        error, norm, objective = here.training_error()[index], here.coefficient_norm()[index], here.objective()[index]
        steps += [
            SymbolicStep(f"{name}: training error + penalty = objective", error + penalty * norm, "=", objective),
            SymbolicStep(
                f"{name}: d objective/d penalty = norm", sp.diff(objective, p), "=", norm * sp.diff(penalty, p)
            ),
        ]
    one_more = here.variance_numerator() + here.D
    return (*steps, SymbolicStep("1 + V = psi2 (a_1 + K)/D", one_more, "=", psi2 * (here.a1 + here.K)))


def _at_infinity(expression: Any, symbol: sp.Symbol) -> Any:
    """The limit of a rational function as the symbol tends to infinity, by the substitution symbol = 1/x at x = 0."""
    inverse = sp.Symbol("x", positive=True)
    return sp.cancel(sp.together(expression.subs(symbol, 1 / inverse))).subs(inverse, 0)
