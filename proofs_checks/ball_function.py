"""A SymPy expression of one real variable as a function on complex balls.

A ball is a midpoint with a proved radius. `ball_function(e)` maps a ball z to a ball that contains e(w) for
every w in z. The second argument is the `analytic` flag of rigorous quadrature: when it is set, the result must
be non-finite unless e is analytic on the whole of z. Roots, logarithms, inverse functions and absolute values are
*not* analytic across their cuts, and a quadrature that is not told so returns wrong "certified" digits; every
node that is not meromorphic therefore answers for its own cut.

Real switches (Abs, sign, Heaviside, Max, Min, Piecewise) are continued off the real line by the branch that the
real part selects; `smooth_piece.py` removes them altogether on an interval where they do not switch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any

import sympy as sp
from flint import acb, arb, ctx, fmpq
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

BallFunction = Callable[[acb, bool], acb]
Expression = Any
"""A SymPy expression; SymPy's own annotations (Basic, Expr, Boolean) are too loose to be of help."""

X = sp.Symbol("x", real=True)
PRECISIONS = (128, 512, 2048)
"""Bits tried in turn to tell the sign of a number; what none of them separates from 0 is put to SymPy."""

SIMPLIFIABLE = 60
"""Operations in an expression that SymPy is asked to simplify."""

NOWHERE = acb("nan", "nan")


class CannotDecide(ValueError):
    """A question that the certified methods cannot settle about an expression; the message is one sentence."""


class NotReal(CannotDecide):
    """The expression has complex values, or none, on an interval of the real line."""


@lru_cache(maxsize=4096)
def exact(expression: Expression) -> Expression:
    """The expression in the real symbol x, floats read as the decimals they print as, and tan as sin/cos."""
    expression = sp.sympify(expression)
    symbols = expression.free_symbols
    if len(symbols) > 1:
        raise CannotDecide(f"the expression has several variables ({', '.join(sorted(map(str, symbols)))}).")
    replacement: dict[Any, Any] = dict.fromkeys(symbols, X)
    for number in expression.atoms(sp.Float):
        if not number.is_finite:
            raise CannotDecide("the expression contains a number that is not finite.")
        replacement[number] = sp.Rational(str(number))
    expression = expression.xreplace(replacement)
    if expression.has(sp.nan, sp.zoo, sp.oo, sp.I):
        raise NotReal("the expression contains a number that is not real and finite.")
    expression = expression.replace(sp.ITE, lambda a, b, c: sp.Or(sp.And(a, b), sp.And(sp.Not(a), c)))
    return expression.replace(sp.tan, lambda argument: sp.sin(argument) / sp.cos(argument))


def rational_ball(number: Any) -> arb:
    return arb(fmpq(int(number.p), int(number.q)))


def number_ball(number: Expression) -> arb:
    """A ball around an exact SymPy real number, at the current precision."""
    if isinstance(number, sp.Rational | sp.Float):
        return rational_ball(number if isinstance(number, sp.Rational) else sp.Rational(str(number)))
    if isinstance(number, sp.polys.rootoftools.ComplexRootOf):
        spacing = sp.Rational(1, 2**ctx.prec)
        return rational_ball(number.eval_rational(spacing)) + arb(0, rational_ball(spacing))
    value = ball_function(number)(acb(0), False)
    if not value.is_finite() or not value.imag.contains(0):
        raise NotReal(f"{number} is not a real number.")
    return value.real


def provably_zero(expression: Expression) -> bool:
    """Whether SymPy reduces the expression to 0; long ones are not tried, their simplification has no time limit."""
    if expression == 0 or sp.expand(expression) == 0:
        return True
    return sp.count_ops(expression) <= SIMPLIFIABLE and sp.simplify(expression) == 0


def number_sign(number: Expression) -> int:
    """The sign of an exact real number."""
    if isinstance(number, sp.Rational):
        return int(sp.sign(number))
    for bits in PRECISIONS:
        with ctx.workprec(bits):
            value = number_ball(number)
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
    if provably_zero(number):
        return 0
    raise CannotDecide(f"whether {number} is zero is not known.")


def _constant(number: Expression, ball: Callable[[Any], arb]) -> BallFunction:
    """A constant is enclosed anew at each precision it is asked for."""
    known: dict[int, acb] = {}

    def value(z: acb, analytic: bool) -> acb:
        bits = ctx.prec
        if bits not in known:
            known[bits] = acb(ball(number))
        return known[bits]

    return value


def _outside(cut: Callable[[acb], bool], method: Callable[[acb], acb]) -> Callable[[acb, bool], acb]:
    """`method` where `cut` shows that the ball stays clear of the branch cut; nowhere analytic otherwise."""
    return lambda value, analytic: method(value) if not analytic or cut(value) else NOWHERE


def _off_outer_real(value: acb) -> bool:
    """Clear of the real half-lines |x| >= 1 (asin, acos, atanh)."""
    return not value.imag.contains(0) or bool(abs(value.real) < 1)


def _off_outer_imaginary(value: acb) -> bool:
    """Clear of the imaginary half-lines |y| >= 1 (atan, asinh)."""
    return not value.real.contains(0) or bool(abs(value.imag) < 1)


def _off_left_of_one(value: acb) -> bool:
    """Clear of the half-line x <= 1 (acosh)."""
    return not value.imag.contains(0) or bool(value.real > 1)


def _inverse_hyperbolic_sine(value: acb) -> acb:
    """log(z + sqrt(z^2 + 1)) where nothing cancels; the library's own asinh is NaN on wide balls with Re z > 0."""
    if value.real < 0:
        return -_inverse_hyperbolic_sine(-value)
    return (value + (value * value + 1).sqrt()).log()


_FUNCTIONS: dict[Any, Callable[[acb, bool], acb]] = {
    sp.exp: lambda value, analytic: value.exp(),
    sp.sin: lambda value, analytic: value.sin(),
    sp.cos: lambda value, analytic: value.cos(),
    sp.sinh: lambda value, analytic: value.sinh(),
    sp.cosh: lambda value, analytic: value.cosh(),
    sp.tanh: lambda value, analytic: value.tanh(),
    sp.erf: lambda value, analytic: value.erf(),
    sp.erfc: lambda value, analytic: value.erfc(),
    sp.log: lambda value, analytic: value.log(analytic=analytic),
    sp.Abs: lambda value, analytic: value.real_abs(analytic=analytic),
    sp.sign: lambda value, analytic: value.real_sgn(analytic=analytic),
    sp.Heaviside: lambda value, analytic: value.real_heaviside(analytic=analytic),
    sp.asin: _outside(_off_outer_real, acb.asin),
    sp.acos: _outside(_off_outer_real, acb.acos),
    sp.atanh: _outside(_off_outer_real, acb.atanh),
    sp.atan: _outside(_off_outer_imaginary, acb.atan),
    sp.asinh: _outside(_off_outer_imaginary, _inverse_hyperbolic_sine),
    sp.acosh: _outside(_off_left_of_one, acb.acosh),
}


def _power(base: BallFunction, exponent: Expression) -> BallFunction:
    if exponent.is_Integer:
        integer = int(exponent)
        return lambda z, analytic: base(z, analytic) ** integer
    if exponent == sp.Rational(1, 2):
        return lambda z, analytic: base(z, analytic).sqrt(analytic=analytic)
    if exponent == sp.Rational(-1, 2):
        return lambda z, analytic: base(z, analytic).rsqrt(analytic=analytic)
    power = _constant(exponent, number_ball)
    return lambda z, analytic: base(z, analytic).pow(power(z, analytic), analytic=analytic)


def _piecewise(expression: Any) -> BallFunction:
    branches = [(ball_function(value), truth(condition)) for value, condition in expression.args]

    def value(z: acb, analytic: bool) -> acb:
        possible: acb | None = None
        for branch, condition in branches:
            holds = condition(z)
            if holds is False:
                continue
            if holds is None and analytic:
                return NOWHERE
            here = branch(z, analytic)
            possible = here if possible is None else possible.union(here)
            if holds:
                return possible
        return NOWHERE  # some points of the ball may satisfy no condition

    return value


@lru_cache(maxsize=8192)
def ball_function(expression: Expression) -> BallFunction:
    """f(z, analytic) with f(z) containing the values of the expression on z; see the module's statement."""
    if not expression.free_symbols:
        if isinstance(expression, sp.Rational | sp.Float | sp.polys.rootoftools.ComplexRootOf):
            return _constant(expression, number_ball)
        if expression.has(sp.I):
            raise NotReal(f"{expression} is not a real number.")
        if expression in (sp.pi, sp.E):
            return _constant(expression, lambda known: arb.pi() if known is sp.pi else arb(1).exp())
        if isinstance(expression, sp.erfinv):
            return _constant(expression.args[0], lambda number: number_ball(number).erfinv())
    if expression.is_Symbol:
        return lambda z, analytic: z
    if isinstance(expression, sp.Piecewise):
        return _piecewise(expression)
    if isinstance(expression, sp.Pow):
        if not expression.exp.free_symbols:
            return _power(ball_function(expression.base), expression.exp)
        # b^f = exp(f log b): the cut is that of the logarithm.
        logarithm = sp.Mul(expression.exp, sp.log(expression.base), evaluate=False)
        return ball_function(sp.exp(logarithm, evaluate=False))
    if isinstance(expression, sp.Add | sp.Mul | sp.Max | sp.Min):
        parts = [ball_function(part) for part in expression.args]
        if isinstance(expression, sp.Add):
            return lambda z, analytic: reduce(acb.__add__, (part(z, analytic) for part in parts))
        if isinstance(expression, sp.Mul):
            return lambda z, analytic: reduce(acb.__mul__, (part(z, analytic) for part in parts))
        choose = acb.real_max if isinstance(expression, sp.Max) else acb.real_min
        return lambda z, analytic: reduce(
            lambda left, right: choose(left, right, analytic=analytic), (part(z, analytic) for part in parts)
        )
    rule = _FUNCTIONS.get(expression.func)
    if rule is None:
        raise CannotDecide(f"{expression.func.__name__} is not a function with a certified value here.")
    inner = ball_function(expression.args[0])
    return lambda z, analytic: rule(inner(z, analytic), analytic)


def truth(condition: Any) -> Callable[[acb], bool | None]:
    """The truth of a condition on a ball: True or False on all of it, or None."""
    if isinstance(condition, BooleanTrue | BooleanFalse):
        return lambda z: bool(condition)
    if isinstance(condition, sp.Not):
        inner = truth(condition.args[0])

        def negation(z: acb) -> bool | None:
            holds = inner(z)
            return None if holds is None else not holds

        return negation
    if isinstance(condition, sp.And | sp.Or):
        parts = [truth(part) for part in condition.args]
        decisive = isinstance(condition, sp.Or)

        def junction(z: acb) -> bool | None:
            values = [part(z) for part in parts]
            if decisive in values:
                return decisive
            return None if None in values else not decisive

        return junction
    if not isinstance(condition, Relational):
        raise CannotDecide(f"the condition {condition} is not made of inequalities.")
    difference = ball_function(gap(condition))
    relation = RELATIONS[type(condition)]
    return lambda z: relation(difference(z, False).real)


def gap(condition: Any) -> Expression:
    """left - right of an inequality."""
    return condition.lhs - condition.rhs


def _first(yes: bool, no: bool) -> bool | None:
    return True if yes else (False if no else None)


RELATIONS: dict[Any, Callable[[arb], bool | None]] = {
    sp.StrictGreaterThan: lambda v: _first(v > 0, v <= 0),
    sp.GreaterThan: lambda v: _first(v >= 0, v < 0),
    sp.StrictLessThan: lambda v: _first(v < 0, v >= 0),
    sp.LessThan: lambda v: _first(v <= 0, v > 0),
    sp.Equality: lambda v: _first(v.is_zero(), not v.contains(0)),
    sp.Unequality: lambda v: _first(not v.contains(0), v.is_zero()),
}


def evaluate(expression: Expression, point: arb) -> arb:
    """A ball around the values on the ball `point`, at the current precision; NaN where there is none.

    >>> bool(evaluate(sp.sqrt(sp.Abs(X)), arb(-4)) == 2)
    True
    """
    value = ball_function(exact(expression))(acb(point), False)
    if not value.imag.contains(0):
        raise NotReal(f"the expression is not a real number near x = {point.str(6, radius=False)}.")
    return value.real


def magnitude(expression: Expression, point: arb) -> arb:
    """An upper bound of |expression| on the ball `point` (not finite where none is found)."""
    return ball_function(exact(expression))(acb(point), False).abs_upper()
