"""The exact risk of the random-features model against drawn data and against direct linear algebra."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.scipy.special import erf
from scipy.stats import chi2, norm

from simulate import random_features
from simulate.activation_function import ActivationFunction, ClosedForm
from simulate.drawn_data import random_features_bracket
from simulate.gaussian_kernels import closed_profile, family_of, normalised_kernel
from simulate.random_features import (
    RARE,
    TRUNCATION,
    infinite_neurons,
    least_precision,
    norm_interval,
    population_risk,
    population_risk_cost,
    sample_weights,
)

EPS = np.finfo(np.float64).eps
FALSE_ALARM = 1e-6
Z = float(norm.isf(FALSE_ALARM / 2))
"""Standard errors on either side of a bracket: a right risk falls outside with probability FALSE_ALARM."""

RELU_MEAN = 1 / math.sqrt(2 * math.pi)


def smooth(function, **fields):
    return ActivationFunction(function, jax.vmap(jax.grad(lambda x: function(x))), **fields)


ACTIVATIONS = {
    "relu centred": smooth(
        lambda x: jnp.maximum(x, 0) - RELU_MEAN,
        kinks=(0.0,),
        closed_form=ClosedForm("homogeneous", (1, 1.0, 0.0), -RELU_MEAN),
    ),
    "relu centred, by series": smooth(lambda x: jnp.maximum(x, 0) - RELU_MEAN, kinks=(0.0,)),
    "erf shifted": smooth(lambda x: erf(x + 0.5)),
    "tanh + x^2/3": smooth(lambda x: jnp.tanh(x) + x**2 / 3),
    "hermite2": smooth(lambda x: x**2 - 1, closed_form=ClosedForm("polynomial", (-1.0, 0.0, 1.0))),
    "sin + cos": smooth(lambda x: jnp.sin(2 * x) + jnp.cos(2 * x)),
    "cos": smooth(jnp.cos, closed_form=ClosedForm("cos", (1.0, 1.0))),
    "abs": smooth(jnp.abs, kinks=(0.0,), closed_form=ClosedForm("homogeneous", (1, 1.0, 1.0))),
    "x^2 exp(-x^2/4)": smooth(lambda x: x**2 * jnp.exp(-(x**2) / 4)),
    "x exp(-x^2/4)": smooth(lambda x: x * jnp.exp(-(x**2) / 4)),
    "exp": smooth(lambda x: jnp.exp(x / 2), closed_form=ClosedForm("exp", (1.0, 0.5))),
}

DIMENSION, NEURONS = 24, 16
INDEFINITE = np.linspace(-1.0, 2.0, DIMENSION)
ISOTROPIC = np.ones(DIMENSION)
TWO_POINT = np.where(np.arange(DIMENSION) < DIMENSION // 2, 0.5, 1.5)


def key(number):
    return jax.random.key(number)


def keys(count, seed=0):
    return jax.random.split(jax.random.key(seed), count)


def risk_of(name, *, gamma=ISOTROPIC, target=INDEFINITE, seed=0, neurons=NEURONS, **options):
    risks = population_risk(
        key(seed)[None],
        dimension=len(gamma),
        neurons=neurons,
        gamma=gamma,
        target=target,
        activation=ACTIVATIONS[name],
        **options,
    )
    assert risks.shape == (1,)
    assert risks.dtype == jnp.float64
    return float(risks[0])


@pytest.mark.parametrize(
    ("name", "gamma", "offset", "weights"),
    [
        ("relu centred", ISOTROPIC, False, "gaussian"),
        ("relu centred, by series", ISOTROPIC, True, "gaussian"),
        ("erf shifted", TWO_POINT, False, "gaussian"),
        ("tanh + x^2/3", TWO_POINT, False, "gaussian"),
        ("hermite2", TWO_POINT, False, "gaussian"),
        ("sin + cos", TWO_POINT, True, "gaussian"),
        ("abs", ISOTROPIC, False, "sphere"),
        ("x exp(-x^2/4)", TWO_POINT, True, "gaussian"),
        ("cos", ISOTROPIC, False, "unscaled"),
        ("exp", TWO_POINT, False, "gaussian"),
    ],
)
def test_risk_lies_in_the_bracket_of_drawn_data(name, gamma, offset, weights):
    exact = risk_of(name, gamma=gamma, offset=offset, weights=weights)
    drawn = sample_weights(key(0), dimension=DIMENSION, neurons=NEURONS, gamma=gamma, weights=weights)
    bracket = random_features_bracket(
        key(1), drawn, target=INDEFINITE, activation=ACTIVATIONS[name], offset=offset, samples=60_000
    )
    assert bracket.holds(exact, Z), (exact, bracket)
    # The bracket can convict: it is narrower than an error of a tenth of the trivial risk.
    assert bracket.fresh + Z * bracket.fresh_se - (bracket.in_sample - Z * bracket.in_sample_se) < 0.2


def test_bracket_convicts_a_wrong_risk():
    """The risk of another class (without the constant) is outside the bracket."""
    drawn = sample_weights(key(0), dimension=DIMENSION, neurons=NEURONS, gamma=ISOTROPIC)
    bracket = random_features_bracket(
        key(1), drawn, target=INDEFINITE, activation=ACTIVATIONS["abs"], offset=True, samples=60_000
    )
    assert not bracket.holds(risk_of("abs", offset=False), Z)


def quadratic_design(weights):
    """Columns of the least-squares problem equivalent to sigma(u) = u^2 - 1.

    <x,Mx> - Tr M has second moment 2|M|_F^2 and is orthogonal to constants, so a feature is the matrix
    sqrt(2) w w' beside the constant |w|^2 - 1.
    """
    neurons, dimension = weights.shape
    outer = math.sqrt(2) * np.einsum("ij,ik->ijk", weights, weights).reshape(neurons, dimension**2)
    return np.concatenate([outer, np.sum(weights**2, axis=1, keepdims=True) - 1], axis=1).T


@pytest.mark.parametrize("neurons", [60, 400])
def test_hermite_two_risk_by_direct_linear_algebra(neurons):
    """Up to N = 400 > d(d+1)/2 + 1 = 301, where the kernel is singular and the risk is zero."""
    exact = risk_of("hermite2", neurons=neurons, gamma=TWO_POINT)
    weights = np.asarray(sample_weights(key(0), dimension=DIMENSION, neurons=neurons, gamma=TWO_POINT))
    design = quadratic_design(weights)
    design /= np.linalg.norm(design, axis=0)
    response = np.append(np.diag(INDEFINITE).ravel(), 0) / np.linalg.norm(INDEFINITE)
    solution, _, rank, singular_values = np.linalg.lstsq(design, response, rcond=1e-12)
    direct = np.sum((response - design @ solution) ** 2)
    # An error Delta of the kernel moves the risk by a' Delta a; |Delta| <= 8 N eps |K|, as in the module.
    bound = 8 * neurons * EPS * singular_values[0] ** 2 * np.sum(solution**2) + 64 * EPS
    assert abs(exact - direct) <= bound
    assert rank == min(neurons, DIMENSION * (DIMENSION + 1) // 2 + 1)
    if neurons > rank:
        assert abs(exact) <= bound


def spectrum(name, key, *, offset=False, **arguments):
    """Least and largest eigenvalue of the scaled kernel of one replicate (activations with closed kernels)."""
    weights = np.asarray(sample_weights(key, **arguments))
    norms = np.linalg.norm(weights, axis=1)
    closed_form = ACTIVATIONS[name].closed_form
    assert closed_form is not None
    family, numbers = family_of(closed_form)
    profile = closed_profile(family, jnp.asarray(numbers), jnp.asarray(norms))
    cosines = np.clip(weights @ weights.T / np.outer(norms, norms), -1, 1)
    kernel = np.asarray(normalised_kernel(family, jnp.asarray(numbers), profile, profile, jnp.asarray(cosines)))
    values = np.linalg.eigvalsh(kernel - offset * np.outer(profile.mean, profile.mean))
    return values[0], values[-1]


def rounding_bound(name, keys, *, neurons, **arguments):
    """8 N eps |K| |a|^2 with |a|^2 <= t'K^-2 t <= 1/mu_min: what two backward stable routes may differ by."""
    ends = [spectrum(name, key, neurons=neurons, **arguments) for key in keys]
    return np.asarray([8 * neurons * EPS * largest / least for least, largest in ends])


@pytest.mark.parametrize(("gamma", "seed"), [(ISOTROPIC, 3), (TWO_POINT, 4)])
def test_series_and_closed_kernel_give_one_risk(gamma, seed):
    """The order is what the cosines of each replicate ask for."""
    arguments = {"dimension": DIMENSION, "neurons": NEURONS, "gamma": gamma}
    batch = keys(6, seed)
    closed, series = (
        population_risk(batch, activation=ACTIVATIONS[name], target=INDEFINITE, **arguments)
        for name in ("relu centred", "relu centred, by series")
    )
    # An error of TRUNCATION in every entry is one of at most N TRUNCATION in norm, times |a|^2 <= 1/mu_min.
    least = np.asarray([spectrum("relu centred", key, **arguments)[0] for key in batch])
    bound = NEURONS * TRUNCATION / least
    assert bound.max() < 1e-6
    assert np.all(np.abs(closed - series) <= bound)
    assert np.ptp(closed) > 1e-3


def test_block_columns_give_what_eigenvalues_give(monkeypatch):
    """Three block columns, the last one short, against the whole matrix."""
    monkeypatch.setattr(random_features, "_panel_width", lambda neurons: 32)
    gamma, target = jnp.ones(40), jnp.linspace(-1, 2, 40)
    kernel = random_features._choose_kernel(ACTIVATIONS["relu centred"], 0.5, 2.0, 8)
    blocked, whole = (
        random_features._replicates(
            keys(2),
            gamma,
            target,
            kernel.traced,
            dimension=40,
            neurons=90,
            law="gaussian",
            family=kernel.family,
            offset=True,
            side_by_side=True,
            by_eigenvalues=by_eigenvalues,
        )[0]
        for by_eigenvalues in (False, True)
    )
    bound = rounding_bound("relu centred", keys(2), dimension=40, neurons=90, gamma=gamma, offset=True)
    assert bound.max() < 1e-6
    assert np.all(np.abs(whole - blocked) <= bound)
    assert np.all(blocked < 0.95)


def test_one_by_one_is_side_by_side(monkeypatch):
    arguments = {"dimension": 30, "neurons": 20, "gamma": np.ones(30)}
    together = population_risk(keys(3), activation=ACTIVATIONS["abs"], target=np.ones(30), **arguments)
    monkeypatch.setattr(random_features, "batch_fits", lambda replicates, size: False)
    apart = population_risk(keys(3), activation=ACTIVATIONS["abs"], target=np.ones(30), **arguments)
    bound = rounding_bound("abs", keys(3), **arguments)
    assert bound.max() < 1e-6
    assert np.all(np.abs(together - apart) <= bound)


def test_more_quadratic_neurons_than_their_span_fit_every_quadratic():
    """He_2 features of weights in R^6 span at most 21 dimensions: 24 of them have a singular kernel and risk zero."""
    active = np.where(np.arange(48) >= 42, 1.0, 0.0)
    arguments = {"dimension": 48, "neurons": 24, "gamma": 8 * active}
    # A whole batch: one factorisation that breaks down must not be mistaken for a good one among others.
    batch = keys(256)
    risks = np.asarray(population_risk(batch, activation=ACTIVATIONS["hermite2"], target=active, **arguments))
    weights = np.asarray(jax.vmap(lambda key: sample_weights(key, **arguments))(batch))
    directions = weights / np.linalg.norm(weights, axis=2, keepdims=True)
    least = np.linalg.eigvalsh((directions @ directions.transpose(0, 2, 1)) ** 2)[:, 24 - 21]
    # A change E of K moves t'K^+ t = 1 by at most |K^+ t|^2 |E| <= |E|/least, and rounding has |E| <= 8 N eps |K|.
    assert np.all(np.abs(risks) <= 8 * 24 * EPS * 24 / least)


@pytest.mark.parametrize("name", ["abs", "tanh + x^2/3"])
def test_value_of_a_key_does_not_depend_on_its_place_in_the_batch(name):
    arguments = {"dimension": DIMENSION, "neurons": 14, "gamma": ISOTROPIC, "target": INDEFINITE}
    batch = keys(5, seed=7)
    forward = population_risk(batch, activation=ACTIVATIONS[name], **arguments)
    backward = population_risk(batch[::-1], activation=ACTIVATIONS[name], **arguments)
    assert np.array_equal(forward, backward[::-1])
    assert len(set(np.asarray(forward).tolist())) == 5


def test_another_activation_does_not_recompile(monkeypatch):
    traced = []
    draw = random_features._draw
    monkeypatch.setattr(random_features, "_draw", lambda *given: traced.append(given) or draw(*given))
    arguments = {"dimension": 33, "neurons": 9, "gamma": np.ones(33), "target": np.linspace(-1, 2, 33)}
    for name in ("tanh + x^2/3", "x^2 exp(-x^2/4)"):
        population_risk(keys(2), activation=ACTIVATIONS[name], **arguments)
        assert len(traced) == 1


def test_neurons_of_infinite_second_moment_are_left_out_exactly():
    """sigma(u) = exp(u^2/5): E sigma sigma' = det(1 - 2C/5)^(-1/2), infinite norm for |w|^2 >= 5/4."""
    activation = smooth(lambda x: jnp.exp(x**2 / 5), gaussian_growth=0.8)
    arguments = {"dimension": DIMENSION, "neurons": 6, "gamma": ISOTROPIC}
    batch = keys(6, seed=2)
    counts = infinite_neurons(batch, activation=activation, **arguments)
    risks = population_risk(batch, activation=activation, target=INDEFINITE, **arguments)
    assert np.any(counts > 0)
    assert np.any(counts < 6)
    largest = 1 / (0.8 + least_precision(activation))
    for replicate, (count, risk) in enumerate(zip(counts, risks, strict=True)):
        weights = np.asarray(sample_weights(batch[replicate], **arguments))
        usable = weights[np.sum(weights**2, axis=1) < largest]
        assert len(usable) == 6 - count
        alpha = np.sum(usable**2, axis=1) * 2 / 5
        inner = usable @ usable.T * 2 / 5
        kernel = ((1 - alpha[:, None]) * (1 - alpha[None, :]) - inner**2) ** -0.5
        cross = ((1 - alpha) ** -1.5 - (1 - alpha) ** -0.5) * (usable**2 @ INDEFINITE) * 2 / (5 * alpha)
        scale = 1 / np.sqrt(np.diag(kernel))
        kernel, cross = kernel * np.outer(scale, scale), cross * scale / math.sqrt(2 * np.sum(INDEFINITE**2))
        coefficients = np.linalg.solve(kernel, cross) if len(usable) else np.zeros(0)
        # First-order effect of TRUNCATION in every entry (twice, for the coefficients), plus that of rounding.
        bound = 2 * TRUNCATION * np.sum(np.abs(coefficients)) ** 2 + 64 * EPS
        assert abs(risk - (1 - cross @ coefficients)) <= bound


def test_neurons_that_are_all_infinite_leave_the_trivial_risk():
    activation = smooth(lambda x: jnp.exp(x**2 / 8), gaussian_growth=0.5)
    arguments = {"dimension": 30, "neurons": 4, "gamma": np.ones(30), "weights": "unscaled"}
    assert np.all(infinite_neurons(keys(2), activation=activation, **arguments) == 4)
    assert np.all(population_risk(keys(2), activation=activation, target=np.ones(30), **arguments) == 1)


def test_no_neuron_is_infinite_without_gaussian_growth():
    counts = infinite_neurons(keys(3), dimension=4, neurons=2, gamma=np.ones(4), activation=ACTIVATIONS["abs"])
    assert np.array_equal(counts, np.zeros(3))


def test_odd_activation_explains_nothing_of_a_quadratic():
    assert risk_of("x exp(-x^2/4)") == pytest.approx(1, abs=64 * EPS)


def test_norm_interval_holds_the_norms_with_the_stated_probability():
    for dimension in (3, 32, 1024):
        low, high = norm_interval(np.ones(dimension), neurons=50)
        outside = chi2.cdf(dimension * low**2, dimension) + chi2.sf(dimension * high**2, dimension)
        # Chernoff loses a polynomial factor, not the order of magnitude squared.
        assert RARE**2 < 50 * outside <= RARE


def test_series_that_cannot_be_long_enough_is_refused(monkeypatch):
    monkeypatch.setattr(random_features, "ORDERS", (8, 12))
    with pytest.raises(FloatingPointError, match="parallel"):
        risk_of("relu centred, by series")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gamma": np.full(DIMENSION, 2.0)}, "mean one"),
        ({"gamma": np.ones(3)}, "length 24"),
        ({"target": np.zeros(DIMENSION)}, "zero"),
        ({"target": np.full(DIMENSION, np.nan)}, "finite"),
        ({"weights": "sphere", "gamma": TWO_POINT}, "isotropic"),
        ({"weights": "cube"}, "law of the weights"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(change, message):
    arguments = {
        "dimension": DIMENSION,
        "neurons": 3,
        "gamma": ISOTROPIC,
        "target": INDEFINITE,
        "activation": ACTIVATIONS["abs"],
    }
    with pytest.raises(ValueError, match=message):
        population_risk(keys(1), **{**arguments, **change})


def test_cost_grows_like_the_work():
    # Eight times the flops for twice the size, up to the terms of lower order.
    assert 6 < population_risk_cost(1024, 4096) / population_risk_cost(512, 2048) < 8.5
