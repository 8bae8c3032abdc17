"""Exponents: the interval holds the truth, wrong ones are refuted, and exact values need no luck."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from reports.bands import Level, UnusableSample
from reports.rate import CORRECTIONS, decide_rate, decide_rate_exact, exponent_set
from reports.verdict import Reason, Rules
from theorems.claim import Verdict

SIZES = (64, 128, 256, 512, 1024, 2048)
FAR = tuple(64 * 8**k for k in range(9))
RULES = Rules(resolution=0.1, alpha=1e-5)


def sampled(exponent: float, spread: float, replicates: int, seed: int = 0) -> list[Level]:
    rng = np.random.default_rng(seed)
    return [Level(m, m**-exponent * (1 + 2 / m) * np.exp(spread * rng.standard_normal(replicates))) for m in SIZES]


@pytest.mark.parametrize("functional", ["median", "mean"])
def test_sampled_values(functional):
    rules = Rules(resolution=0.1, alpha=1e-5, functional=functional)
    levels = sampled(0.5, 0.05, 4096)
    right = decide_rate(levels, 0.5, rules)
    assert right.verdict == Verdict.PASS
    assert "0.1 or more" in right.sentence
    wrong = decide_rate(levels, 1.0, rules)
    assert wrong.verdict == Verdict.REFUTED
    assert wrong.limit_low <= 0.5 <= wrong.limit_high


def test_few_replicates_do_not_decide():
    verdict = decide_rate(sampled(0.5, 1.0, 32), 0.5, RULES)
    assert (verdict.verdict, verdict.reason) == (Verdict.INCONCLUSIVE, Reason.RESOLUTION)
    assert "would decide it" in verdict.sentence


def test_a_band_that_reaches_zero_says_nothing():
    rng = np.random.default_rng(1)
    levels = [Level(m, rng.standard_normal(64)) for m in SIZES]
    verdict = decide_rate(levels, 0.5, RULES)
    assert verdict.exponents.intervals == ((-math.inf, math.inf),)
    assert verdict.verdict == Verdict.INCONCLUSIVE


def test_no_power_law():
    levels = [Level(m, np.exp(-m / 100) * np.exp(0.001 * np.tile([1.0, -1.0], 64))) for m in SIZES]
    assert decide_rate(levels, 0.5, RULES).reason == Reason.CLASS


@settings(max_examples=100, deadline=None)
@given(
    exponent=st.floats(-2, 3),
    correction=st.floats(-1, 1),
    g=st.sampled_from(CORRECTIONS),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_interval_holds_the_exponent(exponent, correction, g, seed):
    rng = np.random.default_rng(seed)
    x = SIZES[0] / np.array(SIZES)
    logs = 0.7 + exponent * np.log(x) + correction * x ** float(g)
    half = 10 ** rng.uniform(-8, 0, size=len(SIZES))
    shift = half * rng.uniform(-1, 1, size=len(SIZES))
    assert exponent_set(SIZES, logs + shift - half, logs + shift + half).meets(exponent, exponent)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_agrees_with_a_linear_program(seed: int):
    rng = np.random.default_rng(seed)
    x = SIZES[0] / np.array(SIZES)
    centre = rng.normal() * np.log(x) + rng.uniform(-1, 1) * x
    low, high = centre - rng.uniform(0.01, 1, 6), centre + rng.uniform(0.01, 1, 6)
    ends = []
    for g in CORRECTIONS:
        columns = np.stack([np.log(x), np.ones_like(x), x ** float(g)], axis=1)
        rows, bounds = np.vstack([columns, -columns]), np.concatenate([high, -low])
        limits = [(None, None), (None, None), (-1, 1)]
        found = [linprog([s, 0, 0], rows, bounds, bounds=limits) for s in (1, -1)]
        if found[0].status == 0:
            ends.append((found[0].fun, -found[1].fun))
    expected = (min(a for a, _ in ends), max(b for _, b in ends))
    # HiGHS meets constraints to 1e-7, and the weights on this ladder are of order one.
    assert exponent_set(SIZES, low, high).hull == pytest.approx(expected, abs=1e-5)


def test_exact_values_far_apart_decide_finely():
    values = [m**-0.5 * (1 + 3 / m + 5 / m**2) for m in FAR]
    assert decide_rate_exact(FAR, values, 0.5, resolution=0.01).verdict == Verdict.PASS
    assert decide_rate_exact(FAR, values, 0.52, resolution=0.01).verdict == Verdict.REFUTED
    assert decide_rate_exact(FAR, values, 0.505, resolution=0.01).reason == Reason.BETWEEN
    backwards = decide_rate_exact(FAR[::-1], values[::-1], 0.5, resolution=0.01)
    assert backwards.verdict == Verdict.PASS


def test_exact_values_with_radii():
    values = [m**-1.0 for m in FAR]
    wide = decide_rate_exact(FAR, values, 1.0, resolution=0.001, radii=[0.1 * v for v in values])
    assert wide.verdict == Verdict.INCONCLUSIVE
    narrow = decide_rate_exact(FAR, values, 1.0, resolution=0.001, radii=[1e-9 * v for v in values])
    assert narrow.verdict == Verdict.PASS


def test_unusable_values():
    with pytest.raises(UnusableSample, match="positive"):
        decide_rate_exact((64, 128), (1.0, 0.0), 1.0, resolution=0.1)
    with pytest.raises(UnusableSample, match="twice"):
        decide_rate_exact((64, 64), (1.0, 1.0), 1.0, resolution=0.1)
    with pytest.raises(ValueError, match="finite"):
        decide_rate_exact((64, 128), (1.0, 0.5), math.nan, resolution=0.1)
