"""Every row of the verdict table, its edges, and the sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reports.bands import Level, UnusableSample
from reports.verdict import Reason, Rules, combine, conclude, confirm, decide_limit, place, reasons
from theorems.claim import Verdict

LADDER = (32, 64, 128, 256, 512, 1024)
RULES = Rules(resolution=0.01, alpha=1e-3, functional="mean")


def constant_levels(curve, ladder=LADDER, size=16) -> list[Level]:
    """A deterministic gap: bands of rounding width."""
    return [Level(d, np.full(size, curve(d))) for d in ladder]


def noisy_levels(curve, spread, size=256, seed=0, ladder=LADDER) -> list[Level]:
    rng = np.random.default_rng(seed)
    return [Level(d, curve(d) + spread(d) * rng.standard_normal(size)) for d in ladder]


def test_a_gap_of_zero_everywhere_passes():
    verdict = decide_limit(constant_levels(lambda d: 0.0), RULES)
    assert verdict.verdict == Verdict.PASS
    assert verdict.limit_low <= 0 <= verdict.limit_high
    # Nothing but the remainder, (eps/64) x, is left.
    assert verdict.limit_high - verdict.limit_low < RULES.resolution / 10


@pytest.mark.parametrize("offset", [0.01, -0.01, 0.02, 0.5, -3.0])
def test_an_offset_of_the_resolution_or_more_is_refuted(offset: float):
    verdict = decide_limit(constant_levels(lambda d: offset + 1 / d), RULES)
    assert verdict.verdict == Verdict.REFUTED
    assert verdict.limit_low <= offset <= verdict.limit_high


@pytest.mark.parametrize("offset", [0.0, 0.002, -0.002])
def test_an_offset_within_the_slack_passes(offset: float):
    assert decide_limit(constant_levels(lambda d: offset + 1 / d), RULES).verdict == Verdict.PASS


@pytest.mark.parametrize("offset", [0.004, -0.008])
def test_an_offset_between_slack_and_resolution_is_neither(offset: float):
    verdict = decide_limit(constant_levels(lambda d: offset + 1 / d), RULES)
    assert (verdict.verdict, verdict.reason) == (Verdict.INCONCLUSIVE, Reason.BETWEEN)
    assert "smaller resolution" in verdict.sentence


@pytest.mark.parametrize("curve", [lambda d: 1 / (d + 1), lambda d: 2 / (d + 3), lambda d: -1 / (d - 2)])
def test_a_deterministic_bias_with_more_than_three_terms_passes(curve):
    assert decide_limit(constant_levels(curve), RULES).verdict == Verdict.PASS


def test_too_few_replicates_do_not_decide():
    verdict = decide_limit(noisy_levels(lambda d: 0.0, lambda d: 0.3, size=16), RULES)
    assert (verdict.verdict, verdict.reason) == (Verdict.INCONCLUSIVE, Reason.RESOLUTION)
    assert "would decide it" in verdict.sentence


def test_a_median_of_sixteen_says_how_many_it_needs():
    rules = replace(RULES, functional="median")
    verdict = decide_limit(noisy_levels(lambda d: 0.0, lambda d: 1e-5, size=16), rules)
    assert verdict.verdict == Verdict.INCONCLUSIVE
    assert "at least 32 replicates" in verdict.sentence


def test_parity_is_not_fitted():
    """A bias +-2/d that alternates along the ladder has the right limit but is in no class."""
    verdict = decide_limit(noisy_levels(lambda d: (-1) ** round(np.log2(d)) * 2 / d, lambda d: 0.5 / d), RULES)
    assert verdict.verdict == Verdict.INCONCLUSIVE
    assert verdict.reason in (Reason.FIT, Reason.CLASS)
    assert not verdict.fits


def test_lack_of_fit_at_95_percent_withholds_a_verdict():
    """A level that is off by less than its wide band and more than its 95% band."""
    spread, size = 0.002, 64
    shape = np.tile([1.0, -1.0], size // 2) * spread * np.sqrt((size - 1) / size)
    shifts = np.array([0, 3, -3, 3, -3, 3]) * spread / np.sqrt(size)
    levels = [Level(d, shape + shift) for d, shift in zip(LADDER, shifts, strict=True)]
    verdict = decide_limit(levels, RULES)
    assert (verdict.verdict, verdict.reason) == (Verdict.INCONCLUSIVE, Reason.FIT)
    assert not verdict.limit.empty
    assert not verdict.fits


def test_four_dimensions_do_not_test_the_class():
    for offset in (0.0, 0.1):
        verdict = decide_limit(constant_levels(lambda d, offset=offset: offset, LADDER[:4]), RULES)
        assert (verdict.verdict, verdict.reason) == (Verdict.INCONCLUSIVE, Reason.UNTESTED)


def test_a_wide_band_does_not_test_the_class():
    narrow = [(-0.001, 0.001)] * 5
    hull = (-0.002, 0.002)
    assert conclude(True, hull, LADDER, [*narrow, (-0.005, 0.005)], RULES)[0] == Verdict.PASS
    assert conclude(True, hull, LADDER, [*narrow, (-0.006, 0.006)], RULES)[1] == Reason.UNTESTED
    wide_first = [(-0.02, 0.02), *narrow]
    assert conclude(True, hull, LADDER, wide_first, RULES)[0] == Verdict.PASS
    assert conclude(True, hull, LADDER, [(-0.021, 0.021), *narrow], RULES)[1] == Reason.UNTESTED
    off, far = [(0.1, 0.102)] * 5, (0.099, 0.103)
    assert conclude(False, far, LADDER, [*off, (0.06, 0.15)], RULES)[0] == Verdict.REFUTED
    assert conclude(False, far, LADDER, [*off, (0.0, 0.2)], RULES)[1] == Reason.UNTESTED


def test_leverage_and_shrinking():
    hull = (-0.002, 0.002)
    far = [(0.061, 0.063)] * 6
    assert conclude(True, hull, LADDER, far, RULES)[1] == Reason.LEVERAGE
    flat = [(0.030, 0.034)] * 6
    assert conclude(True, hull, LADDER, flat, RULES)[1] == Reason.SHRINK
    growing = [(0.002, 0.004), (0.020, 0.021), (0.030, 0.031), (0.040, 0.041), (0.045, 0.046), (0.047, 0.048)]
    assert conclude(True, hull, LADDER, growing, RULES)[1] == Reason.SHRINK
    shrinking = [(-0.033, -0.031), (-0.017, -0.015), (-0.009, -0.007), (-0.005, -0.003), (-0.003, -0.001), (-0.002, 0)]
    assert conclude(True, hull, LADDER, shrinking, RULES) == (Verdict.PASS, Reason.DECIDED)


def test_edges_of_the_table():
    eps, slack = RULES.resolution, RULES.slack
    assert place(True, (-eps, 0.0), eps)[1] == Reason.RESOLUTION
    assert place(True, (0.0, eps), eps)[1] == Reason.RESOLUTION
    assert place(False, (np.nextafter(slack, 1), np.nextafter(eps, 0)), eps)[1] == Reason.BETWEEN
    assert place(False, (np.nextafter(slack, 1), eps), eps)[0] == Verdict.REFUTED
    assert place(False, (np.inf, -np.inf), eps)[1] == Reason.CLASS
    assert place(False, (np.nan, np.nan), eps)[1] == Reason.CLASS


def test_a_set_on_both_sides_of_zero_can_refute():
    bands = [(0.02, 0.021)] * 6
    assert conclude(False, (-0.05, 0.05), LADDER, bands, RULES)[0] == Verdict.REFUTED


def test_many_bands_at_once_give_what_one_gives():
    rng = np.random.default_rng(3)
    x = 32 / np.array(LADDER)
    centres = rng.choice([0, 0.004, 0.03], size=(40, 1)) + rng.normal(size=(40, 1)) * 0.05 * x
    half = 10 ** rng.uniform(-4, -1.5, size=(40, 1)) * np.ones(6)
    together = reasons(LADDER, centres - half, centres + half, RULES)
    alone = [reasons(LADDER, (c - h)[None], (c + h)[None], RULES)[0] for c, h in zip(centres, half, strict=True)]
    assert together == alone
    assert len({verdict for verdict, _ in together}) == 3


def test_order_of_dimensions_does_not_matter():
    levels = noisy_levels(lambda d: 1 / d, lambda d: 1 / d)
    assert decide_limit(levels[::-1], RULES) == decide_limit(levels, RULES)


def test_what_cannot_be_decided_is_said():
    levels = constant_levels(lambda d: 0.0)
    with pytest.raises(UnusableSample, match="twice"):
        decide_limit([*levels[:5], levels[0]], RULES)
    with pytest.raises(UnusableSample, match="declare them all"):
        decide_limit([*levels, Level(2048, np.zeros(16))], RULES)
    with pytest.raises(UnusableSample, match="nothing to decide"):
        decide_limit([], RULES)
    for wrong in ({"resolution": 0.0}, {"resolution": float("nan")}, {"alpha": 1.0}, {"ladder_length": 0}):
        with pytest.raises(ValueError, match=r"must|at least"):
            replace(RULES, **wrong)


def test_one_level_without_variance_blocks_a_mean():
    levels = noisy_levels(lambda d: 1 / d, lambda d: 0.1 / d)
    levels[2] = Level(128, np.full(256, 5.0))
    assert decide_limit(levels, RULES).verdict == Verdict.INCONCLUSIVE


def test_a_pass_prints_its_resolution_and_class():
    sentence = decide_limit(constant_levels(lambda d: 1 / d), RULES).sentence
    assert "offset of 1% or more" in sentence
    assert "class 'half'" in sentence


def test_a_refutation_says_whether_it_holds_in_the_wider_class():
    near = decide_limit(noisy_levels(lambda d: -0.012 + 2 / d, lambda d: 2 / d, size=4096), RULES)
    assert (near.verdict, near.confirmed) == (Verdict.REFUTED, False)
    assert "under the wider class 'quarter' these samples do not decide it" in near.sentence
    levels = noisy_levels(lambda d: 0.1, lambda d: 0.1 / d, size=4096)
    far = decide_limit(levels, RULES)
    assert (far.verdict, far.confirmed) == (Verdict.REFUTED, True)
    assert "under the wider class 'quarter' it holds too" in far.sentence
    assert confirm(levels, RULES)
    assert decide_limit(constant_levels(lambda d: 0.0), RULES).confirmed is None


def test_a_proof_of_the_class_is_named():
    verdict = decide_limit(constant_levels(lambda d: 0.1), RULES, bias_class_proof="exact expansion in 1/d")
    assert "proved: exact expansion in 1/d" in verdict.sentence
    assert "quarter" not in verdict.sentence


def test_a_slow_bias_in_the_wider_class_is_not_confirmed():
    """d^-1/4 is outside 'half' and inside 'quarter': the refutation of a true limit must not be confirmed."""
    verdict = decide_limit(noisy_levels(lambda d: 0.1 * d**-0.25, lambda d: 1 / d, size=1024), RULES)
    assert verdict.verdict == Verdict.REFUTED
    assert verdict.confirmed is False


def test_concentration():
    rules = replace(RULES, functional="quantile90", resolution=0.05)
    shrinking = noisy_levels(lambda d: 0.0, lambda d: 0.3 / np.sqrt(d), size=65536)
    assert decide_limit(shrinking, rules).verdict == Verdict.PASS
    assert decide_limit(shrinking, rules).limit_low >= 0
    persistent = noisy_levels(lambda d: 0.0, lambda d: 0.2, size=4096)
    assert decide_limit(persistent, rules).verdict == Verdict.REFUTED


def test_claim_level():
    passed = decide_limit(constant_levels(lambda d: 0.0), RULES)
    wider = decide_limit(constant_levels(lambda d: 0.002), RULES)
    refuted = decide_limit(constant_levels(lambda d: 0.1), RULES)
    open_ = decide_limit(constant_levels(lambda d: 0.005), RULES)
    assert combine([passed, open_, refuted]) is refuted
    assert combine([passed, open_]) is open_
    assert combine([passed, wider]) is wider
    with pytest.raises(ValueError, match="at least one point"):
        combine([])
