"""The max-margin simulator: two solvers, certificates that can fail, and test errors against counted mistakes."""

from __future__ import annotations

import math
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, ndtr
from scipy.stats import norm

from simulate import hard_margin as solver
from simulate import max_margin
from simulate.activation_function import ActivationFunction
from simulate.drawn_classification import counted_mistakes
from simulate.hard_margin import GAP, active_set, certified, hard_margin, interior_point
from simulate.label_law import label_law
from simulate.labelled_features import data_sets, feature_model

FALSE_ALARM = 1e-6
Z = float(norm.isf(FALSE_ALARM / 2))
"""Standard errors within which a right number falls but with probability FALSE_ALARM."""
RELU = ActivationFunction(lambda u: jnp.maximum(u, 0), lambda u: jnp.where(u > 0, 1.0, 0.0), kinks=(0.0,))
SHIFTED = ActivationFunction(lambda u: jnp.tanh(2 * u) + 0.3, lambda u: 2 / jnp.cosh(2 * u) ** 2)
LAWS = ("sign", "logistic:2", "probit:1/2")
PROBABILITY = {
    "sign": lambda g: (g > 0).astype(float),
    "logistic:2": lambda g: expit(2 * g),
    "probit:1/2": lambda g: ndtr(g / 2),
}


def keys(count: int, seed: int = 0) -> jax.Array:
    return jax.random.split(jax.random.key(seed), count)


def some_points(count: int, length: int, seed: int) -> np.ndarray:
    """Separable points in random position."""
    generator = np.random.default_rng(seed)
    points = generator.standard_normal((count, length))
    points[:, 0] = 0.2 + np.abs(points[:, 0])
    return points


# --- the solvers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "length"), [(60, 20), (40, 40), (30, 90), (1, 5), (5, 1)])
def test_active_set_and_interior_point_agree_within_their_gaps(count: int, length: int) -> None:
    points = some_points(count, length, seed=count)
    first, second = (certified(points, np.maximum(solve(points), 0)) for solve in (active_set, interior_point))
    assert first is not None
    assert second is not None
    assert max(first.least, second.least) <= min(first.most, second.most)
    assert first.most - first.least <= GAP * first.most


def test_the_margin_of_orthonormal_points_is_one_over_root_n() -> None:
    found = hard_margin(np.eye(16))
    assert found.least <= 0.25 <= found.most
    np.testing.assert_allclose(found.direction, 0.25, rtol=GAP)


def test_a_proposal_that_is_not_optimal_is_not_certified() -> None:
    points = some_points(30, 20, seed=1)
    best = np.maximum(active_set(points), 0)
    assert certified(points, best) is not None
    assert certified(points, best + 1e-3 * best.max()) is None
    assert certified(points, -best) is None
    assert certified(points, np.zeros(30)) is None


def test_a_gap_that_does_not_close_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "SOLVERS", (lambda points: np.ones(len(points)),))
    with pytest.raises(FloatingPointError, match="duality gap"):
        hard_margin(some_points(30, 20, seed=2))


def test_the_interior_point_method_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    points = some_points(30, 20, seed=3)
    expected = hard_margin(points)
    monkeypatch.setattr(solver, "SOLVERS", (lambda rows: np.ones(len(rows)), interior_point))
    found = hard_margin(points)
    assert max(found.least, expected.least) <= min(found.most, expected.most)


def test_points_around_the_origin_are_not_separable() -> None:
    points = some_points(30, 20, seed=4)
    found = hard_margin(np.vstack([points, -points]))
    assert not found.separable
    assert found.value == 0.0
    assert np.all(found.direction == 0)
    # What rounding may hide: some hundred units in the last place of the longest point.
    assert found.most <= 500 * np.finfo(np.float64).eps * np.max(np.linalg.norm(points, axis=1))


@pytest.mark.parametrize("tiny", [1e-4, 1e-5, 1e-6])
def test_a_tiny_margin_is_certified(tiny: float) -> None:
    """Points around 0 in one hyperplane, lifted from it by `tiny`: that is the margin.

    What rounding leaves unsure, 1e-13 here, is less than GAP times it.
    """
    generator = np.random.default_rng(8)
    flat = generator.standard_normal((40, 12))
    flat = np.vstack([flat, -flat.sum(axis=0)])  # 0 is in the hull
    turned = np.hstack([flat, np.full((41, 1), tiny)]) @ np.linalg.qr(generator.standard_normal((13, 13)))[0]
    found = hard_margin(turned)
    assert found.separable
    assert found.value == pytest.approx(tiny, rel=2 * GAP)


def test_a_scale_of_the_points_is_a_scale_of_the_margin() -> None:
    points = some_points(40, 30, seed=5)
    for factor in (1e-9, 1e9):
        assert hard_margin(factor * points).least == pytest.approx(factor * hard_margin(points).least, rel=GAP)


# --- labels --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*LAWS, "logistic:1000", "logistic:1/1000", "probit:1000"])
@pytest.mark.parametrize(("overlap", "spread"), [(0.7, 1.1), (-0.4, 2.0), (3.0, 0.01), (0.0, 1.0), (2.0, 0.0)])
def test_the_error_of_a_gaussian_score_is_its_integral(name: str, overlap: float, spread: float) -> None:
    law = label_law(name)

    def integrand(g: float) -> float:
        wrong = float(law.flips(np.asarray(g)))
        agreement = ndtr(overlap * g / spread) if spread else float(overlap > 0)
        return 2 * float(norm.pdf(g)) * float(wrong * agreement + (1 - wrong) * (1 - agreement))

    edges = [0.0, 1e-3, 1e-2, 0.1, 1.0, 12.0]
    pieces = [quad(integrand, a, b, epsabs=1e-14, epsrel=1e-12) for a, b in pairwise(edges)]
    expected, reported = sum(value for value, _ in pieces), sum(error for _, error in pieces)
    assert abs(law.gaussian_error(overlap, spread) - expected) <= reported + 1e-13


@pytest.mark.parametrize("name", LAWS)
def test_labels_have_the_stated_probability(name: str) -> None:
    law, count = label_law(name), 200_000
    generator = np.random.default_rng(6)
    for signal in (-0.7, 0.2, 1.5):
        share = np.mean(law.draw(np.full(count, signal), generator.random(count)) > 0)
        expected = float(PROBABILITY[name](np.asarray(signal)))
        assert abs(share - expected) <= Z * math.sqrt(expected * (1 - expected) / count)


def test_the_mean_signal_of_a_probit_label_is_elementary() -> None:
    assert label_law("probit:3").signal() == pytest.approx(math.sqrt(2 / math.pi) * 3 / math.sqrt(10), rel=1e-14)
    assert label_law("sign").signal() == pytest.approx(math.sqrt(2 / math.pi), rel=1e-14)


@pytest.mark.parametrize("name", ["", "sign:1", "logistic:-1", "logistic:0", "cauchy:1"])
def test_other_labels_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="labels are"):
        label_law(name)


# --- test errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAWS)
def test_the_error_on_noisy_linear_features_is_the_share_of_counted_mistakes(name: str) -> None:
    law, model = label_law(name), feature_model("noisy_linear", RELU)
    for found in data_sets(keys(2), 12, 20, 10, law, model):
        direction = hard_margin(found.points).direction
        (exact,) = max_margin.classification_errors(found, direction[None], law, model)
        counted = counted_mistakes(
            found.weights,
            direction,
            features=lambda t, generator: model.linear * t + model.noise * generator.standard_normal(t.shape),
            probability=PROBABILITY[name],
            points=100_000,
            seed=7,
        )
        assert abs(exact - counted.share) <= Z * counted.se


@pytest.mark.parametrize(
    ("activation", "sigma"), [(RELU, lambda t: np.maximum(t, 0)), (SHIFTED, lambda t: np.tanh(2 * t) + 0.3)]
)
@pytest.mark.parametrize("name", LAWS)
def test_the_error_on_nonlinear_features_is_estimated_without_bias(activation, sigma, name: str) -> None:
    law, model = label_law(name), feature_model("nonlinear", activation)
    (found,) = data_sets(keys(1), 8, 16, 10, law, model, fresh=20_000)
    direction = hard_margin(found.points).direction
    (estimate,) = max_margin.classification_errors(found, direction[None], law, model)
    counted = counted_mistakes(
        found.weights,
        direction,
        features=lambda t, _: sigma(t),
        probability=PROBABILITY[name],
        points=200_000,
        seed=8,
    )
    # Stratified values vary less than independent mistakes do, of which there would be 20000.
    error = math.hypot(counted.se, math.sqrt(counted.share * (1 - counted.share) / 20_000))
    assert abs(estimate - counted.share) <= Z * error


# --- the observables -----------------------------------------------------------------------------------

CASE = {"dimension": 20, "neurons": 40, "samples": 20, "labels": "logistic:2"}
OBSERVABLES = (
    max_margin.margin,
    max_margin.error,
    max_margin.separable,
    max_margin.steady_margin,
    max_margin.steady_error,
)


@pytest.mark.parametrize("features", ["nonlinear", "noisy_linear"])
@pytest.mark.parametrize("simulator", OBSERVABLES)
def test_a_replicate_depends_on_its_key_alone(simulator, features: str) -> None:
    together = simulator(keys(18), features=features, activation=RELU, **CASE)
    assert together.dtype == np.float64
    assert len(set(together)) == (1 if simulator is max_margin.separable else 18)
    alone = simulator(keys(18)[3:4], features=features, activation=RELU, **CASE)
    # Matrix products of other shapes may round otherwise.
    np.testing.assert_allclose(alone, together[3:4], rtol=GAP)


def test_data_that_are_not_separable_have_margin_0_and_error_1() -> None:
    case = {**CASE, "samples": 200, "features": "noisy_linear", "activation": RELU}
    assert np.all(max_margin.separable(keys(16), **case) == 0)
    assert np.all(max_margin.margin(keys(16), **case) == 0)
    assert np.all(max_margin.steady_margin(keys(16), **case) == 0)
    assert np.all(max_margin.error(keys(16), **case) == 1)
    assert np.all(max_margin.steady_error(keys(16), **case) == 1)


def test_near_the_threshold_some_are_separable_and_both_kinds_are_told_apart() -> None:
    case = {**CASE, "samples": 90, "features": "noisy_linear", "activation": RELU}
    flags, margins = max_margin.separable(keys(64), **case), max_margin.margin(keys(64), **case)
    assert 0 < flags.sum() < 64
    np.testing.assert_array_equal(flags == 1, margins > 0)


def test_coefficients_scale_the_margin_and_leave_the_error() -> None:
    one, two = ({**CASE, "features": "noisy_linear", "coefficients": pair} for pair in ((0.5, 0.3), (1.0, 0.6)))
    np.testing.assert_allclose(max_margin.margin(keys(8), **two), 2 * max_margin.margin(keys(8), **one), rtol=GAP)
    np.testing.assert_allclose(max_margin.error(keys(8), **two), max_margin.error(keys(8), **one), rtol=1e-4)


def test_the_coefficients_of_the_activation_are_its_own() -> None:
    model = feature_model("noisy_linear", RELU)
    assert model.linear == pytest.approx(0.5, rel=1e-12)
    assert model.noise == pytest.approx(math.sqrt(1 / 4 - 1 / (2 * math.pi)), rel=1e-12)
    assert feature_model("nonlinear", RELU, centred=True).offset == pytest.approx(1 / math.sqrt(2 * math.pi), rel=1e-12)


@pytest.mark.parametrize("features", ["nonlinear", "noisy_linear"])
@pytest.mark.parametrize("quantity", ["margin", "error"])
def test_steadied_quantities_vary_less_and_come_to_the_same(quantity: str, features: str) -> None:
    case = {"dimension": 48, "neurons": 96, "samples": 48, "labels": "sign", "features": features, "activation": RELU}
    plain = getattr(max_margin, quantity)(keys(256), **case)
    steady = getattr(max_margin, f"steady_{quantity}")(keys(256), **case)
    # At this n/d about 3/5 of the variance of an error on fresh points goes, and more of the others.
    assert np.std(steady) < 0.7 * np.std(plain)
    # The two differ by O(1/d) in the mean; 3/d is three times what is seen.
    error = math.hypot(np.std(plain), np.std(steady)) / 16
    assert abs(np.mean(steady) / np.mean(plain) - 1) <= 3 / 48 + Z * error / np.mean(plain)


def test_fresh_points_without_a_mistake_leave_a_number() -> None:
    """Few neurons that see little but the signal, many samples of it: the Krylov classifier hardly errs."""
    steep = ActivationFunction(lambda u: u + 1e-3 * u**2, lambda u: 1 + 2e-3 * u)
    case = {"dimension": 1, "neurons": 4, "samples": 40, "labels": "sign", "features": "nonlinear"}
    assert np.min(max_margin.error(keys(16), activation=steep, **case)) == 0
    assert np.all(np.isfinite(max_margin.steady_error(keys(16), activation=steep, **case)))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"features": "linear", "activation": RELU}, "features are"),
        ({"features": "nonlinear"}, "need an activation"),
        ({"features": "noisy_linear"}, "need an activation"),
        ({"features": "nonlinear", "activation": RELU, "coefficients": (1.0, 1.0)}, "need an activation"),
        ({"features": "nonlinear", "activation": RELU, "samples": 0}, "at least one"),
    ],
)
def test_bad_arguments_are_refused(more: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        max_margin.margin(keys(1), **{**CASE, **more})


def test_costs_grow_with_every_size() -> None:
    base = max_margin.margin_cost(20, 40, 20)
    assert all(max_margin.margin_cost(*shape) > base for shape in ((40, 40, 20), (20, 80, 20), (20, 40, 40)))
    assert max_margin.error_cost(20, 40, 20, "nonlinear") > max_margin.error_cost(20, 40, 20, "noisy_linear") == base
