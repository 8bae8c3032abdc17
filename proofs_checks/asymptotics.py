"""The envelope of an expression in y, by recursion over its nodes (see `envelope.py` for what it states).

>>> bounds = envelope(sp.log(1 + sp.exp(Y)), arb(8))
>>> bounds.sign, bounds.lower.power, bounds.upper.power
(1, 1, 1)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import sympy as sp
from flint import arb, ctx
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from proofs_checks.ball_function import CannotDecide, Expression, gap, number_ball
from proofs_checks.envelope import (
    BITS,
    THRESHOLDS,
    ZERO,
    Envelope,
    Y,
    add,
    constant,
    monomial,
    multiply,
    power,
    union,
)
from proofs_checks.function_envelopes import RULES, exponential


def _truth(condition: Any, y0: arb) -> bool | None:
    """Whether a condition holds for all y >= y0, for none, or for nobody knows which."""
    if isinstance(condition, Relational):
        sign = envelope(gap(condition), y0).strict_sign
        if sign == 0:
            return None
        if isinstance(condition, sp.Equality | sp.Unequality):
            return isinstance(condition, sp.Unequality)
        return (sign > 0) == isinstance(condition, sp.StrictGreaterThan | sp.GreaterThan)
    if isinstance(condition, sp.Not):
        inner = _truth(condition.args[0], y0)
        return None if inner is None else not inner
    if isinstance(condition, sp.And | sp.Or):
        values = [_truth(part, y0) for part in condition.args]
        decisive = isinstance(condition, sp.Or)
        return decisive if decisive in values else None if None in values else not decisive
    if isinstance(condition, BooleanTrue | BooleanFalse):
        return bool(condition)
    raise CannotDecide(f"the condition {condition} is not made of inequalities.")


def _piecewise(expression: Any, y0: arb) -> Envelope:
    possible: Envelope | None = None
    for value, condition in expression.args:
        holds = _truth(condition, y0)
        if holds is False:
            continue
        here = envelope(value, y0)
        possible = here if possible is None else union(possible, here, y0)
        if holds:
            return possible
    raise CannotDecide("no condition of the Piecewise is known to hold far out.")


def _extreme(expression: Any, y0: arb) -> Envelope:
    """Max or Min: the operand that wins for all y >= y0, or the union of those that may."""
    wanted = 1 if isinstance(expression, sp.Max) else -1
    operands: list[Any] = list(expression.args)
    best, bounds = operands[0], envelope(operands[0], y0)
    for operand in operands[1:]:
        other = envelope(operand, y0)
        difference = None if best is None else envelope(operand - best, y0).strict_sign
        if difference == wanted:
            best, bounds = operand, other
        elif difference != -wanted:
            sign = wanted if wanted in (bounds.sign, other.sign) else 0  # Max of anything with f >= 0 is >= 0
            best, bounds = None, replace(union(bounds, other, y0), sign=sign)
    return bounds


def envelope(expression: Expression, y0: arb) -> Envelope:
    """Bounds of an expression in Y on [y0, oo), y0 >= 8; CannotDecide where the recursion finds none."""
    if not expression.free_symbols:
        return ZERO if expression == 0 else constant(number_ball(expression))
    if expression == Y:
        return monomial(sp.S.One, sp.S.One)
    if isinstance(expression, sp.Add):
        return reduce(lambda f, g: add(f, g, y0), (envelope(part, y0) for part in expression.args))
    if isinstance(expression, sp.Mul):
        return reduce(multiply, (envelope(part, y0) for part in expression.args))
    if isinstance(expression, sp.Pow):
        if expression.exp.free_symbols:
            return exponential(sp.expand(expression.exp * sp.log(expression.base)), y0, envelope)
        return power(envelope(expression.base, y0), expression.exp)
    if isinstance(expression, sp.Piecewise):
        return _piecewise(expression, y0)
    if isinstance(expression, sp.Max | sp.Min):
        return _extreme(expression, y0)
    rule = RULES.get(expression.func)
    if rule is None:
        raise CannotDecide(f"the growth of {expression.func.__name__} is not known here.")
    return rule(expression.args[0], y0, envelope)


def bounds_far_out(
    expression: Expression, settled: Callable[[Envelope], bool] = lambda bounds: True
) -> tuple[Envelope, int]:
    """An envelope and its y0: the first threshold whose bounds are `settled`, else the first that has any."""
    found: tuple[Envelope, int] | None = None
    reason = "the expression has no known bound far out."
    for threshold in THRESHOLDS:
        try:
            with ctx.workprec(BITS):
                bounds = envelope(expression, arb(threshold))
                if settled(bounds):
                    return bounds, threshold
            found = found or (bounds, threshold)
        except CannotDecide as undecided:
            reason = str(undecided)
    if found is None:
        raise CannotDecide(reason)
    return found
