"""The assumptions A1 and A2 of Theorem 1, decided (P, 2.1 and 4).

A1: sigma(u)^2 <= c0 exp(c1 u^2/2) with c1 < 1, and sigma is not affine. For sigma = exp(a u^2) that is
a < 1/4, sharply. The check answers for any activation, or says that it cannot.

A2: Tr Gamma = 1, ||d Gamma||_op <= C, and the spectrum of d Gamma converges. Section 4 plots Theorem 1 for
Gamma proportional to B with B diagonal, entries i.i.d. Exp(1). There ||d Gamma||_op = d max/sum, whose
expectation is exactly the harmonic number H_d ~ log d: no C bounds it, so A2 does not cover that frame of
Figure 1. The formula holds there all the same (part "figure-1").
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from flint import arb

from proofs_checks.exponential_maximum import (
    expected_maximum_by_renyi,
    expected_maximum_by_spacings,
    harmonic,
)
from theorems.activation import activation
from theorems.claim import (
    Bound,
    Decision,
    Erratum,
    Fact,
    Limit,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.lazy_training.rf_risk import (
    A1,
    COVARIANCE,
    LADDER,
    MEAN_ZERO,
    observe,
    predicted_risk,
    risk,
    symbols,
)
from theorems.spectra import bounded_operator_norm

_RATES = tuple(Fraction(n, 24) for n in (-3, 0, 3, 5, 6, 7, 12))
_NOT_AFFINE = {"Max(x, 0)": True, "Max(x, 0) - Max(-x, 0)": False, "3*x - 2": False, "Heaviside(x)": True}


def _growth_is_decided(border_included: bool) -> tuple[Statement, ...]:
    """sigma = (1 + x^2) exp(a x^2) satisfies A1 iff a < 1/4 (or <=, for the mutant)."""
    border = Fraction(1, 4)
    found = {a: activation(f"(1 + x**2)*exp(({a})*x**2)").a1().holds for a in _RATES}
    expected = {a: a < border or (border_included and a == border) for a in _RATES}
    wrong = [str(a) for a in _RATES if found[a] is not expected[a]]
    reason = f"(1 + x^2) exp(a x^2) was decided for {len(found)} values of a" + (
        f"; the answer at a = {', '.join(wrong)} is another" if wrong else ", a < 1/4 sharply"
    )
    return (Fact("growth", Decision(not wrong, reason), certain=True),)


def _affine_is_decided() -> Fact:
    found = {text: activation(text).a1().holds for text in _NOT_AFFINE}
    wrong = [text for text in _NOT_AFFINE if found[text] is not _NOT_AFFINE[text]]
    reason = f"affine or not was decided for {', '.join(found)}" + (f"; wrong for {wrong}" if wrong else "")
    return Fact("not affine", Decision(not wrong, reason), certain=True)


def _a1(setting: Setting) -> tuple[Statement, ...]:
    own = setting.activation.a1()
    here = Fact(f"sigma(x) = {setting.activation.text}", Decision(own.holds, own.reason), certain=True)
    return (here, *_growth_is_decided(border_included=False), _affine_is_decided())


def _exponential_spectrum() -> Fact:
    dimensions = (1, 2, 3, 5, 8, 13, 40)
    equal = all(expected_maximum_by_renyi(d) == expected_maximum_by_spacings(d) == harmonic(d) for d in dimensions)
    reason = f"E ||d Gamma||_op = H_d exactly, by two routes, at d = {', '.join(map(str, dimensions))}"
    return Fact("Gamma proportional to B, Exp(1)", Decision(equal, reason), certain=True)


def _harmonic_diverges() -> Bound:
    """H_{2n} - H_n >= n/(2n) = 1/2: each doubling of d adds at least one half."""
    n, j = sp.symbols("n j", positive=True)
    return Bound(
        "each of the n terms 1/(n+j), j <= n, of H_2n - H_n is at least 1/(2n)",
        1 / (2 * n),
        1 / (n + n / (1 + j)),
        certificate=j / (2 * n * (j + 2)),
    )


def _bounded(gamma: str) -> Fact:
    decision = bounded_operator_norm(gamma, "exp1")
    return Fact(f"||d Gamma||_op is bounded: Gamma {gamma}", decision, certain=True)


def _covers_figure_1(setting: Setting) -> tuple[Statement, ...]:
    return (_bounded("isotropic"), _exponential_spectrum(), _bounded("proportional_to_B"))


def _covers_the_isotropic_frame(setting: Setting) -> tuple[Statement, ...]:
    return (_bounded("isotropic"), _exponential_spectrum(), _harmonic_diverges())


def _logarithm_for_harmonic(setting: Setting) -> tuple[Statement, ...]:
    """E d max/sum = log d would be a bound of another kind: it is wrong at d = 2 already."""
    value = expected_maximum_by_spacings(2)
    off = abs(float(value) - float(sp.log(2)))
    return (Fact("E = log d", Decision(off == 0, f"at d = 2 it is {value}, not log 2"), certain=True),)


def _as_if_isotropic(setting: Setting) -> arb:
    value = symbols(setting)
    return risk(value["psi"], value["lambda_2"], value["t"], arb(1))


def _twice_the_neurons(setting: Setting) -> arb:
    value = symbols(setting)
    return risk(2 * value["psi"], value["lambda_2"], value["overlap"], value["concentration"])


def _cosine_for_overlap(setting: Setting) -> arb:
    """<Gamma, B>^2/(||Gamma||^2 ||B||^2) where d <Gamma, B>^2/||B||^2 stands."""
    value = symbols(setting)
    return risk(value["psi"], value["lambda_2"], value["cosine2"], value["concentration"])


THEOREM = Theorem(
    slug="rf-assumptions",
    title="The assumptions on the activation and on the weights",
    source="P, A1, A2 and Section 4",
    latex=r"\sigma(u)^2 \le c_0\, e^{c_1 u^2/2},\; c_1<1; \qquad \|d\,\Gamma\|_{\mathrm{op}} \le C",
    parameters={"rho": 1, "B": "exp1", "Gamma": "proportional_to_B"},
    symbols=("rho", "t", "overlap", "concentration", "cosine2", "psi", "lambda_1", "lambda_2", "lambda_tilde"),
    evaluate=symbols,
    activation="x**2 - 1",
    takes_activation=True,
    hypotheses=(A1,),
    uses=("rf-quadratic",),
    claims=(
        Shape(
            id="LT-A1",
            readings=(
                Reading(
                    document="P",
                    place="A1",
                    printed="sigma(u)^2 <= c0 exp(c1 u^2/2), c1 < 1, sigma not affine: decided for the activation",
                    states=_a1,
                ),
            ),
            mutants=(Mutant(name="c1-may-be-1", states=lambda setting: _growth_is_decided(border_included=True)),),
        ),
        Shape(
            id="LT-A2",
            readings=(
                Reading(
                    document="P",
                    place="A2 and Section 4",
                    printed="||d Gamma||_op <= C covers the settings of Figure 1, Gamma proportional to B ~ Exp(1) too",
                    states=_covers_figure_1,
                    erratum=Erratum(
                        corrected=(
                            "A2 covers the isotropic frame only; for Gamma proportional to B, E ||d Gamma||_op = H_d, "
                            "which grows like log d (Theorem 1 is confirmed there all the same)"
                        ),
                        states=_covers_the_isotropic_frame,
                    ),
                ),
            ),
            mutants=(Mutant(name="log-d-for-H_d", states=_logarithm_for_harmonic),),
        ),
        Limit(
            id="LT-A2",
            part="figure-1",
            hypotheses=(A1, COVARIANCE, MEAN_ZERO),
            observe=observe,
            ladder=LADDER,
            points=({"rho": "1/5"}, {"rho": "1/2"}, {"rho": "3/4"}),
            resolution=0.05,
            resolution_reason="every mutant is 40% off or more at one point; the spectrum's edge makes the bias large",
            readings=(
                Reading(
                    document="P",
                    place="Figure 1, Gamma proportional to B",
                    printed="(10) for Gamma proportional to B with Exp(1) spectrum, where A2 does not hold",
                    states=predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="isotropic-formula", states=_as_if_isotropic),
                Mutant(name="psi-twice-too-large", states=_twice_the_neurons),
                Mutant(name="cosine-for-overlap", states=_cosine_for_overlap),
            ),
        ),
    ),
)
