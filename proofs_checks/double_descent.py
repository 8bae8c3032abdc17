"""Where the risk of feature ridge regression rises and falls: its slopes in the width and in the penalty.

Every point of the model is one of the four free positive numbers

    p = -chi,   v = zeta^2 p,   a = psi1 - g,   b = psi2 - g,   g = p + s,   s = v/(1 + v),

(`feature_ridge_point.py`), and zeta^2 = v/p, psi1 = g + a, psi2 = g + b, lambda_bar = a b/(psi1 psi2 p) is a
bijection onto all zeta, psi1, psi2, lambda_bar > 0; b = 0 < a is the ridgeless limit with psi1 > psi2, a = 0 < b that
with psi1 < psi2. So a statement about all parameters is one about rational functions of positive numbers, and a
quotient of two polynomials without negative coefficients is positive: that is the certificate used throughout.

Where zeta is fixed, v d/dv + p d/dp is d/dlog p, and d g/dlog p = K. For R = B + noise V, noise = tau^2/||beta_0||^2,

    dR/dpsi1       = -psi2 S/(psi1 D^3)             at fixed zeta, psi2, lambda_bar,
    dR/dlambda_bar = -2 psi1 psi2^2 p Q/D^3         at fixed zeta, psi1, psi2,

with polynomials S (`width_slope`) and Q (`penalty_slope`) that are linear in the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from proofs_checks.feature_ridge_point import RidgePoint
from proofs_checks.symbolic_step import Expression, SymbolicStep

p, v, a, b = sp.symbols("p v a b", positive=True)
more = sp.Symbol("c", nonnegative=True)
"""psi1 - psi2, where it is not negative."""
noise = sp.Symbol("noise", nonnegative=True)


def point(first: Expression = a, second: Expression = b) -> RidgePoint:
    """The point with psi1 - g = first and psi2 - g = second."""
    return RidgePoint(v / p, p + v / (1 + v) + second, p, first, second)


def degrees(at: RidgePoint) -> Expression:
    """g, the degrees of freedom over d."""
    return at.p + at.s


def width(at: RidgePoint) -> Expression:
    """psi1."""
    return degrees(at) + at.a1


def penalty(at: RidgePoint) -> Expression:
    """lambda_bar."""
    return at.a1 * at.a2 / (width(at) * at.psi2 * at.p)


def risk(at: RidgePoint, level: Expression = noise) -> Expression:
    """B + noise V."""
    bias, variance = at.bias_variance()
    return bias + level * variance


def wide_risk(s: Expression, psi2: Expression, level: Expression = noise) -> Expression:
    """The risk as psi1 -> infinity, at whichever penalty has this s: lambda enters through s alone."""
    return (psi2 * (1 - s) ** 2 + level * s**2) / (psi2 - s**2)


def matched_noise(at: RidgePoint) -> Expression:
    """(1 + psi2 lambda_bar)/zeta^2: the noise for which this lambda_bar is the best one as psi1 -> infinity."""
    return at.rest * (at.p + at.a1 * at.a2 / (at.a1 + degrees(at))) / at.s


# --- the two slopes -----------------------------------------------------------------------------------


def width_slope_bias(at: RidgePoint) -> Expression:
    """S without noise."""
    a, b, p, s, q, k, g = at.a1, at.a2, at.p, at.s, at.rest, at.K, degrees(at)
    return q * (
        a**2 * b**2 * s * (3 * k - 2 * s * p)
        + a**2 * b * ((1 + s) * k**2 + 2 * s * p * q * g)
        + a**2 * k**3
        + a * b**2 * s * (4 * k**2 + 3 * s**3 * q + s**2 * p - 2 * s * p**2)
        + a * b * s * (2 * s + 3 * p) * k**2
        + b**2 * s * g * k**2
        + (a - b) * g * k**3
    )


def width_slope_variance(at: RidgePoint) -> Expression:
    """What a unit of noise adds to S."""
    a, b, s, q, k, g = at.a1, at.a2, at.s, at.rest, at.K, degrees(at)
    return a**2 * b * (k**2 - 2 * s**2 * q * g) + a**2 * k**3 - a * b * s**2 * k**2 + (a - b) * g * k**3


def width_slope(at: RidgePoint, level: Expression = noise) -> Expression:
    """S: the risk falls with the width where it is positive."""
    return width_slope_bias(at) + level * width_slope_variance(at)


def penalty_slope_gain(at: RidgePoint) -> Expression:
    """The part of -Q that does not grow with the noise."""
    a, b, p, s, q, k, g = at.a1, at.a2, at.p, at.s, at.rest, at.K, degrees(at)
    return q * (s * q * (a**2 * (p + b) + a * b * g) - a * q * k**2 - k**3)


def penalty_slope_loss(at: RidgePoint) -> Expression:
    """What a unit of noise adds to Q."""
    a, s, q, k = at.a1, at.s, at.rest, at.K
    return a**2 * s**2 * q + a * k**2 + k**3


def penalty_slope(at: RidgePoint, level: Expression = noise) -> Expression:
    """Q: the risk falls with the penalty where it is positive."""
    return level * penalty_slope_loss(at) - penalty_slope_gain(at)


def along(expression: Expression, first: Expression, second: Expression) -> Expression:
    """d/dlog p at fixed zeta, where da/dlog p = first and db/dlog p = second."""
    return (
        v * sp.diff(expression, v)
        + p * sp.diff(expression, p)
        + first * sp.diff(expression, a)
        + second * sp.diff(expression, b)
    )


def reduced(name: str, left: Expression, right: Expression) -> SymbolicStep:
    """left = right, both in lowest terms: equal rational functions become the same expression."""
    return SymbolicStep(name, sp.cancel(sp.together(left)), "=", sp.cancel(sp.together(right)))


@cache
def slope_steps() -> tuple[SymbolicStep, ...]:
    """The two derivatives, from the formulas for B and V."""
    at = point()
    k, g, big = at.K, degrees(at), at.D
    growth = width(at) * big / (b * g)  # d psi1/dlog p along the curve
    decline = -penalty(at) * big / (a * b)
    fixed_penalty = (growth - k, -k)
    fixed_width = (-k, -k)
    value = risk(at)
    by_width = -at.psi2 * width_slope(at) / (width(at) * big**3)
    by_penalty = -2 * width(at) * at.psi2**2 * p * penalty_slope(at) / big**3
    return (
        reduced("d g/dlog p = K", along(g, sp.S.Zero, sp.S.Zero), k),
        reduced("psi2 is fixed along the width", along(at.psi2, *fixed_penalty), sp.S.Zero),
        reduced("lambda_bar is fixed along the width", along(penalty(at), *fixed_penalty), sp.S.Zero),
        reduced("psi1 grows with p", along(width(at), *fixed_penalty), growth),
        reduced("dR/dpsi1 = -psi2 S/(psi1 D^3)", along(value, *fixed_penalty), by_width * growth),
        reduced("psi1 is fixed along the penalty", along(width(at), *fixed_width), sp.S.Zero),
        reduced("lambda_bar falls with p", along(penalty(at), *fixed_width), decline),
        reduced("dR/dlambda_bar = -2 psi1 psi2^2 p Q/D^3", along(value, *fixed_width), by_penalty * decline),
        reduced("the matched noise", matched_noise(at), (1 + at.psi2 * penalty(at)) * p / v),
    )


# --- signs --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Positivity:
    """Whether an expression was shown to be positive for all positive values of its symbols, and how."""

    holds: bool
    reason: str


def positive(expression: Expression, squares: Sequence[Expression] = ()) -> Positivity:
    """Whether numerator minus `squares` and denominator have no negative coefficient; False means not shown.

    The fraction is in lowest terms. `squares` are products of squares and of positive factors.
    """
    top, bottom = _lowest_terms(expression)
    rest = top - sp.Poly(sp.Add(*squares), *top.gens) if squares else top
    return _no_negative(rest, bottom, len(squares))


def _lowest_terms(expression: Expression) -> tuple[Any, Any]:
    """Numerator and denominator; the denominator's own factors are divided out, which is faster than a general gcd."""
    above, below = sp.fraction(sp.together(expression))
    gens = sorted(expression.free_symbols, key=str)
    top, bottom = sp.Poly(above, *gens), sp.Poly(1, *gens)
    constant, factors = sp.Poly(below, *gens).factor_list()
    for factor, power in factors:
        divisor = sp.Poly(factor, *gens)
        for _ in range(power):
            quotient, remainder = sp.div(top, divisor)
            if remainder.is_zero:
                top = quotient
            else:
                bottom *= divisor
    return top, bottom * constant


def _no_negative(top: Any, bottom: Any, squares: int) -> Positivity:
    negative = [term for poly in (top, bottom) for term in poly.terms() if term[1] < 0]
    if negative:
        powers, coefficient = negative[0]
        return Positivity(
            False, f"the coefficient of {dict(zip(map(str, top.gens), powers, strict=False))} is {coefficient}"
        )
    if top.is_zero:
        return Positivity(False, "it vanishes identically")
    squared = f", after {squares} squares are split off" if squares else ""
    return Positivity(
        True, f"no negative coefficient among {len(top.terms())} monomials over {len(bottom.terms())}{squared}"
    )
