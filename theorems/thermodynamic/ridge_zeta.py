"""Which zeta belongs into the ridge formulas (T, slides Precise asymptotics and Explicit formulae).

The slide defines zeta = b_1^2/b_*^2, and the formulas that follow it are in zeta^2. They are right with zeta =
|b_1|/b_*, and three corners that can be solved without them say so:

- given W, the features b_1 <w_i, x> + b_* z_i have covariance b_1^2 W W^T + b_*^2 I, which the formulas know as
  b_*^2 (1 + zeta^2 W W^T) (proofs_checks/feature_ridge_equivalent.py);
- for a large penalty a^ = (d/(N lambda)) (1/n) U^T y to first order, and the excess risk falls by 2 (d/(N lambda))
  times the sum over i of E[sigma(<w_i,x>) <beta_0,x>]^2 = b_1^2 <w_i, beta_0>^2, whose mean is ||beta_0||^2 b_1^2/d
  in each dimension: lambda (1 - B) -> 2 b_1^2, where the formulas give 2 b_*^2 zeta^2;
- with n/d -> infinity and then lambda -> 0 the risk is that of the best function of the class, 1/(1 + b_1^2 psi)
  with psi1 = b_*^2 psi + b_1^2 psi/(1 + b_1^2 psi), where the formulas give 1/(1 + zeta^2 p), psi1 = p + zeta^2
  p/(1 + zeta^2 p).

The printed zeta agrees exactly if |b_1| = b_* or b_1 = 0 (part "where-the-print-agrees"); of the activations measured
none has either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy as sp

from proofs_checks.feature_ridge_steps import large_penalty_step
from theorems.claim import Equation, Erratum, Identity, Limit, Mutant, Prediction, Reading, Setting, Statement, Theorem
from theorems.steps import statements
from theorems.thermodynamic.random_feature_ridge import (
    ACTIVATION,
    BIAS_CLASS,
    LADDER,
    ROUNDED,
    Regime,
    observed,
    predicted,
    symbols,
    zeta_of_the_slide,
)

b_1, b_star, eigenvalue, psi = sp.symbols("b_1 b_star t psi", positive=True)


def _corners(zeta: Callable[[Any, Any], Any]) -> Prediction:
    square = zeta(b_1, b_star) ** 2
    p = b_star**2 * psi
    equations = (
        Equation("covariance of the features", b_star**2 * (1 + square * eigenvalue), b_1**2 * eigenvalue + b_star**2),
        Equation("gain at a large penalty", 2 * b_star**2 * square, 2 * b_1**2),
        Equation(
            "the best function of the class",
            p + square * p / (1 + square * p),
            b_star**2 * psi + b_1**2 * psi / (1 + b_1**2 * psi),
        ),
    )

    def states(setting: Setting) -> tuple[Statement, ...]:
        return (*statements((large_penalty_step(),)), *equations)

    return states


def _printed(slope: Any, rest: Any) -> Any:
    return slope**2 / rest**2


def _difference(setting: Setting) -> tuple[Statement, ...]:
    """zeta^2 as printed less the right one: zero exactly at b_1 = b_* (b_1 > 0)."""
    zeta2 = b_1**2 / b_star**2
    return (Equation("excess of the printed zeta^2", _printed(b_1, b_star) ** 2 - zeta2, zeta2 * (zeta2 - 1)),)


def _agreement(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("excess of the printed zeta^2", _printed(b_1, b_star) ** 2, b_1**2 / b_star**2),)


def inverted(place: Regime, setting: Setting) -> Regime:
    return replace(place, zeta=1 / place.zeta)


def share_of_the_whole(place: Regime, setting: Setting) -> Regime:
    """|b_1| over the root of b_1^2 + b_*^2."""
    return replace(place, zeta=place.zeta / (1 + place.zeta * place.zeta).sqrt())


def root(place: Regime, setting: Setting) -> Regime:
    """The print corrected the wrong way: sqrt(|b_1|/b_*)."""
    return replace(place, zeta=place.zeta.sqrt())


THEOREM = Theorem(
    slug="ridge-zeta",
    title="The ratio of the linear to the nonlinear part in the ridge formulas",
    source="T, slides Precise asymptotics and Explicit formulae",
    latex=r"\zeta \equiv \frac{b_1^2}{b_*^2}",
    parameters={"psi1": 2, "psi2": 1, "ridge": "1/10", "noise": 0, "data": "sphere"},
    symbols=("psi1", "psi2", "ridge", "noise", "b_1", "b_star", "zeta", "lambda_bar", "chi"),
    evaluate=symbols,
    value=lambda setting: symbols(setting)["zeta"],
    value_name="zeta as the formulas need it, |b_1|/b_*",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    uses=("ridge-coefficients",),
    claims=(
        Identity(
            id="TL-ZETA",
            readings=(
                Reading(
                    document="T",
                    place="slide Precise asymptotics, in the formulas of Explicit formulae",
                    printed="zeta = b_1^2/b_*^2",
                    scan="the second printing has b_x^2 for b_*^2",
                    states=_corners(_printed),
                    erratum=Erratum(
                        corrected="zeta = |b_1|/b_*, so that zeta^2 in the formulas is b_1^2/b_*^2; the print agrees "
                        "exactly if |b_1| = b_* or b_1 = 0",
                        states=_corners(lambda slope, rest: slope / rest),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="upside-down", states=_corners(lambda slope, rest: rest / slope)),
                Mutant(
                    name="share-of-the-whole", states=_corners(lambda slope, rest: slope / sp.sqrt(slope**2 + rest**2))
                ),
            ),
        ),
        Identity(
            id="TL-ZETA",
            part="where-the-print-agrees",
            readings=(
                Reading(
                    document="T",
                    place="slide Precise asymptotics; the difference is derived, not printed",
                    printed="zeta = b_1^2/b_*^2: its square less b_1^2/b_*^2 is zeta^2 (zeta^2 - 1), zeta = |b_1|/b_*",
                    states=_difference,
                ),
            ),
            mutants=(Mutant(name="everywhere", states=_agreement),),
        ),
        Limit(
            id="TL-ZETA",
            part="measured",
            own_activations=True,  # whether the print is wrong depends on the activation
            observe=observed("excess_risk", "signal"),
            ladder=LADDER,
            whole=ROUNDED,
            bias_class=BIAS_CLASS,
            points=(
                {"psi1": "6/5", "psi2": "3/5", "ridge": "1/20", "activation": "relu"},
                {"psi1": "3/5", "psi2": "6/5", "ridge": "1/10", "activation": "tanh"},
                {"psi1": "2", "psi2": "6/5", "ridge": "1/5", "activation": "x + x**2/2"},
            ),
            resolution=0.05,
            resolution_reason="the mutants move the bias by 5% and more at each point, the print by 9% and 30% at two",
            readings=(
                Reading(
                    document="T",
                    place="slides Precise asymptotics and Explicit formulae, at tau = 0",
                    printed="R_RF = ||beta_0||^2 B(zeta, psi1, psi2, lambda/b_*^2), zeta = b_1^2/b_*^2",
                    states=predicted("excess_risk", "signal", zeta_of_the_slide),
                    erratum=Erratum(
                        corrected="R_RF = ||beta_0||^2 B(zeta, psi1, psi2, lambda/b_*^2), zeta = |b_1|/b_*",
                        states=predicted("excess_risk", "signal"),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="upside-down", states=predicted("excess_risk", "signal", inverted)),
                Mutant(name="share-of-the-whole", states=predicted("excess_risk", "signal", share_of_the_whole)),
                Mutant(name="root-of-the-ratio", states=predicted("excess_risk", "signal", root)),
            ),
        ),
    ),
)
