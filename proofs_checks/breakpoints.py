"""Where an activation is not smooth, not continuous, or not bounded.

kinks   all real points where the expression or a derivative of it may be non-smooth;
jumps   those where it is discontinuous (its one-sided limits differ, or are not shown to agree);
poles   those near which it is unbounded, and among them those near which it or its square is not integrable:
        log|x| is unbounded at 0 with an integrable square, 1/x is not even integrable.

>>> x = sp.Symbol("x", real=True)
>>> found = breakpoints(sp.Max(x, 0) + sp.Heaviside(x - 2))
>>> found.kinks, found.jumps, found.poles
((0, 2), (2,), ())
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sympy as sp
from flint import acb, arb, ctx

from proofs_checks.asymptotics import bounds_far_out
from proofs_checks.ball_function import (
    CannotDecide,
    Expression,
    NotReal,
    ball_function,
    evaluate,
    exact,
    magnitude,
    provably_zero,
)
from proofs_checks.envelope import THRESHOLDS, Envelope, Monomial
from proofs_checks.exact_zeros import SEARCH_BITS
from proofs_checks.pieces import PROBE, Piece, Pieces, pieces
from proofs_checks.real_point import ENCLOSURE_BITS, Point, near

RADIUS = 64
"""Kinks that go on for ever, as those of |sin x|, are listed up to this |x| unless more is asked for."""

__all__ = ["Breakpoints", "CannotDecide", "NotReal", "breakpoints", "merged_pieces", "nearest_to_zero"]


@dataclass(frozen=True)
class Breakpoints:
    """Exact SymPy numbers, sorted; a Float of 120 digits where only an isolating ball is known.

    If `within` is not None the lists are complete only for |x| <= within.
    """

    kinks: tuple[Any, ...]
    jumps: tuple[Any, ...]
    poles: tuple[Any, ...]
    not_square_integrable: tuple[Any, ...]
    not_integrable: tuple[Any, ...]
    within: int | None = None
    points: tuple[Point, ...] = field(default=(), compare=False, repr=False)


def nearest_to_zero(numbers: tuple[Any, ...]) -> Any:
    return min(numbers, key=lambda number: (abs(float(number)), -float(number)))


@lru_cache(maxsize=256)
def merged_pieces(expression: Expression, radius: int = RADIUS) -> Pieces:
    """The pieces, neighbours joined where one analytic expression continues across the cut."""
    found = pieces(exact(expression), radius)
    result: list[Piece] = []
    for piece in found.pieces:
        if result and _continues(result[-1], piece):
            result[-1] = Piece(result[-1].low, piece.high, result[-1].expression)
        else:
            result.append(piece)
    return Pieces(tuple(result), found.within)


def _continues(left: Piece, right: Piece) -> bool:
    difference = left.expression - right.expression
    return left.regular(1) and right.regular(-1) and (difference == 0 or sp.expand(difference) == 0)


@lru_cache(maxsize=256)
def breakpoints(expression: Expression, radius: int = RADIUS) -> Breakpoints:
    """All kinks, jumps and poles, or CannotDecide with the reason."""
    found = merged_pieces(expression, radius)
    sides = [
        (cut.number, SideLimit.of(left, 1), SideLimit.of(right, -1))
        for cut, left, right in zip(found.cuts, found.pieces[:-1], found.pieces[1:], strict=True)
    ]
    return Breakpoints(
        kinks=tuple(number for number, _, _ in sides),
        jumps=tuple(number for number, left, right in sides if not _agree(left, right)),
        poles=tuple(number for number, left, right in sides if left.unbounded or right.unbounded),
        not_square_integrable=tuple(n for n, left, right in sides if not min(left.integrable, right.integrable) >= 2),
        not_integrable=tuple(n for n, left, right in sides if not min(left.integrable, right.integrable) >= 1),
        within=found.within,
        points=found.cuts,
    )


@dataclass(frozen=True)
class SideLimit:
    """What a piece does as x approaches one of its ends.

    `limit` is its limit, if known. `integrable` is 2 if its square is integrable there, 1 if only its modulus is,
    0 if not even that.
    """

    piece: Piece
    side: int
    limit: arb | None
    unbounded: bool = False
    integrable: int = 2

    @staticmethod
    def of(piece: Piece, side: int) -> SideLimit:
        """At the right end for side = 1, at the left end for side = -1."""
        end = piece.end(side)
        with ctx.workprec(SEARCH_BITS):
            bounded = magnitude(piece.expression, end.ball() + arb(0, PROBE)).is_finite()
        if bounded:
            with ctx.workprec(ENCLOSURE_BITS):
                return SideLimit(piece, side, evaluate(piece.expression, end.ball()))
        bounds, _ = envelope_at(piece, side)
        if bounds.upper is not None and bounds.upper.order() <= 0:
            return SideLimit(piece, side, arb(0) if bounds.upper.order() < 0 else None)
        if bounds.lower is None or bounds.lower.order() <= 0:
            raise CannotDecide(f"whether the expression is bounded near x = {end} is not known.")
        powers = [power for power in (1, 2) if _integrable(bounds, power, end)]
        return SideLimit(piece, side, None, unbounded=True, integrable=len(powers))


def envelope_at(piece: Piece, side: int) -> tuple[Envelope, int]:
    """Bounds in the variable y = -log|x - end| as x approaches the end of the piece, and the y0 they hold from."""
    end = piece.end(side)
    if end.enclosure is not None:
        raise CannotDecide(f"the behaviour near x = {end}, which is not known exactly, cannot be bounded.")

    def settled(bounds: Envelope) -> bool:
        tame = bounds.upper is not None and bounds.upper.order() <= 0
        return tame or (bounds.lower is not None and bounds.lower.order() > 0)

    return bounds_far_out(near(piece.expression, end.number, -side), settled)


def _integrable(bounds: Envelope, degree: int, end: Point) -> bool:
    """|f|^degree, times |dx| = exp(-y) dy, is integrable over y if and only if its order at infinity is negative."""
    length = Monomial(arb(1), sp.S.Zero, ((sp.S.One, sp.S.NegativeOne),))
    if bounds.upper is not None and (bounds.upper ** sp.Integer(degree) * length).order() < 0:
        return True
    if bounds.lower is not None and (bounds.lower ** sp.Integer(degree) * length).order() >= 0:
        return False
    raise CannotDecide(f"whether power {degree} of the expression is integrable near x = {end} is not known.")


def _agree(left: SideLimit, right: SideLimit) -> bool:
    """Whether the two one-sided limits are finite and equal (to every bit computed, where SymPy cannot prove it)."""
    if left.unbounded or right.unbounded:
        return False
    if left.limit is not None and right.limit is not None:
        return left.limit.overlaps(right.limit)
    cut = left.piece.high
    if cut.enclosure is not None:
        return False
    difference = near(right.piece.expression, cut.number, 1) - near(left.piece.expression, cut.number, -1)
    with contextlib.suppress(CannotDecide):
        upper = bounds_far_out(difference)[0].upper
        if upper is not None and upper.order() < 0:
            return True
    # SymPy is asked for a proof only where balls do not show a difference: it takes its time.
    with ctx.workprec(SEARCH_BITS):
        differ = not ball_function(difference)(acb(THRESHOLDS[0]), False).contains(0)
    return not differ and provably_zero(difference)
