"""Limits of the bias and the variance, and the training error (T, slide Explicit formulae).

What the printed B and V become at the edges of their domain, p = -chi, g(p) = p + s, s = zeta^2 p/(1 + zeta^2 p):

    lambda -> 0+, N < n   V = psi1/(psi2 - psi1), B = (1 - s)/(1 - psi1/psi2), g(p) = psi1: ordinary least squares
    lambda -> 0+, N > n   finite too, with g(p) = psi2 and D = K (psi1 - psi2)
    lambda -> 0+, N = n   both grow like lambda^(-1/2)
    psi1 -> infinity      B = psi2 (1 - s)^2/(psi2 - s^2), V = s^2/(psi2 - s^2), psi2 lambda_bar p = psi2 - g(p)
    psi2 -> infinity      V = 0, psi1 lambda_bar p = psi1 - g(p); B = 1 - s if then lambda -> 0
    lambda -> infinity    lambda_bar (1 - B) -> 2 zeta^2

The training error is the test error times (1 - g(p)/psi2)^2, and with the penalty it makes up the objective, whose
derivative in the penalty is the norm of the coefficients.
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from proofs_checks import feature_ridge_steps as steps
from proofs_checks.feature_ridge import training_error
from proofs_checks.feature_ridge_steps import psi1, psi2
from theorems.claim import Equation, Identity, Mutant, Reading, Setting, Statement, Theorem
from theorems.steps import statements
from theorems.thermodynamic.random_feature_ridge import ACTIVATION, regime, symbols


def _limits(setting: Setting) -> tuple[Statement, ...]:
    return statements(steps.limit_steps())


def _no_threshold(setting: Setting) -> tuple[Statement, ...]:
    """Ridgeless V = N/n for N < n, which forgets that the training residual shrinks."""
    variance = steps.point().bias_variance()[1].subs(psi1, steps.g)
    return (Equation("ridgeless, N < n: V = psi1/psi2", variance, steps.g / psi2),)


def _nothing_left(setting: Setting) -> tuple[Statement, ...]:
    """As psi1 -> infinity the noise would be averaged out."""
    return (Equation("psi1 -> infinity: V = 0", steps.point().wide()[1], sp.S.Zero),)


def _training(setting: Setting) -> tuple[Statement, ...]:
    return statements(steps.training_steps())


def _no_penalty(setting: Setting) -> tuple[Statement, ...]:
    """The training error taken for the objective, as if the coefficients cost nothing."""
    here = steps.point()
    return (Equation("noise: training error = objective", here.training_error()[1], here.objective()[1]),)


def _training_error(setting: Setting) -> arb:
    place = regime(setting)
    return training_error(place.zeta, place.psi1, place.psi2, place.lambda_bar)[0]


THEOREM = Theorem(
    slug="ridge-limits",
    title="Limits of bias and variance, and the training error",
    source="T, slide Explicit formulae",
    latex=r"\mathscr{B},\ \mathscr{V}\quad\text{as}\quad \overline\lambda\to 0,\ \psi_1\to\infty,\ \psi_2\to\infty",
    parameters={"psi1": 2, "psi2": 1, "ridge": "1/10", "noise": 0},
    symbols=("psi1", "psi2", "ridge", "b_1", "b_star", "zeta", "lambda_bar", "chi"),
    evaluate=symbols,
    value=_training_error,
    value_name="the training error at tau = 0, over ||beta_0||^2",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    uses=("ridge-formulas",),
    claims=(
        Identity(
            id="TL-E012",
            part="limits",
            readings=(
                Reading(
                    document="T",
                    place="slide Explicit formulae; derived from it, not printed",
                    printed="B and V as lambda -> 0+, as psi1 -> infinity, as psi2 -> infinity, as lambda -> infinity",
                    states=_limits,
                ),
            ),
            mutants=(
                Mutant(name="no-threshold-at-N=n", states=_no_threshold),
                Mutant(name="no-variance-at-infinite-width", states=_nothing_left),
            ),
        ),
        Identity(
            id="TL-E012",
            part="training-error",
            readings=(
                Reading(
                    document="T",
                    place="slide Explicit formulae; derived from it, not printed",
                    printed="training error, penalty and objective that belong to B and V",
                    states=_training,
                ),
            ),
            mutants=(Mutant(name="penalty-forgotten", states=_no_penalty),),
        ),
    ),
)
