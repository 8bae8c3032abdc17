"""The envelope of an expression in y, by recursion over its nodes (see `envelope.py` for what it states).

>>> bounds = envelope(sp.log(1 + sp.exp(Y)), arb(8))
>>> bounds.sign, bounds.lower.power, bounds.upper.power
(1, 1, 1)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import sympy as sp
from flint import arb, ctx
from sympy.core.relational import Relational

from proofs_checks.ball_function import CannotDecide, Expression, gap, number_ball, number_sign
from proofs_checks.envelope import (
    BITS,
    SLOW,
    SUPERPOLYNOMIAL,
    THRESHOLDS,
    ZERO,
    Envelope,
    Monomial,
    Y,
    add,
    constant,
    monomial,
    multiply,
    power,
    union,
)

TERMS = 200
"""An argument of exp is expanded only if it has at most this many terms, so that expansion stays cheap."""


def _rational(value: arb) -> Any:
    """The exact rational value of a ball's end."""
    mantissa, exponent = value.man_exp()
    return sp.Integer(int(mantissa)) * sp.Integer(2) ** int(exponent)


@dataclass
class _Exponent:
    """One side of exp's argument: powers of y and a constant; `finite` False stands for an unbounded side."""

    pairs: list[tuple[Any, Any]]
    shift: arb
    finite: bool = True

    def monomial(self) -> Monomial | None:
        if not self.finite:
            return None
        total = sp.Add(*(c * Y**degree for degree, c in self.pairs))
        pairs = [term.as_coeff_exponent(Y) for term in sp.Add.make_args(total) if term != 0]
        exponent = tuple(sorted(((degree, c) for c, degree in pairs), key=lambda pair: pair[0], reverse=True))
        return Monomial(self.shift.exp(), sp.S.Zero, exponent)

    def include(self, bound: Monomial, sign: int, y0: arb, outward: bool) -> None:
        """Add sign * (a function bounded by `bound`); outward if it must not be underestimated in size."""
        if bound.exponent and bound.order() > 0:
            # Faster than any power: infinity outward, y^SUPERPOLYNOMIAL inward.
            if outward:
                self.finite = False
                return
            size = (bound * Monomial(arb(1), -SUPERPOLYNOMIAL)).infimum(y0)
            self.pairs.append((SUPERPOLYNOMIAL, sign * _rational(size)))
        elif bound.order() > 0:
            size = bound.coefficient.upper() if outward else bound.coefficient.lower()
            self.pairs.append((bound.power, sign * _rational(size)))
        elif outward:
            self.shift += sign * bound.supremum(y0)
        elif bound.order() == 0:
            self.shift += sign * bound.infimum(y0)


def exponential(argument: Expression, y0: arb) -> Envelope:
    """exp: powers of y pass into the exponent exactly, every other term by its two bounds."""
    expanded = sp.expand(argument) if sp.count_ops(argument) < TERMS else argument
    low, high = _Exponent([], arb(0)), _Exponent([], arb(0))
    for term in sp.Add.make_args(expanded):
        c, degree = term.as_coeff_exponent(Y)
        if not c.free_symbols and not degree.free_symbols and number_sign(degree) >= 0:
            for side in (low, high):
                if degree == 0:
                    side.shift += number_ball(c)
                else:
                    side.pairs.append((degree, c))
            continue
        bounds = envelope(term, y0)
        for side, direction in ((low, -1), (high, 1)):
            if bounds.sign in (0, direction):
                if bounds.upper is None:
                    side.finite = False
                else:
                    side.include(bounds.upper, direction, y0, outward=True)
            elif bounds.lower is not None:
                side.include(bounds.lower, -direction, y0, outward=False)
    return Envelope(1, low.monomial(), high.monomial())


def _log_of(m: Monomial, y0: arb) -> Envelope:
    """log of a monomial."""
    parts = [monomial(c, degree) for degree, c in m.exponent]
    if number_sign(m.power) != 0:
        size = abs(number_ball(m.power))
        slow = Monomial((size / (number_ball(SLOW) * arb(1).exp())).upper(), SLOW)
        parts.append(Envelope(number_sign(m.power), Monomial((size * y0.log()).lower()), slow))
    if m.coefficient != 1:
        parts.append(constant(m.coefficient.log()))
    return reduce(lambda f, g: add(f, g, y0), parts, ZERO)


def logarithm(argument: Expression, y0: arb) -> Envelope:
    excess = envelope(argument - 1, y0)
    if excess.upper is not None and excess.upper.order() < 0 and excess.upper.supremum(y0) < arb(1) / 2:
        return _stretched(excess, arb(1) / 2, arb(2))  # |h|/2 <= |log(1 + h)| <= 2|h| for |h| <= 1/2
    f = envelope(argument, y0)
    if f.strict_sign <= 0:
        raise CannotDecide("the argument of a logarithm is not known to be positive.")
    assert f.lower is not None
    low = _log_of(f.lower, y0)
    if f.upper is None:
        return Envelope(low.sign, low.lower, None) if low.sign > 0 else Envelope(0, None, None)
    high = _log_of(f.upper, y0)
    if low.strict_sign > 0:
        return replace(low, upper=high.upper)
    if high.strict_sign < 0:
        return replace(high, upper=low.upper)
    return replace(union(low, high, y0), sign=0)


def _stretched(f: Envelope, least: arb, most: arb) -> Envelope:
    """g with least |f| <= |g| <= most |f| and the sign of f."""
    lower = f.lower and replace(f.lower, coefficient=(f.lower.coefficient * least).lower())
    upper = f.upper and replace(f.upper, coefficient=(f.upper.coefficient * most).upper())
    return Envelope(f.sign, lower, upper)


def _supremum(f: Envelope, y0: arb) -> arb:
    """An upper bound of |f|, infinite if it grows."""
    return arb("inf") if f.upper is None or f.upper.order() > 0 else f.upper.supremum(y0)


def _saturating(function: Callable[[arb], arb], slope: arb, ceiling: arb) -> Callable[[Expression, arb], Envelope]:
    """An odd function, increasing and concave on y > 0, with slope at 0 and limit `ceiling`.

    Concavity gives g(1) min(|f|, 1) <= |g(f)| <= min(slope |f|, ceiling).
    """

    def bounds(argument: Expression, y0: arb) -> Envelope:
        f = envelope(argument, y0)
        if _supremum(f, y0) <= 1:
            return _stretched(f, function(arb(1)), slope)
        lower = None
        if f.lower is not None and f.lower.order() >= 0:
            lower = Monomial(function(f.lower.infimum(y0)).lower())
        return Envelope(f.sign, lower, Monomial(ceiling.upper()))

    return bounds


def _sine(argument: Expression, y0: arb) -> Envelope:
    f = envelope(argument, y0)
    if _supremum(f, y0) <= 1:
        return _stretched(f, arb(1).sin(), arb(1))
    return replace(ZERO, upper=Monomial(arb(1)))


def _cosine(argument: Expression, y0: arb) -> Envelope:
    if _supremum(envelope(argument, y0), y0) <= 1:
        return Envelope(1, Monomial(arb(1).cos().lower()), Monomial(arb(1)))
    return replace(ZERO, upper=Monomial(arb(1)))


def _complementary_error(argument: Expression, y0: arb) -> Envelope:
    """2/sqrt(pi) exp(-f^2)/(f + sqrt(f^2 + 2)) < erfc(f) <= exp(-f^2) for f >= 0; within (1, 2) for f < 0."""
    f = envelope(argument, y0)
    if f.strict_sign > 0:
        decay = sp.exp(-(argument**2))
        least = 2 / sp.sqrt(sp.pi) * decay / (argument + sp.sqrt(argument**2 + 2))
        return replace(envelope(decay, y0), lower=envelope(least, y0).lower)
    return Envelope(1, Monomial(arb(1)) if f.sign < 0 else None, Monomial(arb(2)))


def _inverse_hyperbolic_sine(argument: Expression, y0: arb) -> Envelope:
    """log(1 + |f|) <= |asinh f| <= log(1 + 2|f|)."""
    f = envelope(argument, y0)
    if f.sign == 0:
        raise CannotDecide("the sign of the argument of asinh is not known.")
    size = argument * f.sign
    return Envelope(f.sign, envelope(sp.log(1 + size), y0).lower, envelope(sp.log(1 + 2 * size), y0).upper)


def _inverse_hyperbolic_cosine(argument: Expression, y0: arb) -> Envelope:
    """0 <= acosh f <= log(2f) for f >= 1."""
    return Envelope(1, None, envelope(sp.log(2 * argument), y0).upper)


def _inverse_hyperbolic_tangent(argument: Expression, y0: arb) -> Envelope:
    f = envelope(argument, y0)
    largest = _supremum(f, y0)
    if not largest < 1:
        return envelope(sp.log(sp.together((1 + argument) / (1 - argument))) / 2, y0)
    return _stretched(f, arb(1), 1 / (1 - largest**2))  # |f| <= |atanh f| <= |f| / (1 - f^2)


def _bounded(size: Callable[[], arb]) -> Callable[[Expression, arb], Envelope]:
    return lambda argument, y0: replace(ZERO, upper=Monomial(size().upper()))


def _absolute(argument: Expression, y0: arb) -> Envelope:
    return replace(envelope(argument, y0), sign=1)


def _signum(argument: Expression, y0: arb) -> Envelope:
    sign = envelope(argument, y0).strict_sign
    return constant(arb(sign)) if sign else replace(ZERO, upper=Monomial(arb(1)))


def _step(argument: Expression, y0: arb) -> Envelope:
    sign = envelope(argument, y0).strict_sign
    return constant(arb(1)) if sign > 0 else ZERO if sign < 0 else Envelope(1, None, Monomial(arb(1)))


def _hyperbolic(rewritten: Callable[[Any], Any]) -> Callable[[Expression, arb], Envelope]:
    return lambda argument, y0: envelope(rewritten(argument), y0)


_FUNCTIONS: dict[Any, Callable[[Expression, arb], Envelope]] = {
    sp.exp: exponential,
    sp.log: logarithm,
    sp.sin: _sine,
    sp.cos: _cosine,
    sp.tanh: lambda argument, y0: _saturating(arb.tanh, arb(1), arb(1))(argument, y0),
    sp.erf: lambda argument, y0: _saturating(arb.erf, 2 / arb.pi().sqrt(), arb(1))(argument, y0),
    sp.atan: lambda argument, y0: _saturating(arb.atan, arb(1), arb.pi() / 2)(argument, y0),
    sp.erfc: _complementary_error,
    sp.sinh: _hyperbolic(lambda f: (sp.exp(f) - sp.exp(-f)) / 2),
    sp.cosh: _hyperbolic(lambda f: (sp.exp(f) + sp.exp(-f)) / 2),
    sp.asin: _bounded(lambda: arb.pi() / 2),
    sp.acos: _bounded(arb.pi),
    sp.asinh: _inverse_hyperbolic_sine,
    sp.acosh: _inverse_hyperbolic_cosine,
    sp.atanh: _inverse_hyperbolic_tangent,
    sp.Abs: _absolute,
    sp.sign: _signum,
    sp.Heaviside: _step,
}


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
    return bool(condition)


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
            return exponential(sp.expand(expression.exp * sp.log(expression.base)), y0)
        return power(envelope(expression.base, y0), expression.exp)
    if isinstance(expression, sp.Piecewise):
        return _piecewise(expression, y0)
    if isinstance(expression, sp.Max | sp.Min):
        return _extreme(expression, y0)
    rule = _FUNCTIONS.get(expression.func)
    if rule is None:
        raise CannotDecide(f"the growth of {expression.func.__name__} is not known here.")
    return rule(expression.args[0], y0)


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
