"""The whole curve psi1 -> R at given zeta, psi2, lambda_bar, noise: each of its extrema, certified, and none missed.

At fixed zeta, psi2 and lambda_bar the width psi1 is a function of v = zeta^2 p: with g and b as in
`double_descent.py` and l = psi2 lambda_bar p, the equation lambda_bar = a b/(psi1 psi2 p) reads a = g l/(b - l). So v
increases from 0 to the root of b = l as psi1 increases from 0 to infinity, and where zeta^2, psi2, lambda_bar and the
noise are rational, the sign of dR/dpsi1 is that of a polynomial in v with rational coefficients. Its roots are
isolated by balls, real ones as such.

Both slopes and gaps are linear in the noise, "gain - noise loss", so the largest noise up to which one of them keeps
its sign is the least value of gain/loss over loss > 0: at an end, or at a root of a polynomial again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import sympy as sp
from flint import arb, ctx, fmpq, fmpz_poly

from proofs_checks.ball_function import CannotDecide
from proofs_checks.double_descent import risk, wide_risk, width, width_slope_bias, width_slope_variance
from proofs_checks.feature_ridge_point import RidgePoint

_BITS = 192
_v = sp.Symbol("v", positive=True)


@dataclass(frozen=True, eq=False)
class Extremum:
    """A local maximum or minimum of the risk over the width."""

    kind: Literal["maximum", "minimum"]
    psi1: arb
    risk: arb


@dataclass(frozen=True)
class WidthCurve:
    """psi1 -> R at rational zeta^2, psi2 and lambda_bar > 0."""

    zeta2: Fraction
    psi2: Fraction
    lambda_bar: Fraction

    def at(self, value: Any) -> RidgePoint:
        """The point with zeta^2 p = value, for balls and SymPy alike."""
        number = _ball if isinstance(value, arb) else _rational
        zeta2, psi2, penalty = number(self.zeta2), number(self.psi2), number(self.psi2 * self.lambda_bar)
        p = value / zeta2
        g = p + value / (1 + value)
        b = psi2 - g
        return RidgePoint(zeta2, psi2, p, g * penalty * p / (b - penalty * p), b)

    @cached_property
    def infinite(self) -> arb:
        """v at psi1 = infinity."""
        at = self.at(_v)
        (root,) = _roots(at.a2 - _rational(self.psi2 * self.lambda_bar) * at.p, arb(0), None)
        return root

    @cached_property
    def threshold(self) -> arb:
        """v at psi1 = psi2."""
        at = self.at(_v)
        (root,) = _roots(at.a1 - at.a2, arb(0), self.infinite)
        return root

    @cached_property
    def _slopes(self) -> tuple[Any, Any]:
        at = self.at(_v)
        return tuple(sp.cancel(sp.together(part(at))) for part in (width_slope_bias, width_slope_variance))

    def extrema(self, noise: Fraction) -> tuple[Extremum, ...]:
        """All of them, in the order of psi1."""
        bias, variance = self._slopes
        slope = sp.fraction(sp.cancel(bias + _rational(noise) * variance))[0]
        with ctx.workprec(_BITS):
            places = [arb(0), *_roots(slope, arb(0), self.infinite), self.infinite]
            falls = [self._falls((left + right) / 2, noise) for left, right in pairwise(places)]
            found = []
            for place, (before, after) in zip(places[1:-1], pairwise(falls), strict=True):
                if before != after:
                    at = self.at(place)
                    found.append(Extremum("minimum" if before else "maximum", width(at), risk(at, _ball(noise))))
            return tuple(found)

    def _falls(self, value: arb, noise: Fraction) -> bool:
        at = self.at(value)
        slope = width_slope_bias(at) + _ball(noise) * width_slope_variance(at)
        if slope.contains(0):
            raise CannotDecide("two extrema of the risk are too close to be told apart at this precision.")
        return bool(slope > 0)

    def falling_noise(self) -> arb:
        """The largest noise at which the risk falls for all psi1 >= psi2; infinity if it always does."""
        bias, variance = self._slopes
        return _least_ratio(bias, -variance, self.threshold, self.infinite)


def curve_to(zeta2: Fraction, limit: Fraction, beyond: Fraction) -> WidthCurve:
    """The curve on which v -> limit and b -> beyond as psi1 -> infinity, so that its limits are rational."""
    p = limit / zeta2
    psi2 = p + limit / (1 + limit) + beyond
    return WidthCurve(zeta2, psi2, beyond / (psi2 * p))


def gap_to_infinite_width(curve: WidthCurve, limit: Fraction) -> tuple[Any, Any]:
    """(gain, loss): R - R(psi1 = infinity) has the sign of gain - noise loss, where v -> limit."""
    share = _rational(limit / (1 + limit))
    at = curve.at(_v)
    parts = []
    for level in (sp.S.Zero, sp.S.One):
        gap = at.D * (risk(at, level) - wide_risk(share, at.psi2, level))
        parts.append(sp.cancel(sp.together(gap)))
    return parts[0], parts[0] - parts[1]


def dominated_noise(curve: WidthCurve, limit: Fraction) -> arb:
    """The largest noise at which no width beats the infinite one, where v -> limit."""
    with ctx.workprec(_BITS):
        return _least_ratio(*gap_to_infinite_width(curve, limit), arb(0), _ball(limit))


def _least_ratio(gain: Any, loss: Any, low: arb, high: arb) -> arb:
    """The least positive value of gain/loss on [low, high], gain being positive inside; infinity if there is none."""
    top, bottom = (sp.Poly(side, _v) for side in sp.fraction(sp.cancel(gain / loss)))
    with ctx.workprec(_BITS):
        turns = _roots((top.diff() * bottom - top * bottom.diff()).as_expr(), low, high)
        values = [_at(top, place) / _at(bottom, place) for place in (low, *turns, high)]
        if any(not value.is_finite() or value.contains(0) for value in values):
            raise CannotDecide("the ratio has a pole or a zero that cannot be told from an end or a turn.")
        return min((value for value in values if value > 0), key=float, default=arb.pos_inf())


def _roots(expression: Any, low: arb, high: arb | None) -> Sequence[arb]:
    """The real zeros of a rational function of v with rational coefficients, between `low` and `high`, in order."""
    numerator = sp.Poly(sp.fraction(sp.cancel(sp.together(expression)))[0], _v)
    _, whole = numerator.clear_denoms(convert=True)
    with ctx.workprec(_BITS):
        roots = fmpz_poly([int(c) for c in reversed(whole.all_coeffs())]).complex_roots()
        real = [root.real for root, _ in roots if root.imag.is_zero()]  # pyright: ignore[reportGeneralTypeIssues]
        inside = [root for root in real if _between(root, low, high)]
    return sorted(inside, key=float)


def _between(root: arb, low: arb, high: arb | None) -> bool:
    if root.overlaps(low) or (high is not None and root.overlaps(high)):
        return False  # an end itself, which whoever asks knows about
    return bool(root > low) and (high is None or bool(root < high))


def _at(polynomial: Any, place: arb) -> arb:
    value = arb(0)
    for coefficient in polynomial.all_coeffs():
        value = value * place + _ball(Fraction(int(coefficient.p), int(coefficient.q)))
    return value


def _ball(number: Fraction) -> arb:
    with ctx.workprec(_BITS):
        return arb(fmpq(number.numerator, number.denominator))


def _rational(number: Fraction) -> Any:
    return sp.Rational(number.numerator, number.denominator)
