"""The talk's quadratic model asks the paper's predictions: same numbers, other names."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from theorems.activation import activation
from theorems.claim import Limit, Setting
from theorems.lazy_training import nn_risk, nt_risk, rf_risk
from theorems.thermodynamic import quadratic_gap, quadratic_nn, quadratic_nt, quadratic_rf, quadratic_rf_wide
from theorems.thermodynamic.quadratic_model import in_the_paper
from theorems.thermodynamic.quadratic_rf_mean import uncentred_limit


def _setting(psi1: str, target: str, dimension: int | None = None, sigma: str | None = None, **more: str) -> Setting:
    parameters = {"psi1": Fraction(psi1), "B": target, **more}
    return Setting(parameters, dimension, activation(sigma) if sigma else None)


def _first(theorem):
    return theorem.claims[0].readings[0]


def test_psi_1_is_rho():
    here = in_the_paper(_setting("2/3", "exp1", 24), Gamma="isotropic")
    assert here.parameters == {"rho": Fraction(2, 3), "B": "exp1", "Gamma": "isotropic"}
    assert here.dimension == 24


@pytest.mark.parametrize("dimension", [None, 48])
@pytest.mark.parametrize(("psi1", "target"), [("1/3", "exp1"), ("5/4", "uniform")])
def test_predictions_are_those_of_the_paper(psi1, target, dimension):
    features = _setting(psi1, target, dimension, "x**2 - 1", Gamma="two_point")
    plain = _setting(psi1, target, dimension)
    stated = _first(quadratic_rf.THEOREM).states(features)
    assert (stated - rf_risk.predicted_risk(in_the_paper(features))).contains(0)
    tangent = _first(quadratic_nt.THEOREM).states(plain)
    value = nt_risk.symbols(in_the_paper(plain))
    assert (tangent - nt_risk.paper_form(nt_risk.positive_part(value["rho"]), value["t"])).contains(0)
    assert quadratic_nn.THEOREM.value is not None
    assert (quadratic_nn.THEOREM.value(plain) - nn_risk.tail_share(in_the_paper(plain))).contains(0)


def test_observations_are_those_of_the_paper():
    setting = _setting("1/3", "exp1", 48, "x**2 - 1", Gamma="two_point")
    claim = quadratic_rf.THEOREM.claims[0]
    assert isinstance(claim, Limit)
    here = claim.observe(setting)
    there = rf_risk.observe(in_the_paper(setting))
    assert here.simulator == there.simulator
    assert here.cost == there.cost
    assert here.arguments["neurons"] == there.arguments["neurons"] == 16


def test_a_mean_matters_unless_the_weights_are_aligned():
    """overlap = concentration is Gamma proportional to B."""
    psi1, k = arb(2), arb(3) / 2
    aligned = [uncentred_limit(psi1, k, k, arb(s) / 10) for s in (0, 5, 10)]
    assert all((value - 1 / (1 + psi1 * k)).contains(0) for value in aligned)
    other = [uncentred_limit(psi1, k / 3, k, arb(s) / 10) for s in (0, 5, 10)]
    assert other[0] > other[1] > other[2]


@pytest.mark.parametrize(("sigma", "holds"), [("x**2 - 1", True), ("center(Abs(x))", True), ("sin(x)", False)])
def test_the_wide_limit_asks_for_a_quadratic_part(sigma, holds):
    setting = _setting("1", "two_point", None, sigma, Gamma="isotropic")
    assert quadratic_rf_wide.HAS_QUADRATIC_PART.check(setting).holds is holds
    assert quadratic_rf_wide.THEOREM.value is not None
    limit = quadratic_rf_wide.THEOREM.value(setting)
    assert limit.contains(1) is not holds
    # cosine2 = Tr(B)^2/(d ||B||^2) = 4/5 for the eigenvalues 1 and 3.
    assert (limit - (arb(1) / 5 if holds else arb(1))).contains(0)


def test_the_largest_gap_vanishes_from_psi_1_equal_to_one_on():
    assert quadratic_gap.THEOREM.value is not None
    below, at, above = (quadratic_gap.THEOREM.value(_setting(psi1, "1,8")) for psi1 in ("1/2", "1", "3/2"))
    assert below > arb("0.39")
    assert at.contains(0)
    assert above.contains(0)
