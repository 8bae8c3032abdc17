"""Certified Gaussian integrals of an activation.

    lambda_k(s) = E[sigma(s G) He_k(G)],      E[sigma(s G)^2],      G ~ N(0, 1),

He_k the probabilists' Hermite polynomials (He_0 = 1, He_1 = x, He_2 = x^2 - 1). In the variable u = s x the weight is
He_k(u/s) exp(-u^2/(2 s^2)) / (s sqrt(2 pi)), so that the kinks of sigma stay where they are for every s.

The line is cut at the kinks. On each piece sigma is analytic and rigorous adaptive Gauss-Legendre quadrature
(`acb.integral`) encloses the integral; an end where sigma is singular (a root, a logarithm) is moved to infinity by
u = c + exp(-y), where the integrand decays and is analytic. What is left out, beyond |u| = X and beyond y = Y, is
bounded by the envelopes of sigma and goes into the radius, as does the short gap around a kink that is not a dyadic
number. An integral that diverges raises `InfiniteMoment`.

>>> x = sp.Symbol("x", real=True)
>>> integrals = GaussianIntegrals(sp.Max(x, 0))
>>> abs(integrals.coefficient(1) - 0.5) < 1e-40
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from flint import acb, arb, ctx

from proofs_checks.ball_function import BallFunction, CannotDecide, Expression, ball_function, exact
from proofs_checks.breakpoints import RADIUS, breakpoints, envelope_at, merged_pieces, nearest_to_zero
from proofs_checks.envelope import BITS, Envelope, Monomial, is_zero
from proofs_checks.growth import Growth, growth
from proofs_checks.pieces import Piece
from proofs_checks.real_point import LEFT_END, RIGHT_END, near

BITS_PER_DIGIT = 3.3219280948873626
GUARD_BITS = 40
"""Bits beyond the target for the rounding of some thousand operations per integral."""
MOST_BITS = 4000
"""Working precision at which a large integral is no longer refined to the absolute target."""

EVALUATIONS_PER_BIT = 400
"""Evaluations per bit and piece after which quadrature gives up; singular ends take about a tenth of it."""
WORK = 400_000
"""Evaluations per integral, times the operations in the expression, after which it is given up (about a second).

The activations by name take at most a twentieth of it; erf(tan(x)), with an essential singularity every pi, takes
four times as much.
"""
FARTHEST = 10**6
"""No truncation point lies beyond: an integrand that needs more decays too slowly for this method."""


class InfiniteMoment(ValueError):
    """The integral diverges; the message is one sentence that says where."""


def hermite_polynomial(k: int, x: Any) -> Any:
    """He_k(x) by He_{j+1} = x He_j - j He_{j-1}, for balls, numbers or symbols.

    >>> hermite_polynomial(3, 2)
    2
    """
    before, current = 0 * x, 0 * x + 1
    for j in range(k):
        before, current = current, x * current - j * before
    return current


def _hermite_size(k: int) -> int:
    """The sum of the absolute coefficients, so that |He_k(v)| <= size * v^k for v >= 1: He_k(i)/i^k without signs."""
    before, current = 0, 1
    for j in range(k):
        before, current = current, current + j * before
    return current


@dataclass(frozen=True)
class Integrand:
    """sigma(u)^degree He_k(u/s) exp(-u^2/(2 s^2)) / (s sqrt(2 pi)) for a dyadic s > 0."""

    degree: int
    k: int
    scale: arb

    def weight(self, u: acb) -> acb:
        v = u / self.scale
        density = (-(v * v) / 2).exp() / (self.scale * (2 * arb.pi()).sqrt())
        return hermite_polynomial(self.k, v) * density

    def of(self, sigma: BallFunction) -> BallFunction:
        return lambda u, analytic: sigma(u, analytic) ** self.degree * self.weight(u)

    def gaussian(self) -> Monomial:
        """A monomial above |weight| for |u| >= s, of the same order at infinity."""
        mantissa, exponent = self.scale.man_exp()
        variance = (sp.Integer(int(mantissa)) * sp.Integer(2) ** int(exponent)) ** 2
        size = _hermite_size(self.k) / self.scale**self.k / (self.scale * (2 * arb.pi()).sqrt())
        return Monomial(size.upper(), sp.Integer(self.k), ((sp.Integer(2), -1 / (2 * variance)),))

    def __str__(self) -> str:
        scale = "" if self.scale == 1 else f"{self.scale.str(6, radius=False)} "
        return f"E[sigma({scale}G)^2]" if self.degree == 2 else f"E[sigma({scale}G) He_{self.k}(G)]"


def truncation(
    bounds: Envelope, start: int, weight: Monomial, integrand: Integrand, place: str, target: arb
) -> tuple[int, arb]:
    """A point y >= start and a bound below `target` of the integral of |sigma|^degree * weight over [y, oo).

    Where the lower bound of |sigma| shows that this integral is infinite, InfiniteMoment.
    """
    degree = sp.Integer(integrand.degree)
    majorant = None if bounds.upper is None else bounds.upper**degree * weight
    if majorant is None or majorant.order() >= 0:
        minorant = None if bounds.lower is None else bounds.lower**degree * weight
        if minorant is not None and _diverges(minorant):
            raise InfiniteMoment(f"{integrand} is infinite: the integral of its absolute value diverges {place}.")
        raise CannotDecide(f"whether {integrand} converges {place} is not known.")
    y = start
    while y < FARTHEST:
        if majorant.decay(arb(y)) > 0:
            tail = majorant.tail_integral(arb(y))
            if tail < target:
                return y, tail
        y += max(1, y // 8)
    raise CannotDecide(f"{integrand} converges too slowly {place}.")


def _diverges(minorant: Monomial) -> bool:
    """Whether the integral of a monomial up to infinity is infinite."""
    return minorant.order() >= 0 if minorant.exponent else bool(minorant.power >= -1)


def _ceiling(value: arb) -> int:
    """An integer above the ball and at most 2 above its upper end."""
    return math.ceil(float(value.upper())) + 1


@dataclass
class Meter:
    """Counts the evaluations of one integral, so that its time is bounded without a clock."""

    integrand: Integrand
    left: int

    def metered(self, function: BallFunction) -> BallFunction:
        def counted(u: acb, analytic: bool) -> acb:
            self.left -= 1
            if self.left < 0:
                raise CannotDecide(f"the quadrature of {self.integrand} takes too many evaluations.")
            return function(u, analytic)

        return counted


def _segment(function: BallFunction, low: arb, high: arb, tolerance: arb, meter: Meter) -> arb:
    """The integral between two real points given as balls, of a function analytic between them.

    The path runs between the midpoints; moving an end inside its ball changes the integral by at most the
    radius times the largest modulus there.
    """
    value = acb.integral(
        meter.metered(function),
        low.mid(),
        high.mid(),
        rel_tol=tolerance,
        abs_tol=tolerance,
        eval_limit=EVALUATIONS_PER_BIT * ctx.prec,
    ).real
    for end in (low, high):
        if not end.is_exact():
            value += arb(0, (function(acb(end), False).abs_upper() * end.rad()).upper())
    return value


def _singular_end(piece: Piece, side: int, reach: int, tolerance: arb, meter: Meter) -> arb:
    """The integral from a singular end c of the piece to c -+ exp(-reach), in the variable y = -log|u - c|."""
    integrand = meter.integrand
    bounds, start = envelope_at(piece, side)
    end = piece.end(side).ball()
    with ctx.workprec(BITS):
        around = acb(end + arb(0, 1) * arb(-start).exp())
        length = Monomial(integrand.weight(around).abs_upper(), sp.S.Zero, ((sp.S.One, sp.S.NegativeOne),))
        place = f"at x = {piece.end(side)}"
        depth, rest = truncation(bounds, max(start, reach + 1), length, integrand, place, tolerance)
    sigma = ball_function(near(piece.expression, piece.end(side).number, -side))

    def moved(y: acb, analytic: bool) -> acb:
        distance = (-y).exp()
        return sigma(y, analytic) ** integrand.degree * integrand.weight(end - side * distance) * distance

    return _segment(moved, arb(reach), arb(depth), tolerance, meter) + arb(0, rest)


def _over_piece(piece: Piece, low: arb, high: arb, tolerance: arb, meter: Meter) -> arb:
    """The integral over the part of the piece inside [low, high], two exact points."""
    ends = {-1: low, 1: high}
    total = arb(0)
    for side in (-1, 1):
        point = piece.end(side)
        if point in (LEFT_END, RIGHT_END) or not side * (point.ball() - ends[side]) < 0:
            continue
        ends[side] = point.ball()
    if not ends[-1] < ends[1]:
        return total
    half = (ends[1] - ends[-1]) / 2
    for side in (-1, 1):
        if ends[side] is (low if side < 0 else high) or piece.regular(side) or piece.end(side).enclosure is not None:
            continue
        reach = max(0, _ceiling(-half.log()))
        total += _singular_end(piece, side, reach, tolerance, meter)
        ends[side] = ends[side] - side * arb(-reach).exp()
    smooth = meter.integrand.of(ball_function(piece.expression))
    return total + _segment(smooth, ends[-1], ends[1], tolerance, meter)


def gaussian_integral(expression: Expression, integrand: Integrand, digits: int) -> arb:
    """A ball of radius below 10^-digits; of that relative size if the integral is too large for it."""
    given = exact(expression)
    found = breakpoints(given)
    divergent = found.not_square_integrable if integrand.degree == 2 else found.not_integrable
    if divergent:
        place = f"at x = {nearest_to_zero(divergent)}"
        raise InfiniteMoment(f"{integrand} is infinite: the integral of its absolute value diverges {place}.")
    order = growth(given)
    target = arb(10) ** -digits
    bits = int(digits * BITS_PER_DIGIT) + GUARD_BITS
    last: arb | None = None
    meter = Meter(integrand, WORK // (1 + int(sp.count_ops(given))))
    while bits <= MOST_BITS:
        with ctx.workprec(bits + GUARD_BITS):
            value = _at_precision(given, order, arb(2) ** -bits, meter)
        with ctx.workprec(BITS):
            if integrand.degree == 2 and not value.contains(0):
                # A second moment is divided by: a small one is wanted to as many digits as a large one.
                target = target.min(abs(value.mid()) * arb(10) ** -digits)
            if value.rad() < target:
                return _off_zero(value)
            # More bits shrink a radius that comes from rounding, not one that comes from slow convergence, which
            # shows in most digits being wrong, or in no gain from the last time.
            hopeless = value.rad() > arb(2) ** (-bits // 4) and not value.rel_accuracy_bits() > bits // 4
            if not value.is_finite() or hopeless or (last is not None and not value.rad() < last.rad() / 2):
                raise CannotDecide(f"the quadrature of {integrand} did not converge.")
            last = value
            bits += _ceiling((value.rad() / target).log() / arb(2).log()) + GUARD_BITS
    if last is not None and last.rad() < target * abs(last):
        return last
    raise CannotDecide(f"{integrand} could not be enclosed to {digits} digits.")


def _off_zero(value: arb) -> arb:
    """The ball, or a wider one where its midpoint is 0: powers of a ball around 0 are NaN in FLINT."""
    if value.is_exact() or value.mid() != 0:
        return value
    return arb(value.rad(), 2 * value.rad())


def _at_precision(expression: Expression, order: Growth, tolerance: arb, meter: Meter) -> arb:
    integrand = meter.integrand
    start = max(order.threshold, _ceiling(integrand.scale))
    ends: list[int] = []
    total = arb(0)
    with ctx.workprec(BITS):
        for bounds, place in ((order.left, "as x -> -oo"), (order.right, "as x -> oo")):
            if is_zero(bounds):
                ends.append(start)
                continue
            end, rest = truncation(bounds, start, integrand.gaussian(), integrand, place, tolerance)
            ends.append(end)
            total += arb(0, rest)
    low, high = arb(-ends[0]), arb(ends[1])
    # Cuts that go on for ever are needed up to the truncation points; powers of two, so that few lists are made.
    radius = max(RADIUS, 2 ** max(ends).bit_length())
    for piece in merged_pieces(expression, radius).pieces:
        total += _over_piece(piece, low, high, tolerance, meter)
    return total


@dataclass(frozen=True)
class GaussianIntegrals:
    """lambda_k(s) and E[sigma(s G)^2] of one activation, each enclosed once and remembered."""

    expression: Any
    digits: int = 40
    _known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def coefficient(self, k: int, scale: arb | None = None) -> arb:
        """lambda_k(s) = E[sigma(s G) He_k(G)]."""
        middle, spread = self._split(scale)
        value = self._dyadic(1, k, middle)
        if spread == 0:
            return value
        # lambda_k' = (lambda_{k+2} + k lambda_k)/s, and |lambda_j(s)|^2 <= j! E[sigma(s G)^2] on the whole ball.
        low, high = middle - spread, middle + spread
        moment = high / low * self._dyadic(2, 0, high)
        slope = ((moment * arb.fac_ui(k + 2)).sqrt() + k * (moment * arb.fac_ui(k)).sqrt()) / low
        return value + arb(0, (slope * spread).upper())

    def second_moment(self, scale: arb | None = None) -> arb:
        """E[sigma(s G)^2]."""
        middle, spread = self._split(scale)
        value = self._dyadic(2, 0, middle)
        if spread == 0:
            return value
        # d/ds E[sigma(s G)^2] = E[sigma(s G)^2 (G^2 - 1)]/s, bounded by the same integral of G^2 + 1 at the largest s.
        low, high = middle - spread, middle + spread
        square = self._dyadic(2, 2, high) + 2 * self._dyadic(2, 0, high)
        return value + arb(0, ((high / low) ** 3 * square / low * spread).upper())

    def coefficients(self, count: int, scale: arb | None = None) -> tuple[arb, ...]:
        """lambda_0, ..., lambda_{count-1}."""
        return tuple(self.coefficient(k, scale) for k in range(count))

    def _split(self, scale: arb | None) -> tuple[arb, arb]:
        """The scale as a dyadic midpoint and a radius."""
        ball = arb(1) if scale is None else arb(scale)
        if not (ball.is_finite() and ball > 0):
            raise ValueError("the scale of a Gaussian integral must be a positive number.")
        return ball.mid(), ball.rad()

    def _dyadic(self, degree: int, k: int, scale: arb) -> arb:
        key = (degree, k, *map(int, scale.man_exp()))
        if key not in self._known:
            try:
                found: Any = gaussian_integral(self.expression, Integrand(degree, k, scale), self.digits)
            except (CannotDecide, InfiniteMoment) as answer:
                found = answer
            self._known[key] = found
        if isinstance(self._known[key], Exception):
            raise self._known[key]
        return self._known[key]
