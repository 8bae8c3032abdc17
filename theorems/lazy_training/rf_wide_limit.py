"""What many random features can do at most: the limit rho -> infinity (P, (11) and 2.1; O; T).

From Theorem 1, psi >= (rho - 1)/lambda~ -> infinity, and with cosine2 = <Gamma,B>^2/(||Gamma||^2 ||B||^2)

    lim_{rho -> inf} R_RF/||f||^2 = 1 - cosine2   if lambda_2 != 0,
                                  = 1             if lambda_2 = 0.

The prints forget the second line: A1 and lambda_0 = 0 hold for tanh, sin, erf, every odd activation and
every Hermite polynomial but the second, and for these random features learn nothing of f at any width.
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from theorems.claim import (
    Bound,
    Equation,
    Erratum,
    Identity,
    Limit,
    Mutant,
    Reading,
    Setting,
    Statement,
    Theorem,
)
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

psi, concentration, slack, weight = sp.symbols("psi k lambda_tilde w", positive=True)
cosine2, t = sp.symbols("cosine2 t", nonnegative=True)
gamma_norm2, residual2 = sp.symbols("g r", positive=True)
inner = sp.Symbol("h", real=True)
signal_coefficient = sp.Symbol("lambda_2", real=True, nonzero=True)
UNIT = {cosine2: (sp.Integer(0), sp.Integer(1)), t: (sp.Integer(0), sp.Integer(1))}


def wide_risk(lambda_2: sp.Expr) -> sp.Expr:
    """(10) as psi -> infinity, with overlap = cosine2 * concentration."""
    return sp.limit(risk(psi, lambda_2, cosine2 * concentration, concentration), psi, sp.oo)


def _psi_diverges() -> Bound:
    # The integrand of the monotone form of (9) stays below 1, so rho - 1 < lambda~ psi.
    rho = slack * psi + weight * psi / (1 + weight * psi)
    return Bound("rho - 1 < lambda~ psi", rho - 1, slack * psi, strict=True, certificate=1 / (1 + weight * psi))


def where_it_is_true(setting: Setting) -> tuple[Statement, ...]:
    return (
        _psi_diverges(),
        Equation("lambda_2 != 0: the limit is 1 - cosine2", wide_risk(signal_coefficient), 1 - cosine2, UNIT),
        Equation("lambda_2 = 0: the limit is 1", wide_risk(sp.Integer(0)), sp.Integer(1), UNIT),
    )


def as_printed(setting: Setting) -> tuple[Statement, ...]:
    return (
        _psi_diverges(),
        Equation("lambda_2 != 0", wide_risk(signal_coefficient), 1 - cosine2, UNIT),
        Equation("lambda_2 = 0, which A1 allows", wide_risk(sp.Integer(0)), 1 - cosine2, UNIT),
    )


def _angle_not_squared(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("lambda_2 != 0", wide_risk(signal_coefficient), 1 - sp.sqrt(cosine2), UNIT),)


def half_is_lost(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("lambda_2 != 0", wide_risk(signal_coefficient), 1 - cosine2 / 2, UNIT),)


def _not_aligned(setting: Setting) -> tuple[Statement, ...]:
    """r = ||B - (<Gamma,B>/||Gamma||^2) Gamma||^2 > 0 unless Gamma is proportional to B."""
    target_norm2 = inner**2 / gamma_norm2 + residual2
    value = 1 - inner**2 / (gamma_norm2 * target_norm2)
    return (
        Equation("1 - cosine2 is the part of B off Gamma", value, residual2 / target_norm2),
        Bound("it is positive", sp.Integer(0), value, strict=True, certificate=residual2 / target_norm2),
    )


def _always_zero(setting: Setting) -> tuple[Statement, ...]:
    target_norm2 = inner**2 / gamma_norm2 + residual2
    return (Equation("1 - cosine2 = 0", 1 - inner**2 / (gamma_norm2 * target_norm2), sp.Integer(0)),)


def _nearly_aligned() -> sp.Expr:
    """1 - cosine2 for B = I and Gamma = (I + e_1 e_1^T)/(d + 1), which is proportional to B at no d."""
    d = sp.Symbol("d", positive=True)
    trace, norm2 = d + 1, d - 1 + 4
    return sp.limit(1 - trace**2 / (d * norm2), d, sp.oo)


def _uniformly(setting: Setting) -> tuple[Statement, ...]:
    return (Bound("B = I, Gamma = (I + e1 e1^T)/(d+1), d -> inf", sp.Integer(0), _nearly_aligned(), strict=True),)


def angle_must_stay(setting: Setting) -> tuple[Statement, ...]:
    angle = sp.Symbol("a", positive=True)
    value = 1 - cosine2
    return (
        Bound(
            "cosine2 <= 1 - a for all d gives a risk of at least a",
            angle,
            value.subs(cosine2, 1 - angle - t),
            certificate=t,
        ),
        Equation("and the family above has limit 0", _nearly_aligned(), sp.Integer(0)),
    )


trace, target_norm, dimension = sp.symbols("T b d", positive=True)


def _isotropic(power: int) -> tuple[Statement, ...]:
    identity = 1 - (trace / dimension) ** 2 / ((1 / dimension) * target_norm)
    return (Equation("Gamma = I/d", identity, 1 - trace**2 / (dimension**power * target_norm)),)


def _no_trace(setting: Setting) -> tuple[Statement, ...]:
    signal = sp.Symbol("s", nonnegative=True)
    isotropic = 1 - signal * t / (2 + signal)
    return (
        Equation("(10) at Gamma = I/d", risk(signal, sp.Integer(1), t, sp.Integer(1)), isotropic),
        Bound("the risk is at least 1 - t at any rho", 1 - t, isotropic, certificate=2 * t / (2 + signal)),
        Equation("Tr B = 0: the trivial predictor", isotropic.subs(t, 0), sp.Integer(1)),
    )


def _trace_does_not_matter(setting: Setting) -> tuple[Statement, ...]:
    signal = sp.Symbol("s", nonnegative=True)
    return (Equation("Tr B = 0", 1 - signal / (2 + signal), sp.Integer(1)),)


def _as_if_isotropic(setting: Setting) -> arb:
    value = symbols(setting)
    return risk(value["psi"], value["lambda_2"], arb(1), arb(1))


THEOREM = Theorem(
    slug="rf-wide-limit",
    title="Random features in the limit of many neurons per dimension",
    source="P, (11) and Section 2.1; O, below Theorem 1; T, slides RF Model",
    latex=(
        r"\lim_{\rho\to\infty}\lim_{d\to\infty}\frac{R_{\mathrm{RF},N}(f_*)}{\|f_*\|^2_{L_2}}"
        r" = \lim_{d\to\infty}\left(1-\frac{\langle\Gamma,B\rangle^2}{\|\Gamma\|_F^2\|B\|_F^2}\right)"
    ),
    parameters={"rho": 1, "B": "traceless", "Gamma": "isotropic"},
    symbols=("rho", "t", "overlap", "concentration", "cosine2", "psi", "lambda_1", "lambda_2", "lambda_tilde"),
    evaluate=symbols,
    activation="x**2 - 1",
    takes_activation=True,
    hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO),
    uses=("rf-quadratic", "psi-equation"),
    claims=(
        Identity(
            id="LT-E11",
            readings=(
                Reading(
                    document="P",
                    place="(11)",
                    printed="under the assumptions of Theorem 1 the limit is 1 - <Gamma,B>^2/(||Gamma||^2 ||B||^2)",
                    states=as_printed,
                    erratum=Erratum(
                        corrected="(11) needs lambda_2 != 0; with lambda_2 = 0 the risk is 1 at every rho",
                        states=where_it_is_true,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="angle-not-squared", states=_angle_not_squared),
                Mutant(name="half-is-lost", states=half_is_lost),
            ),
        ),
        Identity(
            id="LT-O2",
            readings=(
                Reading(
                    document="O",
                    place="below Theorem 1",
                    printed="for any activation function ... the asymptotic risk is independent of the non-linearity",
                    states=as_printed,
                    erratum=Erratum(
                        corrected="for any activation with lambda_2 != 0; otherwise the risk is 1 at every rho",
                        states=where_it_is_true,
                    ),
                ),
                Reading(
                    document="T",
                    place="slides RF Model",
                    printed="this result is true for any activation; the asymptotic risk is independent of it",
                    states=as_printed,
                    erratum=Erratum(
                        corrected="for any activation with lambda_2 != 0; otherwise the risk is 1 at every rho",
                        states=where_it_is_true,
                    ),
                ),
            ),
            mutants=(Mutant(name="half-is-lost", states=half_is_lost),),
        ),
        Identity(
            id="LT-R1",
            readings=(
                Reading(
                    document="P",
                    place="2.1, after (11)",
                    printed="bounded away from zero as rho -> inf unless Gamma is proportional to B (fixed directions)",
                    states=_not_aligned,
                ),
            ),
            mutants=(Mutant(name="always-zero", states=_always_zero),),
        ),
        Identity(
            id="LT-R1",
            part="uniformly-in-d",
            readings=(
                Reading(
                    document="P",
                    place="2.1, after (11)",
                    printed="bounded away from zero as rho -> inf unless Gamma is proportional to B (along d -> inf)",
                    states=_uniformly,
                    erratum=Erratum(
                        corrected="bounded away from zero iff cosine2 is bounded away from 1 along d -> inf",
                        states=angle_must_stay,
                    ),
                ),
            ),
            mutants=(Mutant(name="always-zero", states=_always_zero),),
        ),
        Identity(
            id="LT-R2",
            readings=(
                Reading(
                    document="P",
                    place="2.1",
                    printed="for isotropic features the right side of (11) is 1 - Tr(B)^2/(d ||B||^2)",
                    states=lambda setting: _isotropic(1),
                ),
            ),
            mutants=(Mutant(name="d-squared", states=lambda setting: _isotropic(2)),),
        ),
        Identity(
            id="LT-R3",
            readings=(
                Reading(
                    document="P",
                    place="2.1",
                    printed="RF is poor when Tr B << sqrt d ||B||, and no better than trivial if Tr B = 0",
                    states=_no_trace,
                ),
            ),
            mutants=(Mutant(name="the-trace-does-not-matter", states=_trace_does_not_matter),),
        ),
        Limit(
            id="LT-R3",
            part="measured",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1/2", "B": "traceless"},
                {"rho": "1", "B": "traceless", "activation": "center(Abs(x))"},
                {"rho": "1", "B": "1,2,-3", "activation": "x**2 - 1 + x/2"},
            ),
            resolution=0.02,
            resolution_reason="the mutant moves the risk by tens of percent",
            readings=(
                Reading(
                    document="P",
                    place="2.1",
                    printed="isotropic RF is no better than the trivial predictor if Tr B = 0",
                    states=predicted_risk,
                ),
            ),
            mutants=(Mutant(name="as-if-B-were-isotropic", states=_as_if_isotropic),),
        ),
    ),
)
