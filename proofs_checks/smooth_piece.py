"""The analytic branch that an expression with switches follows on an interval.

Between two consecutive points where an argument of Abs, sign, Heaviside, Max, Min or of a Piecewise condition
vanishes, each switch keeps its position; reading it at one interior point, with balls, gives the branch.

>>> import sympy as sp
>>> x = sp.Symbol("x", real=True)
>>> smooth_piece(sp.Max(x, 0) + sp.Abs(x - 3), sp.Integer(0), sp.Integer(3))
3
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from proofs_checks.ball_function import (
    PRECISIONS,
    RELATIONS,
    CannotDecide,
    Expression,
    NotReal,
    evaluate,
    exact,
    gap,
    number_ball,
    provably_zero,
    rational_ball,
)


def sign_at(argument: Expression, point: Any) -> int:
    """The sign of an expression at a rational point; 0 only if it vanishes identically."""
    for bits in PRECISIONS:
        with ctx.workprec(bits):
            value = evaluate(argument, rational_ball(point))
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
    if provably_zero(argument):
        return 0
    raise CannotDecide(f"the sign of {argument} at x = {point} is not known.")


def interior_point(low: Expression, high: Expression) -> Any:
    """A rational point of the open interval, off its middle so that it is no special point by accident."""
    if low == -sp.oo and high == sp.oo:
        return sp.Rational(5, 7)
    with ctx.workprec(PRECISIONS[1]):
        if low == -sp.oo or high == sp.oo:
            end = number_ball(high if low == -sp.oo else low)
            ends = (end - 1, end) if low == -sp.oo else (end, end + 1)
        else:
            ends = (number_ball(low), number_ball(high))
        middle = (ends[0] + (ends[1] - ends[0]) * arb(fmpq(3, 7))).mid()
        if not (middle > ends[0] and middle < ends[1]):
            raise CannotDecide(f"the points {low} and {high} are too close to be told apart.")
        mantissa, exponent = middle.man_exp()
    return sp.Integer(int(mantissa)) * sp.Integer(2) ** int(exponent)


def smooth_piece(expression: Expression, low: Expression, high: Expression) -> Expression:
    """The expression without its switches on (low, high), where none of their arguments changes sign."""
    return resolve(exact(expression), interior_point(low, high))


def resolve(expression: Expression, point: Any) -> Expression:
    """The expression with each switch replaced by the branch it takes at `point`."""
    if not expression.args or not expression.free_symbols:
        return expression
    if isinstance(expression, sp.Piecewise):
        for value, condition in expression.args:  # pyright: ignore[reportGeneralTypeIssues]  # pairs
            if _holds_at(condition, point):
                return resolve(value, point)
        raise NotReal(f"no condition of the Piecewise holds at x = {sp.Float(point, 6)}.")
    parts = [resolve(part, point) for part in expression.args]
    if isinstance(expression, sp.Max | sp.Min):
        wanted = 1 if isinstance(expression, sp.Max) else -1
        return reduce(lambda best, part: part if sign_at(part - best, point) == wanted else best, parts)
    if isinstance(expression, sp.Abs | sp.sign | sp.Heaviside):
        sign = sign_at(parts[0], point)
        if isinstance(expression, sp.Abs):
            return sign * parts[0]
        return sp.Integer(sign) if isinstance(expression, sp.sign) else sp.Rational(sign + 1, 2)
    return expression.func(*parts)


def _holds_at(condition: Any, point: Any) -> bool:
    if isinstance(condition, Relational):
        sign = sign_at(resolve(gap(condition), point), point)
        return bool(RELATIONS[type(condition)](arb(sign)))
    if isinstance(condition, sp.Not):
        return not _holds_at(condition.args[0], point)
    if isinstance(condition, sp.And | sp.Or):
        parts = [_holds_at(part, point) for part in condition.args]
        return all(parts) if isinstance(condition, sp.And) else any(parts)
    if isinstance(condition, BooleanTrue | BooleanFalse):
        return bool(condition)
    raise CannotDecide(f"the condition {condition} is not made of inequalities.")
