"""Many random features on the quadratic model of the talk, psi_1 -> inf (T, slides RF Model).

    lim_{psi_1 -> inf} lim_{d -> inf, N/d -> psi_1} R_RF/E{f_*^2} = lim_d (1 - <Gamma,B>^2/(||Gamma||^2 ||B||^2)),

"true for any activation", "independent of the non-linearity": it needs lambda_2 = E sigma(G) He_2(G) != 0, and for an
activation with lambda_2 = 0 (every odd one) the limit is 1. The part "your-activation" certifies lambda_2 for yours.

"Risk vanishes only if Gamma is chosen perfectly and psi_1 -> inf": with cosine2 = <Gamma,B>^2/(||Gamma||^2 ||B||^2) and
k = d ||Gamma||^2 (Tr Gamma = 1, sigma = x^2 - 1) the risk is 1 - cosine2 + cosine2/(1 + psi_1 k). If k is bounded (A2
of the paper, which the slides do not have) it vanishes if and only if cosine2 -> 1 and psi_1 -> inf; and "perfectly"
means cosine2 -> 1, not proportional. Without A2 it is false: for B = Gamma = v v^T two neurons leave no risk at all.
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Hypothesis,
    Identity,
    Inequality,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.lazy_training.rf_quadratic_activation import quadratic_risk
from theorems.lazy_training.rf_risk import A1, A2, COVARIANCE, MEAN_ZERO, symbols
from theorems.lazy_training.rf_wide_limit import (
    angle_must_stay,
    as_printed,
    cosine2,
    half_is_lost,
    where_it_is_true,
    wide_risk,
)
from theorems.thermodynamic.quadratic_model import talk_symbols

_symbols = talk_symbols(symbols)
psi1, k = sp.symbols("psi_1 k", positive=True)
off = sp.Symbol("r", nonnegative=True)  # cosine2 = 1 - r
UNIT = {cosine2: (sp.Integer(0), sp.Integer(1))}


def _limit(setting: Setting) -> arb:
    """1 - cosine2, or 1 where lambda_2 = 0."""
    value = _symbols(setting)
    return arb(1) if value["lambda_2"].contains(0) else 1 - value["cosine2"]


def _quadratic_activation(setting: Setting) -> tuple[Statement, ...]:
    """sigma = x^2 - 1, the one of the theorem, which has lambda_2 = 2: its own formula, and that of any activation."""
    own = sp.limit(quadratic_risk(psi1, cosine2 * k, k), psi1, sp.oo)
    return (
        Equation("the theorem as psi_1 -> inf", own, 1 - cosine2, UNIT),
        Equation("the paper's Theorem 1 at lambda_2 = 2", wide_risk(sp.Integer(2)), 1 - cosine2, UNIT),
    )


def _angle_itself(setting: Setting) -> tuple[Statement, ...]:
    direct = sp.limit(quadratic_risk(psi1, cosine2 * k, k), psi1, sp.oo)
    return (Equation("(12) as psi_1 -> inf", direct, 1 - sp.sqrt(cosine2), UNIT),)


def _quadratic_part(setting: Setting) -> Decision:
    lambda_2 = setting.activation.hermite(2)
    shown = f"lambda_2 = {lambda_2.str(12)}"
    if not lambda_2.contains(0):
        return Decision(True, f"{shown} is not zero")
    if lambda_2 == 0:
        return Decision(
            False, f"{shown}: nothing is learnt at any psi_1, and the limit is 1 instead of the printed one"
        )
    return Decision(None, f"{shown} is not told from zero")


HAS_QUADRATIC_PART = Hypothesis(name="lambda_2 != 0", text="E sigma(G) He_2(G) is not zero", check=_quadratic_part)


def _given_activation(setting: Setting) -> tuple[Statement, ...]:
    """lambda_2 != 0, certified, and how the printed limit follows from that."""
    return (
        Fact(f"sigma(x) = {setting.activation.text}", _quadratic_part(setting), certain=True),
        *where_it_is_true(setting),
    )


def _only_if_printed(setting: Setting) -> tuple[Statement, ...]:
    """At finite N the risk would be positive, also for B = Gamma = v v^T; there two neurons are enough.

    With u = <v,x> and <w_i,x> = g_i u, the coefficients a_1 + a_2 = 1, a_1 g_1^2 + a_2 g_2^2 = 1 give f = u^2 - 1.
    """
    left = _rank_one_residual()
    return (Bound("N = 2, B = Gamma = v v^T: the risk is positive", sp.Integer(0), left, True),)


def _rank_one_residual() -> sp.Expr:
    """E (f - a_1 sigma(g_1 u) - a_2 sigma(g_2 u))^2 at the coefficients above, g_1^2 != g_2^2."""
    u = sp.Symbol("u", real=True)
    first, gap = sp.symbols("g1 h", positive=True)  # g_2^2 = g_1^2 + h
    second = first**2 + gap
    a1, a2 = (second - 1) / gap, (1 - first**2) / gap
    residual = sp.cancel(u**2 - 1 - a1 * (first**2 * u**2 - 1) - a2 * (second * u**2 - 1))
    return sp.expand(residual**2)


def _only_if(setting: Setting) -> tuple[Statement, ...]:
    """Both terms of the risk are nonnegative, so each must vanish; with k < C the second needs psi_1 -> inf."""
    risk = quadratic_risk(psi1, (1 - off) * k, k)
    slack = sp.Symbol("s", positive=True)  # C = k + s
    unit = {off: (sp.Integer(0), sp.Integer(1))}
    return (
        Equation("what is left", risk, off + (1 - off) / (1 + psi1 * k), unit),
        Bound("cosine2 must tend to 1", off, risk, False, (1 - off) / (1 + psi1 * k), unit),
        Bound("psi_1 k must diverge", 1 / (1 + psi1 * k), risk, False, off * psi1 * k / (1 + psi1 * k), unit),
        Bound("k < C: more than 1/(1 + psi_1 C) at any Gamma", 1 / (1 + psi1 * (k + slack)), 1 / (1 + psi1 * k), True,
              psi1 * slack / ((1 + psi1 * k) * (1 + psi1 * (k + slack)))),
        Equation("both together suffice", sp.limit(risk.subs(off, 0), psi1, sp.oo), sp.Integer(0)),
        Equation("B = Gamma = v v^T: two neurons leave nothing", _rank_one_residual(), sp.Integer(0)),
        *angle_must_stay(setting),
    )  # fmt: skip


def _wide_alone(setting: Setting) -> tuple[Statement, ...]:
    """As if psi_1 -> inf were enough for any Gamma."""
    return (Equation("the wide limit vanishes", sp.limit(quadratic_risk(psi1, cosine2 * k, k), psi1, sp.oo), 0, UNIT),)


FORMULA = "lim_{psi_1 -> inf} lim_d R_RF/E{f_*^2} = lim_d (1 - <Gamma,B>^2/(||Gamma||_F^2 ||B||_F^2))"

THEOREM = Theorem(
    slug="talk-quadratic-rf-wide",
    title="Many random features on the quadratic model of the talk",
    source="T, slides RF Model",
    latex=(
        r"\lim_{\psi_1\to\infty}\lim_{d\to\infty}\frac{R_{\mathrm{RF},N}}{\mathbb{E}\{f_*^2\}}"
        r" = \lim_{d\to\infty}\left(1-\frac{\langle\Gamma,B\rangle^2}{\|\Gamma\|_F^2\|B\|_F^2}\right)"
    ),
    parameters={"psi1": 1, "B": "two_point", "Gamma": "isotropic"},
    symbols=("psi1", "t", "overlap", "concentration", "cosine2", "psi", "lambda_1", "lambda_2", "lambda_tilde"),
    evaluate=_symbols,
    value=_limit,
    value_name="the limit of R_RF/E f_*^2 as psi1 -> infinity",
    activation="x**2 - 1",
    takes_activation=True,
    hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO),
    uses=("rf-wide-limit", "talk-quadratic-rf"),
    claims=(
        Identity(
            id="TL-QRF",
            part="wide-limit",
            hypotheses=(),
            readings=(
                Reading(
                    document="T",
                    place="slides RF Model, sigma(x) = x^2 - 1",
                    printed=FORMULA,
                    scan="the first of the four slides reads R_{F,N}, the others R_{RF,N}: an R is lost",
                    states=_quadratic_activation,
                ),
            ),
            mutants=(
                Mutant(name="angle-not-squared", states=_angle_itself),
                Mutant(name="half-is-lost", states=half_is_lost),
            ),
        ),
        Identity(
            id="TL-QRF",
            part="any-activation",
            hypotheses=(),
            readings=(
                Reading(
                    document="T",
                    place="slides RF Model, below the limit",
                    printed="true for any activation; the asymptotic risk is independent of the non-linearity!",
                    states=as_printed,
                    erratum=Erratum(
                        corrected="for any with lambda_2 != 0; with lambda_2 = 0 the risk is 1 at every psi_1",
                        states=where_it_is_true,
                    ),
                ),
            ),
            mutants=(Mutant(name="half-is-lost", states=half_is_lost),),
        ),
        Shape(
            id="TL-QRF",
            part="your-activation",
            hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO, HAS_QUADRATIC_PART),
            readings=(
                Reading(
                    document="T",
                    place="slides RF Model, below the limit",
                    printed="this result is true for any activation: decided for the activation given",
                    states=_given_activation,
                ),
            ),
            mutants=(Mutant(name="half-is-lost", states=half_is_lost),),
        ),
        Inequality(
            id="TL-QRF",
            part="vanishes-only-if",
            hypotheses=(),
            readings=(
                Reading(
                    document="T",
                    place="slides RF Model, below the limit",
                    printed="risk vanishes only if Gamma is chosen perfectly and psi_1 -> inf",
                    states=_only_if_printed,
                    erratum=Erratum(
                        corrected=(
                            "where d ||Gamma||_F^2 is bounded (A2 of the paper), sigma = x^2 - 1: if and only if "
                            "cosine2 -> 1 and psi_1 -> inf; without A2 two neurons do for B = Gamma = v v^T"
                        ),
                        states=_only_if,
                    ),
                ),
            ),
            mutants=(Mutant(name="psi1-alone-is-enough", states=_wide_alone),),
        ),
    ),
)
