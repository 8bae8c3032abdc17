"""Random features on a target with a mean: the exact risk against least squares on drawn data."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from simulate.activation_function import ActivationFunction, ClosedForm
from simulate.random_features import population_risk
from simulate.uncentred_features import sample_weights, uncentred_risk, uncentred_risk_cost

EPS = np.finfo(np.float64).eps
FALSE_ALARM = 1e-6
Z = float(norm.isf(FALSE_ALARM / 2))
DIMENSION, NEURONS = 6, 5
GAMMA = np.array([0.5, 0.5, 0.5, 1.5, 1.5, 1.5])
TARGET = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 2.0])
MEAN = 3.0
SQUARE = ActivationFunction(lambda u: u**2 - 1, lambda u: 2 * u, closed_form=ClosedForm("polynomial", (-1.0, 0.0, 1.0)))


def _bracket(weights, mean, samples, seed):
    """(in-sample loss, its error, fresh loss, its error) over E f^2: the least risk lies between, as the fit on the
    sample is below it there and above it on fresh points."""
    rng = np.random.default_rng(seed)
    energy = 2 * np.sum(TARGET**2) + mean**2

    def draw():
        x = rng.standard_normal((samples, DIMENSION))
        return (x @ weights.T) ** 2 - 1, (mean + (x**2 - 1) @ TARGET)

    features, response = draw()
    solution = np.linalg.lstsq(features, response, rcond=None)[0]
    losses = [(response - features @ solution) ** 2 / energy]
    features, response = draw()
    losses.append((response - features @ solution) ** 2 / energy)
    return [number for loss in losses for number in (loss.mean(), loss.std() / np.sqrt(samples))]


def test_risk_lies_in_the_bracket_of_drawn_data():
    """Both signs of the mean, averaged as the simulator averages them; a target without its mean is told apart."""
    key = jax.random.key(3)
    weights = np.asarray(sample_weights(key, dimension=DIMENSION, neurons=NEURONS, gamma=GAMMA))
    arguments = {"dimension": DIMENSION, "neurons": NEURONS, "gamma": GAMMA, "target": TARGET}
    risk = float(uncentred_risk(key[None], mean=MEAN, **arguments)[0])
    other = float(uncentred_risk(key[None], mean=0.0, **arguments)[0])
    brackets = np.mean([_bracket(weights, mean, 200_000, seed) for seed, mean in enumerate((MEAN, -MEAN))], axis=0)
    low, low_error, high, high_error = brackets
    assert low - Z * low_error <= risk <= high + Z * high_error
    assert not low - Z * low_error <= other <= high + Z * high_error


def test_without_a_mean_it_is_the_risk_of_the_general_simulator():
    """At mean 0 the other route (kernels for any activation) must give the same number for the same weights."""
    keys = jax.random.split(jax.random.key(1), 4)
    arguments = {"dimension": DIMENSION, "neurons": NEURONS, "gamma": GAMMA, "target": TARGET}
    here = np.asarray(uncentred_risk(keys, mean=0.0, **arguments))
    there = np.asarray(population_risk(keys, activation=SQUARE, **arguments))
    assert here.dtype == np.float64
    for key, first, second in zip(keys, here, there, strict=True):
        weights = np.asarray(sample_weights(key, dimension=DIMENSION, neurons=NEURONS, gamma=GAMMA))
        means = np.sum(weights**2, axis=1) - 1
        kernel = 2 * (weights @ weights.T) ** 2 + np.outer(means, means)
        # Each solves with this kernel: rounding times its size and condition number, on either side.
        assert abs(first - second) <= 2 * NEURONS**2 * np.linalg.cond(kernel) * EPS


def test_a_class_of_all_quadratic_functions_leaves_nothing():
    full = DIMENSION * (DIMENSION + 1) // 2 + 1
    keys = jax.random.split(jax.random.key(2), 3)
    arguments = {"dimension": DIMENSION, "gamma": GAMMA, "target": TARGET, "mean": MEAN}
    assert np.array_equal(uncentred_risk(keys, neurons=full, **arguments), jnp.zeros(3))
    assert np.all(np.asarray(uncentred_risk(keys, neurons=full - 8, **arguments)) > 0)


def test_a_zero_target_is_refused():
    with pytest.raises(ValueError, match="cannot be normalised"):
        uncentred_risk(
            jax.random.split(jax.random.key(0), 1),
            dimension=2,
            neurons=1,
            gamma=np.ones(2),
            target=np.zeros(2),
            mean=0.0,
        )


def test_cost_grows_with_the_shape():
    assert uncentred_risk_cost(64, 32) < uncentred_risk_cost(64, 64) < uncentred_risk_cost(128, 64)
