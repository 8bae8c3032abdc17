r"""The best penalty: none at high signal-to-noise ratio, a positive one at low (T, slide Insights).

noise = tau^2/||beta_0||^2 = 1/SNR, lambda_bar = lambda/b_*^2, zeta = |b_1|/b_*. As psi1 -> infinity the risk depends
on lambda through s alone, R = (psi2 (1 - s)^2 + noise s^2)/(psi2 - s^2), and

    dR/dlambda has the sign of (1 + psi2 lambda_bar)/zeta^2 - noise.

So the minimum is at lambda = 0+ if and only if SNR >= zeta^2, whatever psi2 is, and otherwise at lambda_bar = (noise
zeta^2 - 1)/psi2: the nonlinear part of the features, b_*^2, already is a penalty, and lambda tops it up. Every finite
width is beaten by the infinite one with a larger penalty, R(psi1, lambda) > R(infinity, lambda') at the same s, so
this is also the minimum over widths and penalties together.

"Optimal regularization -> 0", on the slides of the double-descent curve, holds in this limit. It is false at finite
width, even without noise: for psi1 < psi2 a penalty always helps, and beyond psi2 it helps unless

    noise <= (1 - s) (s (1 - s) p A^2 - (1 - s) K^2 A - K^3)/(s^2 (1 - s) A^2 + K^2 A + K^3),    A = psi1 - psi2,

p = psi2 - s, K = psi2 - s^2, which increases with psi1 from -(1 - s) to 1/zeta^2. The risk has one minimum over lambda.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import sympy as sp
from flint import arb

from proofs_checks.double_descent import (
    a,
    along,
    b,
    noise,
    p,
    penalty_slope,
    penalty_slope_gain,
    penalty_slope_loss,
    point,
    reduced,
    risk,
    slope_steps,
    v,
    wide_risk,
)
from proofs_checks.double_descent_thresholds import best_penalty
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Identity,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.steps import statements
from theorems.thermodynamic.descent_evidence import (
    LINEAR_PART,
    always_positive,
    ball,
    compared,
    given,
    risk_at,
    slope_squared,
    symbols,
)
from theorems.thermodynamic.interpolation_singularity import NARROW, WIDE
from theorems.thermodynamic.random_feature_ridge import ACTIVATION

AT = point()
PENALTY = b / (AT.psi2 * p)
"""lambda_bar as psi1 -> infinity."""
SCALE = 2 * AT.psi2 * AT.s**2 * AT.rest / (AT.psi2 - AT.s**2) ** 2


@cache
def _slope() -> Any:
    """dR/dlog p as psi1 -> infinity; p falls as lambda rises."""
    bias, variance = AT.wide()
    return sp.cancel(sp.together(along(bias + noise * variance, sp.S.Zero, -AT.K)))


def _wide_limit() -> tuple[Statement, ...]:
    bias, variance = AT.wide()
    matching = (1 + AT.psi2 * PENALTY) * p / v
    return (
        *statements(
            (
                reduced("lambda enters through s", bias + noise * variance, wide_risk(AT.s, AT.psi2)),
                reduced("dR/dlog p = c (noise - (1 + psi2 lambda_bar)/zeta^2)", _slope(), SCALE * (noise - matching)),
                reduced("lambda_bar falls with p", along(PENALTY, sp.S.Zero, -AT.K), -PENALTY * (1 + AT.K / b)),
            )
        ),
        always_positive("c > 0", SCALE),
        always_positive("a finite width is beaten at the same s", risk(AT) - wide_risk(AT.s, AT.psi2)),
    )


def _zero_at_high_snr(setting: Setting) -> tuple[Statement, ...]:
    return (*_wide_limit(), _ordered_around(setting, ball("9/10"), (ball("1/1000000"), ball("1/1000"), ball(1))))


def _positive_at_low_snr(setting: Setting) -> tuple[Statement, ...]:
    level = ball("11/10")
    best = best_penalty(ball(1), given(setting, "psi2"), level)
    return (
        *_wide_limit(),
        _ordered_around(setting, level, (best, 2 * best)),
        _ordered_around(setting, level, (best, best / 2)),
    )


def _rises_at_low_snr(setting: Setting) -> tuple[Statement, ...]:
    level = ball("11/10")
    best = best_penalty(ball(1), given(setting, "psi2"), level)
    return (_ordered_around(setting, level, (best / 100, best / 10)),)


def _ordered_around(setting: Setting, share: arb, penalties: tuple[arb, ...]) -> Fact:
    """At noise = share/zeta^2, for this activation, the risk at psi1 = infinity increases along the penalties."""
    zeta2, psi2 = slope_squared(setting), given(setting, "psi2")
    risks = [risk_at(zeta2, None, psi2, penalty, share / zeta2) for penalty in penalties]
    holds = all(low < high for low, high in pairwise(risks))
    told = ", ".join(
        f"{risk.str(10, radius=False)} at {float(x):.4g}" for x, risk in zip(penalties, risks, strict=True)
    )
    return Fact(
        f"noise = {float(share):.3g}/zeta^2, this activation", Decision(holds, f"R over lambda_bar: {told}"), True
    )


def _stationary(level: Any) -> Prediction:
    """The slope in lambda would vanish where the noise is this expression."""
    return lambda setting: (Equation("dR/dlambda = 0", _slope().subs(noise, level), sp.S.Zero),)


def _threshold(level: Any) -> Prediction:
    """The slope in lambda would change its sign at lambda = 0+ at this noise."""
    return lambda setting: (
        Equation("dR/dlambda = 0 at lambda = 0+", _slope().subs(b, 0).subs(noise, level), sp.S.Zero),
    )


def _zero_at_every_width(setting: Setting) -> tuple[Statement, ...]:
    none, some = (risk_at(4, "11/5", 2, penalty, 0) for penalty in (0, "1/10"))
    where = "zeta^2 = 4, psi2 = 2, psi1 = 2.2, no noise"
    return (compared("no penalty is best in the overparametrised regime", {"R(0+)": none}, {"R(0.1)": some}, where),)


def _one_minimum(setting: Setting) -> tuple[Statement, ...]:
    gain, loss = penalty_slope_gain(AT), penalty_slope_loss(AT)
    decline = gain * along(loss, -AT.K, -AT.K) - loss * along(gain, -AT.K, -AT.K)
    square = v**6 * (a * v - 1) ** 2
    squares = (a * square, b * (a * v + 1) * square, sp.Rational(3, 2) * a * b * square)
    edge_gain, edge_loss = penalty_slope_gain(WIDE), penalty_slope_loss(WIDE)
    rise = sp.diff(edge_gain, a) * edge_loss - edge_gain * sp.diff(edge_loss, a)
    top, bottom = (sp.Poly(side, a) for side in (edge_gain, edge_loss))
    return (
        *statements(slope_steps()),
        always_positive("gain/loss falls with p, so Q changes its sign once at most", decline, squares),
        always_positive("psi1 < psi2: Q > 0 at lambda = 0+, a penalty helps", penalty_slope(NARROW)),
        always_positive("psi1 > psi2: the largest noise without penalty increases with psi1", rise),
        always_positive("and stays below 1/zeta^2", p / v - edge_gain / edge_loss),
        *statements((reduced("which it tends to", top.coeff_monomial(a**2) / bottom.coeff_monomial(a**2), p / v),)),
        *statements((reduced("from -(1 - s) at psi2", (edge_gain / edge_loss).subs(a, 0), -WIDE.rest),)),
    )


def _same_at_every_width(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("the largest noise is 1/zeta^2", penalty_slope_gain(WIDE) / penalty_slope_loss(WIDE), p / v),)


def _without_noise_never(setting: Setting) -> tuple[Statement, ...]:
    return (Bound("no penalty helps where there is no noise", sp.S.Zero, penalty_slope_gain(WIDE), strict=True),)


def _best(setting: Setting) -> arb:
    """lambda itself, b_*^2 lambda_bar."""
    penalty = best_penalty(slope_squared(setting), given(setting, "psi2"), given(setting, "noise"))
    return penalty.max(arb(0)) * setting.activation.b_star() ** 2


_MATCH = (1 + AT.psi2 * PENALTY) * p / v

THEOREM = Theorem(
    slug="optimal-ridge",
    title="The best penalty for random features",
    source="T, slides The double-descent curve and Insights",
    latex=(
        r"\arg\min_\lambda R(\infty,\psi_2,\lambda) = "
        r"\frac{b_*^2}{\psi_2}\Big(\frac{\tau^2\zeta^2}{\|\beta_0\|^2}-1\Big)_+"
    ),
    parameters={"psi2": 2, "noise": "1/5"},
    symbols=("psi2", "noise", "b_1", "b_star", "zeta"),
    evaluate=symbols,
    value=_best,
    value_name="the best lambda as psi1 -> infinity, 0 standing for 0+",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, LINEAR_PART),
    uses=("ridge-risk", "interpolation-singularity"),
    claims=(
        Shape(
            id="TL-HISNR",
            readings=(
                Reading(
                    document="T",
                    place="Insights",
                    printed="High SNR: Minimum at lambda = 0+",
                    states=_zero_at_high_snr,
                ),
            ),
            mutants=(
                Mutant(name="threshold-zeta", states=_threshold(sp.sqrt(p / v))),
                Mutant(name="threshold-with-psi2", states=_threshold(AT.psi2 * p / v)),
                Mutant(
                    name="condition-reversed",
                    states=_rises_at_low_snr,
                ),
            ),
        ),
        Shape(
            id="TL-HISNR",
            part="every-width",
            readings=(
                Reading(
                    document="T",
                    place="The double-descent curve, fourth check mark",
                    printed="Optimal regularization -> 0",
                    states=_zero_at_every_width,
                    erratum=Erratum(
                        corrected=(
                            "lambda = 0+ is best at a given width if and only if psi1 > psi2 and the noise is at most "
                            "a threshold that increases with psi1 from -(1 - s) to 1/zeta^2, so SNR > zeta^2 and "
                            "enough overparametrisation; for psi1 <= psi2 a penalty always helps; over lambda there "
                            "is one minimum"
                        ),
                        states=_one_minimum,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="one-threshold-for-all-widths", states=_same_at_every_width),
                Mutant(name="always-without-noise", states=_without_noise_never),
            ),
        ),
        Identity(
            id="TL-LOSNR",
            readings=(
                Reading(
                    document="T",
                    place="Insights",
                    printed="Low SNR: Minimum at lambda > 0",
                    states=_positive_at_low_snr,
                ),
            ),
            mutants=(
                Mutant(name="psi2-missing", states=_stationary((1 + PENALTY) * p / v)),
                Mutant(name="without-the-1", states=_stationary(AT.psi2 * PENALTY * p / v)),
                Mutant(name="zeta-for-zeta^2", states=_stationary(_MATCH * sp.sqrt(v / p))),
            ),
        ),
    ),
)
