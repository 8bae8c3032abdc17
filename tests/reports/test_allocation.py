"""The allocation decides, repeats itself, respects its caps, and is not wasteful."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.special import ndtri

from reports.allocation import Step, first_steps, next_step, sequential, unit_half_width
from reports.bands import SIZES, Level, UnusableSample
from reports.calibration import uniforms
from reports.verdict import Reason, Rules, decide_limit
from theorems.claim import Verdict

LADDER = (32, 64, 128, 256, 512, 1024)
COSTS = {d: float(d) ** 3 for d in LADDER}
RULES = Rules(resolution=0.01, alpha=1e-3, functional="mean")


def sampler(curve, spread, seed=0):
    def sample(dimension, start, stop):
        return curve(dimension) + spread(dimension) * ndtri(uniforms("allocation", seed, dimension, start, stop))

    return sample


def test_starts_with_the_four_smallest_dimensions():
    assert first_steps(LADDER[::-1]) == tuple(Step(d, 16) for d in LADDER[:4])


@pytest.mark.parametrize("functional", ["mean", "median"])
@pytest.mark.parametrize(("offset", "expected"), [(0.0, Verdict.PASS), (0.05, Verdict.REFUTED)])
def test_reaches_a_decision(functional, offset, expected):
    rules = Rules(resolution=0.01, alpha=1e-3, functional=functional)
    verdict, trace = sequential(sampler(lambda d: offset + 2 / d, lambda d: 1.5 / d), LADDER, COSTS, rules, 1e12)
    assert verdict.verdict == expected
    assert trace.cost == sum(n * COSTS[d] for d, n in trace.replicates.items())
    assert all(n in (0, *SIZES) for n in trace.replicates.values())


def test_decides_concentration():
    rules = Rules(resolution=0.05, alpha=1e-3, functional="quantile90")
    verdict, _ = sequential(sampler(lambda d: 0.0, lambda d: 1 / d), LADDER, COSTS, rules, 1e12)
    assert verdict.verdict == Verdict.PASS


def test_is_a_function_of_what_was_seen():
    """Replaying a run from any of its states gives the rest of it."""
    sample = sampler(lambda d: 1 / d, lambda d: 0.3 / np.sqrt(d))
    _, trace = sequential(sample, LADDER, COSTS, RULES, 1e12)
    drawn: dict[int, int] = {}
    for step, following in zip(trace.steps, [*trace.steps[1:], None], strict=True):
        drawn[step.dimension] = step.replicates
        if following is not None and len(drawn) >= 4 and following not in first_steps(LADDER):
            levels = [Level(d, sample(d, 0, n)) for d, n in drawn.items()]
            assert next_step(levels, COSTS, LADDER, RULES) == following


def test_every_step_adds_replicates_and_stays_below_the_cap():
    sample = sampler(lambda d: 1 / d, lambda d: 0.5)
    _, trace = sequential(sample, LADDER, COSTS, Rules(0.001, 1e-3, "mean"), 1e11)
    seen: dict[int, int] = dict.fromkeys(LADDER, 0)
    for step in trace.steps:
        assert seen[step.dimension] < step.replicates <= SIZES[-1]
        seen[step.dimension] = step.replicates


def test_keeps_within_the_budget():
    sample = sampler(lambda d: 1 / d, lambda d: 1.0)
    verdict, trace = sequential(sample, LADDER, COSTS, RULES, 3e9)
    assert trace.cost <= 3e9
    assert (verdict.verdict, verdict.reason) == (Verdict.INCONCLUSIVE, Reason.RESOLUTION)


def test_ends_when_nothing_more_can_be_drawn():
    rng = np.random.default_rng(0)
    levels = [Level(d, rng.standard_normal(SIZES[-1])) for d in LADDER]
    assert decide_limit(levels, RULES).verdict == Verdict.INCONCLUSIVE
    assert next_step(levels, COSTS, LADDER, RULES) is None


def test_ends_when_the_class_is_rejected():
    levels = [Level(d, np.full(16, (-1) ** k * 1.0)) for k, d in enumerate(LADDER)]
    assert decide_limit(levels, RULES).reason == Reason.CLASS
    assert next_step(levels, COSTS, LADDER, RULES) is None


def test_a_small_sample_that_spoils_the_fit_is_enlarged():
    """All dimensions lie on a curve except one with few replicates, which is off by three standard errors."""
    spread = {d: 0.3 / d for d in LADDER}
    shape = np.tile([1.0, -1.0], 2048)
    levels = [Level(d, 1 / d + spread[d] * shape) for d in LADDER if d != 256]
    off = 1 / 256 + 0.02 * (shape[:16] + 3 / np.sqrt(16))
    levels.append(Level(256, off))
    assert not decide_limit(levels, RULES).fits
    assert next_step(levels, COSTS, LADDER, RULES) == Step(256, 32)


def test_an_atom_in_one_dimension_is_sampled_again():
    sample = sampler(lambda d: 1 / d, lambda d: 0.2 / d)
    levels = [Level(d, sample(d, 0, 4096)) for d in LADDER if d != 128]
    levels.append(Level(128, np.full(16, 0.01)))
    step = next_step(levels, COSTS, LADDER, RULES)
    assert step is not None
    assert step.dimension == 128
    assert step.replicates > 16


def test_strange_input():
    assert next_step([Level(32, np.zeros(3))], COSTS, LADDER, RULES) == Step(32, 16)
    with pytest.raises(UnusableSample, match="does not have the sampled dimensions"):
        next_step([Level(48, np.zeros(16))], COSTS, LADDER, RULES)


def test_costs_less_than_sampling_every_dimension_alike():
    """Doubling all dimensions together until decided is the obvious alternative."""
    planned, alike = [], []
    for seed in range(5):
        sample = sampler(lambda d: 2 / d, lambda d: 1.5 / d, seed)
        planned.append(sequential(sample, LADDER, COSTS, RULES, 1e13)[1].cost)
        for size in SIZES:
            if decide_limit([Level(d, sample(d, 0, size)) for d in LADDER], RULES).verdict == Verdict.PASS:
                alike.append(size * sum(COSTS.values()))
                break
    assert len(alike) == len(planned)
    assert np.median(planned) < 0.75 * np.median(alike)


def test_predicted_widths_shrink_with_the_size():
    for functional in ("mean", "median", "quantile90"):
        widths = [unit_half_width(functional, n, 1e-5) for n in SIZES]
        assert widths == sorted(widths, reverse=True)
        # From 2^11 to 2^12 times sixteen the width falls by the square root of two, up to discreteness.
        assert widths[-2] / widths[-1] == pytest.approx(np.sqrt(2), rel=0.02)


def test_is_quick():
    sample = sampler(lambda d: 2 / d, lambda d: 1.5 / d)
    levels = [Level(d, sample(d, 0, 64)) for d in LADDER[:5]]
    next_step(levels, COSTS, LADDER, RULES)
    times = []
    for _ in range(20):
        begin = time.process_time()
        next_step(levels, COSTS, LADDER, RULES)
        times.append(time.process_time() - begin)
    # A few hundred small matrix products; a run takes some twenty steps.
    assert np.median(times) < 0.05
