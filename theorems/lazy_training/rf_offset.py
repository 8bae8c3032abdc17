"""An offset in the random-features class (P, footnote 2).

The paper leaves c out of f(x) = c + sum a_i sigma(<w_i, x>) and says that, for centred targets, this does
not modify the results. Under the hypothesis lambda_0 = 0 of Theorem 1 it does not: both classes have the
limit (10). The footnote does not print that hypothesis, and without it the statement is false: with
lambda_0 != 0 the features share the constant lambda_0, a term lambda_0^2 1 1^T of the kernel that is of order N
and hides the direction in which f is learnt, so that without offset the risk tends to 1 (the trivial
predictor) whenever lambda_2 <Gamma,B> sqrt d stays away from 0; with offset it tends to (10), with the
coefficients of sigma - lambda_0.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flint import arb

from theorems.claim import Erratum, Limit, Mutant, Reading, Setting, Theorem
from theorems.lazy_training.rf_risk import (
    A1,
    A2,
    BIAS_CLASS,
    COVARIANCE,
    LADDER,
    MEAN_ZERO,
    observe,
    predicted_risk,
    symbols,
)


def _centred(setting: Setting) -> arb:
    """(10) with the coefficients of sigma - lambda_0."""
    return predicted_risk(replace(setting, activation=setting.activation.center()))


def _trivial(setting: Setting) -> arb:
    return arb(1)


def _with_the_constant(setting: Setting) -> arb:
    """(10) with E sigma^2 not reduced by lambda_0^2."""
    return predicted_risk(setting)


def _twice_the_signal(setting: Setting) -> arb:
    """The offset as one more degree of freedom that halves what is left."""
    return _centred(setting) / 2


_with_offset = partial(observe, offset=True)

THEOREM = Theorem(
    slug="rf-offset",
    title="Random features with and without an offset",
    source="P, footnote 2",
    latex=r"f(x) = c + \sum_{i\le N} a_i\,\sigma(\langle w_i, x\rangle)",
    parameters={"rho": 1, "B": "isotropic", "Gamma": "isotropic"},
    symbols=("rho", "t", "overlap", "concentration", "cosine2", "psi", "lambda_1", "lambda_2", "lambda_tilde"),
    evaluate=symbols,
    activation="center(Max(x, 0))",
    takes_activation=True,
    hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO),
    uses=("rf-quadratic",),
    claims=(
        Limit(
            id="LT-F2",
            observe=_with_offset,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1", "activation": "x**2 - 1"},
                {"rho": "1", "B": "exp1", "activation": "center(Abs(x))"},
                {"rho": "1/2", "B": "two_point", "Gamma": "proportional_to_B", "activation": "x**2 - 1 + x/2"},
            ),
            resolution=0.02,
            resolution_reason="the mutant halves the risk",
            readings=(
                Reading(
                    document="P",
                    place="footnote 2, under lambda_0 = 0",
                    printed="with an offset the limit is (10), as it is without",
                    states=predicted_risk,
                ),
            ),
            mutants=(Mutant(name="the-offset-halves-the-risk", states=_twice_the_signal),),
        ),
        Limit(
            id="LT-F2",
            part="lambda_0-not-zero",
            hypotheses=(A1, COVARIANCE, A2),
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1", "activation": "x**2"},
                {"rho": "1/2", "activation": "x**2 + x/2"},
                {"rho": "1", "activation": "Abs(x)"},
            ),
            resolution=0.03,
            resolution_reason="the mutants move the risk by 10% and more",
            readings=(
                Reading(
                    document="P",
                    place="footnote 2, without lambda_0 = 0",
                    printed="leaving out the offset does not modify the results for centred targets",
                    states=_centred,
                    erratum=Erratum(
                        corrected="it needs lambda_0 = 0; otherwise the class must contain the constants to reach (10)",
                        states=_centred,
                        observe=_with_offset,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="the-constant-counts-as-noise", states=_with_the_constant),
                Mutant(name="nothing-is-learnt", states=_trivial),
            ),
        ),
        Limit(
            id="LT-F2",
            part="no-offset-nothing-learnt",
            hypotheses=(A1, COVARIANCE, A2),
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1", "activation": "x**2"},
                {"rho": "1/2", "activation": "x**2 + x/2"},
                {"rho": "1", "activation": "Abs(x)"},
            ),
            resolution=0.03,
            resolution_reason="the mutant moves the risk by 10% and more",
            readings=(
                Reading(
                    document="P",
                    place="footnote 2, the other side of the condition",
                    printed="with lambda_0 != 0 and no offset the risk tends to that of the trivial predictor",
                    states=_trivial,
                ),
            ),
            mutants=(Mutant(name="as-if-centred", states=_centred),),
        ),
    ),
)
