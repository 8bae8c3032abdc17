"""What is said of double descent for an activation that a person brings, and the wrong versions that must die."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from reports.symbolic import decide_statements
from theorems.activation import activation
from theorems.claim import Setting, Verdict
from theorems.thermodynamic import (
    interpolation_singularity,
    optimal_ridge,
    optimal_ridge_width,
    overparametrised_minimum,
)
from theorems.thermodynamic.descent_evidence import LINEAR_PART, compared, risk_at, slope_squared


def _setting(sigma: str, **parameters: str) -> Setting:
    return Setting({name: Fraction(text) for name, text in parameters.items()}, None, activation(sigma))


@pytest.mark.parametrize("sigma", ["tanh", "erf", "x + x**3/10", "Max(x, 0)**2", "sin(3*x)"])
def test_the_thresholds_hold_for_other_activations(sigma: str) -> None:
    setting = _setting(sigma, psi2="7/3", noise="1/3")
    for claim in (*optimal_ridge.THEOREM.claims, overparametrised_minimum.THEOREM.claims[0]):
        if claim.part != "main":
            continue
        reading = claim.readings[0]
        states = reading.erratum.states if reading.erratum else reading.states
        assert decide_statements(states(setting), seed=1).verdict == Verdict.PROVED
        for mutant in claim.mutants:
            assert decide_statements(mutant.states(setting), seed=1).verdict == Verdict.REFUTED


@pytest.mark.parametrize("sigma", ["abs", "cos(x)", "x**2 - 1"])
def test_an_even_activation_has_no_linear_part(sigma: str) -> None:
    assert LINEAR_PART.check(_setting(sigma)).holds is False


def test_the_best_ridge_of_relu_is_zero_until_the_snr_is_zeta_squared() -> None:
    best = optimal_ridge.THEOREM.value
    assert best is not None
    zeta2 = slope_squared(_setting("relu"))
    assert arb("2.75") < zeta2 < arb("2.76")
    assert best(_setting("relu", psi2="2", noise="9/25")) == 0
    assert best(_setting("relu", psi2="2", noise="37/100")) > 0


def test_at_a_width_no_penalty_is_best_up_to_the_threshold_and_a_small_one_beyond() -> None:
    threshold = optimal_ridge_width.THEOREM.value
    assert threshold is not None
    zeta2 = slope_squared(_setting("relu"))
    level = threshold(_setting("relu", psi1="8", psi2="2"))
    assert level > 0
    # The slope in lambda is of order one in units of 1% of the threshold, so a penalty of 1e-6 shows its sign.
    for share, helps in ((arb("0.99"), False), (arb("1.01"), True)):
        none, little = (risk_at(zeta2, 8, 2, penalty, level * share) for penalty in (0, "1/1000000"))
        assert (little < none) is helps
        assert (little > none) is not helps
    assert threshold(_setting("relu", psi1="1", psi2="2")) < 0


def test_the_constant_of_the_singularity_is_that_of_the_risk() -> None:
    setting = _setting("tanh", psi2="2", noise="1/5")
    stated = interpolation_singularity.THEOREM.value
    assert stated is not None
    zeta2 = slope_squared(setting)
    gap = Fraction(1, 10**12)
    for psi1 in (2 + gap, 2 - gap):
        # The next term of the expansion is of order one, the gap times it of order 1e-12.
        assert abs(gap.numerator * risk_at(zeta2, psi1, 2, 0, "1/5") / gap.denominator - stated(setting)) < arb("1e-10")


def test_a_comparison_of_overlapping_balls_is_not_decided() -> None:
    fact = compared("which", {"x": arb(1, 0.1)}, {"y": arb("1.05", 0.1)}, "somewhere")
    assert fact.decision.holds is None
