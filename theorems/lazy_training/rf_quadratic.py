"""Random features on a quadratic function, any activation (P, Theorem 1).

x ~ N(0, I_d); f(x) = b0 + <x, Bx> with E f = 0; w_i ~ N(0, Gamma) for i <= N; Tr Gamma = 1. Under A1, A2
and lambda_0 = 0, as N, d -> infinity with N/d -> rho, in probability

    R_RF/||f||^2 -> 1 - psi lambda_2^2 d <Gamma,B>^2 / (||B||^2 (2 + psi lambda_2^2 d ||Gamma||^2)),

where psi > 0 solves -lambda~ = -rho/psi + int lambda_1^2 t/(1 + lambda_1^2 t psi) D(dt) and D is the limit
of the spectrum of d Gamma.

An odd activation has lambda_2 = 0, and then the risk is that of the trivial predictor at every rho: the
part "odd" checks it, because two statements drawn from this theorem forget it (see rf_wide_limit.py).
"""

from __future__ import annotations

from flint import arb

from theorems.claim import Limit, Mutant, Prediction, Reading, Setting, Theorem
from theorems.lazy_training.rf_risk import (
    A1,
    A2,
    BIAS_CLASS,
    COVARIANCE,
    LADDER,
    MEAN_ZERO,
    observe,
    predicted_risk,
    risk,
    symbols,
)


def _one_for_two(setting: Setting) -> arb:
    value = symbols(setting)
    signal = value["psi"] * value["lambda_2"] ** 2
    return 1 - signal * value["overlap"] / (1 + signal * value["concentration"])


def _no_linear_part(setting: Setting) -> arb:
    """psi = rho/lambda~, as if lambda_1 were zero."""
    value = symbols(setting)
    psi = value["rho"] / value["lambda_tilde"]
    return risk(psi, value["lambda_2"], value["overlap"], value["concentration"])


def _coefficient_not_squared(setting: Setting) -> arb:
    value = symbols(setting)
    return risk(value["psi"], abs(value["lambda_2"]).sqrt(), value["overlap"], value["concentration"])


def _isotropic_weights(setting: Setting) -> arb:
    """The formula for Gamma = I/d, whatever Gamma is."""
    value = symbols(setting)
    return risk(value["psi"], value["lambda_2"], value["t"], arb(1))


def _quadratic_activation(setting: Setting) -> arb:
    """What sigma(x) = x^2 - 1 would reach at this rho: psi = rho/2, lambda_2 = 2."""
    value = symbols(setting)
    return risk(value["rho"] / 2, arb(2), value["overlap"], value["concentration"])


def _signal_off_by(factor: str) -> Prediction:
    def states(setting: Setting) -> arb:
        value = symbols(setting)
        return risk(arb(factor) * value["psi"], value["lambda_2"], value["overlap"], value["concentration"])

    return states


THEOREM = Theorem(
    slug="rf-quadratic",
    title="Random features on a quadratic function, any activation",
    source="P, Theorem 1, (9)-(10)",
    latex=(
        r"\frac{R_{\mathrm{RF},N}(f_*)}{\|f_*\|_{L_2}^2} \to 1 - \frac{\psi\lambda_2^2 d\langle\Gamma,B\rangle^2}"
        r"{\|B\|_F^2\,(2+\psi\lambda_2^2 d\|\Gamma\|_F^2)}"
    ),
    parameters={"rho": 1, "B": "exp1", "Gamma": "isotropic"},
    symbols=(
        "rho",
        "t",
        "overlap",
        "concentration",
        "cosine2",
        "psi",
        "lambda_1",
        "lambda_2",
        "lambda_tilde",
    ),
    evaluate=symbols,
    activation="center(Abs(x))",
    takes_activation=True,
    hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO),
    uses=("psi-equation",),
    claims=(
        Limit(
            id="LT-T1",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1/2", "B": "isotropic", "activation": "center(Abs(x))"},
                {"rho": "1/4", "B": "two_point", "Gamma": "proportional_to_B", "activation": "x**2 - 1 + x/2"},
                {"rho": "3/4", "B": "exp1", "Gamma": "two_point", "activation": "center(gelu(2*x))"},
            ),
            resolution=0.01,
            resolution_reason="the smallest mutant moves the risk by 1.5% at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 1, (10)",
                    printed="1 - psi lambda_2^2 d <Gamma,B>^2 / (||B||^2 (2 + psi lambda_2^2 d ||Gamma||^2))",
                    states=predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="1-for-2", states=_one_for_two),
                Mutant(name="psi-without-lambda_1", states=_no_linear_part),
                Mutant(name="lambda_2-not-squared", states=_coefficient_not_squared),
                Mutant(name="isotropic-formula-for-any-Gamma", states=_isotropic_weights),
                Mutant(name="psi-twice-too-large", states=_signal_off_by("2")),
                Mutant(name="psi-5-percent-too-large", states=_signal_off_by("1.05")),
            ),
        ),
        Limit(
            id="LT-T1",
            part="odd",
            own_activations=True,
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1/2", "B": "exp1", "activation": "tanh"},
                {"rho": "1", "B": "isotropic", "activation": "x*exp(-x**2/4)"},
                {"rho": "1", "B": "two_point", "Gamma": "two_point", "activation": "erf"},
            ),
            resolution=0.02,
            resolution_reason="the only mutant says that something is learnt, and moves the risk by tens of percent",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 1, (10), at lambda_2 = 0",
                    printed="1 - psi lambda_2^2 d <Gamma,B>^2 / (||B||^2 (2 + psi lambda_2^2 d ||Gamma||^2))",
                    states=predicted_risk,
                ),
            ),
            mutants=(Mutant(name="independent-of-the-non-linearity", states=_quadratic_activation),),
        ),
    ),
)
