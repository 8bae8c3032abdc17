"""The largest gap between NT and NN: no spectrum exceeds it, and two levels attain it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from proofs_checks.largest_gap import largest_gap, two_levels
from proofs_checks.tail_energy import tangent

RATIOS = (0.05, 0.25, 0.5, 0.75, 0.95)


@pytest.mark.parametrize("ratio", RATIOS)
def test_no_spectrum_exceeds_it(ratio):
    """Random spectra of many shapes, from the definitions: sorted eigenvalues, their tail, Tr(B)^2/(d ||B||^2)."""
    rng = np.random.default_rng(1)
    dimension = 200
    neurons = round(ratio * dimension)
    ceiling = largest_gap(neurons / dimension, math.sqrt)
    found = []
    for power in (0.1, 0.5, 1.0, 2.0, 5.0, 20.0):
        for floor in (0.0, 0.05, 0.2, 1.0):
            values = np.sort(rng.random(dimension) ** power + floor)[::-1]
            energy = np.sum(values**2)
            alignment = np.sum(values) ** 2 / (dimension * energy)
            found.append(tangent(neurons / dimension, alignment) - np.sum(values[neurons:] ** 2) / energy)
    assert max(found) <= ceiling


@pytest.mark.parametrize("ratio", RATIOS)
def test_two_levels_attain_it(ratio):
    """The best second level, by search; the search stops within 1e-9 of it, where the gap is flat to second order."""
    best = minimize_scalar(
        lambda low: -two_levels(ratio, low), bounds=(0, 1), method="bounded", options={"xatol": 1e-9}
    )
    ceiling = largest_gap(ratio, math.sqrt)
    assert -best.fun == pytest.approx(ceiling, abs=64 * np.finfo(float).eps)
    assert 0 < best.x < 1
    assert two_levels(ratio, 0.0) < ceiling


def test_it_is_not_the_bound_one_minus_psi():
    """The trivial bound 1 - psi (all of the tangent risk at t = 1) is never reached inside."""
    assert all(largest_gap(ratio, math.sqrt) < 1 - ratio for ratio in RATIOS)
