"""The exact risk of random features on a linear function, against drawn data and against what must hold exactly."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from simulate.activation_function import ActivationFunction, ClosedForm
from simulate.drawn_targets import linear_bracket
from simulate.linear_target import linear_risk, linear_risk_cost
from simulate.random_features import sample_weights

FALSE_ALARM = 1e-6
Z = float(norm.isf(FALSE_ALARM / 2))
"""Standard errors on either side of a bracket: a right risk falls outside with probability FALSE_ALARM."""
DIMENSION, NEURONS = 16, 12
ISOTROPIC = np.ones(DIMENSION)
TWO_POINT = np.where(np.arange(DIMENSION) < DIMENSION // 2, 0.5, 1.5)
SLOPED = np.linspace(1.0, 2.0, DIMENSION)
EPS = float(np.finfo(np.float64).eps)


def smooth(function, **fields):
    return ActivationFunction(function, jax.vmap(jax.grad(lambda x: function(x))), **fields)


ACTIVATIONS = {
    "tanh": smooth(jnp.tanh),
    "relu": smooth(lambda x: jnp.maximum(x, 0), kinks=(0.0,)),
    "x + x^2": smooth(lambda x: x + x**2, closed_form=ClosedForm("polynomial", (0.0, 1.0, 1.0))),
    "x + x^2, by series": smooth(lambda x: x + x**2),
    "x^2 - 1": smooth(lambda x: x**2 - 1, closed_form=ClosedForm("polynomial", (-1.0, 0.0, 1.0))),
}


def keys(count=1, seed=0):
    return jax.random.split(jax.random.key(seed), count)


def risk(name, *, gamma=ISOTROPIC, neurons=NEURONS, **options):
    return np.asarray(
        linear_risk(keys(), dimension=len(gamma), neurons=neurons, gamma=gamma, activation=ACTIVATIONS[name], **options)
    )


@pytest.mark.parametrize(
    ("name", "gamma", "offset"),
    [
        ("tanh", ISOTROPIC, False),
        ("relu", ISOTROPIC, True),
        ("relu", TWO_POINT, False),
        ("x + x^2", TWO_POINT, False),
    ],
)
def test_agrees_with_drawn_data(name, gamma, offset):
    exact = float(risk(name, gamma=gamma, offset=offset, direction=SLOPED)[0])
    weights = sample_weights(keys()[0], dimension=DIMENSION, neurons=NEURONS, gamma=gamma)
    bracket = linear_bracket(weights, direction=SLOPED, activation=ACTIVATIONS[name], offset=offset)
    assert bracket.holds(exact, Z)
    assert not bracket.holds(0.95 * exact, Z), "the bracket is narrow enough to tell a risk that is 5% off"


def test_series_and_polynomial_routes_agree():
    # Kernel entries carry 1e-11, the factorisation N of them; the least pivot of this kernel is above 0.1.
    gap = abs(risk("x + x^2") - risk("x + x^2, by series"))
    assert np.all(gap < 1e-11 * NEURONS**2 / 0.1)


def test_the_average_is_that_over_an_orthonormal_basis():
    basis = np.linalg.qr(np.random.default_rng(1).standard_normal((DIMENSION, DIMENSION)))[0]
    mean = np.mean([risk("x + x^2", direction=column)[0] for column in basis.T])
    assert abs(mean - risk("x + x^2")[0]) < 100 * DIMENSION * EPS


def test_an_even_activation_learns_nothing():
    assert risk("x^2 - 1")[0] == 1.0


def test_offset_and_length_of_the_target():
    assert risk("relu", offset=True)[0] < risk("relu")[0]
    assert abs(risk("tanh", direction=SLOPED)[0] - risk("tanh", direction=3 * SLOPED)[0]) < 100 * EPS


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"direction": np.zeros(DIMENSION)}, "target is zero"),
        ({"gamma": 2 * ISOTROPIC}, "mean one"),
        ({"direction": np.ones(3)}, "length 16"),
    ],
)
def test_bad_arguments_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        risk("tanh", **options)


def test_a_singular_kernel_is_refused():
    # On the plane the features of x + x^2 span six dimensions at most.
    with pytest.raises(FloatingPointError, match="singular"):
        risk("x + x^2", gamma=np.ones(2), neurons=9)


def test_cost_grows_with_the_shape():
    assert linear_risk_cost(64, 128) > linear_risk_cost(64, 64) > 0
