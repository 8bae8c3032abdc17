"""Random features on a mixture of Gaussians, any activation (P, Theorem 4).

y = +-1, x | y ~ N(0, Sigma - y Delta), w_i ~ N(0, Gamma), Tr(Gamma Sigma) = 1. With lambda_0 = 0 and psi > 0 the
solution of (14), which is (9) with the law D of d Gamma^1/2 Sigma Gamma^1/2, in probability (15)

    R_RF -> (1 + zeta_1 lambda_2^2 psi)/(1 + (zeta_1 + zeta_2) lambda_2^2 psi),
    zeta_1 = d Tr(Sigma Gamma Sigma Gamma)/2,   zeta_2 = d Tr(Delta Gamma)^2/4,

and (16) zeta_1/(zeta_1 + zeta_2) as rho -> infinity, for which lambda_2 != 0 is needed and not printed: with
lambda_2 = 0 (every odd activation) (15) is 1 at every rho. "Without loss of generality lambda_0 = 0" is false in
the class (2), which has no offset: with lambda_0 != 0 the features share a constant that hides the direction in
which y is learnt, and the risk tends to 1 where Tr(Delta Gamma) sqrt d stays bounded. With an offset in the class
nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import flint
import sympy as sp
from flint import arb

from proofs_checks.psi import solve_psi
from simulate.mixture_random_features import mixture_risk_cost
from theorems.activation import activation
from theorems.claim import (
    Bound,
    Equation,
    Erratum,
    Identity,
    Limit,
    Mutant,
    Observation,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.lazy_training.rf_risk import A1, BIAS_CLASS, LADDER, MEAN_ZERO
from theorems.lazy_training.width import actual_ratio, neurons
from theorems.mixture_spectra import B2, DENSITIES, M1, M2, Figures, figures, matrices
from theorems.spectra import WORKING_BITS


def risk(psi: Any, lambda_2: Any, zeta_1: Any, zeta_2: Any) -> Any:
    """(15), for balls as well as for SymPy symbols."""
    signal = lambda_2**2 * psi
    return (1 + zeta_1 * signal) / (1 + (zeta_1 + zeta_2) * signal)


def symbols(setting: Setting) -> Mapping[str, arb]:
    """The values of the symbols of (15) in this setting."""
    with flint.ctx.workprec(WORKING_BITS):
        return _symbols(actual_ratio(setting), setting.activation.text, figures(setting))


@cache
def _symbols(ratio: Fraction, sigma_text: str, at: Figures) -> Mapping[str, arb]:
    sigma = activation(sigma_text)
    rho = arb(ratio.numerator) / ratio.denominator
    lambda_1, lambda_tilde = sigma.hermite(1), sigma.lambda_tilde()
    return {
        "rho": rho,
        "zeta_1": at.zeta_1,
        "zeta_2": at.zeta_2,
        "psi": solve_psi(rho, lambda_1, lambda_tilde, at.law),
        "lambda_1": lambda_1,
        "lambda_2": sigma.hermite(2),
        "lambda_tilde": lambda_tilde,
    }


def predicted_risk(setting: Setting) -> arb:
    """(15) in this setting."""
    value = symbols(setting)
    return risk(value["psi"], value["lambda_2"], value["zeta_1"], value["zeta_2"])


def observe(setting: Setting, *, offset: bool = False) -> Observation:
    """The least risk given the weights; E y^2 = 1."""
    assert setting.dimension is not None
    at, width = matrices(setting), neurons(setting)
    return Observation(
        simulator="simulate.mixture_random_features:mixture_risk",
        dimension=setting.dimension,
        arguments={"neurons": width, "gamma": at.gamma, "sigma": at.sigma, "delta": at.delta, "offset": offset},
        cost=mixture_risk_cost(setting.dimension, width),
        activation=setting.activation.text,
    )


def _changed(**factors: str) -> Prediction:
    """(15) with some of its symbols multiplied by a number."""

    def states(setting: Setting) -> arb:
        value = dict(symbols(setting))
        for name, factor in factors.items():
            value[name] *= arb(factor)
        return risk(value["psi"], value["lambda_2"], value["zeta_1"], value["zeta_2"])

    return states


def _swapped(setting: Setting) -> arb:
    value = symbols(setting)
    return risk(value["psi"], value["lambda_2"], value["zeta_2"], value["zeta_1"])


def _numerator_dropped(setting: Setting) -> arb:
    value = symbols(setting)
    return 1 / (1 + (value["zeta_1"] + value["zeta_2"]) * value["lambda_2"] ** 2 * value["psi"])


def _no_linear_part(setting: Setting) -> arb:
    value = symbols(setting)
    return risk(value["rho"] / value["lambda_tilde"], value["lambda_2"], value["zeta_1"], value["zeta_2"])


def _centred(setting: Setting) -> arb:
    """(15) with the coefficients of sigma - lambda_0."""
    return predicted_risk(replace(setting, activation=setting.activation.center()))


def _trivial(setting: Setting) -> arb:
    return arb(1)


psi, zeta_1, zeta_2, slack, weight = sp.symbols("psi zeta_1 zeta_2 lambda_tilde w", positive=True)
coefficient = sp.Symbol("lambda_2", real=True, nonzero=True)


def _wide(lambda_2: Any) -> Any:
    return sp.limit(risk(psi, lambda_2, zeta_1, zeta_2), psi, sp.oo)


def _psi_diverges() -> Bound:
    # The integrand of the monotone form of (14) stays below 1, so rho - 1 < lambda~ psi.
    rho = slack * psi + weight * psi / (1 + weight * psi)
    return Bound("rho - 1 < lambda~ psi", rho - 1, slack * psi, strict=True, certificate=1 / (1 + weight * psi))


def _ultimate(with_zero: Any) -> Prediction:
    """The limit for lambda_2 != 0, and what is claimed of it for lambda_2 = 0."""

    def states(setting: Setting) -> tuple[Statement, ...]:
        return (
            _psi_diverges(),
            Equation("lambda_2 != 0", _wide(coefficient), zeta_1 / (zeta_1 + zeta_2)),
            Equation("lambda_2 = 0, which A1 allows", _wide(sp.Integer(0)), with_zero),
        )

    return states


def _ultimate_of_numerator(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("lambda_2 != 0", _wide(coefficient), zeta_2 / (zeta_1 + zeta_2)),)


WITH_CONSTANT = (
    {"rho": "1", "activation": "x**2"},
    {"rho": "1/2", "activation": "x**2 + x/2"},
    {"rho": "1", "Delta": "1,2", "activation": "Abs(x)"},
)

THEOREM = Theorem(
    slug="mixture-rf",
    title="Random features on a mixture of Gaussians",
    source="P, Theorem 4, (14)-(16)",
    latex=(
        r"R_{\mathrm{RF},N}(\mathbb{P}_{\Sigma,\Delta}) \to"
        r" \frac{1+\zeta_1\lambda_2^2\psi}{1+(\zeta_1+\zeta_2)\lambda_2^2\psi}"
    ),
    parameters={"rho": 1, "Delta": "uniform3", "Sigma": "isotropic", "Gamma": "isotropic"},
    symbols=("rho", "zeta_1", "zeta_2", "psi", "lambda_1", "lambda_2", "lambda_tilde"),
    evaluate=symbols,
    activation="x**2 - 1",
    takes_activation=True,
    hypotheses=(A1, M1, M2, DENSITIES, B2, MEAN_ZERO),
    uses=("psi-equation",),
    claims=(
        Limit(
            id="LT-T4",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1", "Delta": "uniform3", "activation": "center(Abs(x))"},
                {
                    "rho": "1/2",
                    "Delta": "rotated",
                    "Sigma": "two_point",
                    "Gamma": "1,2",
                    "activation": "x**2 - 1 + x/2",
                },
                {"rho": "1/2", "Delta": "indefinite", "Gamma": "1,3", "activation": "center(gelu(2*x))"},
            ),
            resolution=0.03,
            resolution_reason="the smallest mutant moves the risk by 9% at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 4, (14)-(15)",
                    printed="(1 + zeta_1 lambda_2^2 psi)/(1 + (zeta_1 + zeta_2) lambda_2^2 psi)",
                    states=predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="zeta_2-twice-too-large", states=_changed(zeta_2="2")),
                Mutant(name="zeta_1-half-as-large", states=_changed(zeta_1="0.5")),
                Mutant(name="numerator-dropped", states=_numerator_dropped),
                Mutant(name="zetas-swapped", states=_swapped),
                Mutant(name="psi-without-lambda_1", states=_no_linear_part),
            ),
        ),
        Limit(
            id="LT-T4",
            part="nothing-to-learn",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1", "Delta": "traceless"},
                {"rho": "1/2", "Delta": "uniform3", "activation": "tanh"},
                {"rho": "1/2", "Delta": "rotated:1,-1", "Sigma": "two_point", "activation": "x**2 - 1 + x/2"},
            ),
            resolution=0.02,
            resolution_reason="the mutant says that something is learnt, tens of percent",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 4, (15), at Tr(Delta Gamma) = 0 or lambda_2 = 0",
                    printed="(1 + zeta_1 lambda_2^2 psi)/(1 + (zeta_1 + zeta_2) lambda_2^2 psi)",
                    states=predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="something-is-learnt", states=lambda setting: 1 / (1 + figures(setting).delta_norm2 / 4)),
            ),
        ),
        Limit(
            id="LT-T4w",
            hypotheses=(A1, M1, M2, DENSITIES, B2),
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=WITH_CONSTANT,
            resolution=0.03,
            resolution_reason="the mutants move the risk by 10% and more",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 4",
                    printed="assume without loss of generality lambda_0 = 0 (in the class (2), which has no offset)",
                    states=_centred,
                    erratum=Erratum(
                        corrected="it is no loss with an offset in the class; in (2) lambda_0 = 0 is a hypothesis",
                        states=_centred,
                        observe=partial(observe, offset=True),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="nothing-is-learnt", states=_trivial),
                Mutant(name="the-constant-counts-as-noise", states=predicted_risk),
                Mutant(name="half-of-it", states=lambda setting: _centred(setting) / 2),
            ),
        ),
        Limit(
            id="LT-T4w",
            part="without-offset-nothing-is-learnt",
            hypotheses=(A1, M1, M2, DENSITIES, B2),
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=WITH_CONSTANT,
            resolution=0.03,
            resolution_reason="the mutant moves the risk by 10% and more",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 4, the other side of the condition",
                    printed="with lambda_0 != 0 and no offset the risk tends to 1",
                    states=_trivial,
                ),
            ),
            mutants=(Mutant(name="as-if-centred", states=_centred),),
        ),
        Identity(
            id="LT-E16",
            readings=(
                Reading(
                    document="P",
                    place="(16)",
                    printed="under the assumptions of Theorem 4 the limit rho -> inf is zeta_1/(zeta_1 + zeta_2)",
                    states=_ultimate(zeta_1 / (zeta_1 + zeta_2)),
                    erratum=Erratum(
                        corrected="(16) needs lambda_2 != 0; with lambda_2 = 0 the risk is 1 at every rho",
                        states=_ultimate(sp.Integer(1)),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="zetas-swapped", states=_ultimate_of_numerator),
                Mutant(name="zero-without-lambda_2", states=_ultimate(sp.Integer(0))),
            ),
        ),
    ),
)
