"""Random features on linear functions (P, 1.1 (ii)).

f(x) = <beta, x>, |beta| = 1, x ~ N(0, I_d), w_i ~ N(0, Gamma), N/d -> rho. To leading order the kernel is
lambda_1^2 W W^T + (E sigma^2 - lambda_0^2 - lambda_1^2) I and the target's row lambda_1 W beta, so with psi from (9)

    R_RF -> <beta, (1 + lambda_1^2 psi d Gamma)^-1 beta>,

whose average over beta is int D(dt)/(1 + lambda_1^2 psi t) = 1 - rho + lambda~ psi by (9), lambda~ that of the centred
sigma (a constant lambda_0 is orthogonal to f and does not matter here). For Gamma = I/d, with
kappa = lambda~/lambda_1^2, R is the root in (0, 1) of rho = (1 - R)(1 + kappa/R): positive at every finite rho, and
about kappa/rho for large rho.

So "already well approximated" with N = O(d) neurons is false as a statement about a fixed rho, and true as
rho -> infinity after d -> infinity, but only if lambda_1 != 0: the even activation x^2 - 1 of the paper's own figure,
and every other with lambda_1 = 0, learns nothing at all of a linear function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import sympy as sp
from flint import arb

from simulate.linear_target import linear_risk_cost
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
from theorems.lazy_training import rf_risk
from theorems.lazy_training.width import neurons
from theorems.spectra import gamma_eigenvalues

TARGET = "isotropic"
"""Gamma proportional to B has no meaning for a linear target; the name only completes the setting."""


def symbols(setting: Setting) -> Mapping[str, arb]:
    """The symbols of (9) and (10) for sigma - lambda_0."""
    centred = setting.activation.center()
    return rf_risk.symbols(replace(setting, parameters={**setting.parameters, "B": TARGET}, activation=centred))


def _risk(setting: Setting) -> arb:
    value = symbols(setting)
    return 1 - value["rho"] + value["lambda_tilde"] * value["psi"]


def _nothing_left(setting: Setting) -> arb:
    return arb(0)


def _variant(form: Callable[[Mapping[str, arb]], Any]) -> Prediction:
    return lambda setting: form(symbols(setting))


def _observe(setting: Setting) -> Observation:
    """The risk given the weights, averaged over all directions beta."""
    assert setting.dimension is not None
    width = neurons(setting)
    return Observation(
        simulator="simulate.linear_target:linear_risk",
        dimension=setting.dimension,
        arguments={"neurons": width, "gamma": gamma_eigenvalues(setting["Gamma"], TARGET, setting.dimension)},
        cost=linear_risk_cost(setting.dimension, width),
        activation=setting.activation.text,
    )


R, kappa = sp.symbols("R kappa", positive=True)
l1, variance, ratio = sp.symbols("lambda_1 lambda_tilde rho", positive=True)
INSIDE = {R: (sp.Rational(1, 100), sp.Rational(99, 100)), kappa: (sp.Rational(1, 10), sp.Integer(10))}
RHO = (1 - R) * (1 + kappa / R)


def _psi_equation(psi: sp.Expr, first: sp.Expr, rho: sp.Expr) -> sp.Expr:
    """(9) with D = delta_1, right side minus left."""
    return variance - rho / psi + first**2 / (1 + first**2 * psi)


def _wide(setting: Setting) -> tuple[Statement, ...]:
    """With lambda_1 != 0: R solves rho = (1 - R)(1 + kappa/R), which falls from infinity to 0 on (0, 1)."""
    psi = (1 - R) / (R * l1**2)
    rho = RHO.subs(kappa, variance / l1**2)
    domain = {R: INSIDE[R], variance: (sp.Rational(1, 10), 10), l1: (sp.Rational(1, 10), 10)}
    return (
        Equation("(9) at psi = (1 - R)/(R lambda_1^2)", _psi_equation(psi, l1, rho), sp.Integer(0), domain),
        Equation("R = 1 - rho + lambda~ psi there", 1 - rho + variance * psi, R, domain),
        Bound("rho falls as R grows", sp.diff(RHO, R), sp.Integer(0), True, None, INSIDE),
        Equation("R -> 0 is rho -> infinity", sp.limit(1 / RHO, R, 0, "+"), sp.Integer(0)),
        Equation("at the rate kappa/rho", sp.limit(R * RHO, R, 0, "+"), kappa),
    )


def _even(claimed: int) -> tuple[Statement, ...]:
    """With lambda_1 = 0: psi = rho/lambda~, at every rho."""
    psi = ratio / variance
    return (
        Equation("(9) at lambda_1 = 0", _psi_equation(psi, sp.Integer(0), ratio), sp.Integer(0)),
        Equation("lambda_1 = 0: the risk as rho -> infinity", 1 - ratio + variance * psi, sp.Integer(claimed)),
    )


def _any_activation(setting: Setting) -> tuple[Statement, ...]:
    return (*_wide(setting), *_even(0))


def _both_sides(setting: Setting) -> tuple[Statement, ...]:
    return (*_wide(setting), *_even(1))


def _zero_at_one(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("no risk at rho = 1 already", sp.solve(RHO.subs(kappa, 1) - 1, R)[-1], sp.Integer(0)),)


THEOREM = Theorem(
    slug="linear-targets",
    title="Random features on linear functions",
    source="P, Section 1.1 (ii)",
    latex=(
        r"R_{\mathrm{RF},N}(\langle\beta,\cdot\rangle) \to \int\frac{\mathcal{D}(dt)}{1+\lambda_1^2\psi t} "
        r"= 1-\rho+\tilde\lambda\psi"
    ),
    parameters={"rho": 1, "Gamma": "isotropic"},
    symbols=("rho", "psi", "lambda_1", "lambda_2", "lambda_tilde"),
    evaluate=symbols,
    value=_risk,
    value_name="the risk of random features on a linear function",
    activation="tanh",
    takes_activation=True,
    uses=("psi-equation",),
    claims=(
        Limit(
            id="LT-I3",
            hypotheses=(rf_risk.A1,),
            observe=_observe,
            functional="mean",
            ladder=rf_risk.LADDER,
            bias_class=rf_risk.BIAS_CLASS,
            points=(
                {"rho": "1", "activation": "x + x**2"},
                {"rho": "1", "activation": "x/2 + x**2 - 1", "Gamma": "two_point"},
                {"rho": "1", "activation": "tanh"},
            ),
            resolution=0.03,
            resolution_reason="the smallest mutant is 6% off",
            readings=(
                Reading(
                    document="P",
                    place="1.1 (ii), at a fixed rho = N/d",
                    printed="(when N = O(d)) linear functions are already well approximated within F_RF,N(W)",
                    states=_nothing_left,
                    erratum=Erratum(
                        corrected="the risk is 1 - rho + lambda~ psi > 0 at every finite rho",
                        states=_risk,
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="psi-without-lambda_1",
                    states=_variant(lambda v: 1 / (1 + v["lambda_1"] ** 2 * v["rho"] / v["lambda_tilde"])),
                ),
                Mutant(
                    name="lambda_2-for-lambda_1", states=_variant(lambda v: 1 / (1 + v["lambda_2"] ** 2 * v["psi"]))
                ),
                Mutant(name="lambda_1-not-squared", states=_variant(lambda v: 1 / (1 + abs(v["lambda_1"]) * v["psi"]))),
                Mutant(name="6-percent-more", states=lambda setting: arb("1.06") * _risk(setting)),
            ),
        ),
        Identity(
            id="LT-I3",
            part="wide-limit",
            readings=(
                Reading(
                    document="P",
                    place="1.1 (ii), as rho -> infinity after d -> infinity",
                    printed="linear functions are already well approximated within F_RF,N(W), for any activation",
                    states=_any_activation,
                    erratum=Erratum(
                        corrected="if and only if lambda_1 != 0, at the rate kappa/rho; otherwise the risk is 1",
                        states=_both_sides,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="zero-at-rho-1", states=_zero_at_one),
                Mutant(name="lambda_1-does-not-matter", states=lambda setting: _even(0)),
            ),
        ),
    ),
)
