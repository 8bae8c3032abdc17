r"""The max-margin problem and the two sides of its printed equality (T, slide Max-margin classification).

The slide before it defines the classifier f_a(x) = sign(<a, sigma(Wx)>) of values in {-1, 0, 1}. Then it prints

    maximize   min_i y_i f_a(x_i) = min_i y_i <a, sigma(W x_i)>   subject to   ||a|| <= 1.

With that f_a the two sides are not equal: a -> c a, 0 < c < 1, leaves the left side and multiplies the right one by c.
Nor have they the same maximisers: on separable data every separating a is one of the left side, one a of the right.
Without the sign, f_a(x) = <a, sigma(Wx)>, the equality is the definition. With it, for labels +-1,

    min_i y_i f_a(x_i) = sign(min_i y_i <a, sigma(W x_i)>),

since sign is odd and not decreasing. With v_i = y_i sigma(W x_i) the value of the right side's problem is

    kappa = max over ||a|| <= 1 of min_i <a, v_i> = min over the simplex of ||sum_i p_i v_i||:

positive if the data are separable, and then reached at ||a|| = 1 only; zero otherwise, reached at a = 0.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from theorems.claim import (
    Decision,
    Equation,
    Erratum,
    Fact,
    Identity,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)

s, r = sp.symbols("s r", real=True)
c = sp.Symbol("c", positive=True)
Vector = tuple[Fraction, ...]

WEIGHTS = ((Fraction(3, 5), Fraction(4, 5)), (Fraction(4, 5), Fraction(-3, 5)))
"""Two neurons on the unit circle."""
SEPARABLE = (((1, 1), 1), ((2, -1), 1), ((-1, 2), 1))
"""Samples (x, y) whose features a line through 0 separates from their mirror images."""
NOT_SEPARABLE = (*SEPARABLE, ((-1, 2), -1))
"""With one x in both classes."""


def _labelled(samples: tuple[tuple[tuple[int, int], int], ...]) -> list[Vector]:
    """v_i = y_i sigma(W x_i) for the ReLU."""
    return [tuple(y * max(Fraction(0), weight[0] * x[0] + weight[1] * x[1]) for weight in WEIGHTS) for x, y in samples]


def _products(a: Vector, points: list[Vector]) -> list[Fraction]:
    return [sum((x * y for x, y in zip(a, point, strict=True)), Fraction(0)) for point in points]


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _score(scale: Any) -> Any:
    """<scale a, u> for two neurons."""
    return sum(scale * x * y for x, y in zip(sp.symbols("a1 a2"), sp.symbols("u1 u2"), strict=True))


OPTIMUM: Vector = (Fraction(11), Fraction(3))
"""A multiple of the max-margin vector of the separable samples; the certificate below proves it."""
HULL = (Fraction(0), Fraction(3, 26), Fraction(23, 26))
"""The weights p of the point of the hull nearest 0."""


def _printed_equality(setting: Setting) -> tuple[Statement, ...]:
    """One sample, y = 1: sign(s) = s for the score s = <a, sigma(Wx)>; and three samples at an admissible a."""
    points = _labelled(SEPARABLE)
    half: Vector = tuple(x / 24 for x in OPTIMUM)  # ||a||^2 = 130/576 < 1
    left = min(_sign(score) for score in _products(half, points))
    right = min(_products(half, points))
    reason = f"at a = (11/24, 1/8), two ReLU neurons and three samples, the left side is {left}, the right side {right}"
    return (
        Fact("the two sides on three samples", Decision(left == right, reason), certain=True),
        Equation("one sample with y = 1 and score s", sp.sign(s), s),
    )


def _without_sign(setting: Setting) -> tuple[Statement, ...]:
    """f_a(x) = <a, sigma(Wx)> makes it the definition; with the sign, the left side is the sign of the right one."""
    cases = list(product((-1, 0, 1), repeat=3))
    wrong = [x for x in cases if min(_sign(Fraction(v)) for v in x) != _sign(Fraction(min(x)))]
    reason = (
        f"not so at {wrong[0]}"
        if wrong
        else f"so in all {len(cases)} orders of three scores, and no more than three kinds of score occur"
    )
    return (
        Equation("y sign(s) = sign(y s) for y = 1", 1 * sp.sign(s), sp.sign(1 * s)),
        Equation("y sign(s) = sign(y s) for y = -1", -sp.sign(s), sp.sign(-s)),
        Fact("min sign = sign min", Decision(not wrong, reason), certain=True),
        Equation("scaling a leaves the sign", sp.sign(c * s), sp.sign(s)),
        Equation("and scales the score", _score(c), c * _score(sp.Integer(1))),
    )


def _sign_of_half(setting: Setting) -> tuple[Statement, ...]:
    """The mutant: the left side would be half the sign of the right one."""
    return (Equation("y sign(s) = sign(y s)/2 for y = 1", sp.sign(s), sp.sign(s) / 2),)


def _scaled(setting: Setting) -> tuple[Statement, ...]:
    """The mutant: the sign scales with a."""
    return (Equation("scaling a scales the sign", sp.sign(c * s), c * sp.sign(s), {c: (sp.Rational(1, 4), 2)}),)


def _where_attained(setting: Setting) -> tuple[Statement, ...]:
    """Scaling, the duality certificate of the separable samples, and that of the others."""
    points, others = _labelled(SEPARABLE), _labelled(NOT_SEPARABLE)
    length2 = sum(x * x for x in OPTIMUM)
    nearest = tuple(sum((p * v[j] for p, v in zip(HULL, points, strict=True)), Fraction(0)) for j in range(2))
    margin = min(_products(OPTIMUM, points))  # of a vector of squared length length2
    closed = margin > 0 and margin**2 == length2 * sum(x * x for x in nearest)
    twice = tuple((x + y) / 2 for x, y in zip(others[2], others[3], strict=True))
    return (
        Equation(
            "scores scale with a, so a positive minimum grows up to ||a|| = 1", _score(c), c * _score(sp.Integer(1))
        ),
        Fact(
            "the margin of separable samples",
            Decision(closed, f"a = (11, 3)/sqrt(130) has the margin {margin}/sqrt({length2}), the length of {nearest}"),
            certain=True,
            figures={"kappa": f"{margin}/sqrt({length2})", "weights of the hull": HULL},
        ),
        Fact(
            "samples that are not separable",
            Decision(
                not any(twice),
                "0 = (v_3 + v_4)/2 lies in the hull, so min_i <a, v_i> <= 0 for every a, with equality at a = 0",
            ),
            certain=True,
        ),
        Equation(
            "two maximisers on the sphere would be beaten by their mean: 4 - ||a + b||^2 = ||a - b||^2 > 0",
            4 - (2 + 2 * sp.cos(r)),
            (1 - sp.cos(r)) ** 2 + sp.sin(r) ** 2,
        ),
    )


def _interior(setting: Setting) -> tuple[Statement, ...]:
    """The mutant: the maximum of separable samples reached inside the ball."""
    points = _labelled(SEPARABLE)
    inside: Vector = tuple(x / 24 for x in OPTIMUM)
    reached = min(_products(inside, points)) ** 2 * 130 == min(_products(OPTIMUM, points)) ** 2
    return (Fact("the maximum inside", Decision(reached, "a = (11, 3)/24 has half the margin or less"), certain=True),)


def _negative(setting: Setting) -> tuple[Statement, ...]:
    """The mutant: samples that are not separable have a negative maximum."""
    zero: Vector = (Fraction(0), Fraction(0))
    value = min(_products(zero, _labelled(NOT_SEPARABLE)))
    return (Fact("a negative maximum", Decision(value < 0, f"a = 0 has the margin {value}"), certain=True),)


THEOREM = Theorem(
    slug="margin-objective",
    title="The max-margin problem and its printed equality",
    source="T, slides Binary classification and Max-margin classification",
    latex=r"\min_{i\le n} y_i \hat f_a(x_i) = \min_{i\le n} y_i\langle a, \sigma(Wx_i)\rangle,\quad \|a\|_2\le 1",
    claims=(
        Identity(
            id="TL-MMOBJ",
            readings=(
                Reading(
                    document="T",
                    place="Max-margin classification, f_a as on the slide Binary classification",
                    printed="maximize min_i y_i f_a(x_i) = min_i y_i <a, sigma(W x_i)>, f_a(x) = sign{<a, sigma(Wx)>}",
                    states=_printed_equality,
                    erratum=Erratum(
                        corrected="the objective is min_i y_i <a, sigma(W x_i)>, f_a without the sign; with it, "
                        "min_i y_i f_a(x_i) = sign(min_i y_i <a, sigma(W x_i)>)",
                        states=_without_sign,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="half-the-sign", states=_sign_of_half),
                Mutant(name="the-sign-scales-with-a", states=_scaled),
            ),
        ),
        Shape(
            id="TL-MMOBJ",
            part="attained",
            readings=(
                Reading(
                    document="T",
                    place="Max-margin classification",
                    printed="subject to ||a|| <= 1: the maximum is reached at ||a|| = 1, or is 0 at a = 0",
                    states=_where_attained,
                ),
            ),
            mutants=(
                Mutant(name="reached-inside-the-ball", states=_interior),
                Mutant(name="negative-if-not-separable", states=_negative),
            ),
        ),
    ),
)
