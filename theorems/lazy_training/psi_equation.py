"""The equation for psi has exactly one positive solution (P, (9)).

    -lambda~ = -rho/psi + int lambda_1^2 t/(1 + lambda_1^2 t psi) D(dt),   lambda~ > 0, rho > 0.

Times psi it reads rho = lambda~ psi + int lambda_1^2 t psi/(1 + lambda_1^2 t psi) D(dt). The right side is
continuous and strictly increasing from 0 to infinity, whatever the probability law D on [0, infinity): one
solution. lambda~ > 0 because sigma is not affine. Where sigma is affine, lambda~ = 0, the right side stays
below D(0, infinity), and there is no solution for rho >= 1: the part "affine" shows that A1 is needed.
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from proofs_checks.psi import uniqueness_steps
from theorems.claim import Bound, Decision, Fact, Identity, Mutant, Reading, Setting, Statement, Theorem
from theorems.lazy_training.rf_risk import A1, COVARIANCE, symbols
from theorems.spectra import alignment
from theorems.steps import statements


def _proof(setting: Setting) -> tuple[Statement, ...]:
    return (*statements(uniqueness_steps()), _instance(setting))


def _instance(setting: Setting) -> Fact:
    """psi in this setting: the certified enclosure, put back into (9) as printed."""
    value = symbols(setting)
    law = alignment(setting["Gamma"], setting["B"], setting.dimension).law
    weight = value["lambda_1"] ** 2 * value["psi"]
    # int a t/(1 + a t psi) D(dt) = (1 - S(a psi))/psi with S the Stieltjes transform of D.
    right = (-value["rho"] + 1 - law.stieltjes(weight)) / value["psi"]
    residual = right + value["lambda_tilde"]
    holds = bool(value["psi"] > 0) and bool(residual.contains(0)) and bool(abs(residual) < arb("1e-20"))
    reason = f"psi = {value['psi'].str(20, radius=False)} satisfies (9) to {float(abs(residual).upper()):.1e}"
    return Fact("the solution in this setting", Decision(holds, reason), certain=True)


def _wrong_sign(setting: Setting) -> tuple[Statement, ...]:
    """(9) with +lambda~ on the left: its monotone form would have to increase as well."""
    psi, slack, weight = sp.symbols("psi lambda_tilde w", positive=True)
    form = -slack * psi + 1 - 1 / (1 + weight * psi)
    return (Bound("the form increases strictly", sp.Integer(0), sp.diff(form, psi), strict=True),)


def _affine(setting: Setting) -> tuple[Statement, ...]:
    """lambda~ = 0 and rho = 1: the monotone form would have to reach 1."""
    psi, weight = sp.symbols("psi w", positive=True)
    form = 1 - 1 / (1 + weight * psi)
    return (Bound("the form reaches rho = 1", sp.Integer(1), form),)


def _below_one(setting: Setting) -> tuple[Statement, ...]:
    psi, weight = sp.symbols("psi w", positive=True)
    form = 1 - 1 / (1 + weight * psi)
    certificate = 1 / (1 + weight * psi)
    return (Bound("the form stays below 1", form, sp.Integer(1), strict=True, certificate=certificate),)


THEOREM = Theorem(
    slug="psi-equation",
    title="The equation for psi has exactly one positive solution",
    source="P, (9)",
    latex=(r"-\tilde\lambda = -\frac{\rho}{\psi} + \int \frac{\lambda_1^2 t}{1+\lambda_1^2 t\psi}\,\mathcal{D}(dt)"),
    parameters={"rho": 1, "B": "exp1", "Gamma": "isotropic"},
    symbols=("rho", "psi", "lambda_1", "lambda_tilde"),
    evaluate=symbols,
    value=lambda setting: symbols(setting)["psi"],
    value_name="psi",
    activation="center(Max(x, 0))",
    takes_activation=True,
    hypotheses=(A1, COVARIANCE),
    claims=(
        Identity(
            id="LT-T1u",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 1, (9)",
                    printed="(9) has a unique solution psi > 0",
                    states=_proof,
                ),
            ),
            mutants=(
                Mutant(name="lambda-tilde-with-the-other-sign", states=_wrong_sign),
                Mutant(name="also-for-affine-sigma", states=_affine),
            ),
        ),
        Identity(
            id="LT-T1u",
            part="affine",
            hypotheses=(),
            readings=(
                Reading(
                    document="P",
                    place="A1, the condition that sigma is not affine",
                    printed="with lambda~ = 0 and rho >= 1 there is no solution: the condition is needed",
                    states=_below_one,
                ),
            ),
            mutants=(Mutant(name="also-for-affine-sigma", states=_affine),),
        ),
    ),
)
