"""Coefficient functions of the ReLU features against quadrature and spherical harmonics."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

from proofs_checks import hermite as certified
from proofs_checks import relu_coefficient_function as function
from proofs_checks.relu_kernel_series import coefficient

DEGREES = (0, 1, 2, 4, 6)
s = sp.Symbol("s", real=True)


def plane_mean(integrand, cosine):
    """E[integrand(G_1, G_2)] over G_1 > 0, G_2 with correlation `cosine`: Gauss-Legendre in the angle and the radius.

    The integrand is a polynomial in sines and cosines times r^k exp(-r^2/2), so that 64 and 200 nodes are exact to
    rounding; the radius is cut at 20, beyond which exp(-r^2/2) r^14 is below 1e-68.
    """
    angles, angle_weights = np.polynomial.legendre.leggauss(64)
    radii, radius_weights = np.polynomial.legendre.leggauss(200)
    phi, r = np.pi / 2 * angles[:, None], 10 * (radii + 1)[None, :]
    weight = np.pi / 2 * angle_weights[:, None] * 10 * radius_weights[None, :] * r * np.exp(-(r**2) / 2) / (2 * np.pi)
    first, other = r * np.cos(phi), r * np.sin(phi)
    return float(np.sum(weight * integrand(first, cosine * first + math.sqrt(1 - cosine**2) * other)))


@pytest.mark.parametrize("q", DEGREES)
def test_hermite_polynomials_are_those_of_the_certified_integrals(q):
    assert sp.expand(function.hermite(q, s) - certified.hermite_polynomial(q, s)) == 0


@pytest.mark.parametrize("q", DEGREES)
@pytest.mark.parametrize("cosine", [-0.7, 0.2, 1.0])
def test_the_coefficient_function_expresses_the_power(q, cosine):
    polynomial = sp.lambdify(s, function.hermite(q, s) / function.hermite_coefficient(q), "numpy")
    found = plane_mean(lambda first, second: first * (polynomial(second) + 0 * second), cosine)
    # Sums of terms up to 1e3 in size, rounded.
    assert found == pytest.approx(cosine**q, abs=1e-10)


@pytest.mark.parametrize("q", DEGREES)
def test_the_second_moment(q):
    polynomial = sp.lambdify(s, function.hermite(q, s), "numpy")
    found = plane_mean(lambda first, second: first**2 * (polynomial(second) + 0 * second) ** 2, 0.6)
    assert found == pytest.approx(float(sp.factorial(q) * function.second_moment(q, sp.Rational(3, 5))), rel=1e-11)


@pytest.mark.parametrize("q", DEGREES)
def test_the_least_norm_in_space_is_that_of_legendre_polynomials(q):
    """t^q = sum A_k P_k; relu(<., z>) multiplies P_k by mu_k; |g|^2 has mean 3 and P_k^2 has mean 1/(2k+1)."""
    total = sp.S.Zero
    for k in range(q % 2, q + 1, 2):
        polynomial = sp.legendre(k, s)
        share = sp.Rational(2 * k + 1, 2) * sp.integrate(s**q * polynomial, (s, -1, 1))
        multiplier = sp.integrate(s * polynomial, (s, 0, 1)) / 2
        total += share**2 / (3 * multiplier**2 * (2 * k + 1))
    assert sp.simplify(function.least_norm_exact(q, sp.Integer(3)) - total) == 0


@pytest.mark.parametrize("q", [2, 4, 6])
def test_the_least_norm_grows_with_the_dimension_towards_that_of_the_hermite_function(q):
    values = [float(function.least_norm_exact(q, sp.Integer(d))) for d in (2, 3, 10, 100, 1000)]
    assert values == sorted(values)
    assert values[-1] < float(1 / coefficient(q)) < 1.1 * values[-1]


def test_odd_degrees_beyond_one_have_no_coefficient():
    assert [function.hermite_coefficient(q) for q in (3, 5, 7)] == [0, 0, 0]
