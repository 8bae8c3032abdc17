"""An expression on either side of zero, without its switches: what parity and homogeneity are read from.

With p > 0 and the points |k| of all kinks k as borders, `halves` gives on each interval of p the two smooth
functions sigma(p) and sigma(-p). Then sigma is even iff their difference vanishes on every interval, odd iff
their sum does; and sigma minus its Gaussian mean is odd iff their sum is one constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import sympy as sp
from flint import ctx

from proofs_checks.ball_function import (
    SIMPLIFIABLE,
    CannotDecide,
    evaluate,
    exact,
    number_sign,
    provably_zero,
    rational_ball,
)
from proofs_checks.smooth_piece import interior_point, resolve, smooth_piece
from theorems.named_activations import X

Parity = Literal["even", "odd", "none"]
P = sp.Symbol("p", positive=True)
_PARTLY_REAL = (sp.log, sp.asin, sp.acos, sp.acosh, sp.atanh)
_BITS = 256


@dataclass(frozen=True)
class Half:
    """sigma(p) and sigma(-p) for low < p < high."""

    low: Any
    high: Any
    right: Any
    left: Any


def require_real_parts(expression: Any, kinks: Sequence[Any]) -> None:
    """NotReal if a root, logarithm or inverse function inside the expression is complex on an interval.

    The whole may be real where a part is not, as cosh(sqrt(x)) for x < 0; a function of real numbers has no value
    there all the same. The points where a part turns complex are kinks, so one point decides for an interval.
    """
    for low, high in pairwise([-sp.oo, *kinks, sp.oo]):
        point = interior_point(low, high)
        for part in sp.preorder_traversal(resolve(exact(expression), point)):
            root = isinstance(part, sp.Pow) and not part.exp.is_Integer
            if part.free_symbols and (root or isinstance(part, _PARTLY_REAL)):
                with ctx.workprec(_BITS):
                    evaluate(part, rational_ball(point))


def halves(expression: Any, kinks: Sequence[Any]) -> tuple[Half, ...]:
    borders: list[Any] = [sp.Integer(0)]
    for border in sorted({sp.Abs(kink) for kink in kinks if kink != 0}, key=lambda kink: sp.N(kink, 60)):
        if number_sign(border - borders[-1]) > 0:
            borders.append(border)
    borders.append(sp.oo)
    return tuple(
        Half(
            low,
            high,
            smooth_piece(expression, low, high).xreplace({X: P}),
            smooth_piece(expression, -high, -low).xreplace({X: -P}),
        )
        for low, high in pairwise(borders)
    )


def parity(expression: Any, kinks: Sequence[Any] | None, *, up_to_a_constant: bool = False) -> Parity:
    """The parity, proved; "none" also where neither symmetry could be proved.

    `kinks` are all of them, or None where they are not known. `up_to_a_constant` asks it of sigma minus its
    Gaussian mean: if sigma(p) + sigma(-p) = 2c for all p, that mean is c.
    """
    mirrored = expression.xreplace({X: -X})
    if mirrored == expression:
        return "even"
    if mirrored == -expression:
        return "odd"
    if kinks is None:
        return "none"
    try:
        both = halves(expression, kinks)
        if all(_vanishes(half.right - half.left, half) for half in both):
            return "even"
        sums = [(half.right + half.left, half) for half in both]
        if up_to_a_constant:
            point = _points(both[0])[0]
            constant = sums[0][0].subs(P, point)
            sums = [(total - constant, half) for total, half in sums]
        if all(_vanishes(total, half) for total, half in sums):
            return "odd"
    except CannotDecide:
        return "none"
    return "none"


def _points(half: Half) -> tuple[Any, ...]:
    """Rational points of the interval at which a function that is not zero is likely not to vanish."""
    first = interior_point(half.low, half.high)
    second = interior_point(half.low, first)
    return first, second, interior_point(second, first)


def _vanishes(difference: Any, half: Half) -> bool:
    """Whether a smooth function is identically zero: refuted by balls, proved by algebra."""
    if difference == 0:
        return True
    with ctx.workprec(_BITS):
        for point in _points(half):
            if not evaluate(difference, rational_ball(point)).contains(0):
                return False
    if sp.count_ops(difference) <= SIMPLIFIABLE:
        # Rational functions of exponentials (sigmoid, tanh) cancel over a common denominator.
        numerator, _ = sp.fraction(sp.together(sp.expand(difference.rewrite(sp.exp))))
        if sp.expand(numerator) == 0:
            return True
    return provably_zero(difference)
