r"""What the two kinds of features tend to: training error, coefficients, and the risk of noisy linear features.

Asymptotic equivalence (feature_equivalence.py) says that nonlinear and noisy linear features share their limits; here
are these limits, as functions of zeta, psi1, psi2 and lambda/b_*^2 derived in proofs_checks/feature_ridge.py:

    noisy linear features   excess risk ||beta_0||^2 B + tau^2 V, as for nonlinear ones (ridge_risk.py);
    nonlinear features      (1/n) sum (y_i - f(x_i))^2, without the penalty, and sum a_i^2.

The slide states no formula for the last two. They are checked because "asymptotically the same ..." would also hold of
two kinds of features that agree with each other and with nothing else.
"""

from __future__ import annotations

from theorems.claim import Limit, Mutant, Reading, Theorem
from theorems.thermodynamic.random_feature_ridge import (
    ACTIVATION,
    BIAS_CLASS,
    LADDER,
    ROUNDED,
    Quantity,
    bare_ridge,
    mean_as_noise,
    observed,
    predicted,
    symbols,
    without_psi1,
    zeta_of_the_slide,
)

_POINTS = (
    {"psi1": "2/5", "psi2": "4/5", "ridge": "1/2", "activation": "relu"},
    {"psi1": "4/5", "psi2": "2/5", "ridge": "1", "activation": "tanh"},
    {"psi1": "2/5", "psi2": "4/5", "ridge": "1/2", "activation": "Abs(x)"},
)
_REASON = "every mutant moves the limit by more than 5% at one of the points"
_CHANGES = {
    "zeta-as-on-the-slide": zeta_of_the_slide,
    "psi1-missing-in-chi": without_psi1,
    "lambda-for-lambda/b_*^2": bare_ridge,
    "mean-counts-as-noise": mean_as_noise,
}


def _mutants(quantity: Quantity) -> tuple[Mutant, ...]:
    return tuple(Mutant(name=name, states=predicted(quantity, change=change)) for name, change in _CHANGES.items())


THEOREM = Theorem(
    slug="feature-limits",
    title="Limits of ridge regression on either kind of features",
    source="T, slide Asymptotic equivalence",
    latex=(
        r"\frac1n\sum_{i\le n}\big(y_i - \hat f_\lambda(x_i)\big)^2,\qquad \|\hat a(\lambda)\|_2^2,\qquad"
        r" \tilde u_{ij} = b_1\langle w_j, x_i\rangle + b_* z_{ij}"
    ),
    parameters={"psi1": 2, "psi2": 1, "ridge": "1/2", "noise": "1/2", "data": "gaussian"},
    symbols=("psi1", "psi2", "ridge", "noise", "b_1", "b_star", "zeta", "lambda_bar", "chi"),
    evaluate=symbols,
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    uses=("ridge-risk", "feature-equivalence"),
    claims=(
        Limit(
            id="TL-EQ",
            part="noisy-linear-risk",
            observe=observed("excess_risk", features="noisy_linear"),
            ladder=LADDER,
            whole=ROUNDED,
            bias_class=BIAS_CLASS,
            points=_POINTS,
            resolution=0.03,
            resolution_reason=_REASON,
            readings=(
                Reading(
                    document="T",
                    place="Asymptotic equivalence, with Precise asymptotics",
                    printed="noisy linear features have asymptotically the same test error",
                    states=predicted("excess_risk"),
                ),
            ),
            mutants=_mutants("excess_risk"),
        ),
        Limit(
            id="TL-EQ",
            part="training-error-limit",
            observe=observed("training_error"),
            ladder=LADDER,
            whole=ROUNDED,
            bias_class=BIAS_CLASS,
            points=_POINTS,
            resolution=0.04,
            resolution_reason=_REASON,
            readings=(
                Reading(
                    document="T",
                    place="Asymptotic equivalence; the formula is derived, not printed",
                    printed="training error, of nonlinear features",
                    states=predicted("training_error"),
                ),
            ),
            mutants=_mutants("training_error"),
        ),
        Limit(
            id="TL-EQ",
            part="coefficient-norm-limit",
            observe=observed("coefficient_norm"),
            ladder=LADDER,
            whole=ROUNDED,
            bias_class=BIAS_CLASS,
            points=_POINTS,
            resolution=0.04,
            resolution_reason=_REASON,
            readings=(
                Reading(
                    document="T",
                    place="Asymptotic equivalence; the formula is derived, not printed",
                    printed="..., the norm of the coefficients of nonlinear features",
                    states=predicted("coefficient_norm"),
                ),
            ),
            mutants=_mutants("coefficient_norm"),
        ),
    ),
)
