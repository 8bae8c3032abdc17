r"""Up to which number of samples noisy linear features separate the labels (T, Asymptotics of max-margin).

kappa_n = kappa_* + o_P(1) says more than a margin: with probability tending to one the data are separable exactly if
n/d is below the psi2_* at which kappa_*(zeta, psi1, psi2, f0) vanishes (proofs_checks/separability.py),

    psi1/psi2_* = min over omega of E(-p Y G - q Z)_+^2,   p = U omega,   q^2 = 1 + U (1 - U) omega^2,

U the share of <beta_0, x> that the features explain. omega = 0 gives Cover's psi2_* >= 2 psi1. What is sampled is 0 or
1, and its median is one of them: a draw that is not separable is counted, in each dimension.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from proofs_checks.ball_function import CannotDecide
from proofs_checks.margin_functional import LabelLaw, rational
from proofs_checks.max_margin import NotSeparable, max_margin, separability_threshold
from theorems.claim import Bound, Decision, Fact, Limit, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.thermodynamic.margin_prediction import BIAS_CLASS, observed, ratios, separability_symbols, threshold
from theorems.thermodynamic.random_feature_ridge import ACTIVATION

PLACE = "Asymptotics of max-margin classification"
BEYOND, BELOW = Fraction(1001, 1000), Fraction(999, 1000)
"""Shares of the threshold."""


def _below_threshold(setting: Setting) -> arb:
    psi2, most = rational(ratios(setting)[1]), threshold(setting)
    if not (psi2 < most or psi2 > most):
        raise CannotDecide(f"n/d cannot be told from the threshold {most.str(15)}")
    return arb(int(psi2 < most))


def _below_cover(setting: Setting) -> arb:
    """Cover's n = 2 N, for labels that have nothing to do with the features."""
    psi1, psi2 = ratios(setting)
    return arb(int(psi2 < 2 * psi1))


def _thresholds(setting: Setting) -> tuple[Statement, ...]:
    """Labels that know the features are separable beyond n = 2N, and the less noisy the further."""
    laws = ("sign", "logistic:4", "logistic:1", "probit:1/10")
    found = [separability_threshold(2, 1, LabelLaw.of(law)) for law in laws]
    return (
        *(
            Bound(f"psi2_* of {noisy} < psi2_* of {law}", less, more, True)
            for law, noisy, more, less in zip(laws, laws[1:], found, found[1:], strict=False)
        ),
        Bound("2 psi1 < psi2_* of the noisiest", arb(2), found[-1], True),
        _refused(BEYOND, True),
        _refused(BELOW, False),
    )


def _refused(share: Fraction, expected: bool) -> Fact:
    """Whether a positive margin is denied at this share of the threshold."""
    labels = LabelLaw.of("logistic:1")
    place = share * Fraction(float(separability_threshold(2, 1, labels).mid()))
    try:
        said = f"kappa_* = {max_margin(2, 1, place, labels).kappa.str(8)}"
        refused = False
    except NotSeparable as error:
        said, refused = str(error), True
    word = "no" if expected else "a"
    name = f"there is {word} positive margin at {float(share)} of the threshold"
    return Fact(name, Decision(refused == expected, said), certain=True)


THEOREM = Theorem(
    slug="margin-separability",
    title="Separability of noisy linear features",
    source="T, slide Asymptotics of max-margin classification",
    latex=r"\kappa_*(\zeta,\psi_1,\psi_2,f_0) > 0 \iff n/d < \psi_2^*(\zeta,\psi_1,f_0)",
    parameters={"psi1": 1, "psi2": 2, "labels": "logistic:2"},
    symbols=("psi1", "psi2", "b_1", "b_star", "zeta", "psi2_star"),
    evaluate=separability_symbols,
    value=threshold,
    value_name="n/d from which on noisy linear features do not separate the labels",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    uses=("margin-derivation",),
    claims=(
        Limit(
            id="TL-MM",
            part="separability",
            observe=observed("separable"),
            ladder=(10, 20, 40, 80, 160, 320),
            bias_class=BIAS_CLASS,
            points=(
                {"psi1": "1/2", "psi2": "2/3", "labels": "logistic:2", "activation": "relu"},
                {"psi1": "1", "psi2": "17/8", "labels": "sign", "activation": "relu"},
                {"psi1": "1/2", "psi2": "2", "labels": "sign", "activation": "relu"},
                {"psi1": "1/2", "psi2": "3/2", "labels": "probit:1", "activation": "x + x**2"},
            ),
            resolution=0.5,
            resolution_reason="data are separable or not: 0 or 1, and the mutant says the other",
            readings=(
                Reading(
                    document="T",
                    place=PLACE,
                    printed="kappa_n = kappa_* + o_P(1): kappa_n > 0 with probability tending to one iff kappa_* > 0",
                    states=_below_threshold,
                ),
            ),
            mutants=(Mutant(name="n-up-to-2N-whatever-the-labels", states=_below_cover),),
        ),
        Shape(
            id="TL-MM",
            part="threshold",
            readings=(
                Reading(
                    document="T",
                    place=PLACE,
                    printed="kappa_*(zeta, psi1, psi2, f0) > 0: up to an n/d that grows with what the labels tell",
                    states=_thresholds,
                ),
            ),
            mutants=(Mutant(name="none-below-the-threshold", states=lambda setting: (_refused(BELOW, True),)),),
        ),
    ),
)
