"""How fast an activation grows, and assumption A1.

The growth of sigma is the infimum c >= 0 of the numbers with  sigma(u)^2 = O(exp(c u^2 / 2))  as |u| -> oo:
0 for polynomials and exp(b|x|), 4a for exp(a x^2), infinity for exp(x^4). Its proof is a pair of envelopes, one on
each side of the line:  |sigma(u)| <= A |u|^p exp(sum of c_i |u|^e_i)  for |u| >= threshold (see `envelope.py`).

Assumption A1: sigma(u)^2 <= c0 exp(c1 u^2 / 2) for all u with some c1 < 1, and sigma is not affine almost everywhere.

>>> growth(sp.exp(X**2 / 8)).rate
1/2
>>> assumption_a1(sp.exp(X**2 / 4)).holds
False
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.asymptotics import bounds_far_out
from proofs_checks.ball_function import (
    CannotDecide,
    Expression,
    NotReal,
    X,
    evaluate,
    exact,
    number_sign,
    provably_zero,
    rational_ball,
)
from proofs_checks.breakpoints import RADIUS, breakpoints, merged_pieces, nearest_to_zero
from proofs_checks.envelope import Envelope, Monomial, Y
from proofs_checks.exact_zeros import SEARCH_BITS
from proofs_checks.pieces import Piece
from proofs_checks.smooth_piece import interior_point


@dataclass(frozen=True)
class Growth:
    """`rate` is the infimum c if `is_infimum`, else an upper bound of it; `right` and `left` are the proofs.

    The envelopes hold at u = y and u = -y for all y >= threshold.
    """

    rate: Any
    is_infimum: bool
    right: Envelope
    left: Envelope
    threshold: int


@dataclass(frozen=True)
class Assumption:
    """A three-valued answer: `holds` is None when it cannot be decided."""

    holds: bool | None
    reason: str


def _rate(bound: Monomial | None) -> Any:
    """4a for a bound whose exponent is a y^2 + lower terms, if a > 0."""
    if bound is None:
        return sp.oo
    degree, c = bound.exponent[0] if bound.exponent else (sp.S.Zero, sp.S.Zero)
    if number_sign(degree - 2) < 0 or number_sign(c) < 0:
        return sp.S.Zero
    return 4 * c if degree == 2 else sp.oo


def _lower_rate(bound: Monomial | None) -> Any:
    return sp.S.Zero if bound is None else _rate(bound)


@lru_cache(maxsize=256)
def growth(expression: Expression) -> Growth:
    """The growth with its majorants, or CannotDecide with the reason."""

    def settled(bounds: Envelope) -> bool:
        return _rate(bounds.upper) == _lower_rate(bounds.lower)

    # Terms that cancel in the expanded form cost the bounds nothing once they are gone.
    forms: list[list[tuple[Envelope, int]]] = []
    reason: CannotDecide | None = None
    for form in dict.fromkeys((exact(expression), sp.expand(exact(expression)))):
        try:
            forms.append([bounds_far_out(form.subs(X, direction * Y), settled) for direction in (1, -1)])
        except CannotDecide as undecided:
            reason = reason or undecided
            continue
        if all(settled(bounds) for bounds, _ in forms[-1]):
            break
    else:
        if not forms and reason is not None:
            raise reason
        forms.append(forms[0])  # none is settled: the form as given
    sides = forms[-1]
    rates = [_rate(bounds.upper) for bounds, _ in sides]
    lower_rates = [_lower_rate(bounds.lower) for bounds, _ in sides]
    rate, least = sp.Max(*rates), sp.Max(*lower_rates)
    return Growth(rate, bool(rate == least), sides[0][0], sides[1][0], max(y0 for _, y0 in sides))


def is_affine(expression: Expression) -> bool:
    """Whether the expression equals one a x + b almost everywhere."""
    found = merged_pieces(expression, RADIUS)
    if not all(_piece_is_affine(piece) for piece in found.pieces):
        return False
    # One expression may follow two lines, as sqrt(x^2 - 2x + 1) = |x - 1| does: points decide before expressions do.
    if any(_bent(_sample(left)[:2] + _sample(right)[:2]) for left, right in pairwise(found.pieces)):
        return False
    if not all(provably_zero(left.expression - right.expression) for left, right in pairwise(found.pieces)):
        raise CannotDecide("whether the pieces of the expression lie on one line is not known.")
    if found.within is not None:
        raise CannotDecide(f"whether the expression is affine beyond |x| = {found.within} is not known.")
    return True


PROBES = 40
"""Points toward each end of a piece at which its straightness is tested: the last is (3/7)^40 < 2e-15 from a finite
end, near enough to see tanh(10^8 x) bend."""


def _sample(piece: Piece) -> list[tuple[arb, arb]]:
    """Points of the graph inside the piece, from its middle toward its left end and then toward its right end."""
    middle = interior_point(piece.low.number, piece.high.number)
    points = [middle]
    for end in (piece.low.number, piece.high.number):
        point = middle
        for _ in range(PROBES):
            point = interior_point(end, point) if end == piece.low.number else interior_point(point, end)
            points.append(point)
    with ctx.workprec(2 * SEARCH_BITS):
        return [(rational_ball(point), evaluate(piece.expression, rational_ball(point))) for point in points]


def _bent(points: list[tuple[arb, arb]]) -> bool:
    """Whether some points are certified to lie off the line through the first two."""
    with ctx.workprec(2 * SEARCH_BITS):
        (x0, y0), (x1, y1) = points[:2]
        slope = (y1 - y0) / (x1 - x0)
        return any(not (y - y0 - slope * (x - x0)).contains(0) for x, y in points[2:])


def _piece_is_affine(piece: Piece) -> bool:
    """Proved by a second derivative that vanishes, disproved by a point off a chord."""
    curvature = sp.diff(piece.expression, X, 2)
    if curvature == 0:
        return True
    if _bent(_sample(piece)):
        return False
    if provably_zero(curvature):
        return True
    raise CannotDecide("whether the expression is affine is not known.")


@lru_cache(maxsize=256)
def assumption_a1(expression: Expression) -> Assumption:
    """Whether sigma(u)^2 <= c0 exp(c1 u^2/2) everywhere with c1 < 1, and sigma is not affine."""
    try:
        found = breakpoints(expression)
    except NotReal as undefined:
        return Assumption(False, f"sigma is not a real function on the whole line: {undefined}")
    except CannotDecide as undecided:
        return Assumption(None, f"cannot decide where sigma is smooth: {undecided}")
    if found.poles:
        return Assumption(
            False, f"sigma is unbounded near x = {nearest_to_zero(found.poles)}, so sigma^2 has no bound there."
        )
    try:
        order = growth(expression)
        if order.is_infimum and (order.rate == sp.oo or number_sign(order.rate - 1) >= 0):
            return Assumption(
                False, f"sigma(u)^2 is not O(exp(c u^2/2)) for any c below {order.rate}, and A1 needs some c < 1."
            )
        if order.rate == sp.oo or number_sign(order.rate - 1) >= 0:
            return Assumption(None, "cannot decide the growth of sigma: no bound below exp(u^2/2) was found.")
        if is_affine(expression):
            return Assumption(False, "sigma is affine almost everywhere.")
    except CannotDecide as undecided:
        return Assumption(None, f"cannot decide A1: {undecided}")
    if found.within is not None and order.threshold > found.within:
        return Assumption(None, "cannot decide whether sigma is bounded between its listed kinks and its majorant.")
    bound = f"sigma(u)^2 = O(exp(c u^2/2)) for every c > {order.rate}"
    return Assumption(True, f"{bound}, sigma is locally bounded, and it is not affine.")
