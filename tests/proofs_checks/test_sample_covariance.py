"""The off-centre law and the exact small cases of the sample covariance, by hand and by sampling."""

from __future__ import annotations

import numpy as np
import pytest

from proofs_checks.sample_covariance import (
    corner_norm_by_enumeration,
    corner_norm_formula,
    d,
    kappa_excess,
    off_centre_square,
    spiked_square,
)


@pytest.mark.parametrize("samples", range(1, 12))
def test_the_formula_for_the_corners_is_the_enumeration(samples):
    assert corner_norm_formula(samples) == corner_norm_by_enumeration(samples)


@pytest.mark.parametrize("size", [2, 3, 8])
def test_the_off_centre_law_has_a_spherical_covariance_and_a_large_second_moment(size):
    s = 2 / (size + 1)
    pole = np.eye(size)[0]
    # u runs over the 2(d-1) unit vectors along the axes, which have the second moments of the uniform law.
    across = [sign * np.eye(size)[j] for j in range(1, size) for sign in (1, -1)]
    points = [(0.5, pole)] + [(0.5 / len(across), (1 - 2 * s) * pole + 2 * np.sqrt(s * (1 - s)) * u) for u in across]
    mean = sum(p * x for p, x in points)
    second = sum(p * np.outer(x, x) for p, x in points)
    room = 100 * np.finfo(float).eps
    assert all(np.linalg.norm(x) == pytest.approx(1, abs=room) for _, x in points)
    assert second - np.outer(mean, mean) == pytest.approx(s**2 * np.eye(size), abs=room)
    assert np.linalg.norm(second, 2) == pytest.approx(float(off_centre_square().subs(d, size)), abs=room)


def test_one_stretched_axis_has_its_share_of_the_trace():
    variances = np.array([5.0, 1, 1, 1])
    assert variances.max() / variances.sum() == pytest.approx(float(spiked_square().subs({d: 4, kappa_excess: 4})))
