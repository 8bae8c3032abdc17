"""Labels and the Gaussian functional of a margin, in balls and in floating point.

(Y, G): G ~ N(0,1), P(Y = 1 | G) = f0(G); f0 is one of

    sign        f0(v) = 1 for v > 0, else 0
    logistic:s  f0(v) = 1/(1 + exp(-s v))
    probit:s    f0(v) = Phi(s v),        Phi the normal distribution function.

All three have f0(-v) = 1 - f0(v), so V = Y G has the density 2 phi(v) f0(v). With Z ~ N(0,1) independent of it and
c = k - p V, what Gordon's comparison asks for are the moments of (c - q Z)_+, whose integral over Z is closed:

    E_Z (c - qZ)_+^2 = (c^2 + q^2) Phi(c/q) + c q phi(c/q),   E_Z (c - qZ)_+ = c Phi(c/q) + q phi(c/q).

What is left is five integrals over V: J_j = E[V^j Phi(c/q)], j = 0, 1, 2, and K_j = E[V^j phi(c/q)], j = 0, 1. They are
enclosed by python-flint's certified quadrature on [-L, L] (the integrands are meromorphic) with the tail

    |integral beyond L| <= 4 int_L^oo v^2 phi(v) dv <= 4 (L + 1/L) phi(L).

The floating-point version (composite Gauss-Legendre) serves as a start for Newton's method and as a second witness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from flint import acb, arb, ctx
from scipy.special import erfc, expit

BITS = 112
CUTOFF = 13
"""L: the tail is below 4 (13 + 1/13) phi(13) < 5e-36."""
NODES = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True)
class LabelLaw:
    """f0, the probability of the label +1 as a function of <beta_0, x>."""

    name: Literal["sign", "logistic", "probit"]
    slope: Fraction = Fraction(1)

    @staticmethod
    def of(text: str) -> LabelLaw:
        """The law written as sign, logistic:SLOPE or probit:SLOPE.

        >>> LabelLaw.of("probit:1/2")
        LabelLaw(name='probit', slope=Fraction(1, 2))
        """
        name, _, slope = text.partition(":")
        if name == "sign" and not slope:
            return LabelLaw("sign")
        if name in ("logistic", "probit"):
            steepness = Fraction(slope or "1")
            if steepness > 0:
                return LabelLaw(name, steepness)
        raise ValueError(f"{text!r} is no label law: write sign, logistic:SLOPE or probit:SLOPE with a positive slope.")

    def __str__(self) -> str:
        return self.name if self.name == "sign" else f"{self.name}:{self.slope}"

    def ball(self, v: Any) -> Any:
        """f0(v) on a complex ball; for sign, v > 0 is presumed."""
        if self.name == "sign":
            return acb(1)
        steep = rational(self.slope) * v
        return 1 / (1 + (-steep).exp()) if self.name == "logistic" else _normal_distribution(steep)

    def floating(self, v: np.ndarray) -> np.ndarray:
        """f0(v) in double precision."""
        if self.name == "sign":
            return (v > 0).astype(np.float64)
        steep = float(self.slope) * v
        return expit(steep) if self.name == "logistic" else erfc(-steep / np.sqrt(2)) / 2


class Moments(NamedTuple):
    """E[V^j Phi(c/q)] for j = 0, 1, 2 and E[V^j phi(c/q)] for j = 0, 1; c = k - p V."""

    J0: Any
    J1: Any
    J2: Any
    K0: Any
    K1: Any


def rational(value: Fraction | int) -> arb:
    """The ball around a rational number."""
    exact = Fraction(value)
    return arb(exact.numerator) / exact.denominator


def _normal_distribution(x: Any) -> Any:
    return (-x / arb(2).sqrt()).erfc() / 2


def _normal_density(x: Any) -> Any:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def tail() -> arb:
    """A ball around 0 that holds what lies beyond L, for each of the integrands."""
    cutoff = arb(CUTOFF)
    return arb(0, (4 * (cutoff + 1 / cutoff) * _normal_density(cutoff)).upper())


def expectation(law: LabelLaw, of: Callable[[Any], Any], digits: int) -> arb:
    """E of(V) for a meromorphic function with |of(v)| <= max(1, v^2) on the line."""
    error = arb(10) ** (-digits)
    least = 0 if law.name == "sign" else -CUTOFF

    def integrand(v: Any, _analytic: bool) -> Any:
        return 2 * _normal_density(v) * law.ball(v) * of(v)

    whole = acb.integral(integrand, least, CUTOFF, rel_tol=error, abs_tol=error)
    return whole.real + tail()


def distribution_moment(law: LabelLaw, power: int, k: Any, p: Any, q: Any, digits: int) -> arb:
    """J_power = E[V^power Phi((k - pV)/q)], power <= 2."""
    return expectation(law, lambda v: v**power * _normal_distribution((k - p * v) / q), digits)


def density_moment(law: LabelLaw, power: int, k: Any, p: Any, q: Any, digits: int) -> arb:
    """K_power = E[V^power phi((k - pV)/q)], power <= 2."""
    return expectation(law, lambda v: v**power * _normal_density((k - p * v) / q), digits)


def moments(law: LabelLaw, k: Any, p: Any, q: Any, *, digits: int = 24) -> Moments:
    """The five integrals at balls p and q > 0, each to about `digits` digits if p and q are as good."""
    with ctx.workprec(BITS):
        return Moments(
            *(distribution_moment(law, power, k, p, q, digits) for power in (0, 1, 2)),
            *(density_moment(law, power, k, p, q, digits) for power in (0, 1)),
        )


def error_probability(law: LabelLaw, ratio: arb, *, digits: int = 24) -> arb:
    """P(p Y G + q Z <= 0) = E Phi(-ratio V), ratio = p/q."""
    with ctx.workprec(BITS):
        return expectation(law, lambda v: _normal_distribution(-ratio * v), digits)


# Double precision ------------------------------------------------------------------------------------------------


@cache
def _fixed_panels(law: LabelLaw) -> tuple[float, ...]:
    """Ends of panels that resolve f0: unit steps, and geometric ones down to the width 1/slope of its step."""
    steps = np.arange(-CUTOFF, CUTOFF + 1.0)
    if law.name == "sign":
        return tuple(steps[steps >= 0])
    near = 2.0 ** np.arange(-3, 12) / float(law.slope)
    near = near[near < 1]
    return (*steps, *near, *-near)


def floating_moments(law: LabelLaw, k: float, p: float, q: float) -> Moments:
    """The same integrals by Gauss-Legendre on panels that resolve f0 and the step of Phi((k - p v)/q)."""
    ends = np.array(_fixed_panels(law))
    if p > 0:
        width = 2.0 ** np.arange(-1, 6) * (q / p)
        ends = np.concatenate((ends, k / p + width, k / p - width, [k / p]))
    ends = np.unique(np.clip(ends, 0.0 if law.name == "sign" else -CUTOFF, CUTOFF))
    half = np.diff(ends)[:, None] / 2
    v = (ends[:-1, None] + half * (1 + NODES[0])).ravel()
    weight = (half * NODES[1]).ravel() * np.sqrt(2 / np.pi) * np.exp(-v * v / 2) * law.floating(v)
    x = (k - p * v) / q
    inside, at = weight * erfc(-x / np.sqrt(2)) / 2, weight * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return Moments(*(float(value) for value in (inside.sum(), inside @ v, inside @ v**2, at.sum(), at @ v)))
