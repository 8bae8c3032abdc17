"""A quick measurement of the error rates: no wrong verdict where the bias is in the class."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import binom

from reports.allocation import sequential
from reports.calibration import (
    IN_CLASS,
    LADDER,
    OFF_CLASS,
    Family,
    clopper_pearson_limit,
    is_wrong,
    mutated,
    row,
    rules_for,
    run_once,
    study,
    synthetic,
    table,
    uniforms,
)
from reports.verdict import Rules
from theorems.claim import Verdict

OFFSETS = (0.0, 0.01, 0.02, 0.05)


@pytest.mark.parametrize("family", IN_CLASS, ids=lambda family: family.name)
def test_no_wrong_verdict_in_class(family: Family):
    rows = study([family], offsets=OFFSETS, runs=6, budgets=(math.inf,), first_seed=1000, common_rules=False)
    for result in rows:
        assert result.wrong == 0
        assert (result.passed if result.offset == 0 else result.refuted) == result.runs


def test_a_rounding_bias_is_not_decided_wrongly():
    """N = round(rho d) at fifteen values of rho, with the prediction at rho instead of N/d."""
    rng = np.random.default_rng(5)
    for number in range(15):
        rho, size, level = rng.uniform(0.3, 3), rng.uniform(0.3, 4), rng.uniform(-2, 2)

        def bias(d: int, rho=rho, size=size, level=level) -> float:
            return (size * (round(rho * d) - rho * d) + level) / d

        family = synthetic(f"rounding {number}", bias, lambda d: 1 / d, in_class=False)
        verdict, _ = run_once(family, 0.0, number, rules_for(family, 0.01, 1e-3), 1e11)
        assert verdict != Verdict.REFUTED


@pytest.mark.parametrize("family", OFF_CLASS, ids=lambda family: family.name)
def test_off_the_class_the_verdict_names_it(family: Family):
    rules = rules_for(family, 0.01, 1e-3)
    costs = {d: family.cost(d) for d in family.ladder}
    for seed in range(4):
        verdict, _ = sequential(
            lambda d, start, stop, seed=seed: family.gaps(seed, d, start, stop), family.ladder, costs, rules, 1e12
        )
        assert f"class '{rules.bias_class}'" in verdict.sentence
        if verdict.verdict == Verdict.REFUTED:
            # A slow bias defeats any ladder; the wider class is not fooled and the sentence says so.
            assert verdict.confirmed is False
            assert "these samples do not decide it" in verdict.sentence
        if "parity" in family.name or "rounding" in family.name:
            assert verdict.verdict == Verdict.INCONCLUSIVE


def test_common_rules_do_err():
    """The comparison is not idle: a tolerance passes a wrong formula, a z-test fails a right one."""
    rows = study(IN_CLASS[:1], offsets=(0.0, 0.02), runs=20)
    by_rule = {(r.rule, r.offset): r for r in rows if math.isinf(r.budget)}
    assert by_rule["tolerance 0.05", 0.02].wrong == 20
    assert by_rule["z-test", 0.0].wrong > 10
    assert by_rule["limit set", 0.0].wrong == by_rule["limit set", 0.02].wrong == 0
    small = next(r for r in rows if r.rule == "limit set" and r.offset == 0 and not math.isinf(r.budget))
    assert small.passed <= by_rule["limit set", 0.0].passed
    assert len(table(rows).splitlines()) == len(rows) + 2
    assert json.loads(json.dumps([r.record() for r in rows], allow_nan=False))[1]["budget"] is None


def test_a_smaller_budget_takes_the_same_steps():
    family = IN_CLASS[0]
    rules = rules_for(family, 0.01, 1e-3)
    _, cost = run_once(family, 0.0, 3, rules, math.inf)
    assert run_once(family, 0.0, 3, rules, cost) == (Verdict.PASS, cost)
    stopped, less = run_once(family, 0.0, 3, rules, 0.99 * cost)
    assert stopped == Verdict.INCONCLUSIVE
    assert less <= 0.99 * cost


def test_the_study_counts_errors():
    """An engine that erred would be seen: verdicts of the wrong kind are counted as wrong."""
    outcomes = [(Verdict.PASS, 1.0, 0.1), (Verdict.REFUTED, 2.0, 0.2), (Verdict.INCONCLUSIVE, 3.0, 0.3)]
    true = row("limit set", "x", True, 0.0, math.inf, 0.01, outcomes)
    wrong = row("limit set", "x", True, 0.01, math.inf, 0.01, outcomes)
    assert (true.passed, true.refuted, true.inconclusive, true.wrong) == (1, 1, 1, 1)
    assert wrong.wrong == 1
    assert (true.median_cost, true.median_seconds) == (2.0, 0.2)
    assert is_wrong(Verdict.PASS, -0.02, 0.01)
    assert not is_wrong(Verdict.PASS, 0.005, 0.01)


def test_clopper_pearson():
    for wrong, runs in ((0, 200), (1, 50), (7, 20)):
        limit = clopper_pearson_limit(wrong, runs)
        assert binom(runs, limit).cdf(wrong) == pytest.approx(0.05, rel=1e-9)
    assert clopper_pearson_limit(5, 5) == 1.0


def test_uniforms_do_not_depend_on_how_they_are_cut():
    whole = uniforms("a", 1, 32, 0, 256)
    pieces = np.concatenate([uniforms("a", 1, 32, start, start + 16) for start in range(0, 256, 16)])
    assert np.array_equal(whole, pieces)
    assert np.array_equal(whole[6:], uniforms("a", 1, 32, 6, 256))
    assert not np.array_equal(whole, uniforms("a", 2, 32, 0, 256))
    assert not np.array_equal(whole, uniforms("b", 1, 32, 0, 256))
    assert not np.array_equal(whole, uniforms("a", 1, 64, 0, 256))


@pytest.mark.parametrize("family", IN_CLASS, ids=lambda family: family.name)
def test_families_have_the_functional_they_declare(family: Family):
    """At the largest dimension the mean or median of a large sample is near zero, as a family's limit must be."""
    gaps = family.gaps(7, LADDER[-1], 0, 65536)
    middle = float(np.median(gaps) if family.functional == "median" else np.mean(gaps))
    error = 5 * 1.2533 * float(np.std(gaps)) / 256  # five standard errors of a median, which exceed a mean's
    bias = {d: family.gaps(7, d, 0, 16).mean() for d in LADDER[:1]}
    assert abs(middle) <= error + max(0.2 / 32, abs(bias[32]) / 16)


def test_mutated_is_a_prediction_off_by_a_factor():
    observed, prediction = np.array([1.3, 0.8]), 1.1
    gaps = observed / prediction - 1
    assert mutated(gaps, 0.05) == pytest.approx(observed / (1.05 * prediction) - 1, rel=1e-14)


def test_rules_follow_the_family():
    assert rules_for(IN_CLASS[0], 0.02, 1e-4) == Rules(0.02, 1e-4, "mean", "half", 6)
