r"""The mean square error of the difference quotient (sigma(u + eps v) - sigma(u))/eps against v sigma'(u).

u = <w, x> and v = <a, x> are jointly Gaussian: u = s G, v = r G + q G' with G, G' independent standard Gaussians.

A polynomial's error is a polynomial in eps. For the threshold functions take s = q = 1, r = 0 and polar coordinates:
the quotient is exact unless u and u + eps v have different signs, two opposite sectors of angle arctan(eps), where
u + eps v = R sqrt(1 + eps^2) sin(theta) with theta the angle from the edge of the sector and E R^2 = 2. So

    (x)_+     2/(2 pi eps^2) E[R^2] (1 + eps^2) int_0^arctan(eps) sin(theta)^2 dtheta -> 0,
    1{x > 0}  2/(2 pi eps^2) arctan(eps)                                             -> infinity.

The limit itself has norm E[v^2] E[sigma'(u)^2] (r = 0), and p^2 E|G|^(2p-2) is infinite for sigma(x) = |x|^p, p <= 1/2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import sympy as sp

epsilon, s, q = sp.symbols("epsilon s q", positive=True)
r, u, v = sp.symbols("r u v", real=True)
_g, _h = sp.symbols("g h", real=True)
_theta = sp.Symbol("theta", positive=True)


def gaussian_mean(polynomial: sp.Expr) -> sp.Expr:
    """E of a polynomial in u and v, in terms of s, r, q: E G^(2k) = (2k - 1)!!."""
    expanded = sp.Poly(sp.expand(polynomial.subs({u: s * _g, v: r * _g + q * _h}, simultaneous=True)), _g, _h)

    def moment(power: int) -> sp.Expr:
        return sp.S.Zero if power % 2 else sp.factorial2(power - 1)

    return sum((factor * moment(i) * moment(j) for (i, j), factor in expanded.terms()), sp.S.Zero)


@cache
def polynomial_error(sigma: Callable[[sp.Expr], sp.Expr], quotient_power: int = 1, tangent: int = 1) -> sp.Expr:
    """E(eps^-k (sigma(u + eps v) - sigma(u)) - c v sigma'(u))^2, k = quotient_power and c = tangent (both 1)."""
    quotient = (sigma(u + epsilon * v) - sigma(u)) / epsilon**quotient_power
    return sp.expand(gaussian_mean((quotient - tangent * v * sp.diff(sigma(u), u)) ** 2))


@cache
def ramp_error() -> sp.Expr:
    """The same for (x)_+ with a orthogonal to w, |a| = |w| = 1."""
    sector = sp.integrate(sp.sin(_theta) ** 2, (_theta, 0, sp.atan(epsilon)))
    return sp.simplify(2 / (2 * sp.pi * epsilon**2) * 2 * (1 + epsilon**2) * sector)


@cache
def step_error() -> sp.Expr:
    """The same for 1{x > 0}, whose derivative is zero almost everywhere."""
    return 2 * sp.atan(epsilon) / (2 * sp.pi * epsilon**2)


def derivative_moment(power: sp.Expr) -> sp.Expr:
    """E sigma'(G)^2 for sigma(x) = |x|^p: p^2 E|G|^(2p-2) = p^2 2^(p-1) Gamma(p - 1/2)/sqrt(pi), for p > 1/2."""
    return power**2 * 2 ** (power - 1) * sp.gamma(power - sp.Rational(1, 2)) / sp.sqrt(sp.pi)
