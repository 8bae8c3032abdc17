r"""The best penalty: none at high signal-to-noise ratio, a positive one at low (T, slide Insights).

noise = tau^2/||beta_0||^2 = 1/SNR, lambda_bar = lambda/b_*^2, zeta = |b_1|/b_*. As psi1 -> infinity the risk depends
on lambda through s alone, R = (psi2 (1 - s)^2 + noise s^2)/(psi2 - s^2), and

    dR/dlambda has the sign of (1 + psi2 lambda_bar)/zeta^2 - noise.

So the minimum is at lambda = 0+ if and only if SNR >= zeta^2, whatever psi2 is, and otherwise at lambda_bar = (noise
zeta^2 - 1)/psi2: the nonlinear part of the features, b_*^2, already is a penalty, and lambda tops it up. Every finite
width is beaten by the infinite one with a larger penalty, R(psi1, lambda) > R(infinity, lambda') at the same s, so
this is also the minimum over widths and penalties together.

At finite width another condition is needed (optimal_ridge_width.py).
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import sympy as sp
from flint import arb

from proofs_checks.double_descent import (
    along,
    b,
    noise,
    p,
    point,
    reduced,
    risk,
    v,
    wide_risk,
)
from proofs_checks.double_descent_thresholds import best_penalty
from theorems.claim import (
    Decision,
    Equation,
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
    given,
    risk_at,
    slope_squared,
    symbols,
)
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


def _best(setting: Setting) -> arb:
    """lambda itself, b_*^2 lambda_bar."""
    penalty = best_penalty(slope_squared(setting), given(setting, "psi2"), given(setting, "noise"))
    return penalty.max(arb(0)) * setting.activation.b_star() ** 2


_MATCH = (1 + AT.psi2 * PENALTY) * p / v

THEOREM = Theorem(
    slug="optimal-ridge",
    title="The best penalty for random features",
    source="T, slide Insights",
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
                    place="Insights, as N/n -> infinity, where the minimum over N is",
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
        Identity(
            id="TL-LOSNR",
            readings=(
                Reading(
                    document="T",
                    place="Insights, as N/n -> infinity, where the minimum over N is",
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
