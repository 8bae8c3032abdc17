r"""The margin and the test error of max-margin classification on noisy linear features (T, Asymptotics of max-margin).

P(y_i = 1 | x_i) = f0(<beta_0, x_i>), x ~ N(0, I_d), features u_ij = b_1 <w_j, x_i> + b_* z_ij. As d -> infinity with
N/d -> psi1 and n/d -> psi2, the slide prints

    Err_n = Err_*(zeta, psi1, psi2, f0) + o_P(1),   kappa_n = kappa_*(zeta, psi1, psi2, f0) + o_P(1),

"explicitly given" in a paper, not on the slide. They are derived here (margin_derivation.py) and confronted with the
hard-margin solution for three kinds of labels and four widths; where they exist is margin_separability.py.

As printed kappa_n cannot have a limit that depends on zeta alone: u -> 2u leaves zeta as it is and doubles kappa_n.
With kappa_* the limit at b_* = 1, kappa_n -> b_* kappa_*. Err_n is free of the scale.

The statements are in probability, and near the threshold n/d = psi2_* the tails of kappa_n and Err_n are heavy: the
functional is the median. A draw that is not separable counts with kappa_n = 0 and Err_n = 1, none is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from flint import arb

from proofs_checks.margin_functional import LabelLaw, error_probability, rational
from proofs_checks.max_margin import MaxMargin, NotSeparable, wide_limit
from theorems.claim import Erratum, Limit, Mutant, Prediction, Reading, Setting, Theorem
from theorems.thermodynamic.margin_prediction import (
    BIAS_CLASS,
    LADDER,
    SEPARABLE,
    limit,
    observed,
    predicted_error,
    predicted_margin,
    ratios,
    solved,
    symbols,
    zeta_of,
)
from theorems.thermodynamic.random_feature_ridge import ACTIVATION


def _without_scale(setting: Setting) -> arb:
    return limit(setting).kappa


def _margin(found: Callable[[Setting], MaxMargin]) -> Prediction:
    """b_* kappa of a wrong version; 0 where that has no separable data."""

    def states(setting: Setting) -> arb:
        try:
            return setting.activation.b_star() * found(setting).kappa
        except NotSeparable:
            return arb(0)

    return states


def _error(found: Callable[[Setting], MaxMargin]) -> Prediction:
    """The error of a wrong version; 1, as of a = 0, where that has no separable data."""

    def states(setting: Setting) -> arb:
        try:
            return found(setting).error
        except NotSeparable:
            return arb(1)

    return states


def _squared(zeta: arb) -> arb:
    return zeta * zeta


def _zero(zeta: arb) -> arb:
    return arb(0)


def _zeta_of_the_slide(setting: Setting) -> MaxMargin:
    """zeta = b_1^2/b_*^2 (TL-ZETA)."""
    return solved(setting.activation.text, *ratios(setting), setting["labels"], _squared)


def _swapped(setting: Setting) -> MaxMargin:
    psi1, psi2 = ratios(setting)
    return solved(setting.activation.text, psi2, psi1, setting["labels"])


def _noiseless(setting: Setting) -> MaxMargin:
    return solved(setting.activation.text, *ratios(setting), "sign")


def _no_linear_part(setting: Setting) -> MaxMargin:
    """Gardner's margin: features that know nothing of x."""
    return solved(setting.activation.text, *ratios(setting), setting["labels"], _zero)


def _wide(setting: Setting) -> MaxMargin:
    return _cached_wide(setting.activation.text, ratios(setting)[1], setting["labels"])


@cache
def _cached_wide(sigma_text: str, psi2: Fraction, labels: str) -> MaxMargin:
    return wide_limit(zeta_of(sigma_text), psi2, LabelLaw.of(labels))


def _wide_margin(setting: Setting) -> arb:
    return setting.activation.b_star() * rational(ratios(setting)[0]).sqrt() * _wide(setting).kappa


def _roles_swapped(setting: Setting) -> arb:
    """Err with p and q exchanged; where there is no signal, p = 0, a ratio of a million stands for q/p."""
    found = limit(setting)
    ratio = found.spread / found.signal if found.signal > 0 else arb(10) ** 6
    return error_probability(LabelLaw.of(setting["labels"]), ratio)


ZETA = "zeta is |b_1|/b_*: the square root of what an earlier slide defines (TL-ZETA)"
POINTS = (
    {"psi1": "4", "psi2": "2", "labels": "probit:1", "activation": "relu"},
    {"psi1": "3", "psi2": "1", "labels": "sign", "activation": "relu"},
    {"psi1": "2", "psi2": "1", "labels": "logistic:4", "activation": "relu"},
    {"psi1": "3/2", "psi2": "1/2", "labels": "logistic:2", "activation": "x + x**2"},
)
"""The n/d of the talk's comparison, and below; far enough from the threshold for few draws to decide. --set goes
elsewhere."""

THEOREM = Theorem(
    slug="margin-limit",
    title="Margin and test error of max-margin classification on noisy linear features",
    source="T, slide Asymptotics of max-margin classification",
    latex=(
        r"\mathrm{Err}_n = \mathrm{Err}_*(\zeta,\psi_1,\psi_2,f_0) + o_P(1),\quad"
        r"\kappa_n = b_*\,\kappa_*(\zeta,\psi_1,\psi_2,f_0) + o_P(1)"
    ),
    parameters={"psi1": 4, "psi2": 1, "labels": "logistic:2"},
    symbols=("psi1", "psi2", "b_1", "b_star", "zeta", "kappa_star", "err_star", "psi2_star"),
    evaluate=symbols,
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, SEPARABLE),
    uses=("margin-derivation", "margin-objective", "margin-separability"),
    claims=(
        Limit(
            id="TL-MM",
            part="margin",
            observe=observed("steady_margin"),
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=POINTS,
            resolution=0.03,
            resolution_reason="every mutant moves the margin by more than 3% at one of the points",
            readings=(
                Reading(
                    document="T",
                    place="Asymptotics of max-margin classification",
                    printed="kappa_n = kappa_*(zeta, psi1, psi2, f0) + o_P(1)",
                    scan=ZETA,
                    states=_without_scale,
                    erratum=Erratum(
                        corrected="kappa_n = b_* kappa_*(zeta, psi1, psi2, f0) + o_P(1): the margin scales with the "
                        "features, zeta = |b_1|/b_* does not; the print holds for b_* = 1",
                        states=predicted_margin,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="zeta-as-on-the-slide", states=_margin(_zeta_of_the_slide)),
                Mutant(name="psi1-and-psi2-swapped", states=_margin(_swapped)),
                Mutant(name="noiseless-labels", states=_margin(_noiseless)),
                Mutant(name="no-linear-part", states=_margin(_no_linear_part)),
                Mutant(name="wide-limit-at-a-finite-width", states=_wide_margin),
            ),
        ),
        Limit(
            id="TL-MM",
            part="error",
            observe=observed("steady_error"),
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=POINTS,
            resolution=0.03,
            resolution_reason="every mutant moves the error by more than 3% at one of the points",
            readings=(
                Reading(
                    document="T",
                    place="Asymptotics of max-margin classification",
                    printed="Err_n = Err_*(zeta, psi1, psi2, f0) + o_P(1)",
                    scan=ZETA,
                    states=predicted_error,
                ),
            ),
            mutants=(
                Mutant(name="zeta-as-on-the-slide", states=_error(_zeta_of_the_slide)),
                Mutant(name="noiseless-labels", states=_error(_noiseless)),
                Mutant(name="no-linear-part", states=_error(_no_linear_part)),
                Mutant(name="wide-limit-at-a-finite-width", states=_error(_wide)),
                Mutant(name="signal-and-spread-swapped", states=_roles_swapped),
            ),
        ),
    ),
)
