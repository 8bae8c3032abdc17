"""Exact points of a domain, and certified values of expressions there.

A domain maps symbols to closed intervals, whose ends may depend on other symbols or be infinite. A
symbol without an interval gets a default one from its assumptions. Every point handed out is exact,
lies in the domain, and satisfies what SymPy assumes about its symbols.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from random import Random
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import CannotDecide, NotReal, number_ball, number_sign, rational_ball

Point = Mapping[Any, Any]
Domain = Mapping[Any, tuple[Any, Any]]

AGREEMENT = sp.Rational(1, 10**50)
"""Two values agree when their difference is enclosed within this: fifty digits."""
PRECISIONS = (256, 1024, 4096)
_ASSUMPTIONS = (
    "positive",
    "negative",
    "nonnegative",
    "nonpositive",
    "nonzero",
    "integer",
    "even",
    "odd",
    "prime",
)


def exact(expression: Any) -> Any:
    """The SymPy expression with pending sums and derivatives done, and floats as their shortest decimals."""
    expression = sp.sympify(expression, strict=True).doit()
    floats = {
        number: sp.Rational(repr(float(number)) if number._prec <= 53 else str(number))
        for number in expression.atoms(sp.Float)
        if number.is_finite
    }
    return expression.xreplace(floats)


def default_interval(symbol: Any) -> tuple[Any, Any]:
    if symbol.is_integer:
        return sp.Integer(1), sp.Integer(12)
    if symbol.is_positive:
        return sp.Rational(1, 10), sp.Integer(10)
    if symbol.is_negative:
        return sp.Integer(-10), -sp.Rational(1, 10)
    if symbol.is_nonnegative:
        return sp.Integer(0), sp.Integer(10)
    if symbol.is_nonpositive:
        return sp.Integer(-10), sp.Integer(0)
    return sp.Integer(-5), sp.Integer(5)


@dataclass(frozen=True, eq=False)
class Box:
    """The symbols of a statement in an order in which each interval depends on earlier symbols only."""

    symbols: tuple[Any, ...]
    intervals: tuple[tuple[Any, Any], ...]
    declared: bool

    def interval(self, index: int, point: Point) -> tuple[Any, Any]:
        low, high = self.intervals[index]
        return low.xreplace(dict(point)), high.xreplace(dict(point))

    def bounded(self, index: int) -> tuple[bool, bool]:
        """Whether the interval has a finite lower and a finite upper end."""
        low, high = self.intervals[index]
        return low != -sp.oo, high != sp.oo

    def contains(self, point: Point) -> bool:
        """Whether an exact point is in the domain and satisfies the assumptions on its symbols."""
        for index, symbol in enumerate(self.symbols):
            low, high = self.interval(index, point)
            value = point[symbol]
            if (low <= value) != True or (value <= high) != True:  # noqa: E712 - SymPy's three-valued truth
                return False
            if any(getattr(symbol, f"is_{a}") and not getattr(value, f"is_{a}") for a in _ASSUMPTIONS):
                return False
        return True


def box(symbols: Iterable[Any], domain: Domain) -> Box:
    """The box of these symbols, with those that the ends of their intervals mention."""
    ends = {symbol: (exact(low), exact(high)) for symbol, (low, high) in domain.items()}
    wanted = sorted(symbols, key=str)
    for symbol in wanted:  # grows while it is read
        for end in ends.setdefault(symbol, default_interval(symbol)):
            wanted += [s for s in sorted(end.free_symbols, key=str) if s not in wanted]
    ordered: list[Any] = []
    while len(ordered) < len(wanted):
        free = [s for s in wanted if s not in ordered and _depends(ends[s]) <= set(ordered)]
        if not free:
            raise ValueError("the intervals of the domain depend on each other in a circle")
        ordered += free
    return Box(tuple(ordered), tuple(ends[s] for s in ordered), all(s in domain for s in ordered))


def _depends(ends: tuple[Any, Any]) -> set[Any]:
    return ends[0].free_symbols | ends[1].free_symbols


def between(low: Any, high: Any, fraction: Any, bounded: tuple[bool, bool]) -> Any:
    """The number at a fraction of an interval; an infinite side is approached as the fraction nears it."""
    below, above = bounded
    if below and above:
        return low + fraction * (high - low)
    if below:
        return low + fraction / (1 - fraction)
    if above:
        return high - (1 - fraction) / fraction
    return (2 * fraction - 1) / (fraction * (1 - fraction))


def _place(region: Box, fractions: Sequence[Any]) -> Point:
    point: dict[Any, Any] = {}
    for index, (symbol, fraction) in enumerate(zip(region.symbols, fractions, strict=True)):
        low, high = region.interval(index, point)
        value = between(low, high, fraction, region.bounded(index))
        if not value.is_Rational:  # an irrational end, such as pi
            value = sp.Rational(f"{float(value):.6g}")
        point[symbol] = sp.floor(value + sp.Rational(1, 2)) if symbol.is_integer else value
    return point


def random_points(region: Box, rng: Random, count: int) -> list[Point]:
    """Exact points with short numerators and denominators, drawn at random (fewer if few fit)."""
    points: list[Point] = []
    for _ in range(20 * count):
        point = _place(region, [sp.Rational(f"{_fraction(rng):.3g}") for _ in region.symbols])
        if point not in points and region.contains(point):
            points.append(point)
        if len(points) == count or not region.symbols:
            break
    return points


def _fraction(rng: Random) -> float:
    """In (0, 1): uniform, or crowded towards one end, since bounds fail near the edges of wide intervals."""
    uniform = 0.01 + 0.98 * rng.random()
    return rng.choice((uniform, uniform, uniform**3, 1 - uniform**3))


def special_points(region: Box, most: int) -> list[Point]:
    """Corners, midpoints, and small exact values, as many of their combinations as `most` allows."""

    def values(index: int) -> list[Any]:
        ends = [end for end in region.intervals[index] if end.is_finite or end.free_symbols]
        inner = [sum(ends, sp.S.Zero) / 2] if len(ends) == 2 else []
        return list(dict.fromkeys([*ends, *inner, *map(sp.Rational, ("0", "1", "1/2", "-1", "2"))]))

    def resolve(choice: tuple[Any, ...]) -> Point:
        point: dict[Any, Any] = {}
        for symbol, value in zip(region.symbols, choice, strict=True):
            point[symbol] = value.xreplace(point)
        return point

    choices = product(*(values(index) for index in range(len(region.symbols))))
    points = (resolve(choice) for choice in islice(choices, 64 * most))
    return list(islice((point for point in points if region.contains(point)), most))


def every_point(region: Box, most: int) -> list[Point] | None:
    """All points, if the domain is declared, holds integers only, and has no more than `most` of them."""
    if not region.declared or not region.symbols or not all(symbol.is_integer for symbol in region.symbols):
        return None
    points: list[Point] = [{}]
    for index, symbol in enumerate(region.symbols):
        extended: list[Point] = []
        for point in points:
            low, high = region.interval(index, point)
            if not (low.is_finite and high.is_finite):
                return None
            whole = range(int(sp.ceiling(low)), int(sp.floor(high)) + 1)
            if len(extended) + len(whole) > most:  # before they are built: there may be 10^9
                return None
            extended += [{**point, symbol: sp.Integer(n)} for n in whole]
        points = extended
    return [point for point in points if region.contains(point)]


def ball_at(expression: Any, point: Point) -> arb | None:
    """A ball around the real value, of radius below AGREEMENT where possible; None where there is no value."""
    number = _number_at(expression, point)
    if number is None:
        return None
    if number.is_Rational:
        with ctx.workprec(PRECISIONS[0]):
            return rational_ball(number)
    for bits in PRECISIONS:
        with ctx.workprec(bits):
            try:
                value = number_ball(number)
            except NotReal:
                return None
            except CannotDecide:
                return _ball_by_evalf(number)
            if value.rad() < rational_ball(AGREEMENT) and not value.contains(0):
                return value
    return value  # pyright: ignore[reportPossiblyUnboundVariable] - PRECISIONS is not empty


def _number_at(expression: Any, point: Point) -> Any:
    number = expression.xreplace(dict(point)).doit()
    if not number.is_number or number.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        return None
    return number


def _ball_by_evalf(number: Any) -> arb | None:
    """SymPy's evaluation to 60 digits with its own error control, for functions without a ball."""
    try:
        value = number.evalf(60, strict=True)
    except (sp.PrecisionExhausted, NotImplementedError, ValueError):
        # It could not tell the number from zero: all that is known is that it is below the working error.
        value = number.evalf(60)
        if not value.is_Float or not abs(value) < AGREEMENT:
            return None
        return arb(0, float(AGREEMENT) / 2)
    if not value.is_Float:
        return None
    with ctx.workprec(PRECISIONS[0]):
        middle = rational_ball(sp.Rational(value))
        return middle + arb(0, 1) * abs(middle) * rational_ball(AGREEMENT)


def sign_at(expression: Any, point: Point) -> int | None:
    """The certified sign of the value; 0 only if it is exactly zero; None if it cannot be told or does not exist."""
    number = _number_at(expression, point)
    if number is None:
        return None
    try:
        return number_sign(number)
    except CannotDecide:
        value = ball_at(expression, point)
        return None if value is None or value.contains(0) else 1 if value > 0 else -1


def describe(point: Point) -> dict[str, str]:
    return {str(symbol): str(value) for symbol, value in point.items()}


def say(point: Point) -> str:
    return ", ".join(f"{name} = {value}" for name, value in describe(point).items()) or "these numbers"
