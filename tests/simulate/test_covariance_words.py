"""Words in a sample covariance: against an enumeration of all partitions, closed forms, and drawn data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import jax
import numpy as np
import pytest
from scipy.stats import norm

from simulate.covariance_words import FeatureMoments, _word, feature_moments
from simulate.krylov_classifier import ORDER, krylov_classifier, krylov_limits
from simulate.label_law import label_law
from simulate.labelled_features import data_sets, feature_model
from simulate.max_margin import classification_errors

Z = float(norm.isf(1e-6 / 2))
"""Standard errors within which a right number falls but with probability 1e-6."""
TRACES = (1.3, 2.1, 3.7, 7.9, 17.0, 41.0)


def partitions(places: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """All partitions of the places."""
    if not places:
        yield []
        return
    first, *others = places
    for size in range(len(others) + 1):
        for more in combinations(others, size):
            left = [place for place in others if place not in more]
            for blocks in partitions(left):
                yield [(first, *more), *blocks]


def cycles(exponents: tuple[int, ...], blocks: list[tuple[int, ...]]) -> list[list[int]]:
    """Which powers of A are multiplied with each other: follow h_i h_i' from each place to the next of its block.

    The last cycle starts at the left end of the word: what is left outside.
    """
    count = len(exponents) + 1
    before = {place: block[i - 1] for block in blocks for i, place in enumerate(block)}
    # Right of place k + 1 the power between k and k + 1 goes on with the one after the place before it in its block.
    after = {gap: before[gap + 1] for gap in range(count - 1)}
    outside, gap = [], before[0]
    seen = set()
    while gap != count - 1:
        outside.append(exponents[gap])
        seen.add(gap)
        gap = after[gap]
    found = []
    for start in range(count - 1):
        if start not in seen:
            cycle, gap = [], start
            while gap not in seen and gap != count - 1:
                cycle.append(exponents[gap])
                seen.add(gap)
                gap = after[gap]
            found.append(cycle)
    return [*found, outside]


@pytest.mark.parametrize("exponents", [(), (1,), (2, 1), (1, 1, 1), (1, 2, 1), (1, 1, 2, 1, 1)[:4]])
def test_the_recursion_is_the_sum_over_the_partitions_of_leading_order(exponents: tuple[int, ...]) -> None:
    """A partition has n^(blocks - places) from the sums, and a trace of O(n) for each cycle: O(1) or less."""
    expected = np.zeros(1 + sum(exponents))
    places = len(exponents) + 1
    for blocks in partitions(list(range(places))):
        *inner, outside = cycles(exponents, blocks)
        if len(blocks) + len(inner) == places:
            expected[sum(outside)] += math.prod(TRACES[sum(cycle) - 1] for cycle in inner)
    np.testing.assert_allclose(_word(exponents, TRACES), expected, rtol=1e-13)


def test_without_a_signal_the_moments_are_those_of_wishart_matrices() -> None:
    a1, a2, a3, *_ = TRACES
    blind = FeatureMoments(TRACES, TRACES, signal=0.0)
    assert blind.between_labels(1, 1) == pytest.approx(a2 + a1**2)
    assert blind.between_labels(1, 1, 1) == pytest.approx(a3 + 3 * a1 * a2 + a1**3)


def test_the_moments_of_a_drawn_covariance() -> None:
    """Traces fluctuate by O(1/d), forms by O(d^-1/2): six standard deviations of the latter, at most sqrt(2/d)."""
    d, N, n, linear, noise = 600, 900, 400, 0.8, 0.5
    W = np.random.default_rng(3).standard_normal((N, d))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    sigma = linear**2 * W @ W.T + noise**2 * np.eye(N)
    found = feature_moments(d, N, n, linear=linear, noise=noise, signal=1.0)
    power, image = np.eye(N), linear * W[:, 0]
    for k in range(3):
        assert image @ power @ image == pytest.approx(found.forms[k], rel=6 * math.sqrt(2 / d) * (k + 1))
        power = power @ sigma
        assert np.trace(power) / n == pytest.approx(found.traces[k], rel=6 * (k + 1) / d)


@pytest.mark.parametrize(("name", "psi1", "psi2"), [("sign", 2, 1), ("logistic:2", 1, 2), ("probit:1/2", 3, 2)])
def test_value_and_error_of_the_krylov_classifier_tend_to_their_limits(name: str, psi1: int, psi2: int) -> None:
    """What is left at d and 2d is O(1/d): extrapolated, no more than the square of it."""
    law, model = label_law(name), feature_model("noisy_linear", None, (0.8, 0.5))
    ratios, errors = [], []
    for dimension, count in ((20, 1024), (40, 512)):
        shape = dimension, psi1 * dimension, psi2 * dimension
        limits = krylov_limits(*shape, law, model)
        rows = []
        for found in data_sets(jax.random.split(jax.random.key(dimension), count), *shape, law, model):
            near = krylov_classifier(found, model, limits)
            (wrong,) = classification_errors(found, near.direction[None], law, model)
            rows.append((near.value / limits.value, wrong / limits.error))
        ratios.append(np.mean(rows, axis=0))
        errors.append(np.std(rows, axis=0) / math.sqrt(count))
    off = np.abs(2 * ratios[1] - ratios[0] - 1)
    assert np.all(off <= (ratios[0] - 1) ** 2 + Z * np.hypot(2 * errors[1], errors[0]))


def test_the_size_of_the_features_is_a_unit() -> None:
    law = label_law("logistic:2")
    one, tiny = (
        krylov_limits(20, 40, 30, law, feature_model("noisy_linear", None, (0.8 * unit, 0.5 * unit)))
        for unit in (1.0, 2.0**-200)
    )
    assert (tiny.value, tiny.error) == (one.value, one.error)
    assert tiny.scale == 2.0**-400 * one.scale


def test_constant_features_are_refused() -> None:
    with pytest.raises(FloatingPointError, match="constant"):
        krylov_limits(20, 40, 30, label_law("sign"), feature_model("noisy_linear", None, (0.0, 0.0)))


def test_very_wide_features_leave_the_limits_finite() -> None:
    law, model = label_law("sign"), feature_model("noisy_linear", None, (0.8, 0.5))
    limits = krylov_limits(10, 10**9, 10, law, model)
    assert len(limits.coefficients) == ORDER
    assert np.isfinite(limits.value)
    assert 0 < limits.error < 0.5
