"""The scale of the weights (P, after (3); O; T).

P and O announce w_i ~ N(0, I_d) for the whole paper, T takes w_i uniform on the unit sphere; the theorems
themselves speak of Tr Gamma = 1, that is w_i ~ N(0, I_d/d) in the isotropic case. For the neural tangent
class with sigma(x) = x^2 only the span of the weights matters, so every scale gives the same. For random
features it is not so: with w_i ~ N(0, I_d) and sigma(x) = x^2 - 1 the features have mean |w_i|^2 - 1 ~ d, which
hides what is to be learnt, and the risk tends to 1 instead of (12).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import sympy as sp
from flint import arb

from theorems.claim import (
    Equation,
    Erratum,
    Identity,
    Limit,
    Mutant,
    Observe,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.lazy_training.rf_risk import A1, BIAS_CLASS, LADDER, MEAN_ZERO, observe, predicted_risk, risk, symbols


def _isotropic(setting: Setting) -> Setting:
    """The same setting with Gamma = I/d."""
    return replace(setting, parameters={**setting.parameters, "Gamma": "isotropic"})


def _observe(weights: Literal["gaussian", "sphere", "unscaled"]) -> Observe:
    return lambda setting: observe(_isotropic(setting), weights=weights)


_scaled, _unscaled, _sphere = _observe("gaussian"), _observe("unscaled"), _observe("sphere")


def _predicted(setting: Setting) -> arb:
    return predicted_risk(_isotropic(setting))


def _no_learning(setting: Setting) -> arb:
    return arb(1)


def _half_the_signal(setting: Setting) -> arb:
    value = symbols(_isotropic(setting))
    return risk(value["psi"] / 2, value["lambda_2"], value["overlap"], value["concentration"])


def _span_only(power: int) -> tuple[Statement, ...]:
    """The projector on the span of two weights in R^3, with the weights scaled by s (normalised to this power)."""
    scale = sp.Symbol("s", positive=True)
    entries = sp.symbols("w1:7", positive=True)
    weights = sp.Matrix(3, 2, entries)

    def projector(w: sp.Matrix) -> sp.Matrix:
        return w * (w.T * w).inv() ** power * w.T

    scaled, plain = projector(weights.applyfunc(lambda entry: scale * entry)), projector(weights)
    return (Equation("W (W^T W)^-1 W^T does not see the scale", scaled[0, 1], plain[0, 1]),)


THEOREM = Theorem(
    slug="weight-scale",
    title="The scale of the random weights",
    source="P, after (3); O, Introduction; T, slide Random features model",
    latex=r"w_i \sim N(0, I_d) \quad\text{or}\quad w_i \sim N(0, I_d/d) \quad\text{or}\quad \|w_i\|=1",
    parameters={"rho": 1, "B": "isotropic"},
    symbols=("rho", "t", "psi", "lambda_1", "lambda_2", "lambda_tilde"),
    evaluate=lambda setting: symbols(_isotropic(setting)),
    activation="x**2 - 1",
    takes_activation=True,
    hypotheses=(A1, MEAN_ZERO),
    uses=("rf-quadratic", "nt-quadratic"),
    claims=(
        Limit(
            id="LT-W1",
            observe=_scaled,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=({"rho": "1/2"}, {"rho": "1"}, {"rho": "1", "B": "two_point"}),
            resolution=0.02,
            resolution_reason="the mutants move the risk by 10% and more",
            readings=(
                Reading(
                    document="P",
                    place="after (3)",
                    printed="through this paper, w_i ~ N(0, I)",
                    states=_predicted,
                    observe=_unscaled,
                    erratum=Erratum(
                        corrected="w_i ~ N(0, I_d/d), as A2 (Tr Gamma = 1) and Theorem 2 have it",
                        states=_predicted,
                        observe=_scaled,
                    ),
                ),
                Reading(
                    document="O",
                    place="Introduction",
                    printed="for w_i i.i.d. N(0, I_d)",
                    states=_predicted,
                    observe=_unscaled,
                    erratum=Erratum(
                        corrected="w_i ~ N(0, I_d/d), as the poster's own Theorem 2 has it",
                        states=_predicted,
                        observe=_scaled,
                    ),
                ),
                Reading(
                    document="T",
                    place="slide Random features model",
                    printed="w_i uniform on the unit sphere",
                    states=_predicted,
                    observe=_sphere,
                ),
            ),
            mutants=(
                Mutant(name="nothing-is-learnt", states=_no_learning),
                Mutant(name="half-the-signal", states=_half_the_signal),
            ),
        ),
        Identity(
            id="LT-W1",
            part="neural-tangent",
            readings=(
                Reading(
                    document="P",
                    place="after (3), for the neural tangent class",
                    printed="w_i ~ N(0, I): the tangent class of x^2 depends on the span of the weights only",
                    states=lambda setting: _span_only(1),
                ),
            ),
            mutants=(Mutant(name="not-normalised", states=lambda setting: _span_only(0)),),
        ),
    ),
)
