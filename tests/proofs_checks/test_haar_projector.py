"""Moments of Haar projectors: the derivation against other derivations, and against sampled projectors."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy as sp
from flint import arb

from proofs_checks import haar_projector as haar

d, k, rho, t = haar.d, haar.k, haar.rho, haar.t


def test_the_moments_are_the_known_weingarten_coefficients() -> None:
    alpha, beta = haar.second_moments()
    assert sp.simplify(alpha - k * (k * (d + 1) - 2) / (d * (d - 1) * (d + 2))) == 0
    assert sp.simplify(beta - k * (d - k) / (d * (d - 1) * (d + 2))) == 0


def test_every_step_holds_and_each_certificate_has_its_sign() -> None:
    for step in haar.moment_steps():
        if step.relation == "=":
            assert sp.simplify(step.left - step.right) == 0, step.name
        else:
            assert step.certificate is not None
            assert sp.simplify(step.right - step.left - step.certificate) == 0, step.name
            sign = step.certificate.is_positive if step.relation == "<" else step.certificate.is_nonnegative
            assert sign is True, step.name


def test_rank_one_moments_in_the_plane_by_exact_integration() -> None:
    """d = 2: u = (cos, sin) of a uniform angle, every entry of E[Q_ij Q_kl] integrated by SymPy."""
    alpha, beta = (moment.subs({d: 2, k: 1}) for moment in haar.second_moments())
    angle = sp.Symbol("theta", real=True)
    u = (sp.cos(angle), sp.sin(angle))
    for i, j, m, n in product(range(2), repeat=4):
        exact = sp.integrate(u[i] * u[j] * u[m] * u[n], (angle, 0, 2 * sp.pi)) / (2 * sp.pi)
        pairings = int(i == j and m == n), int(i == m and j == n) + int(i == n and j == m)
        formula = alpha * pairings[0] + beta * pairings[1]
        assert sp.simplify(exact - formula) == 0


def test_sampled_projectors_agree_within_their_confidence_interval() -> None:
    """E ||QBQ||^2 at d = 5, k = 2 over 20000 projectors, at five standard errors (false alarm 6e-7)."""
    dimension, rank, samples = 5, 2, 20_000
    generator = np.random.default_rng(11)
    b = np.diag([3.0, 1.0, 0.0, -1.0, 2.0])
    basis, _ = np.linalg.qr(generator.standard_normal((samples, dimension, rank)))
    values = np.sum((basis.transpose(0, 2, 1) @ b @ basis) ** 2, axis=(1, 2))
    norm, trace = (float(c.subs({d: dimension, k: rank})) for c in haar.projected_norm())
    expected = norm * np.sum(b**2) + trace * np.trace(b) ** 2
    interval = 5 * np.std(values) / np.sqrt(samples)
    assert abs(np.mean(values) - expected) < interval
    assert interval < 0.05 * expected  # so that a beta off by its own size would be seen


def test_the_remainder_is_explicit_and_of_order_one_over_d() -> None:
    expected = rho * (1 - rho) * (1 - t) * (d - 2) / ((d - 1) * (d + 2))
    assert sp.simplify(haar.nt_risk_remainder() - expected) == 0
    assert sp.simplify(haar.nt_risk_first_order() - rho * (1 - rho) * (1 - t)) == 0


def test_the_limit_is_the_theorem_in_both_printed_forms() -> None:
    limit = haar.nt_risk_limit()
    assert sp.simplify(limit - ((1 - rho) ** 2 * (1 - t) + (1 - rho) * t)) == 0
    assert sp.simplify(limit - ((1 - rho) ** 2 + rho * (1 - rho) * t)) == 0
    assert sp.simplify(limit - ((1 - rho) ** 2 * (1 - t) + (1 - rho) ** 2 * t)) != 0


@pytest.mark.parametrize(("dimension", "neurons"), [(2, 1), (5, 2), (5, 0), (7, 7), (4, 9), (1, 0), (1, 1), (64, 32)])
def test_the_exact_risk_takes_every_kind_of_number(dimension: int, neurons: int) -> None:
    exact = haar.nt_risk_exact(dimension, neurons, Fraction(1, 4))
    assert isinstance(exact, Fraction)
    assert haar.nt_risk_exact(dimension, neurons, arb(1) / 4).contains(arb(exact.numerator) / exact.denominator)
    # a dozen float operations on numbers below one: at most 16 u
    assert abs(haar.nt_risk_exact(dimension, neurons, 0.25) - float(exact)) <= 16 * 2.0**-53
    assert haar.nt_risk_exact(dimension, neurons, sp.Rational(1, 4)) == sp.Rational(exact)
    assert 0 <= exact <= max(Fraction(0), 1 - Fraction(neurons, dimension))


def test_no_neuron_leaves_all_and_enough_neurons_leave_nothing() -> None:
    assert haar.nt_risk_exact(6, 0, Fraction(1, 3)) == 1
    assert haar.nt_risk_exact(6, 6, Fraction(1, 3)) == 0
    assert haar.nt_risk_exact(6, 2, Fraction(1)) == Fraction(2, 3)


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_the_tangent_class_has_the_dimension_counted(dimension: int) -> None:
    for neurons in range(1, dimension + 3):
        vandermonde = [[i**power for power in range(dimension)] for i in range(1, neurons + 1)]
        assert haar.tangent_rank(vandermonde) == haar.tangent_dimension(dimension, neurons)
    assert haar.tangent_rank([[0] * dimension]) == 0


def test_dependent_weights_span_less() -> None:
    assert haar.tangent_rank([[1, 2, 3], [2, 4, 6]]) < haar.tangent_dimension(3, 2)
