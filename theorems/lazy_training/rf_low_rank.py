r"""Random features whose weights lie in the range of a low-rank target (P, Corollary 1; Gamma proportional to B).

Let B >= 0 have rank r and Gamma = B/Tr B, sigma(x) = x^2 - 1. Then N neurons see R^r only.

If r grows like d, ||d Gamma||_op stays bounded and (12) holds; for B a projector it reads 1/(1 + N/r).
If r is fixed, ||d Gamma||_op >= d/r is not bounded, A2 fails, and (12) is wrong: the functions <x, Ax> + c with A on
R^r have dimension r(r+1)/2 + 1, N neurons in general position span them as soon as there are so many, and

    R_RF = 0 almost surely for N >= r(r+1)/2 + 1,   R_RF > 0 almost surely for N <= r(r+1)/2.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from flint import arb

from proofs_checks.rank_one_span import is_fitted, threshold
from theorems.claim import Bound, Decision, Fact, Limit, Mutant, Prediction, Reading, Setting, Shape, Statement, Theorem
from theorems.lazy_training.rf_quadratic_activation import quadratic_risk
from theorems.lazy_training.rf_risk import A1, A2, BIAS_CLASS, COVARIANCE, MEAN_ZERO, observe, symbols

LADDER = (96, 192, 384, 768, 1536, 3072)
"""Ranks of 12 and more: in smaller dimensions N = d/4 neurons would be too many for the rank d/8, see above."""
RANKS = range(1, 9)


def _printed(setting: Setting) -> arb:
    value = symbols(setting)
    return quadratic_risk(value["rho"], value["overlap"], value["concentration"])


def _two_for_one(setting: Setting) -> arb:
    value = symbols(setting)
    return 1 - value["rho"] * value["overlap"] / (2 + value["rho"] * value["concentration"])


def _weights_see_all_of_the_space(setting: Setting) -> arb:
    """Gamma = I/d instead."""
    value = symbols(setting)
    return quadratic_risk(value["rho"], value["t"], arb(1))


def _no_saturation(setting: Setting) -> arb:
    value = symbols(setting)
    return 1 - value["rho"] * value["overlap"]


def _spectra(rank: int) -> tuple[list[Fraction], ...]:
    """A projector, and distinct eigenvalues."""
    return [Fraction(1)] * rank, [Fraction(k) for k in range(1, rank + 1)]


def _fits(name: str, shift: int, expected: bool) -> Fact:
    """Whether r(r+1)/2 + 1 + shift neurons fit B, for all ranks and spectra tried."""
    found = {
        (rank, str(spectrum[-1])): is_fitted(spectrum, threshold(rank) + shift)
        for rank in RANKS
        if threshold(rank) + shift >= 1
        for spectrum in _spectra(rank)
    }
    undecided = any(fitted is None for fitted in found.values())
    wrong = [rank for (rank, _), fitted in found.items() if fitted is not expected]
    reason = f"by exact ranks for r = {RANKS[0]}..{RANKS[-1]}, B a projector and B with eigenvalues 1..r"
    reason += f"; not so for r = {wrong[0]}" if wrong and not undecided else ""
    return Fact(name, Decision(None if undecided else not wrong, reason), certain=True)


def _unbounded() -> Bound:
    """The r eigenvalues of d Gamma that are not zero have mean d/r: at d = r (C + 1) the largest exceeds C."""
    rank, bound = sp.symbols("r C", positive=True)
    return Bound("d = r (C + 1): d/r > C", bound, rank * (bound + 1) / rank, strict=True, certificate=sp.Integer(1))


def _sharp(shift: int) -> Prediction:
    """Zero from r(r+1)/2 + 1 + shift on, and not before."""

    def states(setting: Setting) -> tuple[Statement, ...]:
        return (
            _unbounded(),
            _fits(f"N = r(r+1)/2 + {1 + shift}: the risk is zero", shift, True),
            _fits(f"N = r(r+1)/2 + {shift}: the risk is positive", shift - 1, False),
        )

    return states


def _formula_at_fixed_rank(setting: Setting) -> tuple[Statement, ...]:
    """(12) is positive, so that nothing would be fitted exactly."""
    return (_fits("N = r(r+1)/2 + 1: the risk is 1/(1 + N/r) > 0", 0, False),)


THEOREM = Theorem(
    slug="rf-low-rank",
    title="Random features in the range of a low-rank quadratic function",
    source="P, Corollary 1, (12), with Gamma proportional to B of low rank",
    latex=r"\Gamma=B/\mathrm{Tr}B,\ r\asymp d:\ R_{\mathrm{RF}}/\|f_*\|^2\to 1/(1+N/r);\quad"
    r" r\ \text{fixed}:\ R_{\mathrm{RF}}=0\ \text{iff}\ N\ge r(r+1)/2+1",
    parameters={"rho": "1/8", "B": "low_rank", "Gamma": "proportional_to_B"},
    symbols=("rho", "t", "overlap", "concentration", "cosine2"),
    evaluate=symbols,
    activation="x**2 - 1",
    hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO),
    uses=("rf-quadratic-activation",),
    claims=(
        Limit(
            id="LT-C1",
            part="low-rank",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1/16", "B": "low_rank"},
                {"rho": "1/8", "B": "low_rank"},
                {"rho": "1/4", "B": "low_rank"},
                {"rho": "1/4", "B": "0,0,0,0,0,1,2,3"},
            ),
            resolution=0.04,
            resolution_reason="every mutant moves the risk by 20% or more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Corollary 1, (12), Gamma proportional to B of rank d/8",
                    printed="1 - rho d <B,Gamma>^2 / (||B||^2 (1 + rho d ||Gamma||^2))",
                    states=_printed,
                ),
            ),
            mutants=(
                Mutant(name="2-for-1", states=_two_for_one),
                Mutant(name="weights-see-all-of-the-space", states=_weights_see_all_of_the_space),
                Mutant(name="no-saturation", states=_no_saturation),
            ),
        ),
        Shape(
            id="LT-C1",
            part="fixed-rank",
            hypotheses=(),
            readings=(
                Reading(
                    document="P",
                    place="Corollary 1 needs A2",
                    printed="(12) under ||d Gamma||_op <= C; what holds instead for Gamma = B/Tr B of fixed rank r",
                    states=_sharp(0),
                ),
            ),
            mutants=(
                Mutant(name="(12)-at-fixed-rank", states=_formula_at_fixed_rank),
                Mutant(name="zero-one-neuron-earlier", states=_sharp(-1)),
                Mutant(name="zero-one-neuron-later", states=_sharp(1)),
            ),
        ),
    ),
)
