r"""Assumption A: sigma in C^2, |sigma'(t)| <= C t^2, |sigma''(t)| <= C |t|, and sigma'' is C-Lipschitz.

Let L be the least Lipschitz constant of sigma''. At t = 0 the first two inequalities say sigma'(0) = sigma''(0) = 0;
and if so, |sigma''(t)| <= L |t| and |sigma'(t)| <= L t^2/2 by integration. So the assumption holds if and only if

    sigma in C^2,   sigma'(0) = sigma''(0) = 0,   L = sup |sigma'''| < infinity  (over the open pieces),

and its best constant is C = L. Each of these is decided: the one-sided limits of sigma, sigma', sigma'' at each cut by
exact numbers or balls, the supremum by `supremum.py`.

>>> cubic_smoothness(sp.Max(X, 0) ** 3).holds, bool(cubic_smoothness(sp.Max(X, 0) ** 3).constant == 6)
(True, True)
>>> cubic_smoothness(sp.tanh(X)).reason
"sigma'(0) = 1 is not zero, so |sigma'(t)| <= C t^2 fails near 0."
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial, reduce
from itertools import pairwise
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import (
    CannotDecide,
    Expression,
    NotReal,
    X,
    evaluate,
    exact,
    number_ball,
    provably_zero,
)
from proofs_checks.breakpoints import RADIUS, SideLimit, merged_pieces
from proofs_checks.pieces import Piece
from proofs_checks.real_point import ENCLOSURE_BITS, Point, compare
from proofs_checks.supremum import exact_period, supremum

ORIGIN = Point(sp.S.Zero)
_NAMES = ("sigma", "sigma'", "sigma''")
_CONSEQUENCES = ("", "|sigma'(t)| <= C t^2 fails near 0", "|sigma''(t)| <= C |t| fails near 0")


@dataclass(frozen=True)
class CubicSmoothness:
    """Whether Assumption A holds (None: not decided), why, and a ball around its best constant where it does."""

    holds: bool | None
    reason: str
    constant: arb | None = None


class _Fails(Exception):
    """A part of the assumption is certified to fail; the message says which."""


@lru_cache(maxsize=256)
def cubic_smoothness(expression: Expression) -> CubicSmoothness:
    """Assumption A, decided for an expression in x."""
    try:
        found = merged_pieces(expression, RADIUS)
    except NotReal as undefined:
        return CubicSmoothness(False, f"sigma is not a real function on the whole line: {undefined}")
    except CannotDecide as undecided:
        return CubicSmoothness(None, f"cannot decide where sigma is smooth: {undecided}")
    doubts: list[str] = []
    constant = arb(0)
    # One certified failure settles the question, whatever else is not known: so every part is asked.
    questions: list[Callable[[], list[str]]] = [partial(_vanishes_at_origin, found.pieces, k) for k in (1, 2)]
    for left, right in pairwise(found.pieces):
        questions += [partial(_continuous, left, right, k) for k in (0, 1, 2)]
    try:
        for question in questions:
            try:
                doubts += question()
            except CannotDecide as undecided:
                doubts.append(str(undecided))
        # The outermost pieces of a list that is cut off follow their expression to the next, unlisted kink only.
        for piece in found.pieces if found.within is None else found.pieces[1:-1]:
            try:
                constant = constant.max(_lipschitz(piece))
            except CannotDecide as undecided:
                doubts.append(str(undecided))
    except _Fails as failure:
        return CubicSmoothness(False, str(failure))
    if found.within is not None and not _repeats(expression, found.pieces):
        doubts.append(f"sigma has kinks beyond |x| = {found.within} that are not listed")
    if doubts:
        return CubicSmoothness(None, f"cannot decide: {doubts[0]}")
    return CubicSmoothness(
        True,
        f"sigma is C^2, sigma'(0) = sigma''(0) = 0, and sigma'' is Lipschitz with constant {_shown(constant)}, "
        "which is the best C.",
        constant,
    )


def _repeats(expression: Expression, pieces: tuple[Piece, ...]) -> bool:
    """Whether sigma is periodic and the inner pieces cover a period: then they are all there is."""
    period = exact_period(exact(expression))
    if period is None or len(pieces) < 3:
        return False
    with ctx.workprec(ENCLOSURE_BITS):
        return bool(pieces[-1].low.ball() - pieces[0].high.ball() > number_ball(period))


def _shown(ball: arb) -> str:
    """A number, or the two ends of its enclosure, rounded outward."""
    if ball.rad() == 0:
        return f"{float(ball):.10g}"
    return f"between {float(ball.lower()) * (1 - 1e-6):.6g} and {float(ball.upper()) * (1 + 1e-6):.6g}"


def derived(piece: Piece, order: int) -> Piece:
    return replace(piece, expression=nth_derivative(piece.expression, order))


@lru_cache(maxsize=1024)
def nth_derivative(expression: Expression, order: int) -> Expression:
    return reduce(lambda e, _: sp.diff(e, X), range(order), expression)


def _vanishes_at_origin(pieces: tuple[Piece, ...], order: int) -> list[str]:
    """sigma^(order)(0) = 0, from each side on which 0 is an end of a piece; what remains in doubt."""
    name, consequence = _NAMES[order], _CONSEQUENCES[order]
    doubts = []
    for piece in pieces:
        low, high = compare(piece.low, ORIGIN), compare(piece.high, ORIGIN)
        if low > 0 or high < 0:
            continue
        here = derived(piece, order)
        if low < 0 < high:
            with ctx.workprec(ENCLOSURE_BITS):
                value: arb | None = evaluate(here.expression, arb(0))
        else:
            side = SideLimit.of(here, 1 if high == 0 else -1)
            if side.unbounded:
                raise _Fails(f"{name} is unbounded near 0, so {consequence}.")
            value = side.limit
        if value is None or not value.is_finite():
            doubts.append(f"the limit of {name} at 0 is not known.")
        elif not value.contains(0):
            where = "0" if low < 0 < high else "0+" if low == 0 else "0-"
            raise _Fails(f"{name}({where}) = {float(value):.6g} is not zero, so {consequence}.")
        elif not _is_zero(here.expression, sp.S.Zero, value):
            doubts.append(f"{name}(0) = {value.str(3)} cannot be told from zero.")
    return doubts


def _is_zero(expression: Expression, number: Any, value: arb) -> bool:
    """Whether the limit in the ball `value` is zero: the ball is exact, or SymPy proves it."""
    if value == 0:
        return True
    with contextlib.suppress(TypeError, ValueError):
        return provably_zero(expression.subs(X, number))
    return False


def _continuous(left: Piece, right: Piece, order: int) -> list[str]:
    """Whether sigma^(order) continues across the cut between two pieces; what remains in doubt."""
    cut, name = left.high, _NAMES[order]
    one, other = SideLimit.of(derived(left, order), 1), SideLimit.of(derived(right, order), -1)
    if one.unbounded or other.unbounded:
        raise _Fails(f"{name} is unbounded near x = {cut}, so sigma is not C^2.")
    if one.limit is None or other.limit is None:
        return [f"the one-sided limits of {name} at x = {cut} are not known."]
    with ctx.workprec(ENCLOSURE_BITS):
        gap = other.limit - one.limit
    if not gap.is_finite():
        return [f"the one-sided limits of {name} at x = {cut} are not known."]
    if not gap.contains(0):
        raise _Fails(f"{name} jumps by {float(gap):.6g} at x = {cut}, so sigma is not C^2.")
    # At a cut known as a ball only, agreement to 640 bits is what "one point" means too (see `real_point.compare`).
    if cut.enclosure is not None or _is_zero(
        nth_derivative(right.expression - left.expression, order), cut.number, gap
    ):
        return []
    return [f"whether {name} jumps at x = {cut} is not known: the sides agree to {gap.str(3)}."]


def _lipschitz(piece: Piece) -> arb:
    """sup |sigma'''| on a piece."""
    found = supremum(derived(piece, 3))
    if found is None:
        raise _Fails(f"sigma''' is unbounded on ({piece.low}, {piece.high}), so sigma'' is not Lipschitz.")
    return found
