"""The exact risks on a mixture of Gaussians against drawn data, symmetries and closed forms."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from simulate.activation_function import ActivationFunction, ClosedForm
from simulate.mixture import mixture, sample_weights
from simulate.mixture_bayes import posterior_variance
from simulate.mixture_data import random_features_bracket, tangent_bracket
from simulate.mixture_quadratic import tangent_risk
from simulate.mixture_random_features import mixture_risk

Z = 4.5
"""Two-sided 7e-6 for each of the brackets below: one false alarm in some five thousand runs of this file."""


def _activation(value, kinks: tuple[float, ...] = (), closed: ClosedForm | None = None) -> ActivationFunction:
    return ActivationFunction(value, jax.vmap(jax.grad(value)), kinks, closed_form=closed)


ACTIVATIONS = {
    "square": _activation(lambda u: u**2, closed=ClosedForm("polynomial", (0.0, 0.0, 1.0))),
    "square-centred": _activation(lambda u: u**2 - 1, closed=ClosedForm("polynomial", (-1.0, 0.0, 1.0))),
    "relu": _activation(lambda u: jnp.maximum(u, 0.0), (0.0,)),
    "softplus": _activation(lambda u: jnp.logaddexp(u, 0.0) - 0.8),
}


def _rotated(values: np.ndarray, seed: int = 3) -> np.ndarray:
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))[0]
    matrix = (basis * values) @ basis.T
    return (matrix + matrix.T) / 2


def _setting(name: str, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """gamma, sigma, delta."""
    ones = np.ones(d)
    sigma = np.linspace(1.0, 2.0, d)
    gamma = np.linspace(1.5, 0.5, d)
    deltas = {
        "diagonal": (ones, ones, np.linspace(0.1, 0.6, d)),
        "indefinite": (gamma / np.mean(gamma * sigma), sigma, np.linspace(-0.5, 0.7, d)),
        "rotated": (gamma / np.mean(gamma * sigma), sigma, _rotated(np.linspace(0.0, 0.7, d))),
        "low-rank": (ones, ones, 0.8 * np.outer(ones, ones) / d),
        "traceless": (ones / 1.5, 1.5 * ones, np.where(np.arange(d) < d // 2, 0.6, -0.6)),
    }
    return deltas[name]


@pytest.mark.parametrize(
    ("sigma", "where", "offset"),
    [
        ("square", "diagonal", False),
        ("square", "rotated", True),
        ("square-centred", "indefinite", False),
        ("square-centred", "low-rank", True),
        ("relu", "diagonal", True),
        ("relu", "rotated", False),
        ("softplus", "traceless", False),
        ("softplus", "indefinite", True),
    ],
)
def test_random_features_agree_with_drawn_data(sigma: str, where: str, offset: bool) -> None:
    d, neurons = 9, 7
    gamma, covariance, delta = _setting(where, d)
    key, data = jax.random.split(jax.random.key(11))
    activation = ACTIVATIONS[sigma]
    exact = mixture_risk(
        key[None],
        dimension=d,
        neurons=neurons,
        gamma=gamma,
        sigma=covariance,
        delta=delta,
        activation=activation,
        offset=offset,
    )
    weights = sample_weights(key, dimension=d, neurons=neurons, gamma=gamma)
    found = mixture(covariance, delta, d)
    bracket = random_features_bracket(data, weights, found=found, activation=activation, offset=offset)
    assert bracket.holds(float(exact[0]), Z)
    # The bracket is worth something: a risk that is further off than twice its width is refused.
    width = bracket.fresh - bracket.in_sample + 2 * Z * (bracket.fresh_se + bracket.in_sample_se)
    assert not bracket.holds(float(exact[0]) + width, Z)
    assert 0 < float(exact[0]) <= 1


@pytest.mark.parametrize(
    ("where", "neurons", "offset"),
    [
        ("diagonal", 2, True),
        ("indefinite", 3, False),
        ("rotated", 3, True),
        ("low-rank", 1, True),
        ("traceless", 7, True),
        ("diagonal", 9, False),
    ],
)
def test_the_tangent_class_agrees_with_drawn_data(where: str, neurons: int, offset: bool) -> None:
    d = 7
    gamma, covariance, delta = _setting(where, d)
    key, data = jax.random.split(jax.random.key(5))
    exact = tangent_risk(
        key[None], dimension=d, neurons=neurons, gamma=gamma, sigma=covariance, delta=delta, offset=offset
    )
    weights = sample_weights(key, dimension=d, neurons=neurons, gamma=gamma)
    bracket = tangent_bracket(data, weights, found=mixture(covariance, delta, d), offset=offset)
    assert bracket.holds(float(exact[0]), Z)


def test_the_classes_may_be_exchanged() -> None:
    gamma, covariance, delta = _setting("rotated", 9)
    keys = jax.random.split(jax.random.key(2), 3)
    arguments: dict[str, Any] = {"dimension": 9, "neurons": 5, "gamma": gamma, "sigma": covariance}
    cases: tuple[tuple[Any, dict[str, Any]], ...] = (
        (mixture_risk, {"activation": ACTIVATIONS["relu"]}),
        (tangent_risk, {}),
    )
    for risk, more in cases:
        one, other = (np.asarray(risk(keys, delta=sign * delta, **arguments, **more)) for sign in (1, -1))
        # The same operations with signs changed and the two classes added in the other order: equal to the last bit.
        assert np.array_equal(one, other)
        assert np.ptp(one) > 1e-4


def test_all_quadratic_forms_are_reached_by_many_square_features() -> None:
    """N = d(d+1)/2 squares span all forms: with a constant, the risk is that of the wide tangent class."""
    d = 6
    gamma, covariance, delta = _setting("indefinite", d)
    arguments: dict[str, Any] = {"dimension": d, "gamma": gamma, "sigma": covariance, "delta": delta}
    keys = jax.random.key(8)[None]
    features = mixture_risk(keys, neurons=40, activation=ACTIVATIONS["square"], offset=True, **arguments)
    wide = tangent_risk(keys, neurons=d, **arguments)
    tilts = delta / covariance
    assert float(wide[0]) == pytest.approx(1 / (1 + np.sum(tilts**2 / (1 + tilts**2)) / 2), rel=1e-14)
    # The Gram matrix has exact rank 21 of 40; what survives rounding is resolved to its square root at worst.
    assert abs(float(features[0] - wide[0])) < np.sqrt(np.finfo(np.float64).eps)


def test_an_almost_spanning_tangent_class_tends_to_the_wide_one() -> None:
    """N = d by the closed form, N = d - 1 by conjugate gradients: the difference is what one direction can carry."""
    d = 8
    gamma, covariance, delta = _setting("rotated", d)
    arguments: dict[str, Any] = {"dimension": d, "gamma": gamma, "sigma": covariance, "delta": delta}
    keys = jax.random.split(jax.random.key(1), 4)
    for offset in (True, False):
        wide = np.asarray(tangent_risk(keys, neurons=d, offset=offset, **arguments))
        nearly = np.asarray(tangent_risk(keys, neurons=d - 1, offset=offset, **arguments))
        largest = mixture(covariance, delta, d).largest_tilt ** 2
        assert np.all(nearly >= wide)
        # |PDP|^2 <= s_1^2 is missing from |D|^2 in 1/(1 + q), q >= (|D|^2 - |PDP|^2)/(2 (1 + s_1^2)).
        assert np.all(nearly - wide <= largest / (2 * (1 - largest)))


def test_the_bayes_risk_lies_between_the_powers_of_the_affinity() -> None:
    tilt = np.linspace(-0.4, 0.5, 12)
    values = np.asarray(posterior_variance(jax.random.split(jax.random.key(0), 64), dimension=12, tilt=tilt))
    affinity = np.prod(1 - tilt**2) ** 0.25
    error = Z * values.std() / np.sqrt(len(values))
    assert affinity**2 - error <= values.mean() <= affinity + error
    wide = tangent_risk(
        jax.random.key(0)[None], dimension=12, neurons=12, gamma=np.ones(12), sigma=np.ones(12), delta=tilt
    )
    assert values.mean() + error < float(wide[0])


def test_what_is_no_mixture_is_refused() -> None:
    ones = np.ones(4)
    with pytest.raises(ValueError, match="positive definite"):
        mixture(ones, ones, 4)
    with pytest.raises(ValueError, match="symmetric"):
        mixture(ones, np.triu(np.full((4, 4), 0.1)), 4)
    with pytest.raises(ValueError, match="Tr\\(Gamma Sigma\\) = 1"):
        tangent_risk(jax.random.key(0)[None], dimension=4, neurons=2, gamma=2 * ones, sigma=ones, delta=ones / 4)
    with pytest.raises(ValueError, match="lie in"):
        posterior_variance(jax.random.key(0)[None], dimension=4, tilt=ones)
