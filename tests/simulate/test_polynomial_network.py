"""The networks that express a power and the 2-XOR, against closed forms on the same draw and the exact mean square."""

from __future__ import annotations

import math
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from simulate import polynomial_network as net

EPS = np.finfo(np.float64).eps
Z = 6.0
"""Two-sided normal probability 2e-9."""
CASES = [(2, 1.0), (3, 0.8), (4, -0.9), (6, 0.5)]
KERNEL = {0: 1 / (2 * math.pi), 1: 1 / 4, 2: 1 / (4 * math.pi), 4: 1 / (48 * math.pi)}


def power_at(degree, cosine, width=64):
    network = net.build_power(jax.random.key(degree), width, jnp.asarray(net.coefficient_polynomial(degree)))
    return network, net.RADIUS * np.array([cosine, math.sqrt(1 - cosine**2)])


def coefficients(network, degree):
    """a(w_0), by Horner's rule in NumPy."""
    half = np.asarray(network.start)[: len(network.outer) // 2]
    return half, np.polyval(net.coefficient_polynomial(degree)[::-1], net.RADIUS * half[:, 0])


@pytest.mark.parametrize(("degree", "cosine"), CASES)
def test_the_second_derivative_is_the_mean_of_weighted_features(degree, cosine):
    network, x = power_at(degree, cosine)
    half, a = coefficients(network, degree)
    terms = np.maximum(half @ x, 0) * a * (net.NORM * x[0]) ** 2
    found = float(net.quadratic_term(network, jnp.asarray(x)))
    # m/2 terms of either sign, each rounded a few dozen times.
    assert abs(found - terms.mean()) <= 100 * EPS * np.abs(terms).mean()


@pytest.mark.parametrize(("degree", "cosine"), CASES)
def test_the_norm_of_the_construction(degree, cosine):
    network, _ = power_at(degree, cosine)
    _, a = coefficients(network, degree)
    expected = 8 * net.NORM**4 * np.mean(a**2)
    assert abs(float(net.fourth_power_norm(network)) - expected) <= 100 * EPS * expected


@pytest.mark.parametrize(("order", "value"), [(0, 1 / math.sqrt(2 * math.pi)), (1, 0.5), (3, 0.0), (4, -0.3989422804)])
def test_quadrature_gives_the_hermite_coefficients(order, value):
    # Ten digits are typed in for the fourth, -1/sqrt(2 pi); the others are exact to the rounding of He_q.
    assert net.relu_hermite_coefficient(order) == pytest.approx(value, abs=1e-10)


@pytest.mark.parametrize(("degree", "cosine"), CASES)
def test_the_mean_square_error_is_the_exact_one(degree, cosine):
    order = degree - 2
    exact = 2 * cosine**4 * ((1 + 2 * order * cosine**2) / (2 * KERNEL[order]) - cosine ** (2 * order))
    values = np.asarray(
        net.scaled_error(jax.random.split(jax.random.key(7), 64), dimension=128, degree=degree, cosine=cosine)
    )
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert abs(values.mean() - exact) <= Z * error
    assert Z * error < exact, "the comparison has teeth"


@pytest.mark.parametrize("inputs", [2, 3, 5])
def test_the_2_xor_on_the_whole_cube(inputs):
    width, shape = 32, net.columns(inputs)
    network = net.build_xor(jax.random.key(inputs), width, shape, inputs)
    # The norm is 8 pi whatever was drawn.
    assert float(net.fourth_power_norm(network)) == pytest.approx(8 * math.pi, rel=100 * EPS)
    for signs in product((1.0, -1.0), repeat=inputs):
        x = np.array([*signs, *[0.0] * (shape - inputs)])
        share = math.sqrt(2 * math.pi) * np.maximum(np.asarray(network.start)[: width // 2] @ x, 0).mean()
        found = float(net.quadratic_term(network, jnp.asarray(x)))
        assert found == pytest.approx(x[0] * x[1] * share, rel=1000 * EPS)


def test_the_error_of_the_2_xor_does_not_know_the_dimension():
    exact = 2 * (math.pi - 1)
    for inputs in (2, 4):
        values = np.asarray(net.xor_error(jax.random.split(jax.random.key(3), 64), dimension=64, inputs=inputs))
        assert abs(values.mean() - exact) <= Z * values.std(ddof=1) / 8
        assert values.std(ddof=1) < exact


def test_errors_follow_their_keys():
    keys = jax.random.split(jax.random.key(0), 4)
    values = net.scaled_error(keys, dimension=32, degree=4, cosine=0.5)
    assert values.dtype == jnp.float64
    assert np.array_equal(values, net.scaled_error(keys[::-1], dimension=32, degree=4, cosine=0.5)[::-1])
    assert len(set(np.asarray(values).tolist())) == 4
    assert net.error_cost(64) == 2 * net.error_cost(32)


@pytest.mark.parametrize("degree", [1, 5, 10])
def test_degrees_that_cannot_be_expressed_are_refused(degree):
    with pytest.raises(ValueError, match="degree"):
        net.scaled_error(jax.random.split(jax.random.key(0), 2), dimension=32, degree=degree, cosine=0.5)
