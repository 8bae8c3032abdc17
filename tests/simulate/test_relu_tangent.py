"""The tangent model of ReLU against drawn data, a dense solve and the closed form of one neuron."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from simulate.drawn_targets import least_squares_bracket
from simulate.relu_tangent import (
    RESIDUAL,
    apply_kernel,
    lines,
    relu_tangent_cost,
    relu_tangent_risk,
    sample_weights,
    tangent_fit,
    target_row,
)

EPS = np.finfo(np.float64).eps
FALSE_ALARM = 1e-6
Z = float(norm.isf(FALSE_ALARM / 2))
DIMENSION = 5
INDEFINITE = np.linspace(-1.0, 2.0, DIMENSION)


def bracket_of(weights: np.ndarray, target: np.ndarray, constant: bool):
    def features(points: np.ndarray) -> np.ndarray:
        columns = ((points @ weights.T > 0)[:, :, None] * points[:, None, :]).reshape(len(points), -1)
        return np.column_stack([columns, np.ones(len(points))]) if constant else columns

    def quadratic(points: np.ndarray) -> np.ndarray:
        return (points**2 @ target - target.sum()) / np.sqrt(2 * np.sum(target**2))

    return least_squares_bracket(features, quadratic, dimension=len(target), samples=60_000, seed=3)


@pytest.mark.parametrize("neurons", [1, 3, 8])
def test_risk_lies_in_the_bracket_of_drawn_data(neurons):
    """On either side of N = d; the bracket tells the class from the one with a neuron more."""
    key = jax.random.key(neurons)
    more = np.asarray(sample_weights(key, dimension=DIMENSION, neurons=neurons + 1))
    right, wrong = float(tangent_fit(more[:-1], INDEFINITE).risk), float(tangent_fit(more, INDEFINITE).risk)
    bracket = bracket_of(more[:-1], INDEFINITE, constant=True)
    assert bracket.holds(right, Z), (right, bracket)
    assert not bracket.holds(wrong, Z), (wrong, bracket)


def test_the_constant_belongs_to_the_class():
    """For B = I, whose features have the largest mean, the bracket without a constant misses the risk."""
    weights = np.asarray(sample_weights(jax.random.key(2), dimension=DIMENSION, neurons=6))
    risk = float(tangent_fit(weights, np.ones(DIMENSION)).risk)
    assert bracket_of(weights, np.ones(DIMENSION), constant=True).holds(risk, Z)
    assert not bracket_of(weights, np.ones(DIMENSION), constant=False).holds(risk, Z)


def dense(weights) -> np.ndarray:
    """K from its action on the unit vectors."""
    units = jnp.eye(weights.size).reshape(-1, *weights.shape)
    return np.asarray(jax.vmap(lambda unit: apply_kernel(lines(weights), unit).ravel())(units))


def test_conjugate_gradients_solve_the_normal_equations():
    weights = sample_weights(jax.random.key(4), dimension=12, neurons=9)
    target = jnp.linspace(0.1, 2.0, 12)
    kernel, row = dense(weights), np.asarray(target_row(weights, target)).ravel()
    assert np.max(np.abs(kernel - kernel.T)) <= 100 * EPS * np.max(np.abs(kernel))
    values = np.linalg.eigvalsh(kernel)
    assert values[0] > 0
    fit = tangent_fit(weights, target)
    captured = row @ np.linalg.solve(kernel, row)
    exact = 1 - captured / (2 * float(jnp.sum(target**2)))
    # The energy that a residual r leaves is at most |r|^2/lambda_min; the rest is rounding of the dense solve.
    left = (100 * RESIDUAL) ** 2 * (row @ row) / values[0] / (2 * float(jnp.sum(target**2)))
    assert abs(float(fit.risk) - exact) <= left + 100 * len(row) * EPS * values[-1] / values[0]
    assert float(fit.residual) <= 100 * RESIDUAL


def test_one_neuron_has_a_closed_form():
    """It captures 4/pi (|Bw|^2 - b^2) + b^2/(pi - 1)."""
    weights = np.asarray(sample_weights(jax.random.key(5), dimension=7, neurons=1))
    target = np.linspace(-1.0, 3.0, 7)
    own = float(np.sum(target * weights**2))
    captured = 4 / np.pi * (np.sum((target * weights) ** 2) - own**2) + own**2 / (np.pi - 1)
    # One neuron has two eigenvalues, and two steps solve its equations up to rounding.
    assert abs(float(tangent_fit(weights, target).risk) - (1 - captured / (2 * np.sum(target**2)))) <= 100 * EPS


def test_only_directions_matter_and_one_key_stands_for_several():
    keys = jax.random.split(jax.random.key(6), 6)
    shape = {"dimension": 6, "neurons": 4, "target": np.linspace(0.5, 1.5, 6)}
    risks = np.asarray(relu_tangent_risk(keys, **shape))
    assert risks.dtype == np.float64
    assert len(set(risks.tolist())) == 6
    assert np.array_equal(relu_tangent_risk(keys, **shape, every=4), risks[[0, 0, 0, 0, 4, 4]])
    weights = sample_weights(keys[0], dimension=6, neurons=4)
    scaled = weights * jnp.asarray([[0.1], [1.0], [3.0], [10.0]])
    # Both are solved up to the square of the residual times a condition number of some tens.
    bound = 1e3 * (100 * RESIDUAL) ** 2 + 1e3 * EPS
    assert abs(float(tangent_fit(scaled, shape["target"]).risk) - risks[0]) <= bound
    assert relu_tangent_cost(6, 8) > relu_tangent_cost(6, 4)


def test_no_neuron_no_fit_and_no_target_no_risk():
    keys = jax.random.split(jax.random.key(0), 2)
    assert np.array_equal(relu_tangent_risk(keys, dimension=3, neurons=0, target=np.ones(3)), np.ones(2))
    for call in (
        lambda: relu_tangent_risk(keys, dimension=3, neurons=1, target=np.zeros(3)),
        lambda: tangent_fit(np.ones((1, 3)), np.zeros(3)),
    ):
        with pytest.raises(ValueError, match="the target is zero"):
            call()
