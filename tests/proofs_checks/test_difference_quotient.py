"""Errors of the difference quotient against quadrature and known moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import dblquad

from proofs_checks import difference_quotient

QUADRATURE: Any = dblquad  # its annotation forgets that two numbers come back


def at(expression: Any, eps: float) -> float:
    return float(expression.subs(difference_quotient.epsilon, sp.Rational(eps)))


def test_polynomial_error_of_the_square():
    error = difference_quotient.polynomial_error(lambda x: x**2)
    length2 = difference_quotient.r**2 + difference_quotient.q**2
    assert sp.expand(error - 3 * difference_quotient.epsilon**2 * length2**2) == 0


@pytest.mark.parametrize("eps", [0.25, 1.0])
def test_errors_of_threshold_functions_by_quadrature(eps):
    def density(radius):
        return radius * np.exp(-(radius**2) / 2) / (2 * np.pi)

    def ramp(angle, radius):
        u, v = radius * np.cos(angle), radius * np.sin(angle)
        return ((max(u + eps * v, 0) - max(u, 0)) / eps - v * (u > 0)) ** 2 * density(radius)

    # Only the sector between the two edges contributes, and its opposite as much; the tail beyond 12 is below 1e-29.
    edge = np.pi / 2
    found, accuracy = QUADRATURE(ramp, 0, 12, edge, edge + np.arctan(eps))
    exact = at(difference_quotient.ramp_error(), eps)
    assert abs(2 * found - exact) <= 2 * accuracy + 100 * np.finfo(np.float64).eps
    sector = 2 * np.arctan(eps) / (2 * np.pi)
    step = at(difference_quotient.step_error(), eps)
    assert step == pytest.approx(sector / eps**2, rel=8 * np.finfo(np.float64).eps)


def test_derivative_moments():
    assert difference_quotient.derivative_moment(sp.Integer(2)) == 4  # E (2G)^2
    assert difference_quotient.derivative_moment(sp.Integer(3)) == 27  # E (3G^2)^2
    assert not difference_quotient.derivative_moment(sp.Rational(1, 2)).is_finite
