r"""The test error of ridge regression on random features (T, slide Precise asymptotics).

f_*(x) = <beta_0, x>, y = f_*(x) + eps, tau^2 = E eps^2; w_i uniform on the unit sphere; penalty (N lambda/d) ||a||^2.
As n, N, d -> inf with N/d -> psi1 and n/d -> psi2, for any lambda > 0, the slide prints

    R_RF(f_lambda) = ||beta_0||^2 B(zeta, psi1, psi2, lambda/b_*^2) + tau^2 V(zeta, psi1, psi2, lambda/b_*^2) + o(1).

The slide "Evaluating a model" defines R(f) = E_new l(y_new, f(x_new)), in which y_new carries its own noise. So defined
R is at least tau^2 for every f, and the right side is the excess E(f_*(x) - f(x))^2 only: R needs + tau^2. Without
noise the two agree. B and V are also confronted one by one, the excess being linear in (||beta_0||^2, tau^2).

An even activation (b_1 = 0, zeta = 0) is covered: nothing is learnt, the features fit the signal as if it were noise,
and B = 1 + V. An affine one (b_* = 0) is not: zeta and lambda/b_*^2 do not exist.
"""

from __future__ import annotations

from theorems.claim import Erratum, Limit, Mutant, Reading, Theorem
from theorems.thermodynamic.random_feature_ridge import (
    ACTIVATION,
    BIAS_CLASS,
    LADDER,
    ROUNDED,
    Part,
    Quantity,
    bare_ridge,
    mean_as_noise,
    observed,
    predicted,
    ridge_of_the_sum,
    swapped,
    symbols,
    without_psi1,
    without_psi2,
    zeta_of_the_slide,
)

_CHANGES = {
    "zeta-as-on-the-slide": zeta_of_the_slide,
    "psi1-missing-in-chi": without_psi1,
    "psi2-missing-in-chi": without_psi2,
    "psi1-and-psi2-swapped": swapped,
    "lambda-for-lambda/b_*^2": bare_ridge,
    "lambda-of-a-sum-of-squares": ridge_of_the_sum,
    "b_*-with-the-mean-left-in": mean_as_noise,
}

_POINTS = (
    {"psi1": "4/5", "psi2": "2/5", "ridge": "1/10", "noise": "1/2", "activation": "relu"},
    {"psi1": "2/5", "psi2": "4/5", "ridge": "1/5", "noise": "1", "activation": "tanh"},
    {"psi1": "6/5", "psi2": "3/5", "ridge": "1", "noise": "1/4", "activation": "x + x**2/2"},
)
"""Over- and underparametrised, an odd activation and two with a mean, the ridge neither negligible nor dominant."""

_ZETA = "zeta = |b_1|/b_*, the root of what the slide defines (TL-ZETA)"
_SCAN = "the scan has b_x once for b_*, and a bar over b_* in lambda/b_*^2; both are read as b_*"
_RESOLUTION = "every mutant moves the value by more than 2% at one of the points"


def _mutants(quantity: Quantity, part: Part) -> tuple[Mutant, ...]:
    return tuple(Mutant(name=name, states=predicted(quantity, part, change)) for name, change in _CHANGES.items())


THEOREM = Theorem(
    slug="ridge-risk",
    title="Test error of ridge regression on random features",
    source="T, slides Precise asymptotics and Evaluating a model",
    latex=(
        r"R_{\mathrm{RF}}(\hat f_\lambda) = \|\beta_0\|_2^2\,\mathscr{B}(\zeta,\psi_1,\psi_2,\lambda/b_*^2)"
        r" + \tau^2\,\mathscr{V}(\zeta,\psi_1,\psi_2,\lambda/b_*^2) + o_d(1)"
    ),
    parameters={"psi1": 2, "psi2": 1, "ridge": "1/10", "noise": "1/2", "data": "sphere"},
    symbols=("psi1", "psi2", "ridge", "noise", "b_1", "b_star", "zeta", "lambda_bar", "chi"),
    evaluate=symbols,
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    claims=(
        Limit(
            id="TL-RIDGE",
            observe=observed("test_error"),
            ladder=LADDER,
            whole=ROUNDED,
            bias_class=BIAS_CLASS,
            points=_POINTS,
            resolution=0.02,
            resolution_reason=_RESOLUTION,
            readings=(
                Reading(
                    document="T",
                    place=f"Precise asymptotics, with R(f) of Evaluating a model and {_ZETA}",
                    printed="R_RF(f_lambda) = ||beta_0||^2 B + tau^2 V + o_d(1), R(f) = E_new l(y_new, f(x_new))",
                    scan=_SCAN,
                    states=predicted("excess_risk"),
                    erratum=Erratum(
                        corrected="R_RF(f_lambda) = ||beta_0||^2 B + tau^2 (1 + V) + o_d(1), since y_new is noisy too; "
                        "the print is the excess over tau^2, the least possible R",
                        states=predicted("test_error"),
                    ),
                ),
            ),
            mutants=_mutants("test_error", "both"),
        ),
        Limit(
            id="TL-RIDGE",
            part="bias",
            observe=observed("excess_risk", "signal"),
            ladder=LADDER,
            whole=ROUNDED,
            bias_class=BIAS_CLASS,
            points=_POINTS,
            resolution=0.02,
            resolution_reason=_RESOLUTION,
            readings=(
                Reading(
                    document="T",
                    place=f"Precise asymptotics, at tau = 0, with {_ZETA}",
                    printed="R_RF(f_lambda) = ||beta_0||^2 B(zeta, psi1, psi2, lambda/b_*^2) + o_d(1)",
                    scan=_SCAN,
                    states=predicted("excess_risk", "signal"),
                ),
            ),
            mutants=_mutants("excess_risk", "signal"),
        ),
        Limit(
            id="TL-RIDGE",
            part="variance",
            observe=observed("excess_risk", "noise"),
            ladder=LADDER,
            whole=ROUNDED,
            bias_class=BIAS_CLASS,
            points=_POINTS,
            resolution=0.02,
            resolution_reason=_RESOLUTION,
            readings=(
                Reading(
                    document="T",
                    place=f"Precise asymptotics, the excess risk at beta_0 = 0, tau = 1, with {_ZETA}",
                    printed="tau^2 V(zeta, psi1, psi2, lambda/b_*^2) + o_d(1)",
                    scan=_SCAN,
                    states=predicted("excess_risk", "noise"),
                ),
            ),
            mutants=_mutants("excess_risk", "noise"),
        ),
    ),
)
