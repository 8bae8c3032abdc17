"""The talk's random-features theorem on the quadratic model (T, slides RF Model and Comparison).

f_RF(x) = sum_i a_i sigma(<w_i, x>) with w_i ~ N(0, Gamma) and sigma(x) = x^2 - 1; as N, d -> inf with N/d -> psi_1,

    R_RF = ||f_*||^2 (1 - psi_1 d <B,Gamma>^2 / (||B||^2 (1 + psi_1 d ||Gamma||^2)) + o(1)).

The slides need Tr Gamma = 1, which they do not say, with the activation x^2 - 1 and not the x^2 of their Setting
(quadratic_rf_centring.py), and E f_* = 0, which they do not say either (quadratic_rf_mean.py). The Comparison slide
prints the isotropic case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb

from theorems.claim import (
    Bound,
    Equation,
    Identity,
    Inequality,
    Limit,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.lazy_training.rf_quadratic_activation import quadratic_risk
from theorems.lazy_training.rf_risk import A1, A2, BIAS_CLASS, COVARIANCE, LADDER, MEAN_ZERO, observe, symbols
from theorems.lazy_training.summary_quadratic import features_line
from theorems.thermodynamic.quadratic_model import asked, talk_symbols

_symbols = talk_symbols(symbols)
Form = Callable[[Any, Any, Any], Any]
"""A function of psi_1, overlap = d <B,Gamma>^2/||B||^2 and concentration = d ||Gamma||^2."""


def _formula(form: Form) -> Prediction:
    def states(setting: Setting) -> arb:
        value = _symbols(setting)
        return form(value["psi1"], value["overlap"], value["concentration"])

    return states


def _as_if_isotropic(setting: Setting) -> arb:
    value = _symbols(setting)
    return features_line(value["psi1"], value["t"])


psi1, concentration, more = sp.symbols("psi_1 k h", positive=True)
cosine2 = sp.Symbol("cosine2", nonnegative=True)
UNIT = {cosine2: (sp.Integer(0), sp.Integer(1))}


def _comparison(line: Callable[[Any, Any], Any]) -> Prediction:
    """Gamma = I/d: overlap = t and concentration = 1."""
    t = sp.Symbol("t", nonnegative=True)
    theorem = quadratic_risk(psi1, t, sp.Integer(1))
    return lambda setting: (Equation("the theorem at Gamma = I/d", theorem, line(psi1, t), {t: (0, 1)}),)


def _correlation(sign: int) -> Prediction:
    """overlap = cosine2 * concentration: more cosine2 (by h) at the same concentration, less risk."""
    here, there = (quadratic_risk(psi1, value * concentration, concentration) for value in (cosine2, cosine2 + more))
    gain = psi1 * concentration * more / (1 + psi1 * concentration)
    steps: tuple[Statement, ...] = (
        Bound("the risk falls with the correlation", there, here, True, gain, UNIT)
        if sign < 0
        else Bound("the risk grows with the correlation", here, there, True, None, {**UNIT, more: (0, 1)}),
        Equation("no correlation, nothing learnt", here.subs(cosine2, 0), sp.Integer(1)),
        Equation("what is left: off Gamma, and of the part along it", here,
                 (1 - cosine2) + cosine2 / (1 + psi1 * concentration), UNIT),
    )  # fmt: skip
    return lambda setting: steps


PRINTED = "1 - psi_1 d <B,Gamma>^2/(||B||_F^2 (1 + psi_1 d ||Gamma||_F^2)), w_i ~ N(0, Gamma), sigma(x) = x^2 - 1"

THEOREM = Theorem(
    slug="talk-quadratic-rf",
    title="Random features on the quadratic model of the talk",
    source="T, slides RF Model and Comparison",
    latex=(
        r"R_{\mathrm{RF},N} = \|f_*\|_{L_2}^2\left(1-\frac{\psi_1 d\langle B,\Gamma\rangle^2}"
        r"{\|B\|_F^2(1+\psi_1 d\|\Gamma\|_F^2)}+o_{d,\mathbb{P}}(1)\right)"
    ),
    parameters={"psi1": 1, "B": "two_point", "Gamma": "isotropic"},
    symbols=("psi1", "t", "overlap", "concentration", "cosine2"),
    evaluate=_symbols,
    activation="x**2 - 1",
    hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO),
    uses=("rf-quadratic-activation", "summary-quadratic"),
    claims=(
        Limit(
            id="TL-QRF",
            observe=asked(observe),
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"psi1": "1", "B": "isotropic"},
                {"psi1": "1/2", "B": "two_point", "Gamma": "proportional_to_B"},
                {"psi1": "1/2", "B": "two_point", "Gamma": "1,2"},
            ),
            resolution=0.03,
            resolution_reason="every mutant moves the risk by 5% or more at one of the points",
            readings=(
                Reading(
                    document="T",
                    place="slide RF Model, for E f_* = 0 and Tr Gamma = 1",
                    printed=PRINTED,
                    states=_formula(quadratic_risk),
                ),
            ),
            mutants=(
                Mutant(name="2-for-1", states=_formula(lambda p, o, k: 1 - p * o / (2 + p * k))),
                Mutant(name="overlap-not-squared", states=_formula(lambda p, o, k: quadratic_risk(p, o.sqrt(), k))),
                Mutant(name="psi1-dropped-below", states=_formula(lambda p, o, k: 1 - p * o / (1 + k))),
                Mutant(name="isotropic-formula-for-any-Gamma", states=_as_if_isotropic),
            ),
        ),
        Identity(
            id="TL-QRF",
            part="comparison",
            hypotheses=(),
            readings=(
                Reading(
                    document="T",
                    place="slide Comparison, first line (Gamma = I/d)",
                    printed="1 - (psi_1/(1+psi_1)) Tr(B)^2/(d ||B||_F^2) for M = RF",
                    states=_comparison(features_line),
                ),
            ),
            mutants=(
                Mutant(name="no-saturation", states=_comparison(lambda p, t: 1 - p * t)),
                Mutant(name="t-dropped", states=_comparison(lambda p, t: 1 / (1 + p))),
            ),
        ),
        Inequality(
            id="TL-QRF",
            part="correlation",
            hypotheses=(),
            readings=(
                Reading(
                    document="T",
                    place="slide RF Model, below the theorem",
                    printed="the correlation between Gamma and B controls the risk",
                    states=_correlation(-1),
                ),
            ),
            mutants=(Mutant(name="the-other-way-round", states=_correlation(1)),),
        ),
    ),
)
