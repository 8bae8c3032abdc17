"""The cost of certainty: B and V at a thousand points as balls of 25 digits, and in float64."""

from __future__ import annotations

import numpy as np
from flint import arb

from proofs_checks.feature_ridge import fast_bias_variance, ridge_risk

RANGES = np.log([[0.05, 20.0], [0.05, 50.0], [0.05, 50.0], [1e-8, 1e3]])
POINTS = np.exp(np.random.default_rng(0).uniform(RANGES[:, 0], RANGES[:, 1], (1000, 4)))
BALLS = [tuple(arb(float(value)) for value in point) for point in POINTS]
BITS = 84  # 25 digits


def certified():
    return [ridge_risk(*point) for point in BALLS]


def test_a_thousand_certified_points(benchmark):
    risks = benchmark(certified)
    assert min(risk.accuracy() for risk in risks) >= BITS
    if benchmark.stats is not None:
        assert benchmark.stats["min"] < 5.0  # what is required of them


def test_a_thousand_points_in_float64(benchmark):
    bias, variance = benchmark(fast_bias_variance, *POINTS.T)
    exact = certified()
    errors = [abs(float(arb(float(b)) / risk.bias - 1)) for b, risk in zip(bias, exact, strict=True)]
    errors += [abs(float(arb(float(v)) / risk.variance - 1)) for v, risk in zip(variance, exact, strict=True)]
    benchmark.extra_info["largest relative error"] = max(errors)
    assert max(errors) <= 1e-12
