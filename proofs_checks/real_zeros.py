"""All real zeros of a smooth expression, exact where possible and isolated by balls otherwise.

Three ways, in this order. A polynomial has its exact real roots. An expression in which x occurs once, as in
2 exp(x/3) - 5, is inverted node by node. Any other is bounded away from zero far out by its envelope, and inside it is
bisected with balls: a sub-interval where the value excludes 0 holds no zero, one where the derivative excludes 0 and
the ends differ in sign holds exactly one, which interval Newton then encloses to ENCLOSURE_BITS. A multiple zero
is found where it is a simple fraction.

Where the zeros may go on for ever (sin), those with |x| <= radius are given, and `within` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import acb, arb, ctx, fmpq

from proofs_checks.asymptotics import bounds_far_out
from proofs_checks.ball_function import (
    BallFunction,
    CannotDecide,
    Expression,
    X,
    ball_function,
    number_ball,
    provably_zero,
    rational_ball,
)
from proofs_checks.envelope import Y
from proofs_checks.exact_zeros import FAMILY, SEARCH_BITS, Zeros, solve_exactly
from proofs_checks.real_point import ENCLOSURE_BITS, LEFT_END, RIGHT_END, Point, compare, near

FINEST = 2.0**-100
"""A sub-interval below this width that is still undecided ends the search."""
SIMPLE = 12
"""Denominators of the fractions that are tried as exact zeros."""
EVALUATIONS = 20000
"""Ball evaluations after which a search is given up (about one second)."""
HIGHEST_ORDER = 6
"""Multiple zeros are recognised up to this order."""
DEEPEST = 64
"""exp(-DEEPEST) is the closest to an end of an interval that the search begins."""


def zeros(expression: Expression, low: Point, high: Point, radius: int) -> Zeros:
    """The zeros in the open interval (low, high) of an expression without switches, analytic inside it.

    Zeros at the ends are left out: the caller has them already.
    """
    found = solve_exactly(expression, radius) or _isolated_zeros(expression, low, high, radius)
    inside = [p for p in found.points if compare(low, p) < 0 and compare(p, high) < 0]
    return Zeros(tuple(inside), found.within)


def _isolated_zeros(expression: Expression, low: Point, high: Point, radius: int) -> Zeros:
    left, left_within = _end(expression, low, 1, radius)
    right, right_within = _end(expression, high, -1, radius)
    limits = [within for within in (left_within, right_within) if within is not None]
    with ctx.workprec(SEARCH_BITS):
        points = tuple(_Search(expression).zeros_between(left, right)) if left < right else ()
    if len(points) > FAMILY:
        raise CannotDecide(f"the zeros of {expression} are too many to be listed.")
    return Zeros(points, min(limits) if limits else None)


def _end(expression: Expression, end: Point, inward: int, radius: int) -> tuple[arb, int | None]:
    """Where the search may begin: no zero lies strictly between the end of the interval and this point.

    At infinity, and at a finite end c in the variable y = -log|x - c|, the envelope settles the sign; at a finite
    end where the expression is smooth, its value or its slope does.
    """
    if end in (LEFT_END, RIGHT_END):
        try:
            bounds, y0 = bounds_far_out(expression.subs(X, -inward * Y), lambda b: b.strict_sign != 0)
        except CannotDecide:
            return arb(-inward * radius), radius
        return (arb(-inward * y0), None) if bounds.strict_sign else (arb(-inward * radius), radius)
    with ctx.workprec(SEARCH_BITS):
        start = (end.ball() + inward * arb(FINEST)).mid()
        stretch = end.ball().union(start)
        value = ball_function(expression)(acb(stretch), False)
        if value.is_finite() and not value.real.contains(0):
            return start, None
        slope = ball_function(sp.diff(expression, X))(acb(stretch), False)
        # Monotone there, with a zero at the end itself (to ENCLOSURE_BITS, see `compare`): no other one.
        if slope.is_finite() and not slope.real.contains(0) and _vanishes_to_every_bit(expression, end):
            return start, None
    if end.enclosure is not None:
        raise CannotDecide(f"the zeros of {expression} near x = {end} cannot be told apart.")
    bounds, y0 = bounds_far_out(near(expression, end.number, inward), lambda b: b.strict_sign != 0)
    if not bounds.strict_sign or y0 > DEEPEST:
        raise CannotDecide(f"the zeros of {expression} near x = {end} cannot be told apart.")
    with ctx.workprec(SEARCH_BITS):
        return (end.ball() + inward * arb(-y0).exp()).mid(), None


def _vanishes_to_every_bit(expression: Expression, point: Point) -> bool:
    with ctx.workprec(ENCLOSURE_BITS):
        return ball_function(expression)(acb(point.ball()), False).contains(0)


def _vanishes(expression: Expression, number: Any) -> bool:
    """Whether the number is a zero, proved; SymPy is asked only what balls cannot answer with no."""
    with ctx.workprec(ENCLOSURE_BITS):
        value = ball_function(expression)(acb(number_ball(number)), False)
    if value.is_finite() and not value.contains(0):
        return False
    return provably_zero(expression.subs(X, number))


class _Search:
    """Bisection of an interval, with balls, until every zero is alone."""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.value = ball_function(expression)
        self.slope = ball_function(sp.diff(expression, X))
        self.evaluations = 0
        self.derivatives: dict[Any, BallFunction | None] = {}

    def at(self, function: Any, ball: arb) -> arb:
        self.evaluations += 1
        if self.evaluations > EVALUATIONS:
            raise CannotDecide(f"the zeros of {self.expression} could not be isolated in reasonable time.")
        return function(acb(ball), False).real

    def zeros_between(self, low: arb, high: arb) -> Iterator[Point]:
        pending = [(low.mid(), high.mid())]
        fractions: set[Any] = set()
        while pending:
            left, right = pending.pop()
            ball = left.union(right)
            value = self.at(self.value, ball)
            if value.is_finite() and not value.contains(0):
                continue
            fraction = self._only_zero(ball)
            if fraction is not None:
                fractions.add(fraction)
                continue
            slope = self.at(self.slope, ball)
            if slope.is_finite() and not slope.contains(0):
                ends = [self.at(self.value, left), self.at(self.value, right)]
                if all(end > 0 for end in ends) or all(end < 0 for end in ends):
                    continue
                if all(not end.contains(0) for end in ends):
                    yield self._enclose(left, right, rising=bool(ends[1] > 0))
                    continue
            if right - left < FINEST:
                raise CannotDecide(f"the zeros of {self.expression} near x = {ball.str(6, radius=False)} merge.")
            # An uneven split, so that a cut does not fall on a zero such as 0 or 1.
            middle = (left + (right - left) * arb(fmpq(31, 65))).mid()
            pending += [(left, middle), (middle, right)]
        yield from (Point(fraction) for fraction in fractions)

    def _only_zero(self, ball: arb) -> Any:
        """A simple fraction near the ball that is the only zero in it and around it, if there is one.

        If the derivatives of order 0, ..., m - 1 vanish at c and that of order m has no zero on a hull of c and
        the ball, then c is the only zero there: the zeros of f, counted with multiplicity, are at most m.
        """
        if not ball.rad() < 1 / 16:
            return None
        nearest = Fraction(float(ball.mid())).limit_denominator(SIMPLE)
        candidate = sp.Rational(nearest.numerator, nearest.denominator)
        if abs(ball.mid() - rational_ball(candidate)) > 4 * ball.rad():
            return None
        derivative = self._first_nonzero_derivative(candidate)
        if derivative is None:
            return None
        value = self.at(derivative, ball.union(rational_ball(candidate)))
        return candidate if value.is_finite() and not value.contains(0) else None

    def _first_nonzero_derivative(self, candidate: Any) -> BallFunction | None:
        """The first derivative that does not vanish at the candidate, None if the expression itself does not."""
        if candidate not in self.derivatives:
            order, derivative = 0, self.expression
            while order <= HIGHEST_ORDER and _vanishes(derivative, candidate):
                order, derivative = order + 1, sp.diff(derivative, X)
            self.derivatives[candidate] = ball_function(derivative) if 0 < order <= HIGHEST_ORDER else None
        return self.derivatives[candidate]

    def _enclose(self, left: arb, right: arb, rising: bool) -> Point:
        """Interval Newton on an interval with one simple zero, after bisection to where it contracts."""
        for denominator in range(1, SIMPLE + 1):
            candidate = sp.Rational(round(float((left + right) / 2) * denominator), denominator)
            ball = rational_ball(candidate)
            if left < ball and ball < right and _vanishes(self.expression, candidate):
                return Point(candidate)
        with ctx.workprec(ENCLOSURE_BITS + 64):
            ball = left.union(right)
            for _ in range(4 * ENCLOSURE_BITS):
                middle = ball.mid()
                here = self.at(self.value, middle)
                slope = self.at(self.slope, ball)
                if slope.is_finite() and not slope.contains(0):
                    newton = middle - here / slope
                    if newton.overlaps(ball) and 2 * newton.rad() < ball.rad():
                        ball = newton.intersection(ball)
                        continue
                    if newton.rad() < arb(2) ** -ENCLOSURE_BITS:
                        break
                if here.contains(0):
                    break
                lower = bool(here > 0) == rising
                ball = ball.lower().union(middle) if lower else middle.union(ball.upper())
            if not ball.rad() < arb(2) ** (-ENCLOSURE_BITS // 2):
                raise CannotDecide(f"a zero of {self.expression} could not be enclosed.")
            return Point(sp.Float(ball.mid().str(120, radius=False), 120), ball)
