"""The envelope of a function, given how to bound its argument: one rule per function.

A rule receives the argument f, the threshold y0, and the recursion that bounds any expression on [y0, oo).
Constants in a rule are computed inside it, at the precision of the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import sympy as sp
from flint import arb

from proofs_checks.ball_function import CannotDecide, Expression, number_ball, number_sign
from proofs_checks.envelope import (
    SLOW,
    SUPERPOLYNOMIAL,
    ZERO,
    Envelope,
    Monomial,
    Y,
    add,
    constant,
    monomial,
    union,
)

Recursion = Callable[[Expression, arb], Envelope]
Rule = Callable[[Expression, arb, Recursion], Envelope]

UNKNOWN = Envelope(0, None, None)

TERMS = 200
"""An argument of exp is expanded only if it has at most this many terms, so that expansion stays cheap."""


HUGE = 256
"""Coefficients of an exponent are kept within 2^-HUGE and 2^HUGE, so that exact numbers stay short."""


def _rational(size: arb, outward: bool) -> Any:
    """A rational number near the size of a bound: not below it if `outward`, not above it otherwise.

    infinity if there is no short one; exp(exp(y^2)) has sizes of a billion digits.
    """
    if not size.is_finite() or size > arb(2) ** HUGE:
        return sp.oo if outward or not size.is_finite() else sp.Integer(2) ** HUGE
    if size < arb(2) ** -HUGE:
        return sp.Rational(1, 2**HUGE) if outward else sp.S.Zero
    mantissa, exponent = size.man_exp()
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
            self.pairs.append((SUPERPOLYNOMIAL, sign * _rational(size, outward)))
        elif bound.order() > 0:
            size = _rational(bound.coefficient.upper() if outward else bound.coefficient.lower(), outward)
            self.finite = self.finite and bool(size.is_finite)
            self.pairs.append((bound.power, sign * size))
        elif outward:
            self.shift += sign * bound.supremum(y0)
        elif bound.order() == 0:
            self.shift += sign * bound.infimum(y0)


def exponential(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
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
    if not (m.coefficient.is_exact() and bool(m.coefficient == 1)):
        parts.append(constant(m.coefficient.log()))
    return reduce(lambda f, g: add(f, g, y0), parts, ZERO)


def logarithm(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    excess = envelope(argument - 1, y0)
    if excess.upper is not None and excess.upper.order() < 0 and excess.upper.supremum(y0) < arb(1) / 2:
        return _stretched(excess, arb(1) / 2, arb(2))  # |h|/2 <= |log(1 + h)| <= 2|h| for |h| <= 1/2
    f = envelope(argument, y0)
    if f.strict_sign <= 0:
        raise CannotDecide("the argument of a logarithm is not known to be positive.")
    assert f.lower is not None
    low = _log_of(f.lower, y0)
    if f.upper is None:
        return Envelope(low.sign, low.lower, None) if low.sign > 0 else UNKNOWN
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


def _or_nothing(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    """Bounds of the argument of a bounded function, which needs none."""
    try:
        return envelope(argument, y0)
    except CannotDecide:
        return UNKNOWN


def _saturating(function: Callable[[arb], arb], slope: arb, ceiling: arb) -> Rule:
    """An odd function, increasing and concave on y > 0, with slope at 0 and limit `ceiling`.

    Concavity gives g(1) min(|f|, 1) <= |g(f)| <= min(slope |f|, ceiling).
    """

    def bounds(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
        f = _or_nothing(argument, y0, envelope)
        if _supremum(f, y0) <= 1:
            return _stretched(f, function(arb(1)), slope)
        lower = None
        if f.lower is not None and f.lower.order() >= 0:
            lower = Monomial(function(f.lower.infimum(y0)).lower())
        return Envelope(f.sign, lower, Monomial(ceiling.upper()))

    return bounds


def _sine(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    f = _or_nothing(argument, y0, envelope)
    if _supremum(f, y0) <= 1:
        return _stretched(f, arb(1).sin(), arb(1))
    return replace(ZERO, upper=Monomial(arb(1)))


def _cosine(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    if _supremum(_or_nothing(argument, y0, envelope), y0) <= 1:
        return Envelope(1, Monomial(arb(1).cos().lower()), Monomial(arb(1)))
    return replace(ZERO, upper=Monomial(arb(1)))


def _complementary_error(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    """2/sqrt(pi) exp(-f^2)/(f + sqrt(f^2 + 2)) < erfc(f) <= exp(-f^2) for f >= 0; within (1, 2) for f < 0."""
    f = envelope(argument, y0)
    if f.strict_sign > 0:
        decay = sp.exp(-(argument**2))
        least = 2 / sp.sqrt(sp.pi) * decay / (argument + sp.sqrt(argument**2 + 2))
        return replace(envelope(decay, y0), lower=envelope(least, y0).lower)
    return Envelope(1, Monomial(arb(1)) if f.sign < 0 else None, Monomial(arb(2)))


def _inverse_hyperbolic_sine(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    """log(1 + |f|) <= |asinh f| <= log(1 + 2|f|)."""
    sign = envelope(argument, y0).sign
    size = argument * sign if sign else sp.Abs(argument)
    return Envelope(sign, envelope(sp.log(1 + size), y0).lower, envelope(sp.log(1 + 2 * size), y0).upper)


def _inverse_hyperbolic_cosine(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    """0 <= acosh f <= log(2f) for f >= 1."""
    return Envelope(1, None, envelope(sp.log(2 * argument), y0).upper)


def _inverse_hyperbolic_tangent(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    f = envelope(argument, y0)
    largest = _supremum(f, y0)
    if not largest < 1:
        return envelope(sp.log(sp.together((1 + argument) / (1 - argument))) / 2, y0)
    return _stretched(f, arb(1), 1 / (1 - largest**2))  # |f| <= |atanh f| <= |f| / (1 - f^2)


def _bounded(size: Callable[[], arb]) -> Rule:
    return lambda argument, y0, envelope: replace(ZERO, upper=Monomial(size().upper()))


def _absolute(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    return replace(envelope(argument, y0), sign=1)


def _signum(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    sign = _or_nothing(argument, y0, envelope).strict_sign
    return constant(arb(sign)) if sign else replace(ZERO, upper=Monomial(arb(1)))


def _step(argument: Expression, y0: arb, envelope: Recursion) -> Envelope:
    sign = _or_nothing(argument, y0, envelope).strict_sign
    return constant(arb(1)) if sign > 0 else ZERO if sign < 0 else Envelope(1, None, Monomial(arb(1)))


def _hyperbolic(rewritten: Callable[[Any], Any]) -> Rule:
    return lambda argument, y0, envelope: envelope(rewritten(argument), y0)


RULES: dict[Any, Rule] = {
    sp.exp: exponential,
    sp.log: logarithm,
    sp.sin: _sine,
    sp.cos: _cosine,
    sp.tanh: lambda *given: _saturating(arb.tanh, arb(1), arb(1))(*given),
    sp.erf: lambda *given: _saturating(arb.erf, 2 / arb.pi().sqrt(), arb(1))(*given),
    sp.atan: lambda *given: _saturating(arb.atan, arb(1), arb.pi() / 2)(*given),
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
