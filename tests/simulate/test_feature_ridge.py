"""Ridge regression on random features: the exact averages against drawn data, and against what must hold exactly."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import eval_gegenbauer
from scipy.stats import norm

from simulate.activation_function import ActivationFunction
from simulate.drawn_ridge import drawn_ridge
from simulate.feature_ridge import feature_ratio, ridge_regression, ridge_regression_cost
from simulate.spherical_kernels import SETTLED, kernel, kernel_matrix, largest_polynomial, recurrence

FALSE_ALARM = 1e-6
Z = float(norm.isf(FALSE_ALARM / 2))
"""Standard errors allowed to an average of 400 draws: a right value is further off with probability FALSE_ALARM."""
EPS = float(np.finfo(np.float64).eps)


def smooth(function, **fields):
    return ActivationFunction(function, jax.vmap(jax.grad(function)), **fields)


ACTIVATIONS = {
    "relu": smooth(lambda x: jnp.maximum(x, 0), kinks=(0.0,)),
    "tanh": smooth(jnp.tanh),
    "abs": smooth(jnp.abs, kinks=(0.0,)),
    "x + x^2/2": smooth(lambda x: x + x**2 / 2),
    "step": smooth(lambda x: jnp.where(x > 0.5, 1.0, 0.0), kinks=(0.5,)),
}


def keys(count=1, seed=0):
    return jax.random.split(jax.random.key(seed), count)


def measure(name, quantity, *, seed=0, count=1, **options):
    shape = {"dimension": 12, "neurons": 15, "samples": 20, "ridge": 0.1, **options}
    return np.asarray(ridge_regression(keys(count, seed), quantity=quantity, activation=ACTIVATIONS[name], **shape))


@pytest.mark.parametrize(
    ("name", "features", "data", "neurons", "samples", "ridge", "signal", "noise"),
    [
        ("relu", "nonlinear", "gaussian", 15, 20, 0.1, 1.0, 0.5),
        ("relu", "nonlinear", "sphere", 30, 18, 0.01, 1.0, 0.0),
        ("tanh", "nonlinear", "gaussian", 24, 12, 0.3, 2.0, 1.0),
        ("abs", "nonlinear", "sphere", 10, 10, 0.2, 1.0, 0.2),
        ("x + x^2/2", "nonlinear", "gaussian", 12, 30, 0.05, 0.0, 1.0),
        ("step", "nonlinear", "sphere", 15, 20, 0.1, 1.0, 0.3),
        ("relu", "noisy_linear", "gaussian", 15, 20, 0.1, 1.0, 0.5),
        ("relu", "noisy_linear_with_mean", "sphere", 30, 18, 0.05, 1.0, 0.5),
    ],
)
def test_agrees_with_drawn_data(name, features, data, neurons, samples, ridge, signal, noise):
    shape = {"dimension": 12, "neurons": neurons, "samples": samples, "ridge": ridge, "data": data}
    shape |= {"signal": signal, "noise": noise}
    noisy = None
    if features != "nonlinear":
        root_two_pi = math.sqrt(2 * math.pi)
        mean = 1 / root_two_pi if features == "noisy_linear_with_mean" else 0.0
        noisy = (mean, 0.5, math.sqrt(1 / 4 - 1 / root_two_pi**2))  # of ReLU, by hand
    drawn = drawn_ridge(keys()[0], activation=ACTIVATIONS[name], noisy=noisy, **shape)
    for quantity in ("test_error", "training_error", "coefficient_norm"):
        exact = float(measure(name, quantity, features=features, **shape)[0])
        estimate = getattr(drawn, quantity)
        assert estimate.agrees(exact, Z)
        assert not estimate.agrees(1.25 * exact, Z), "precise enough to tell a value that is 25% off"


def test_test_error_is_excess_risk_and_noise():
    excess = measure("relu", "excess_risk", noise=0.7)
    assert abs(measure("relu", "test_error", noise=0.7) - excess - 0.7) < 10 * EPS
    parts = [measure("relu", "excess_risk", signal=s, noise=t) for s, t in ((1.0, 0.0), (0.0, 1.0))]
    assert abs(parts[0] + 0.7 * parts[1] - excess) < 100 * EPS * excess


def test_an_enormous_ridge_learns_nothing():
    assert abs(measure("relu", "excess_risk", ridge=1e6)[0] - 1) < 1e-5  # the signal learnt is of order 1/ridge
    assert abs(measure("relu", "training_error", ridge=1e6, signal=0.0, noise=2.0)[0] / 2 - 1) < 1e-5


def test_few_samples_are_interpolated():
    # (kappa/s)^2 with kappa = 3e-7 and the least eigenvalue s of U U' of order one
    assert measure("relu", "training_error", neurons=40, samples=10, ridge=1e-8, noise=1.0)[0] < 1e-12


def test_the_scale_of_the_features_is_that_of_the_ridge():
    twice = smooth(lambda x: 2 * jnp.tanh(x))
    scaled = np.asarray(ridge_regression(keys(), dimension=12, neurons=15, samples=20, ridge=0.4, noise=0.3,
                                         quantity="excess_risk", activation=twice))  # fmt: skip
    assert abs(scaled[0] / measure("tanh", "excess_risk", noise=0.3)[0] - 1) < 1e-9  # 100 x SETTLED


def test_ratio_compares_the_same_weights_and_data():
    shape = {"dimension": 12, "neurons": 15, "samples": 20, "ridge": 0.1, "activation": ACTIVATIONS["relu"]}
    ratio = feature_ratio(keys(3), quantity="test_error", noise=0.5, features="noisy_linear", **shape)
    top, bottom = (
        ridge_regression(keys(3), quantity="test_error", noise=0.5, features=kind, **shape)
        for kind in ("noisy_linear", "nonlinear")
    )
    assert np.array_equal(ratio, top / bottom)


@pytest.mark.parametrize("law", ["gaussian", "sphere"])
def test_kernel_of_relu_in_closed_form(law):
    dimension, order = 20, 96
    relu = kernel(ACTIVATIONS["relu"], law, dimension, order)
    assert abs(relu.second_moment - 0.5) < SETTLED
    assert abs(relu.linear - 0.5) < SETTLED
    cosine = jnp.asarray([[1.0, 0.3], [0.3, 1.0]])
    up, down = (jnp.asarray(part) for part in recurrence(law, dimension, order + 2))
    terms = jnp.asarray(order + 1)
    matrix = kernel_matrix(jnp.asarray(relu.energies), up, down, terms, jnp.asarray(relu.second_moment), cosine)
    # The arc-cosine kernel is homogeneous: E|x|^2 = d for both laws, so it is the same for both.
    angle = math.acos(0.3)
    expected = (math.sin(angle) + (math.pi - angle) * math.cos(angle)) / (2 * math.pi)
    cut = relu.tail * largest_polynomial(law, dimension, order + 1, 0.3)
    assert abs(float(matrix[0, 1]) - expected) < cut + 10 * SETTLED
    assert float(matrix[0, 0]) == relu.second_moment


def test_gegenbauer_recurrence_and_its_bound():
    dimension, cosine, terms = 8, 0.6, 30
    up, down = recurrence("sphere", dimension, terms)
    values = [1.0, cosine]
    for k in range(1, terms - 1):
        values.append(up[k] * cosine * values[-1] - down[k] * values[-2])
    half = dimension / 2 - 1
    expected = [eval_gegenbauer(k, half, cosine) / eval_gegenbauer(k, half, 1.0) for k in range(terms)]
    assert np.allclose(values, expected, rtol=0, atol=1e-13)
    for k in range(terms):
        assert max(map(abs, values[k:])) <= largest_polynomial("sphere", dimension, k, cosine) * (1 + 1e-12)


def test_a_steep_activation_is_integrated():
    # E tanh(1000 G) G is E|G| up to the width of the step squared, 1e-6.
    steep = kernel(smooth(lambda x: jnp.tanh(1000 * x)), "gaussian", 30, 16)
    assert abs(steep.linear - math.sqrt(2 / math.pi)) < 1e-5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ridge": 0.0}, "ridge > 0"),
        ({"signal": 0.0}, "not both zero"),
        ({"neurons": 0}, "at least one neuron"),
        ({"data": "cube"}, "cube"),
        ({"features": "linear"}, "linear"),
        ({"noise": math.inf}, "finite"),
    ],
)
def test_bad_arguments_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        measure("tanh", "excess_risk", **options)


def test_what_does_not_fit_in_memory_is_refused():
    with pytest.raises(FloatingPointError, match="memory"):
        measure("tanh", "excess_risk", neurons=100_000)


def test_replicates_do_not_depend_on_the_batch():
    shape = {"dimension": 12, "neurons": 15, "samples": 20, "ridge": 0.1, "activation": ACTIVATIONS["relu"]}
    together, alone = (ridge_regression(some, quantity="excess_risk", **shape) for some in (keys(3), keys(3)[:1]))
    assert abs(float(together[0] - alone[0])) < 1e-10  # sums of 20 terms of order one, in another order at most


def test_cost_grows_with_the_shape():
    assert (
        ridge_regression_cost(50, 100, 100) < ridge_regression_cost(50, 200, 100) < ridge_regression_cost(50, 200, 300)
    )
