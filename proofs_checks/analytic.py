"""Whether an expression is analytic on the whole real line, decided.

It is if one analytic expression is followed from end to end. It is not where a derivative of some order is certified to
jump or to be unbounded. Derivatives up to HIGHEST are looked at; a cut that none of them betrays, as that of
exp(-1/x^2), is left undecided.

>>> analytic_on_line(X - sp.sin(X)).holds, analytic_on_line(sp.Max(X, 0) ** 3).reason
(True, 'the derivative of order 3 jumps by 6 at x = 0.')
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.ball_function import CannotDecide, Expression, NotReal, X, evaluate, provably_zero
from proofs_checks.breakpoints import SideLimit, merged_pieces
from proofs_checks.cubic_smoothness import derived
from proofs_checks.exact_zeros import SEARCH_BITS
from proofs_checks.growth import Assumption
from proofs_checks.pieces import Piece
from proofs_checks.real_point import ENCLOSURE_BITS

HIGHEST = 8
"""Order up to which a jump of a derivative is looked for: higher powers than Max(x, 0)^8 are left undecided."""


@lru_cache(maxsize=256)
def analytic_on_line(expression: Expression) -> Assumption:
    """Whether the expression is analytic at every real point."""
    try:
        found = merged_pieces(expression)
    except NotReal as undefined:
        return Assumption(False, f"it is not a real function on the whole line: {undefined}")
    except CannotDecide as undecided:
        return Assumption(None, f"cannot decide: {undecided}")
    if len(found.pieces) == 1 and found.within is None:
        return Assumption(True, "one analytic expression on the whole line.")
    for left, right in pairwise(found.pieces):
        for order in range(HIGHEST + 1):
            betrayed = _break(left, right, order)
            if betrayed is not None:
                return Assumption(False, f"the derivative of order {order} {betrayed} at x = {left.high}.")
    return Assumption(None, "cannot decide whether it continues analytically from piece to piece.")


def _break(left: Piece, right: Piece, order: int) -> str | None:
    """How the derivative of this order is certified to break at the cut, if it is."""
    try:
        one, other = SideLimit.of(derived(left, order), 1), SideLimit.of(derived(right, order), -1)
    except CannotDecide:
        return None
    if one.unbounded or other.unbounded:
        return "is unbounded"
    if one.limit is None or other.limit is None:
        return None
    with ctx.workprec(ENCLOSURE_BITS):
        gap = other.limit - one.limit
    if gap.is_finite() and not gap.contains(0):
        return f"jumps by {float(gap):.6g}"
    return None


def one_expression(expression: Expression) -> Expression | None:
    """The expression without its switches, if it follows one analytic expression on the whole line."""
    try:
        found = merged_pieces(expression)
    except CannotDecide:
        return None
    return found.pieces[0].expression if len(found.pieces) == 1 and found.within is None else None


def vanishing_order(expression: Expression, highest: int) -> int | None:
    """The least order up to `highest` from which on the derivatives of an analytic expression vanish identically.

    Certified values tell a derivative from zero; SymPy is asked only where none does.
    """
    smooth = one_expression(expression)
    if smooth is None:
        return None
    for order in range(1, highest + 1):
        slope = sp.diff(smooth, X, order)
        with ctx.workprec(SEARCH_BITS):
            values = [evaluate(slope, arb(fmpq(point, 7))) for point in (-17, -3, 5, 11)]
        if all(value.contains(0) for value in values) and provably_zero(slope):
            return order
    return None
