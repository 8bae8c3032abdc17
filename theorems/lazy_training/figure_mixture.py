r"""What Figure 2 of P shows: the three classes on a mixture of Gaussians, and the Bayes error (P, Section 4).

Delta is diagonal with a third of its eigenvalues each at 2, 3/2 and 1, over sqrt d; Sigma = I, Gamma = I/d. The
measured risks of RF and NT lie on (17). For N quadratic neurons the least risk is exact at every d, and (17) lies
below it by at most the factor 1 + 4/d: by less than 1% at d = 450. All of them stay above the dotted line, the Bayes
error, which in the limit is that of the binary Gaussian channel at snr = ||Delta||^2/2 = 29/24.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from proofs_checks.mixture_risk import rank_risk
from theorems.claim import Bound, Decision, Fact, Limit, Mutant, Prediction, Reading, Setting, Shape, Theorem
from theorems.lazy_training import mixture_nt, mixture_rf
from theorems.lazy_training.mixture_bayes import bayes_risk
from theorems.lazy_training.mixture_families import values
from theorems.lazy_training.mixture_nn import all_directions, by_singular_values, twice_the_signal
from theorems.lazy_training.nt_risk import positive_part
from theorems.lazy_training.rf_risk import A1, BIAS_CLASS, LADDER, MEAN_ZERO
from theorems.mixture_spectra import B2, DENSITIES, M1, M2, figures

DIMENSION = 450
WIDTHS = (30, 45, 100, 200, 300, 450, 4500)


def _features(signal: str = "1", *, swapped: bool = False, dropped: bool = False) -> Prediction:
    """(15) with lambda_2^2 psi multiplied by a number, zeta_1 and zeta_2 exchanged, or the numerator's term dropped."""

    def states(setting: Setting) -> arb:
        value = mixture_rf.symbols(setting)
        zetas = value["zeta_1"], value["zeta_2"]
        first, second = reversed(zetas) if swapped else zetas
        psi = arb(signal) * value["psi"]
        risk = mixture_rf.risk(psi, value["lambda_2"], first, second)
        return risk / (1 + first * value["lambda_2"] ** 2 * psi) if dropped else risk

    return states


def _tangent(share: Callable[[Any, Any], Any]) -> Prediction:
    """2/(2 + share ||Delta||^2)."""

    def states(setting: Setting) -> arb:
        value = mixture_nt.symbols(setting)
        t = value["delta_trace2"] / value["delta_norm2"]
        return 2 / (2 + share(positive_part(value["rho"]), t) * value["delta_norm2"])

    return states


def _at_450(formula: Callable[[Sequence[Fraction], int, int], Fraction]) -> Fact:
    """Whether formula <= exact least risk <= (1 + s_1^2) formula at d = 450 and the widths of the figure."""
    found = values("uniform3", DIMENSION)
    squares = [value * value / DIMENSION for value in found]
    wrong, largest = [], Fraction(0)
    for width in WIDTHS:
        exact, printed = rank_risk(squares, width), formula(found, width, DIMENSION)
        largest = max(largest, abs(exact / printed - 1))
        if not printed <= exact <= (1 + max(squares)) * printed:
            wrong.append(f"N = {width}: {float(printed):.5f} on the line, exactly {float(exact):.5f}")
    reason = f"at N = {WIDTHS} the exact risk is off the line by {float(largest):.3%} at most"
    return Fact("d = 450: NN on its line", Decision(not wrong, wrong[0] if wrong else reason), certain=True)


def _trained(formula: Callable[[Sequence[Fraction], int, int], Fraction]) -> Prediction:
    return lambda setting: (_at_450(formula),)


def _above_bayes(setting: Setting) -> tuple[Bound, ...]:
    """The widest networks have the least risk of all that are drawn."""
    return (Bound("Bayes error < wide networks", bayes_risk(setting), _wide(setting), strict=True),)


def _wide(setting: Setting) -> arb:
    return 2 / (2 + figures(setting).delta_norm2)


def _bayes_reached(setting: Setting) -> tuple[Bound, ...]:
    return (Bound("wide networks <= Bayes error", _wide(setting), bayes_risk(setting)),)


THEOREM = Theorem(
    slug="figure-mixture",
    title="Figure 2: mixtures of Gaussians, RF, NT, NN and the Bayes error",
    source="P, Section 4 and Figure 2",
    latex=r"d=450,\ \Delta_{ii}\in\{2,\tfrac32,1\}/\sqrt d",
    parameters={"rho": "1/2", "Delta": "uniform3", "Sigma": "isotropic", "Gamma": "isotropic"},
    activation="x**2 - 1",
    hypotheses=(M1, M2, DENSITIES, B2),
    uses=("mixture-rf", "mixture-nt", "mixture-nn", "mixture-bayes"),
    claims=(
        Limit(
            id="LT-N3",
            part="RF",
            hypotheses=(A1, MEAN_ZERO, M1, M2, DENSITIES, B2),
            observe=mixture_rf.observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=({"rho": "1/10"}, {"rho": "1/2"}, {"rho": "1"}),
            resolution=0.03,
            resolution_reason="the smallest mutant moves the risk by more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Figure 2, left frame",
                    printed="lines are analytical predictions, dots are empirical results: RF",
                    states=mixture_rf.predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="psi-twice-too-large", states=_features("2")),
                Mutant(name="zetas-swapped", states=_features(swapped=True)),
                Mutant(name="numerator-dropped", states=_features(dropped=True)),
            ),
        ),
        Limit(
            id="LT-N3",
            part="NT",
            observe=mixture_nt.observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=({"rho": "1/10"}, {"rho": "1/4"}, {"rho": "1/2"}),
            resolution=0.03,
            resolution_reason="the smallest mutant moves the risk by more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Figure 2, left frame",
                    printed="lines are analytical predictions, dots are empirical results: NT",
                    states=mixture_nt.predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="2-for-1", states=_tangent(lambda rho, t: 2 * mixture_nt.kappa(rho, t))),
                Mutant(name="trace-term-dropped", states=_tangent(lambda rho, t: mixture_nt.kappa(rho, 0 * t))),
                Mutant(name="kept-and-lost-swapped", states=_tangent(lambda rho, t: 1 - mixture_nt.kappa(rho, t))),
            ),
        ),
        Shape(
            id="LT-N3",
            part="NN",
            readings=(
                Reading(
                    document="P",
                    place="Figure 2, left frame",
                    printed="lines are analytical predictions, dots are empirical results: NN",
                    states=_trained(by_singular_values),
                ),
            ),
            mutants=(
                Mutant(name="signal-twice-too-large", states=_trained(twice_the_signal)),
                Mutant(name="all-directions-at-any-N", states=_trained(all_directions)),
            ),
        ),
        Shape(
            id="LT-N3",
            part="Bayes",
            readings=(
                Reading(
                    document="P",
                    place="Figure 2, left frame",
                    printed="dotted line is the Bayes error, below the risk of every network drawn",
                    states=_above_bayes,
                ),
            ),
            mutants=(Mutant(name="reached", states=_bayes_reached),),
        ),
    ),
)
