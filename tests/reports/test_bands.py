"""Bands: exact levels, the sizes at which they exist, and samples that must not be trusted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reports.bands import (
    SIZES,
    WHOLE_LINE,
    Level,
    UnusableSample,
    band,
    band_level,
    ladder_bands,
    order_ranks,
    smallest_size,
    student_factor,
    used_size,
)

LEVEL = band_level(1e-3, 6)


def test_levels_of_all_bands_add_up_to_alpha():
    assert len(SIZES) == 13
    assert SIZES[0] == 16
    assert SIZES[-1] == 16 * 2**12
    assert band_level(1e-3, 6) * 6 * 13 == pytest.approx(1e-3, rel=1e-15)


@pytest.mark.parametrize("size", [16, 128, 65536])
def test_student_factor_is_the_quantile(size: int):
    expected = stats.t.isf(LEVEL / 2, size - 1) / math.sqrt(size)
    # Two implementations of one quantile; each is good to far better than one part in a million.
    assert student_factor(size, LEVEL) == pytest.approx(expected, rel=1e-6)


@given(
    size=st.sampled_from(SIZES[:8]),
    order=st.sampled_from([0.5, 0.9]),
    level=st.floats(1e-9, 0.2),
)
def test_order_ranks_have_the_level_and_are_the_tightest(size: int, order: float, level: float):
    law = stats.binom(size, order)
    ranks = order_ranks(size, order, level)
    if ranks is None:
        assert law.cdf(0) > level / 2 or law.sf(size - 1) > level / 2
        return
    low, high = ranks
    assert law.cdf(low - 1) <= level / 2 * (1 + 1e-9)  # scipy's own rounding
    assert law.sf(high - 1) <= level / 2 * (1 + 1e-9)
    assert law.cdf(low) > level / 2 * (1 - 1e-9)
    assert law.sf(high - 2) > level / 2 * (1 - 1e-9)


def test_smallest_sizes_at_one_in_a_thousand():
    assert smallest_size("mean", LEVEL) == 16
    assert smallest_size("median", LEVEL) == 32
    assert smallest_size("quantile90", LEVEL) == 128


def test_a_sample_too_small_gives_the_whole_line():
    rng = np.random.default_rng(1)
    assert band(Level(32, rng.standard_normal(16)), "median", LEVEL) == WHOLE_LINE
    assert band(Level(32, rng.standard_normal(64)), "quantile90", LEVEL) == WHOLE_LINE
    assert band(Level(32, rng.standard_normal(15)), "mean", LEVEL) == WHOLE_LINE
    assert all(map(math.isfinite, band(Level(32, rng.standard_normal(32)), "median", LEVEL)))


@given(st.integers(0, 200_000))
def test_only_declared_sizes_are_used(drawn: int):
    size = used_size(drawn)
    assert size in (0, *SIZES)
    assert size <= drawn
    assert drawn < 16 or drawn >= SIZES[-1] or 2 * size > drawn


def test_replicates_beyond_the_size_used_change_nothing():
    values = np.random.default_rng(2).standard_normal(100)
    assert band(Level(32, values), "mean", LEVEL) == band(Level(32, values[:64]), "mean", LEVEL)


def test_order_statistics_hold_with_ties():
    """P(X = 0) = 0.6, P(X = 1) = 0.4: the median is 0, and the band must hold it at its level."""
    rng = np.random.default_rng(3)
    runs, level = 2000, 0.05
    misses = 0
    for _ in range(runs):
        low, high = band(Level(32, (rng.random(32) < 0.4).astype(float)), "median", level)
        misses += not low <= 0 <= high
    assert misses <= stats.binom(runs, level).isf(1e-9)


@pytest.mark.parametrize(
    ("functional", "truth"), [("mean", 0.0), ("median", 0.0), ("quantile90", stats.norm.isf(0.05))]
)
def test_coverage(functional, truth):
    rng = np.random.default_rng(4)
    runs, level = 1500, 0.05
    bands = [band(Level(32, rng.standard_normal(64)), functional, level) for _ in range(runs)]
    misses = sum(not low <= truth <= high for low, high in bands)
    # At most the level, up to the chance of one in a billion of so many misses; and it does miss sometimes.
    assert 0 < misses <= stats.binom(runs, level).isf(1e-9)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_gap_that_is_not_finite_is_named(bad: float):
    gaps = np.zeros(16)
    gaps[5] = bad
    with pytest.raises(UnusableSample, match="replicate 5 at d = 64"):
        Level(64, gaps)


def test_other_unusable_samples():
    with pytest.raises(UnusableSample, match="one row"):
        Level(64, np.zeros((4, 4)))
    with pytest.raises(UnusableSample, match="positive integer"):
        Level(0, np.zeros(16))
    with pytest.raises(UnusableSample, match="radius"):
        Level(64, np.zeros(16), radius=math.nan)


def test_radius_widens_the_band():
    values = np.random.default_rng(5).standard_normal(32)
    low, high = band(Level(8, values), "mean", LEVEL)
    wide_low, wide_high = band(Level(8, values, radius=0.25), "mean", LEVEL)
    assert (low - wide_low, wide_high - high) == pytest.approx((0.25, 0.25), rel=1e-12)


def test_a_deterministic_quantity_has_a_band_of_rounding_width():
    level = Level(32, np.full(16, 0.125))
    low, high = ladder_bands([level, Level(64, np.full(16, 0.0625))], "mean", LEVEL)[0]
    assert low < 0.125 < high
    assert high - low <= 4 * level.rounding


def test_one_sample_that_does_not_vary_says_nothing_about_a_mean():
    varying = Level(32, np.random.default_rng(6).standard_normal(32))
    bands = ladder_bands([varying, Level(64, np.zeros(32))], "mean", LEVEL)
    assert bands[1] == WHOLE_LINE
    assert bands[0] != WHOLE_LINE
    medians = ladder_bands([varying, Level(64, np.zeros(32))], "median", LEVEL)
    assert medians[1] != WHOLE_LINE
