"""The norm of a sample covariance: against singular values of the same rows, and against exact small cases."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy.stats import norm

from proofs_checks.sample_covariance import circle_pair_norm, corner_norm_formula
from simulate.covariance_norm import draw_inputs, scaled_norm, scaled_norm_cost

jax.config.update("jax_enable_x64", True)
EPS = np.finfo(np.float64).eps
Z = float(norm.isf(0.5e-6))
"""Standard errors for one false alarm in a million."""
LAWS = ("sphere", "hypercube", "gaussian", "spiked")


@pytest.mark.parametrize("inputs", LAWS)
@pytest.mark.parametrize(("dimension", "samples"), [(6, 20), (20, 6), (5, 1)])
def test_it_is_the_largest_singular_value_squared(inputs, dimension, samples):
    keys = jax.random.split(jax.random.key(1), 3)
    found = np.asarray(scaled_norm(keys, dimension=dimension, samples=samples, inputs=inputs, condition=4.0))
    for key, value in zip(keys, found, strict=True):
        rows = np.asarray(draw_inputs(key, inputs, samples, dimension, 4.0))
        # Weyl: the eigenvalue of a computed Gram matrix is off by at most (inner length + size) eps ||rows||^2.
        room = 4 * (dimension + samples) * EPS * value
        assert abs(np.linalg.norm(rows, 2) ** 2 / samples - value) <= room


@pytest.mark.parametrize("inputs", ["sphere", "hypercube", "spiked"])
def test_the_norms_are_constant(inputs):
    rows = np.asarray(draw_inputs(jax.random.key(0), inputs, 50, 7, 3.0))
    assert np.sum(rows**2, axis=1) == pytest.approx(7, rel=20 * EPS)


def test_gaussian_inputs_exceed_their_mean_square_norm():
    rows = np.asarray(draw_inputs(jax.random.key(0), "gaussian", 50, 7))
    assert np.max(np.sum(rows**2, axis=1)) > 7


def test_the_stretched_axis_has_the_condition_number():
    rows = np.asarray(draw_inputs(jax.random.key(0), "spiked", 2, 7, 3.0))
    assert rows[0, 0] ** 2 / rows[0, 1] ** 2 == pytest.approx(3, rel=4 * EPS)


@pytest.mark.parametrize(("inputs", "samples"), [("hypercube", 1), ("hypercube", 2), ("hypercube", 5), ("sphere", 2)])
def test_the_plane_has_its_exact_mean(inputs, samples):
    keys = jax.random.split(jax.random.key(5), 4000)
    values = np.asarray(scaled_norm(keys, dimension=2, samples=samples, inputs=inputs)) / 2
    exact = float(circle_pair_norm() if inputs == "sphere" else corner_norm_formula(samples))
    # Beside the sampling error, rounding: one sample has a norm of exactly 1.
    assert abs(values.mean() - exact) <= Z * values.std() / np.sqrt(len(values)) + 20 * EPS


def test_no_sample_is_refused():
    with pytest.raises(ValueError, match="samples >= 1"):
        scaled_norm(jax.random.split(jax.random.key(0), 1), dimension=2, samples=0, inputs="sphere")


def test_the_cost_grows_with_the_shape():
    assert scaled_norm_cost(64, 64) < scaled_norm_cost(128, 64) < scaled_norm_cost(128, 128)
