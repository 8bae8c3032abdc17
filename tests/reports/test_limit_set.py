"""The limit set against an independent linear program, and what it must contain."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from reports.limit_set import EXPONENTS, LimitSet, bias_table, limit_set, union
from theorems.claim import BiasClass

LADDER = (32, 64, 128, 256, 512, 1024, 2048)
# HiGHS meets its constraints to 1e-7 in absolute terms; coefficients here are of order one and the dual weights
# of these ladders below 1e2.
SOLVER = 1e-5


def _solve(x, triple, cone, low, high) -> tuple[float, float]:
    """The interval of delta by HiGHS, in the coefficients (delta, c1, c2, c3) themselves."""
    powers = np.stack([np.ones_like(x), *(x ** float(a) for a in triple)], axis=1)
    which, sign = cone
    leading = np.zeros(4)
    leading[which] = sign
    third = np.array([0, 0, 0, 1.0])
    rows = np.vstack([powers, -powers, third - leading / 4, -third - leading / 4, -leading])
    bounds = np.concatenate([high, -low, [0, 0, 0]])
    ends = []
    for direction in (1, -1):
        result = linprog([direction, 0, 0, 0], rows, bounds, bounds=[(None, None)] * 4)
        if result.status == 2:
            return math.inf, -math.inf
        ends.append(direction * result.fun if result.status == 0 else -direction * math.inf)
    return ends[0], ends[1]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(4, 7), st.sampled_from(list(EXPONENTS)))
def test_agrees_with_a_linear_program(seed: int, count: int, bias_class: BiasClass):
    rng = np.random.default_rng(seed)
    dimensions = LADDER[:count]
    x = dimensions[0] / np.array(dimensions)
    centre = rng.normal(size=3) @ np.stack([np.ones_like(x), x, x**2]) + 0.05 * rng.normal(size=count)
    half = 10 ** rng.uniform(-2, 0, size=count)
    low, high = centre - half, centre + half
    lower, upper = bias_table(dimensions, dimensions[0], bias_class).project(low[None], high[None])
    cones = [(which, sign) for which in (1, 2) for sign in (1, -1)]
    expected = [_solve(x, triple, cone, low, high) for triple in EXPONENTS[bias_class] for cone in cones]
    # Skip the rare instance whose feasibility HiGHS cannot tell from its own tolerance.
    shrunk = bias_table(dimensions, dimensions[0], bias_class).project(low[None] + SOLVER, high[None] - SOLVER)
    assume(np.array_equal(np.isfinite(shrunk[0]), np.isfinite(lower)))
    for got, wanted in zip(zip(lower[0], upper[0], strict=True), expected, strict=True):
        for a, b in zip(got, wanted, strict=True):
            assert a == b or abs(a - b) <= SOLVER * (1 + abs(b))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(list(EXPONENTS)))
def test_contains_the_truth(seed: int, bias_class: BiasClass):
    """A curve of the class that threads the bands has its limit in the set: the guarantee itself."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 8))
    dimensions = LADDER[:count]
    x = dimensions[0] / np.array(dimensions)
    triple = EXPONENTS[bias_class][int(rng.integers(len(EXPONENTS[bias_class])))]
    delta, c1, c2 = rng.normal(size=3) * 10 ** rng.uniform(-3, 1, size=3)
    c3 = rng.uniform(-1, 1) * max(abs(c1), abs(c2)) / 4
    curve = delta + sum(c * x ** float(a) for c, a in zip((c1, c2, c3), triple, strict=True))
    half = 10 ** rng.uniform(-9, 0, size=count)
    shift = rng.uniform(-1, 1, size=count) * half
    limits = limit_set(
        dimensions, curve + shift - half, curve + shift + half, first=dimensions[0], bias_class=bias_class
    )
    assert limits.meets(delta, delta)


@pytest.mark.parametrize("bias_class", list(EXPONENTS))
def test_bands_of_rounding_width_on_a_curve_pin_the_limit(bias_class: BiasClass):
    x = LADDER[0] / np.array(LADDER)
    for triple in EXPONENTS[bias_class]:
        curve = 0.3 + 2 * x ** float(triple[0]) - 3 * x ** float(triple[1]) + 0.7 * x ** float(triple[2])
        rounding = 2.0**-51 * (1 + np.abs(curve))
        limits = limit_set(LADDER, curve - rounding, curve + rounding, first=32, bias_class=bias_class)
        assert limits.meets(0.3, 0.3)
        # The least weights are below 1e4 for these ladders, so rounding moves the limit by less than 1e-10.
        assert limits.hull == pytest.approx((0.3, 0.3), abs=1e-10)


def test_a_third_term_beyond_a_quarter_is_outside():
    x = LADDER[0] / np.array(LADDER)
    limits = limit_set(LADDER, x**3 - 1e-9, x**3 + 1e-9, first=32, bias_class="analytic")
    assert limits.empty
    assert math.isnan(limits.hull[0])


def test_wider_classes_hold_narrower_ones():
    rng = np.random.default_rng(8)
    x = LADDER[0] / np.array(LADDER)
    low, high = x - 0.01 * rng.random(7), x + 0.01 * rng.random(7)
    hulls = [limit_set(LADDER, low, high, first=32, bias_class=name).hull for name in EXPONENTS]
    for (a, b), (wider_a, wider_b) in itertools.pairwise(hulls):
        assert wider_a <= a
        assert b <= wider_b
    assert hulls[-1][1] - hulls[-1][0] > hulls[0][1] - hulls[0][0]


def test_infinite_bands_constrain_nothing():
    x = 32 / np.array(LADDER[:6])
    low, high = x - 0.01, x + 0.01
    low[1], high[1] = -np.inf, np.inf
    dropped = [0, 2, 3, 4, 5]
    expected = limit_set([LADDER[k] for k in dropped], low[dropped], high[dropped], first=32, bias_class="half")
    assert limit_set(LADDER[:6], low, high, first=32, bias_class="half") == expected
    nothing = limit_set((32, 64), np.full(2, -np.inf), np.full(2, np.inf), first=32, bias_class="half")
    assert nothing.intervals == ((-math.inf, math.inf),)


def test_few_dimensions_leave_the_limit_unbounded():
    limits = limit_set((32, 64), np.array([0.1, 0.05]), np.array([0.11, 0.06]), first=32, bias_class="half")
    assert limits.intervals == ((-math.inf, math.inf),)


def test_bands_that_cross_have_no_limit():
    assert limit_set((32, 64), np.array([1.0, 0]), np.array([0.0, 1]), first=32, bias_class="half").empty


def test_union_merges_and_keeps_gaps():
    merged = union([(3, 4), (0, 1), (0.5, 2), (math.inf, -math.inf)])
    assert merged == LimitSet(((0, 2), (3, 4)))
    assert merged.meets(2, 2.5)
    assert not merged.meets(2.1, 2.9)
    assert merged.hull == (0, 4)
