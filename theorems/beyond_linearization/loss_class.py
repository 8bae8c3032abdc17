r"""The class of losses, and which losses are in it (B, Section 2).

l(y, z) >= 0 with l(y, 0) <= 1; z -> l(y, z) convex, 1-Lipschitz, with second and third derivatives bounded by one.

With u = yz, y = +-1, v = exp(u) and s = tanh(u/2) = (v - 1)/(v + 1), the logistic loss log(1 + exp(-u)) has derivatives

    l' = -y (1 - s)/2,   l'' = (1 - s^2)/4 <= 1/4,   l''' = -y s (1 - s^2)/4, |l'''| <= 1/(6 sqrt 3),

both bounds being attained, and l(y, 0) = log 2: it is in the class. The soft hinge (1/b) log(1 + exp(b (1 - yz))) has
l(y, 0) > 1 at every temperature b > 0, because 1 + e^b > e^b; divided by l(y, 0) it is in the class for b = 1. Rennie's
smooth hinge, with l(y, 0) = 1/2, is not three times differentiable.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import sympy as sp

from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Inequality,
    Mutant,
    Reading,
    Setting,
    Statement,
    Theorem,
)

v, b = sp.symbols("v b", positive=True)  # v = exp(u), b the inverse temperature
h, g = sp.symbols("h g", nonnegative=True)  # v = 1 + h is the half-line u >= 0; 1/(1 + g) is any scale in (0, 1]
SOFT_HINGE_AT_ZERO = sp.log(1 + sp.E)
STEEPEST_THIRD = 1 / (6 * sp.sqrt(3))


def derivative(order: int) -> Any:
    """The order-th derivative in u of log(1 + exp(-u)), as a function of v = exp(u): d/du = v d/dv."""
    value: Any = sp.log(1 + 1 / v)
    for _ in range(order):
        value = sp.together(v * sp.diff(value, v))
    return value


def _derivatives() -> tuple[Statement, ...]:
    s = (v - 1) / (v + 1)
    return (
        Equation("l' = -(1 - s)/2", derivative(1), -(1 - s) / 2),
        Equation("l'' = (1 - s^2)/4", derivative(2), (1 - s**2) / 4),
        Equation("l''' = -s (1 - s^2)/4", derivative(3), -s * (1 - s**2) / 4),
        Equation("l''' is odd in u", derivative(3), -derivative(3).subs(v, 1 / v)),
    )


def _bounds(scale: Any, inverse_temperature: Any, limits: tuple[Any, Any, Any]) -> tuple[Bound, ...]:
    """|l'|, |l''|, |l'''| of scale/b log(1 + exp(-b u)) against three limits, l''' on u >= 0 (it is odd)."""
    first, second, third = limits
    factors = [scale * inverse_temperature**k for k in range(3)]
    s = h / (h + 2)
    square = (s - 1 / sp.sqrt(3)) ** 2 * (s + 2 / sp.sqrt(3)) / 4
    steepest = -derivative(3).subs(v, 1 + h)
    return (
        Bound("convex: l'' >= 0", sp.S.Zero, factors[1] * derivative(2)),
        Bound("1-Lipschitz", -factors[0] * derivative(1), first),
        Bound(
            "second derivative",
            factors[1] * derivative(2),
            second,
            certificate=factors[1] * (1 - v) ** 2 / (4 * (1 + v) ** 2) + second - factors[1] / 4,
        ),
        Bound(
            "third derivative, u >= 0",
            factors[2] * steepest,
            third,
            certificate=factors[2] * square + third - factors[2] * STEEPEST_THIRD,
        ),
    )


def _logistic(at_zero: Any, second: Any, third: Any) -> tuple[Statement, ...]:
    return (
        *_derivatives(),
        Bound("l(y, 0) = log 2", derivative(0).subs(v, 1), at_zero),
        Bound("l >= 0", sp.S.Zero, derivative(0)),
        *_bounds(sp.S.One, sp.S.One, (sp.S.One, second, third)),
    )


def _sharp() -> tuple[Statement, ...]:
    """1/4 and 1/(6 sqrt 3) are attained, at u = 0 and at s = 1/sqrt 3, that is v = 2 + sqrt 3."""
    return (
        Equation("l''(0) = 1/4", derivative(2).subs(v, 1), sp.Rational(1, 4)),
        Equation("|l'''| = 1/(6 sqrt 3) at v = 2 + sqrt 3", -derivative(3).subs(v, 2 + sp.sqrt(3)), STEEPEST_THIRD),
    )


def _soft_hinge_at_zero() -> Statement:
    return Bound("soft hinge: l(y, 0) = log(1 + e) <= 1", SOFT_HINGE_AT_ZERO, sp.S.One)


def _every_temperature() -> Statement:
    """(1/b) log(1 + e^b) > 1 for all b > 0, which is e^b < 1 + e^b."""
    return Bound("soft hinge: l(y, 0) > 1 at every temperature", sp.exp(b), 1 + sp.exp(b), strict=True, certificate=1)


def _scaled_soft_hinge(scale: Any) -> tuple[Statement, ...]:
    return (
        Bound("scaled soft hinge: l(y, 0) <= 1", scale * SOFT_HINGE_AT_ZERO, sp.S.One),
        Bound("the scale is at most 1", scale, sp.S.One),
        *_bounds(1 / (1 + g), sp.S.One, (sp.S.One, sp.S.One, sp.S.One)),
    )


def _smooth_hinge() -> Statement:
    """1/2 - u for u <= 0, (1 - u)^2/2 up to 1, then 0: l(y, 0) = 1/2, l'' jumps from 0 to 1 and back."""
    u = sp.Symbol("u", real=True)
    pieces = (sp.Rational(1, 2) - u, (1 - u) ** 2 / 2, sp.S.Zero)
    jumps = [sp.diff(right - left, u, 2) for left, right in pairwise(pieces)]
    return Fact(
        "Rennie's smooth hinge is not three times differentiable",
        Decision(
            all(jump != 0 for jump in jumps), f"its second derivative jumps by {jumps[0]} at 0 and {jumps[1]} at 1"
        ),
        certain=True,
    )


def _printed(setting: Setting) -> tuple[Statement, ...]:
    return (*_logistic(sp.S.One, sp.S.One, sp.S.One), _soft_hinge_at_zero())


def _corrected(setting: Setting) -> tuple[Statement, ...]:
    return (
        *_logistic(sp.S.One, sp.S.One, sp.S.One),
        _every_temperature(),
        *_scaled_soft_hinge(1 / SOFT_HINGE_AT_ZERO),
        _smooth_hinge(),
    )


QUARTER = sp.Rational(1, 4)

THEOREM = Theorem(
    slug="loss-class",
    title="The loss class and its examples",
    source="B, Section 2",
    latex=r"\ell(y,0)\le 1,\ \ell\ \text{convex and 1-Lipschitz},\ |\partial_z^2\ell|,|\partial_z^3\ell|\le 1",
    claims=(
        Inequality(
            id="BL-LOSS",
            readings=(
                Reading(
                    document="B",
                    place="Section 2, Problem setup",
                    printed="This includes for example the logistic and soft hinge loss for classification",
                    states=_printed,
                    erratum=Erratum(
                        corrected=(
                            "the logistic loss is in the class; the soft hinge (1/b) log(1 + exp(b (1 - yz))) violates "
                            "l(y, 0) <= 1 at every temperature, and log(1 + exp(1 - yz))/log(1 + e) is in the class"
                        ),
                        states=_corrected,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="the-scale-is-1", states=lambda setting: _scaled_soft_hinge(sp.S.One)),
                Mutant(
                    name="soft-hinge-at-inverse-temperature-8",
                    states=lambda setting: _bounds(sp.S.One, sp.Integer(8), (sp.S.One, sp.S.One, sp.S.One)),
                ),
            ),
        ),
        Inequality(
            id="BL-LOSS",
            part="logistic",
            readings=(
                Reading(
                    document="B",
                    place="Section 2, Problem setup",
                    printed="l(y, 0) <= 1, convex, 1-Lipschitz, second and third derivatives bounded by one: logistic",
                    states=lambda setting: (*_logistic(sp.log(2), QUARTER, STEEPEST_THIRD), *_sharp()),
                ),
            ),
            mutants=(
                Mutant(
                    name="second-derivative-below-1/5",
                    states=lambda setting: _logistic(sp.S.One, sp.Rational(1, 5), sp.S.One),
                ),
                Mutant(
                    name="third-derivative-below-1/11",
                    states=lambda setting: _logistic(sp.S.One, QUARTER, sp.Rational(1, 11)),
                ),
                Mutant(name="l(y,0)-below-2/3", states=lambda setting: _logistic(sp.Rational(2, 3), QUARTER, sp.S.One)),
            ),
        ),
    ),
)
