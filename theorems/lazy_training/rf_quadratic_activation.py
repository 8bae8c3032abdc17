"""Random features with the quadratic activation sigma(x) = x^2 - 1 (P, Corollary 1; O, Theorem 1; T).

Then lambda_1 = 0, lambda_2 = lambda~ = 2 and psi = rho/2, so that Theorem 1 reads

    R_RF/||f||^2 -> 1 - rho d <B,Gamma>^2 / (||B||^2 (1 + rho d ||Gamma||^2)).
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb

from theorems.claim import Equation, Identity, Limit, Mutant, Reading, Setting, Statement, Theorem
from theorems.lazy_training.rf_risk import A1, A2, BIAS_CLASS, COVARIANCE, LADDER, MEAN_ZERO, observe, risk, symbols


def quadratic_risk(rho: Any, overlap: Any, concentration: Any) -> Any:
    """Eq. (12), for balls as well as for SymPy symbols."""
    return 1 - rho * overlap / (1 + rho * concentration)


def _printed(setting: Setting) -> arb:
    value = symbols(setting)
    return quadratic_risk(value["rho"], value["overlap"], value["concentration"])


def _two_for_one(setting: Setting) -> arb:
    value = symbols(setting)
    return 1 - value["rho"] * value["overlap"] / (2 + value["rho"] * value["concentration"])


def _overlap_not_squared(setting: Setting) -> arb:
    value = symbols(setting)
    return 1 - value["rho"] * value["overlap"].sqrt() / (1 + value["rho"] * value["concentration"])


def _wide_limit(setting: Setting) -> arb:
    return 1 - symbols(setting)["cosine2"]


def _reduction(lambda_2: int, lambda_tilde: int) -> tuple[Statement, ...]:
    """Theorem 1 at lambda_1 = 0 with the constants given, against Corollary 1."""
    x = sp.Symbol("x", real=True)
    rho, overlap, concentration = sp.symbols("rho overlap concentration", positive=True)
    gaussian = sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)
    sigma = x**2 - 1

    def mean(expression: sp.Expr) -> sp.Expr:
        return sp.integrate(expression * gaussian, (x, -sp.oo, sp.oo))

    return (
        Equation("lambda_0", mean(sigma), sp.Integer(0)),
        Equation("lambda_1", mean(sigma * x), sp.Integer(0)),
        Equation("lambda_2", mean(sigma * (x**2 - 1)), sp.Integer(lambda_2)),
        Equation("lambda~", mean(sigma**2), sp.Integer(lambda_tilde)),
        Equation(
            "(10) with psi = rho/lambda~ is (12)",
            risk(rho / lambda_tilde, sp.Integer(lambda_2), overlap, concentration),
            quadratic_risk(rho, overlap, concentration),
        ),
    )


THEOREM = Theorem(
    slug="rf-quadratic-activation",
    title="Random features on a quadratic function, quadratic activation",
    source="P, Corollary 1, (12); O, Theorem 1; T, slide RF Model",
    latex=(
        r"\frac{R_{\mathrm{RF},N}(f_*)}{\|f_*\|_{L_2}^2} \to 1 - \frac{\rho\, d\langle B,\Gamma\rangle^2}"
        r"{\|B\|_F^2\,(1+\rho\, d\|\Gamma\|_F^2)}"
    ),
    parameters={"rho": 1, "B": "exp1", "Gamma": "isotropic"},
    symbols=("rho", "t", "overlap", "concentration", "cosine2"),
    evaluate=symbols,
    activation="x**2 - 1",
    hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO),
    uses=("rf-quadratic",),
    claims=(
        Limit(
            id="LT-C1",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1", "B": "isotropic"},
                {"rho": "3/4", "B": "exp1", "Gamma": "two_point"},
                {"rho": "1/2", "B": "power_law", "Gamma": "proportional_to_B"},
                {"rho": "1", "B": "indefinite", "Gamma": "power_law"},
            ),
            resolution=0.01,
            resolution_reason="every mutant moves the risk by 10% or more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Corollary 1, (12)",
                    printed="1 - rho d <B,Gamma>^2 / (||B||^2 (1 + rho d ||Gamma||^2))",
                    states=_printed,
                ),
                Reading(
                    document="O",
                    place="Theorem 1",
                    printed="1 - rho d <B,Gamma>^2 / (||B||^2 (1 + rho d ||Gamma||^2))",
                    scan="the poster leaves Tr Gamma = 1 unsaid; it is read as in the paper",
                    states=_printed,
                ),
                Reading(
                    document="T",
                    place="slide RF Model",
                    printed="1 - psi_1 d <B,Gamma>^2 / (||B||^2 (1 + psi_1 d ||Gamma||^2)), psi_1 = N/d",
                    scan="the talk leaves Tr Gamma = 1 unsaid; it is read as in the paper",
                    states=_printed,
                ),
            ),
            mutants=(
                Mutant(name="2-for-1", states=_two_for_one),
                Mutant(name="overlap-not-squared", states=_overlap_not_squared),
                Mutant(name="rho-infinite", states=_wide_limit),
            ),
        ),
        Identity(
            id="LT-C1",
            part="from-theorem-1",
            hypotheses=(),
            readings=(
                Reading(
                    document="P",
                    place="Corollary 1",
                    printed="Theorem 1 with sigma(x) = x^2 - 1 gives (12)",
                    states=lambda setting: _reduction(2, 2),
                ),
            ),
            mutants=(
                Mutant(name="lambda_2-is-1", states=lambda setting: _reduction(1, 2)),
                Mutant(name="lambda-tilde-is-1", states=lambda setting: _reduction(2, 1)),
            ),
        ),
    ),
)
