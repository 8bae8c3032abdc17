"""The empirical risk as a functional of the law of the neurons is convex, if the loss is (T, first slides).

    R_n(rho) = (1/n) sum_i l(y_i, f(x_i; rho)),   f(x; rho) = int a sigma(<w, x>) rho(da, dw).

f(x; .) is linear in rho, so R_n is convex if l(y, .) is convex for every y, as for the square loss that the slides give
as an example. They allow any loss l : R x R -> [0, inf), and then it is false: for the talk's own prediction error
1{y f <= 0} the half sum of a right and a wrong law is wrong. The condition is necessary: with one data point and one
neuron of value s = sigma(<w, x>) != 0, the laws delta_(u/s, w) make R_1 = l(y, u), and mixtures run along the segment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from theorems.claim import (
    Bound,
    Equation,
    Erratum,
    Inequality,
    Mutant,
    Reading,
    Setting,
    Statement,
    Theorem,
)

Loss = Callable[[Any, Any], Any]
weight = sp.Symbol("lambda", nonnegative=True)
UNIT = {weight: (sp.Integer(0), sp.Integer(1))}


def _atoms(name: str, count: int) -> list[tuple[Any, Any, Any]]:
    """(mass, a, sigma(<w, x>)) of a law with this many atoms."""
    return [tuple(sp.Symbol(f"{letter}{name}{i + 1}", real=True) for letter in "pas") for i in range(count)]  # pyright: ignore[reportReturnType]


def _value(atoms: list[tuple[Any, Any, Any]]) -> Any:
    return sum((mass * a * s for mass, a, s in atoms), sp.Integer(0))


def _linear() -> Equation:
    """f at (1 - lambda) rho_0 + lambda rho_1, whose atoms are those of both with their masses scaled."""
    zero, one = _atoms("0", 3), _atoms("1", 2)
    mixed = [((1 - weight) * p, a, s) for p, a, s in zero] + [(weight * p, a, s) for p, a, s in one]
    return Equation("f(x; .) is linear in rho", _value(mixed), (1 - weight) * _value(zero) + weight * _value(one))


def _points(count: int) -> list[tuple[Any, Any, Any]]:
    """(y_i, f(x_i; rho_0), f(x_i; rho_1)) of the data points."""
    return [sp.symbols(f"y{i + 1} u{i + 1} v{i + 1}", real=True) for i in range(count)]


def _along(loss: Loss, count: int) -> tuple[Any, Any]:
    """R_n at the mixture, and the mixture of the two risks."""
    points = _points(count)
    at = sum(loss(y, (1 - weight) * u + weight * v) for y, u, v in points)
    chord = sum((1 - weight) * loss(y, u) + weight * loss(y, v) for y, u, v in points)
    return at / sp.Integer(count), chord / sp.Integer(count)


def _square(y: Any, u: Any) -> Any:
    return (y - u) ** 2


def _square_loss(setting: Setting) -> tuple[Statement, ...]:
    """The chord lies above by lambda (1 - lambda) times the mean of (f_1 - f_0)^2."""
    steps: list[Statement] = [_linear()]
    for count in (1, 2, 3):
        at, chord = _along(_square, count)
        spread = sum((v - u) ** 2 for _, u, v in _points(count)) / sp.Integer(count)
        steps.append(Bound(f"square loss, n = {count}", at, chord, False, weight * (1 - weight) * spread, UNIT))
    return tuple(steps)


def _prediction_error(y: Any, u: Any) -> Any:
    """1{y u <= 0}: the error of the talk's classification slides."""
    return sp.Integer(1 if y * u <= 0 else 0)


def _saturating(y: Any, u: Any) -> Any:
    return (y - u) ** 2 / (1 + (y - u) ** 2)


def _right_and_wrong() -> Bound:
    """y = 1, n = 1, the laws with f = 1 and f = -1 and their half sum, with f = 0."""
    middle, right, wrong = (_prediction_error(sp.Integer(1), sp.Integer(u)) for u in (0, 1, -1))
    return Bound("1{y f <= 0}: the half sum of a right and a wrong law", middle, (right + wrong) / 2)


def _any_loss(setting: Setting) -> tuple[Statement, ...]:
    """One point, two laws of one neuron each with s = 1; and a smooth loss, on a whole range."""
    at, chord = _along(_saturating, 1)
    here = {symbol: (sp.Integer(-4), sp.Integer(4)) for symbol in _points(1)[0]}
    return (
        _linear(),
        _right_and_wrong(),
        Bound("(y-f)^2/(1 + (y-f)^2)", at, chord, False, None, {**UNIT, **here}),
    )


def _exactly_if(setting: Setting) -> tuple[Statement, ...]:
    """l_i at the mixture is its chord minus g_i >= 0, which is what convexity of l(y_i, .) says; and the way back."""
    low, high, gap = ([sp.Symbol(f"{c}{i}", nonnegative=True) for i in (1, 2, 3)] for c in ("l", "h", "g"))
    chords = [(1 - weight) * a + weight * b for a, b in zip(low, high, strict=True)]
    risk, chord = sum(c - g for c, g in zip(chords, gap, strict=True)) / 3, sum(chords) / 3
    u, v = sp.symbols("u v", real=True)
    s = sp.Symbol("s", real=True, nonzero=True)
    mixed = [(1 - weight, u / s, s), (weight, v / s, s)]
    return (
        _linear(),
        Bound("if: every l(y_i, .) is convex (n = 3)", risk, chord, False, sum(gap) / 3, UNIT),
        Equation("only if: n = 1 and the laws delta_(u/s, w), delta_(v/s, w) give R_1 = l(y, .) on the segment",
                 _value(mixed), (1 - weight) * u + weight * v),
        *_square_loss(setting)[1:],
    )  # fmt: skip


def _in_the_parameters(setting: Setting) -> tuple[Statement, ...]:
    """Square loss, sigma(u) = u, n = 1, x = 1, y = 0: as if R_1 were convex in (a, w)."""
    a0, w0, a1, w1 = symbols = sp.symbols("a0 w0 a1 w1", real=True)
    at = ((1 - weight) * a0 + weight * a1) ** 2 * ((1 - weight) * w0 + weight * w1) ** 2
    chord = (1 - weight) * (a0 * w0) ** 2 + weight * (a1 * w1) ** 2
    return (Bound("convex in (a, w)", at, chord, False, None, {**UNIT, **dict.fromkeys(symbols, (-1, 1))}),)


def _strictly(setting: Setting) -> tuple[Statement, ...]:
    """Two laws with the same f at the data: (a, w) with mass one, or (2 a, w) and (0, w) with half each."""
    a, s, y = sp.symbols("a s y", real=True)
    zero, one = _value([(sp.Integer(1), a, s)]), _value([(sp.Rational(1, 2), 2 * a, s), (sp.Rational(1, 2), 0, s)])
    half = sp.Rational(1, 2)
    at, chord = _square(y, half * zero + half * one), half * _square(y, zero) + half * _square(y, one)
    return (Bound("strictly convex in rho", at, chord, True, None),)


THEOREM = Theorem(
    slug="convex-risk",
    title="The empirical risk is convex in the law of the neurons",
    source="T, first slides",
    latex=(
        r"\hat R_n(\rho) = \frac1n\sum_{i\le n}\ell(y_i, f(x_i;\rho)) \text{ is convex if and only if }"
        r"\ell(y,\cdot)\text{ is}"
    ),
    uses=("infinite-width",),
    claims=(
        Inequality(
            id="TL-CONVEX",
            readings=(
                Reading(
                    document="T",
                    place="first slides; slide Evaluating a model for the loss",
                    printed="R_n(rho) = (1/n) sum l(y_i, f(x_i; rho)), l : R x R -> R_{>=0}. Good news: Convex",
                    states=_any_loss,
                    erratum=Erratum(
                        corrected="if and only if l(y, .) is convex for every y, as for the square loss of the slide",
                        states=_exactly_if,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="strictly-convex", states=_strictly),
                Mutant(name="convex-in-the-parameters", states=_in_the_parameters),
            ),
        ),
        Inequality(
            id="TL-CONVEX",
            part="square-loss",
            readings=(
                Reading(
                    document="T",
                    place="first slides, with l(y_1, y_2) = (y_1 - y_2)^2",
                    printed="R_n(rho) = (1/n) sum (y_i - f(x_i; rho))^2. Good news: Convex",
                    states=_square_loss,
                ),
            ),
            mutants=(
                Mutant(name="strictly-convex", states=_strictly),
                Mutant(name="convex-in-the-parameters", states=_in_the_parameters),
            ),
        ),
    ),
)
