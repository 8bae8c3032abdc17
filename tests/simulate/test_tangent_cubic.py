"""The exact neural tangent risk on a cubic, against drawn data and against dense linear algebra."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from simulate.drawn_targets import cubic_bracket
from simulate.tangent_cubic import TOLERANCE, apply_kernel, cubic_risk, cubic_risk_cost, sample_weights, target_row

Z = float(norm.isf(0.5e-6))
"""Standard errors on either side of a bracket: a right risk falls outside with probability 1e-6."""


def keys(count=1, seed=0):
    return jax.random.split(jax.random.key(seed), count)


def dense_kernel(weights):
    neurons, dimension = weights.shape
    basis = jnp.eye(neurons * dimension).reshape(-1, neurons, dimension)
    columns = jax.vmap(lambda unit: apply_kernel(weights, unit))(basis)
    return np.asarray(columns.reshape(len(basis), -1))


@pytest.mark.parametrize(("dimension", "neurons"), [(6, 3), (5, 5)])
def test_agrees_with_drawn_data(dimension, neurons):
    exact = float(cubic_risk(keys(), dimension=dimension, neurons=neurons)[0])
    weights = sample_weights(keys()[0], dimension=dimension, neurons=neurons)
    bracket = cubic_bracket(weights)
    assert bracket.holds(exact, Z)
    assert not bracket.holds(0.8 * exact, Z)


def test_the_iteration_agrees_with_a_direct_solution():
    dimension, neurons = 10, 8
    weights = sample_weights(keys()[0], dimension=dimension, neurons=neurons)
    kernel = dense_kernel(weights)
    row = np.asarray(target_row(weights, jnp.eye(dimension)[0])).ravel()
    values = np.linalg.eigvalsh(kernel)
    # An entry is a sum of fewer than a hundred products, each rounded and at most the largest eigenvalue.
    assert np.allclose(kernel, kernel.T, rtol=0, atol=100 * np.finfo(np.float64).eps * values[-1])
    assert values[0] > 0
    direct = 1 - row @ np.linalg.solve(kernel, row)
    found = float(cubic_risk(keys(), dimension=dimension, neurons=neurons)[0])
    # Above the minimum by r' K^{-1} r with |r| <= 10 TOLERANCE |row|, plus the rounding of both.
    slack = (10 * TOLERANCE) ** 2 * (row @ row) / values[0] + 1e3 * np.finfo(np.float64).eps * values[-1] / values[0]
    assert abs(found - direct) <= slack


def test_kernel_entries_are_gaussian_moments():
    """E[x_a x_b g_i g_j] by a Gauss-Hermite rule that is exact for the degree 6 polynomial at hand."""
    weights = sample_weights(keys()[0], dimension=2, neurons=2)
    nodes, masses = np.polynomial.hermite_e.hermegauss(8)
    x = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), axis=-1).reshape(-1, 2)
    mass = np.outer(masses, masses).ravel() / (2 * np.pi)
    features = (((x @ np.asarray(weights).T) ** 2 - 1)[:, :, None] * x[:, None, :]).reshape(len(x), -1)
    moments = features.T @ (mass[:, None] * features)
    # Rounding of sums of 64 terms that are no larger than the entries' own scale times 1e2.
    assert np.allclose(dense_kernel(weights), moments, rtol=0, atol=1e4 * np.finfo(np.float64).eps * np.max(moments))


def test_few_neurons_learn_little_and_more_learn_more():
    risks = [float(np.mean(cubic_risk(keys(8), dimension=16, neurons=n))) for n in (1, 4, 16)]
    assert 0 < risks[2] < risks[1] < risks[0] < 1
    assert cubic_risk_cost(16, 16) > cubic_risk_cost(16, 4)
