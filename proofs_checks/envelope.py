"""Two-sided bounds of an expression in y > 0 for all y >= y0.

The scale is made of monomials  m(y) = A y^p exp(c_1 y^e_1 + ... + c_n y^e_n)  with A > 0 a ball, and p, c_i, e_i > 0
exact numbers. An envelope of f is a sign and two monomials with

    lower(y) <= |f(y)| <= upper(y)      for all y >= y0,

found by recursion over the expression: products multiply, sums are ruled by the dominant monomial, exp moves the
powers of its argument into the exponent, log brings them back, and bounded functions are bounded. A missing lower
bound stands for 0, a missing upper bound for infinity. Cancellation only ever costs the lower bound and the sign.

With y = |x| this is the growth at infinity; with y = -log|x - c| it is the behaviour at a point c.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from flint import arb

from proofs_checks.ball_function import CannotDecide, number_ball, number_sign

Y = sp.Symbol("y", positive=True)
BITS = 96
"""Working precision of the bounds: they enter as orders of magnitude, never as digits."""
THRESHOLDS = (8, 64, 4096, 2**20)
"""Values of y0 tried in turn: near ones give tight bounds, far ones let the dominant term dominate."""
SLOW = sp.Rational(1, 8)
"""log y <= y^e / (e * 2.718...) with this e."""
SUPERPOLYNOMIAL = sp.Integer(4)
"""A degree above 2 that stands for any faster growth inside an exponential."""


@dataclass(frozen=True)
class Monomial:
    """coefficient * y^power * exp(sum of c y^e), `exponent` holding the pairs (e, c) by decreasing e."""

    coefficient: arb
    power: Any = sp.S.Zero
    exponent: tuple[tuple[Any, Any], ...] = ()

    def __mul__(self, other: Monomial) -> Monomial:
        return Monomial(
            self.coefficient * other.coefficient,
            self.power + other.power,
            _collect(self.exponent + other.exponent),
        )

    def __pow__(self, number: Any) -> Monomial:
        return Monomial(
            self.coefficient ** number_ball(number),
            self.power * number,
            tuple((degree, c * number) for degree, c in self.exponent) if number != 0 else (),
        )

    def order(self) -> int:
        """1 if it tends to infinity, -1 if it tends to 0, 0 if it is constant."""
        return number_sign(self.exponent[0][1]) if self.exponent else number_sign(self.power)

    def value(self, y: arb) -> arb:
        exponent = sum((number_ball(c) * y ** number_ball(degree) for degree, c in self.exponent), arb(0))
        return self.coefficient * y ** number_ball(self.power) * exponent.exp()

    def decay(self, y: arb) -> arb:
        """A number k with (log m)'(v) <= -k v^(e-1) for all v >= y >= 1, e the leading degree (0 if there is none).

        v (log m)'(v) = p + sum c_i e_i v^e_i; divided by v^e, each positive term but the first decreases in v.
        """
        degree = self.exponent[0][0] if self.exponent else sp.S.Zero
        total = arb(0)
        for other, c in (*self.exponent, (sp.S.Zero, self.power)):
            slope = number_ball(c) * (number_ball(other) if other != 0 else 1)
            if other == degree or slope > 0:
                total += slope * y ** (number_ball(other) - number_ball(degree))
        return -total

    def supremum(self, y: arb) -> arb:
        """An upper bound on [y, oo) of a monomial that does not tend to infinity."""
        if self.order() > 0:
            raise CannotDecide("a quantity that was expected to stay bounded grows.")
        if self.order() < 0 and not self.decay(y) > 0:
            raise CannotDecide("the leading term does not dominate yet.")
        return self.value(y).upper()

    def infimum(self, y: arb) -> arb:
        """A lower bound on [y, oo) of a monomial that does not tend to 0."""
        inverse = replace(self, coefficient=arb(1)) ** sp.Integer(-1)
        return (self.coefficient / inverse.supremum(y)).lower()

    def tail_integral(self, y: arb) -> arb:
        """An upper bound of the integral over [y, oo), for a leading degree of at least 1.

        m'/m <= -k v^(e-1) <= -k y^(e-1) gives m(v) <= m(y) exp(-k y^(e-1) (v - y)).
        """
        degree = self.exponent[0][0] if self.exponent else sp.S.Zero
        if number_sign(degree - 1) < 0:
            raise CannotDecide("the integrand decays too slowly for a bound of its tail.")
        rate = self.decay(y) * y ** (number_ball(degree) - 1)
        if not rate > 0:
            raise CannotDecide("the integrand does not decay yet.")
        return (self.value(y) / rate).upper()


def _collect(pairs: tuple[tuple[Any, Any], ...]) -> tuple[tuple[Any, Any], ...]:
    total: dict[Any, Any] = {}
    for degree, c in pairs:
        total[degree] = total.get(degree, sp.S.Zero) + c
    kept = [(degree, c) for degree, c in total.items() if c != 0 and number_sign(c) != 0]
    return tuple(sorted(kept, key=lambda pair: pair[0], reverse=True))


@dataclass(frozen=True)
class Envelope:
    """lower <= |f| <= upper on [y0, oo); `sign` 1 or -1 means f >= 0 or f <= 0 there, 0 that it is not known."""

    sign: int
    lower: Monomial | None
    upper: Monomial | None

    @property
    def strict_sign(self) -> int:
        """The sign of f, 0 unless f is known not to vanish."""
        return self.sign if self.lower is not None else 0


ZERO = Envelope(0, None, Monomial(arb(0)))


def is_zero(envelope: Envelope) -> bool:
    return envelope.upper is not None and bool(envelope.upper.coefficient == 0)


def constant(value: arb) -> Envelope:
    if not value.is_finite():
        raise CannotDecide("a constant of the expression has no finite value.")
    upper = Monomial(value.abs_upper())
    if value > 0 or value < 0:
        return Envelope(1 if value > 0 else -1, Monomial(value.abs_lower()), upper)
    return replace(ZERO, upper=upper)


def monomial(c: Any, power: Any) -> Envelope:
    """c y^power, exactly."""
    size = Monomial(abs(number_ball(c)), power)
    return Envelope(number_sign(c), size, size)


def _sum_upper(f: Monomial | None, g: Monomial | None, y0: arb) -> Monomial | None:
    if f is None or g is None:
        return None
    if f.coefficient == 0 or g.coefficient == 0:
        return g if f.coefficient == 0 else f
    ratio = g * replace(f, coefficient=arb(1)) ** sp.Integer(-1)
    if ratio.order() > 0:
        return _sum_upper(g, f, y0)
    return replace(f, coefficient=(f.coefficient + ratio.supremum(y0)).upper())


def add(f: Envelope, g: Envelope, y0: arb) -> Envelope:
    if is_zero(f) or is_zero(g):
        return g if is_zero(f) else f
    upper = _sum_upper(f.upper, g.upper, y0)
    if f.sign * g.sign > 0:
        if f.lower is None or g.lower is None:
            return Envelope(f.sign, f.lower or g.lower, upper)
        larger = f.lower if (f.lower * g.lower ** sp.Integer(-1)).order() >= 0 else g.lower
        return Envelope(f.sign, larger, upper)
    for big, small in ((f, g), (g, f)):
        if big.lower is None or big.sign == 0 or small.upper is None:
            continue
        ratio = small.upper * replace(big.lower, coefficient=arb(1)) ** sp.Integer(-1)
        if ratio.order() > 0:
            continue
        rest = big.lower.coefficient - ratio.supremum(y0)
        if rest > 0:
            return Envelope(big.sign, replace(big.lower, coefficient=rest.lower()), upper)
    return Envelope(0, None, upper)


def multiply(f: Envelope, g: Envelope) -> Envelope:
    if is_zero(f) or is_zero(g):
        return ZERO
    lower = None if f.lower is None or g.lower is None else f.lower * g.lower
    upper = None if f.upper is None or g.upper is None else f.upper * g.upper
    return Envelope(f.sign * g.sign, lower, upper)


def power(f: Envelope, number: Any) -> Envelope:
    """f^number; a negative number swaps the bounds, a fractional one needs f >= 0."""
    if number.is_Integer:
        sign = 1 if number % 2 == 0 else f.sign
    elif f.sign > 0 or is_zero(f):
        sign = 1
    else:
        raise CannotDecide("the base of a fractional power is not known to be positive.")
    if number_sign(number) < 0:
        if f.lower is None:
            raise CannotDecide("a denominator is not bounded away from zero.")
        upper = f.lower**number
        return Envelope(sign, None if f.upper is None else f.upper**number, upper)
    if is_zero(f):
        return ZERO
    return Envelope(sign, f.lower and f.lower**number, f.upper and f.upper**number)


def union(f: Envelope, g: Envelope, y0: arb) -> Envelope:
    """Bounds of a function that takes the value of f or of g."""
    sign = f.sign if f.sign == g.sign else 0
    return Envelope(sign, None, _sum_upper(f.upper, g.upper, y0))
