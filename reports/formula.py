"""A formula the user typed, as a prediction: parsed from an allow-list, evaluated with balls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy
from flint import arb

from theorems.claim import BadInput, Prediction, Setting, Theorem
from theorems.expression import parse

_FUNCTIONS: Mapping[str, Callable[[arb], arb]] = {
    name: getattr(arb, name)
    for name in (
        "exp", "log", "erf", "erfc", "sin", "cos", "tan", "sinh", "cosh", "tanh",
        "asin", "acos", "atan", "asinh", "acosh", "atanh",
    )
} | {"Abs": abs, "sign": arb.sgn}  # fmt: skip

DIGITS = 12
ACCURACY = arb(f"1e-{DIGITS}")
"""Radius beyond which the middle of a ball is not what the formula states: sign(0 +/- 1e-50) is 0 +/- 1."""


def formula(text: str, theorem: Theorem) -> Prediction:
    """The prediction a formula in the theorem's symbols states.

    Its value at each d is taken with the symbols' values at that d.
    """
    expression = parse(text, theorem.symbols)
    evaluate = theorem.evaluate
    if evaluate is None:
        raise BadInput(f"{theorem.slug} has no symbols, so it cannot be confronted with a formula.")

    def states(setting: Setting) -> arb:
        value = ball_value(expression, evaluate(setting))
        shown = text[:60]
        if not value.is_finite():
            raise BadInput(f"{shown} has no finite value at these parameters: check its denominators and roots.")
        if value.rad() > ACCURACY * max(abs(value.mid()), arb(1)):
            raise BadInput(
                f"{shown} cannot be computed to {DIGITS} digits at these parameters: it jumps there, or large numbers "
                "cancel; write it without the jump or the difference."
            )
        return value

    return states


def ball_value(expression: Any, values: Mapping[str, Any]) -> arb:
    """The value of a SymPy expression at balls, by recursion over its nodes."""

    def at(node: Any) -> arb:
        if node.is_Rational:
            return arb(int(node.p)) / arb(int(node.q))
        if node.is_Symbol:
            return arb(values[node.name])
        if node.is_Add:
            return sum((at(term) for term in node.args), arb(0))
        if node.is_Mul:
            product = arb(1)
            for factor in node.args:
                product *= at(factor)
            return product
        if node.is_Pow:
            return _power(at(node.base), node.exp, at)
        if isinstance(node, sympy.Max | sympy.Min):
            balls = [at(argument) for argument in node.args]
            extreme = balls[0]
            for ball in balls[1:]:
                extreme = extreme.max(ball) if isinstance(node, sympy.Max) else extreme.min(ball)
            return extreme
        if isinstance(node, sympy.Piecewise):
            return _piecewise(node, at)
        if isinstance(node, sympy.Heaviside):
            return (1 + at(node.args[0]).sgn()) / 2
        if node is sympy.pi:
            return arb.pi()
        if node is sympy.E:
            return arb(1).exp()
        function = _FUNCTIONS.get(type(node).__name__)
        if function is None:
            raise BadInput(f"{type(node).__name__} cannot be evaluated in a formula; use elementary functions.")
        return function(at(node.args[0]))

    return at(expression)


def _power(base: arb, exponent: Any, at: Callable[[Any], arb]) -> arb:
    if exponent.is_Integer:
        if exponent > 0 and base.mid() == 0:
            # FLINT takes a power of a ball around 0 by way of its logarithm, which is NaN.
            return arb(0, base.abs_upper() ** int(exponent))
        return base ** int(exponent)
    if exponent == sympy.Rational(1, 2):
        return base.sqrt()
    return base ** at(exponent)


def _piecewise(node: Any, at: Callable[[Any], arb]) -> arb:
    for value, condition in node.args:
        if _holds(condition, at):
            return at(value)
    raise BadInput("A Piecewise in the formula has no piece for these parameters: end it with (..., True).")


def _holds(condition: Any, at: Callable[[Any], arb]) -> bool:
    if condition in (sympy.true, sympy.false):
        return bool(condition)
    if isinstance(condition, sympy.And):
        return all(_holds(part, at) for part in condition.args)
    if isinstance(condition, sympy.Or):
        return any(_holds(part, at) for part in condition.args)
    if isinstance(condition, sympy.Not):
        return not _holds(condition.args[0], at)
    left, right = at(condition.lhs), at(condition.rhs)
    compare = {
        "<": (left < right, left >= right),
        "<=": (left <= right, left > right),
        ">": (left > right, left <= right),
        ">=": (left >= right, left < right),
    }.get(condition.rel_op)
    if compare is None or not any(compare):
        raise BadInput("A condition in the formula cannot be decided at these parameters: it is on the border.")
    return bool(compare[0])
