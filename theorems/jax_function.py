"""An expression as a JAX function of float64 arrays, with its derivative.

Between two kinks the expression is replaced by the smooth branch it follows there, and outside its interval
that branch is fed a fixed interior point: so a branch that is undefined elsewhere, sqrt(x) for x < 0 in
Piecewise((0, x < 0), (sqrt(x), True)), gives no NaN, neither in the value nor in any derivative. At the kinks
themselves, where float64 may meet 0/0, value and derivative are numbers computed by balls.

Sums of positive exponentials go through their logarithm (log(1 + exp(x)) is a log-sum-exp, 1/(1 + exp(-x)) its
exponential), so nothing overflows where the result is finite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import sympy as sp
from flint import arb, ctx
from jax import Array
from jax.scipy.special import erf, erfc
from sympy.core.relational import Relational

from proofs_checks.ball_function import CannotDecide, evaluate, number_ball
from proofs_checks.smooth_piece import interior_point, smooth_piece
from theorems.named_activations import X

Function = Callable[[Array], Any]
MOST_KINKS = 32
"""An expression with more kinks (Abs(sin(x))) is lowered as it stands, switches included."""
_NEIGHBOUR = sp.Rational(1, 2**200)
_BITS = 2048
"""A removable 0/0 is resolved by evaluating this close to it, with digits to spare for the cancellation."""

_ELEMENTARY: dict[Any, Function] = {
    sp.exp: jnp.exp,
    sp.sin: jnp.sin,
    sp.cos: jnp.cos,
    sp.tan: jnp.tan,
    sp.sinh: jnp.sinh,
    sp.cosh: jnp.cosh,
    sp.tanh: jnp.tanh,
    sp.asin: jnp.arcsin,
    sp.acos: jnp.arccos,
    sp.atan: jnp.arctan,
    sp.asinh: jnp.arcsinh,
    sp.acosh: jnp.arccosh,
    sp.atanh: jnp.arctanh,
    sp.erf: erf,
    sp.erfc: erfc,
    sp.Abs: jnp.abs,
    sp.sign: jnp.sign,
}
_COMPARE: dict[Any, Callable[[Any, Any], Any]] = {
    sp.StrictLessThan: lambda a, b: a < b,
    sp.LessThan: lambda a, b: a <= b,
    sp.StrictGreaterThan: lambda a, b: a > b,
    sp.GreaterThan: lambda a, b: a >= b,
    sp.Equality: lambda a, b: a == b,
    sp.Unequality: lambda a, b: a != b,
}


@dataclass(frozen=True)
class JaxFunction:
    """sigma and sigma', elementwise, in the precision of their argument."""

    value: Callable[[Array], Array]
    derivative: Callable[[Array], Array]


def jax_function(expression: Any, kinks: Sequence[Any] | None, offset: float = 0.0) -> JaxFunction:
    """sigma - offset; `kinks` None where they are not known."""
    if kinks is None or len(kinks) > MOST_KINKS:
        branches, at_kinks = lower(expression), ()
    else:
        branches = _branches(expression, kinks)
        at_kinks = tuple(_at_kink(expression, kink) for kink in kinks)

    def function(u: Array) -> Array:
        return jnp.zeros_like(u) + branches(u)

    def value(u: Array) -> Array:
        u = jnp.asarray(u)
        result = function(u)
        for point, level, _ in at_kinks:
            result = jnp.where(u == point, level, result)
        return result - offset

    def derivative(u: Array) -> Array:
        u = jnp.asarray(u)
        _, result = jax.jvp(function, (u,), (jnp.ones_like(u),))
        for point, _, slope in at_kinks:
            result = jnp.where(u == point, slope, result)
        return result

    return JaxFunction(value, derivative)


def _branches(expression: Any, kinks: Sequence[Any]) -> Function:
    borders = [-sp.oo, *kinks, sp.oo]
    intervals = list(pairwise(borders))
    pieces = [lower(smooth_piece(expression, low, high)) for low, high in intervals]
    if len(pieces) == 1:
        return pieces[0]
    insides = [float(interior_point(low, high)) for low, high in intervals]
    lows, highs = ([float(border) for border in side] for side in zip(*intervals, strict=True))

    def branches(u: Array) -> Any:
        result: Any = 0.0
        for piece, inside, low, high in zip(pieces, insides, lows, highs, strict=True):
            here = (u >= low) & (u <= high)
            result = jnp.where(here, piece(jnp.where(here, u, inside)), result)
        return result

    return branches


def _at_kink(expression: Any, kink: Any) -> tuple[float, float, float]:
    """The kink with the value of sigma there and its slope just beside it, by balls."""
    with ctx.workprec(_BITS):
        beside = number_ball(kink + _NEIGHBOUR)
        level = _finite(expression, number_ball(kink))
        if level is None:
            level = _finite(expression, beside)
        branch = smooth_piece(expression, kink, kink + 2 * _NEIGHBOUR)
        slope = _finite(sp.diff(branch, X), beside)
    # A function or slope that is infinite beside the kink is a pole; infinity says so.
    return float(kink), float("inf") if level is None else level, float("inf") if slope is None else slope


def _finite(expression: Any, point: arb) -> float | None:
    try:
        value = evaluate(expression, point)
    except CannotDecide:
        return None
    return float(value.mid()) if value.is_finite() else None


def lower(expression: Any) -> Function:
    """The expression on arrays, node by node."""
    if not expression.free_symbols:
        number = float(sp.N(expression, 30))
        return lambda u: number
    if expression.is_Symbol:
        return lambda u: u
    if expression.is_Add:
        return _sum(expression)
    if expression.is_Mul:
        return _product(expression.args)
    if expression.is_Pow:
        return _power(expression)
    if isinstance(expression, sp.log):
        return _logarithm(expression.args[0])
    if isinstance(expression, sp.Piecewise):
        return _piecewise(expression)
    parts = [lower(part) for part in expression.args]
    if isinstance(expression, sp.Max | sp.Min):
        choose = jnp.maximum if isinstance(expression, sp.Max) else jnp.minimum
        return lambda u: reduce(choose, (part(u) for part in parts))
    if isinstance(expression, sp.Heaviside):
        argument, at_zero = parts
        return lambda u: jnp.heaviside(argument(u), at_zero(u))
    function = _ELEMENTARY[expression.func]
    (argument,) = parts
    return lambda u: function(argument(u))


def _sum(expression: Any) -> Function:
    constant, rest = expression.as_coeff_Add()
    for term in sp.Add.make_args(rest):
        coefficient, factor = term.as_coeff_Mul()
        if constant != 0 and coefficient == -constant and isinstance(factor, sp.exp):
            # c exp(y) - c keeps its digits near y = 0 as c expm1(y).
            scale, argument = float(coefficient), lower(factor.args[0])
            others = _plain_sum([other for other in sp.Add.make_args(rest) if other != term])
            return lambda u: scale * jnp.expm1(argument(u)) + others(u)
    return _plain_sum(expression.args)


def _plain_sum(terms: Sequence[Any]) -> Function:
    parts = [lower(term) for term in terms]
    return lambda u: sum((part(u) for part in parts), start=0.0)


def _product(factors: Sequence[Any]) -> Function:
    """exp(y) and powers of positive exponential sums share one exponential: exp(x)/(1 + exp(x)) is finite."""
    exponents: list[Function] = []
    others: list[Any] = []
    for factor in factors:
        logarithm = _log_of_power(factor)
        if logarithm is not None:
            exponents.append(logarithm)
        elif isinstance(factor, sp.exp):
            exponents.append(lower(factor.args[0]))
        else:
            others.append(factor)
    parts = [lower(other) for other in others]
    if exponents:
        parts.append(lambda u: jnp.exp(sum((exponent(u) for exponent in exponents), start=0.0)))
    return lambda u: reduce(lambda product, part: product * part, (part(u) for part in parts))


def _power(expression: Any) -> Function:
    if _log_of_power(expression) is not None:
        return _product([expression])
    base, exponent = lower(expression.base), expression.exp
    if exponent.is_Integer:
        integer = int(exponent)
        return lambda u: base(u) ** integer
    if exponent == sp.Rational(1, 2):
        return lambda u: jnp.sqrt(base(u))
    power = lower(exponent)
    return lambda u: jnp.power(base(u), power(u))


def _log_of_power(factor: Any) -> Function | None:
    """log(S**n) = n log S for n < 0 and S a sum of positive exponentials."""
    if not (factor.is_Pow and factor.exp.is_number and factor.exp.is_negative):
        return None
    logarithm = _log_sum_exp(factor.base)
    if logarithm is None:
        return None
    power = float(factor.exp)
    return lambda u: power * logarithm(u)


def _logarithm(argument: Any) -> Function:
    logarithm = _log_sum_exp(argument)
    if logarithm is not None:
        return logarithm
    constant, rest = argument.as_coeff_Add()
    if constant == 1:
        inner = lower(rest)
        return lambda u: jnp.log1p(inner(u))
    inner = lower(argument)
    return lambda u: jnp.log(inner(u))


def _log_sum_exp(argument: Any) -> Function | None:
    """The logarithm of a sum of c exp(y) and c cosh(y), c > 0, not all of them constant."""
    if not argument.free_symbols:
        return None
    exponents: list[Any] = []
    for term in sp.Add.make_args(argument):
        coefficient, factor = term.as_independent(X, as_Add=False)
        if not coefficient.is_positive:
            return None
        if factor == 1:
            exponents.append(sp.log(coefficient))
        elif isinstance(factor, sp.exp):
            exponents.append(sp.log(coefficient) + factor.args[0])
        elif isinstance(factor, sp.cosh):
            argument_of_cosh: Any = factor.args[0]
            exponents.extend(sp.log(coefficient / 2) + sign * argument_of_cosh for sign in (1, -1))
        else:
            return None
    parts = [lower(exponent) for exponent in exponents]
    return lambda u: reduce(jnp.logaddexp, (part(u) for part in parts))


def _piecewise(expression: Any) -> Function:
    pairs = [(lower(value), _condition(condition)) for value, condition in expression.args]

    def value(u: Array) -> Any:
        result: Any = jnp.nan
        for branch, condition in reversed(pairs):
            result = jnp.where(condition(u), branch(u), result)
        return result

    return value


def _condition(condition: Any) -> Function:
    if isinstance(condition, Relational):
        compare = _COMPARE[type(condition)]
        left, right = lower(condition.lhs), lower(condition.rhs)
        return lambda u: compare(left(u), right(u))
    if isinstance(condition, sp.Not):
        inner = _condition(condition.args[0])
        return lambda u: jnp.logical_not(inner(u))
    if isinstance(condition, sp.And | sp.Or):
        join = jnp.logical_and if isinstance(condition, sp.And) else jnp.logical_or
        parts = [_condition(part) for part in condition.args]
        return lambda u: reduce(join, (part(u) for part in parts))
    truth = bool(condition)
    return lambda u: truth
