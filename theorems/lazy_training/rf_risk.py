"""The random-features risk on a quadratic target: eq. (10), its symbols, and the observation of it.

P, Theorem 1. x ~ N(0, I_d), f(x) = <x, Bx> - Tr B, w_i ~ N(0, Gamma) for i <= N, Tr Gamma = 1, and
lambda_k = E[sigma(G) He_k(G)], lambda~ = E sigma(G)^2 - lambda_1^2, lambda_0 = 0. With psi > 0 the solution
of (9), the risk normalised by ||f||^2 is (10):

    1 - psi lambda_2^2 d <Gamma,B>^2 / (||B||^2 (2 + psi lambda_2^2 d ||Gamma||^2)).

The theorem modules about random features state their claims in terms of this one formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Literal

import flint
from flint import arb

from proofs_checks.psi import solve_psi
from simulate.random_features import population_risk_cost
from theorems.activation import activation
from theorems.claim import Decision, Hypothesis, Observation, Setting
from theorems.lazy_training.width import actual_ratio, neurons
from theorems.spectra import (
    WORKING_BITS,
    alignment,
    bounded_operator_norm,
    gamma_eigenvalues,
    gamma_is_covariance,
    spectrum,
)

LADDER = (24, 48, 96, 192, 384, 768)
"""Dimensions at which random features are sampled: five of them cost half of what five from 32 on do."""

BIAS_CLASS = "unit"
"""Why not `half`: the risk is a smooth function of traces and norms whose means expand in 1/d, and a median differs
from a mean by skewness times spread, 1/sqrt d each. So powers 1, 3/2, 2 occur, and 1/2 does not."""


def risk(psi: Any, lambda_2: Any, overlap: Any, concentration: Any) -> Any:
    """Eq. (10), for balls as well as for SymPy symbols."""
    signal = psi * lambda_2**2
    return 1 - signal * overlap / (2 + signal * concentration)


def symbols(setting: Setting) -> Mapping[str, arb]:
    """The values of the symbols of eq. (10) in this setting."""
    sigma = setting.activation.text
    return _symbols(actual_ratio(setting), setting["B"], setting["Gamma"], sigma, setting.dimension)


@cache
def _symbols(ratio: Fraction, target: str, gamma: str, sigma_text: str, dimension: int | None) -> Mapping[str, arb]:
    sigma = activation(sigma_text)
    with flint.ctx.workprec(WORKING_BITS):
        rho = arb(ratio.numerator) / ratio.denominator
        place = alignment(gamma, target, dimension)
        lambda_1, lambda_tilde = sigma.hermite(1), sigma.lambda_tilde()
        return {
            "rho": rho,
            "t": place.t,
            "overlap": place.overlap,
            "concentration": place.concentration,
            "cosine2": place.cosine2,
            "psi": solve_psi(rho, lambda_1, lambda_tilde, place.law),
            "lambda_1": lambda_1,
            "lambda_2": sigma.hermite(2),
            "lambda_tilde": lambda_tilde,
        }


def predicted_risk(setting: Setting) -> arb:
    """Eq. (10) in this setting."""
    value = symbols(setting)
    return risk(value["psi"], value["lambda_2"], value["overlap"], value["concentration"])


def observe(
    setting: Setting,
    *,
    offset: bool = False,
    weights: Literal["gaussian", "sphere", "unscaled"] = "gaussian",
) -> Observation:
    """The minimal population risk given the weights, normalised by ||f||^2."""
    assert setting.dimension is not None
    width = neurons(setting)
    return Observation(
        simulator="simulate.random_features:population_risk",
        dimension=setting.dimension,
        arguments={
            "neurons": width,
            "gamma": gamma_eigenvalues(setting["Gamma"], setting["B"], setting.dimension),
            "target": spectrum(setting["B"]).eigenvalues(setting.dimension),
            "offset": offset,
            "weights": weights,
        },
        cost=population_risk_cost(setting.dimension, width),
        activation=setting.activation.text,
    )


def _growth(setting: Setting) -> Decision:
    return setting.activation.a1()


def _mean_zero(setting: Setting) -> Decision:
    return setting.activation.mean_zero()


def _bounded(setting: Setting) -> Decision:
    return bounded_operator_norm(setting["Gamma"], setting["B"])


def _covariance(setting: Setting) -> Decision:
    return gamma_is_covariance(setting["Gamma"], setting["B"])


A1 = Hypothesis(
    name="A1",
    text="sigma(u)^2 <= c0 exp(c1 u^2/2) with c1 < 1, and sigma is not affine",
    check=_growth,
)
MEAN_ZERO = Hypothesis(name="lambda_0 = 0", text="E sigma(G) = 0", check=_mean_zero)
COVARIANCE = Hypothesis(name="Gamma >= 0", text="Gamma is a covariance with trace 1", check=_covariance)
A2 = Hypothesis(name="A2", text="||d Gamma||_op stays bounded and its spectrum converges", check=_bounded)
