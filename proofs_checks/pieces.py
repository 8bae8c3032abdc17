"""The real line cut into open intervals on each of which an expression is one analytic function.

The cuts are the zeros of what the switches look at (arguments of Abs, sign, Heaviside; differences inside Max and
Min; the two sides of a condition) and, on each interval so found, the zeros of what roots, logarithms, inverse
functions and denominators look at. Branch points of a branch that is not taken are no cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cmp_to_key, lru_cache
from itertools import combinations, pairwise
from typing import Any

import sympy as sp
from flint import acb, arb, ctx
from sympy.core.relational import Relational

from proofs_checks.ball_function import CannotDecide, Expression, ball_function, evaluate, gap, rational_ball
from proofs_checks.exact_zeros import SEARCH_BITS, Zeros
from proofs_checks.real_point import LEFT_END, RIGHT_END, Point, compare
from proofs_checks.real_zeros import zeros
from proofs_checks.smooth_piece import interior_point, resolve

MOST_PIECES = 600
PROBE = 2.0**-64
"""Half-width of the complex ball around an end on which a piece is tested for being analytic."""


@dataclass(frozen=True)
class Piece:
    """The analytic expression that is followed on the open interval (low, high)."""

    low: Point
    high: Point
    expression: Any

    def end(self, side: int) -> Point:
        return self.high if side > 0 else self.low

    def regular(self, side: int) -> bool:
        """Whether the expression is analytic around its right (side = 1) or left (side = -1) end."""
        with ctx.workprec(SEARCH_BITS):
            around = acb(self.end(side).ball() + arb(0, PROBE), arb(0, PROBE))
            return ball_function(self.expression)(around, True).is_finite()


@dataclass(frozen=True)
class Pieces:
    """Consecutive pieces. If `within` is not None, cuts with |x| > within are not listed."""

    pieces: tuple[Piece, ...]
    within: int | None

    @property
    def cuts(self) -> tuple[Point, ...]:
        return tuple(piece.high for piece in self.pieces[:-1])


def _switch_arguments(expression: Expression) -> Iterator[Expression]:
    for node in sp.preorder_traversal(expression):
        arguments: tuple[Any, ...] = node.args
        if isinstance(node, sp.Abs | sp.sign | sp.Heaviside):
            yield arguments[0]
        elif isinstance(node, sp.Max | sp.Min):
            yield from (left - right for left, right in combinations(arguments, 2))
        elif isinstance(node, Relational):
            yield gap(node)


def _singular_arguments(expression: Expression) -> Iterator[Expression]:
    """What must not vanish for a switch-free expression to be analytic."""
    for node in sp.preorder_traversal(expression):
        arguments: tuple[Any, ...] = node.args
        if isinstance(node, sp.Pow) and not (node.exp.is_Integer and node.exp.is_positive):
            yield node.base
        elif isinstance(node, sp.log):
            yield arguments[0]
        elif isinstance(node, sp.asin | sp.acos | sp.atanh):
            yield from (arguments[0] - 1, arguments[0] + 1)
        elif isinstance(node, sp.acosh):
            yield arguments[0] - 1


def _distinct(arguments: Iterable[Expression]) -> list[Expression]:
    return [argument for argument in dict.fromkeys(arguments) if argument.free_symbols]


def _ordered(points: Iterable[Point]) -> list[Point]:
    result: list[Point] = []
    for point in sorted(points, key=cmp_to_key(compare)):
        if not result or compare(result[-1], point) != 0:
            result.append(point)
        elif result[-1].enclosure is not None and point.enclosure is None:
            result[-1] = point  # of two descriptions of one point, keep the exact one
    if len(result) > MOST_PIECES:
        raise CannotDecide("the expression has too many pieces.")
    return result


def _nearest(limits: Iterable[int | None]) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


@lru_cache(maxsize=1024)
def pieces(expression: Expression, radius: int) -> Pieces:
    """The pieces of an expression in x (made `exact` before); cuts that go on for ever are listed up to the radius."""
    cuts: list[Point] = []
    limits: list[int | None] = []
    for argument in _distinct(_switch_arguments(expression)):
        inner = pieces(argument, radius)
        cuts += inner.cuts
        limits.append(inner.within)
        for piece in inner.pieces:
            found = _zeros(piece.expression, piece.low, piece.high, radius)
            cuts += found.points
            limits.append(found.within)
    result: list[Piece] = []
    for low, high in pairwise([LEFT_END, *_ordered(cuts), RIGHT_END]):
        branch = resolve(expression, interior_point(low.number, high.number))
        if _distinct(_switch_arguments(branch)):
            # A branch may hold new switches: sqrt(x * Min(x, 1)) becomes sqrt(x^2) = Abs(x) for x < 1.
            inner = pieces(branch, radius)
            limits.append(inner.within)
            result += _clipped(inner.pieces, low, high)
            continue
        inside: list[Point] = []
        for argument in _distinct(_singular_arguments(branch)):
            found = _zeros(argument, low, high, radius)
            inside += found.points
            limits.append(found.within)
        result += [Piece(a, b, branch) for a, b in pairwise([low, *_ordered(inside), high])]
    for piece in result:
        _check_real(piece)
    return Pieces(tuple(result), _nearest(limits))


def _clipped(given: Iterable[Piece], low: Point, high: Point) -> Iterator[Piece]:
    """The parts of the pieces inside (low, high)."""
    for piece in given:
        left = piece.low if compare(low, piece.low) < 0 else low
        right = piece.high if compare(piece.high, high) < 0 else high
        if compare(left, right) < 0:
            yield Piece(left, right, piece.expression)


def _zeros(expression: Expression, low: Point, high: Point, radius: int) -> Zeros:
    return zeros(expression, low, high, radius) if expression.free_symbols else Zeros(())


def _check_real(piece: Piece) -> None:
    point = interior_point(piece.low.number, piece.high.number)
    with ctx.workprec(SEARCH_BITS):
        if not evaluate(piece.expression, rational_ball(point)).is_finite():
            raise CannotDecide(f"the expression has no certified value at x = {sp.Float(point, 6)}.")
