r"""Where the risk is least over all widths (T, slides after the theorem, and Insights).

Ridgeless: let s solve s/((1 - s)(psi2 - s)) = zeta^2. The infimum over psi1 > 0 is approached

    as psi1 -> infinity   if noise < psi2 (2 - s)/s - 1,      where it is (psi2 (1 - s)^2 + noise s^2)/(psi2 - s^2) < 1,
    as psi1 -> 0          if noise > psi2 (2 - s)/s - 1,      where it is 1, the risk of predicting zero.

So the print holds at high signal-to-noise ratio, noise = tau^2/||beta_0||^2, and the condition is sharp: the local
minimum below the threshold N = n, where there is one, never is the global one.
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from proofs_checks.double_descent import b, noise, p, point, reduced, risk, wide_risk
from proofs_checks.double_descent_gap import (
    SHARE,
    finite,
    more_noise,
    null_threshold,
    zeta2,
)
from proofs_checks.double_descent_thresholds import null_noise
from theorems.claim import (
    Decision,
    Equation,
    Erratum,
    Fact,
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
    compared,
    given,
    risk_at,
    slope_squared,
    symbols,
)
from theorems.thermodynamic.interpolation_singularity import NARROW, closed_forms
from theorems.thermodynamic.random_feature_ridge import ACTIVATION

UNDER = finite(sp.S.Zero)
"""Ridgeless, psi1 < psi2."""
_FAR = 10**24
"""N/n and n/N, so far out that what is left of the way is below the percent by which the noise is off."""


def _minimum_at_every_noise(setting: Setting) -> tuple[Statement, ...]:
    """As printed, at a low signal-to-noise ratio."""
    narrow, wide = risk_at(1, "1/100", 2, 0, 10), risk_at(1, 10**6, 2, 0, 10)
    where = "zeta^2 = 1, psi2 = 2, noise = 10"
    return (compared("least at large N/n", {"R(psi1 = 10^6)": wide}, {"R(psi1 = 1/100)": narrow}, where),)


def _dichotomy(setting: Setting) -> tuple[Statement, ...]:
    psi2 = UNDER.psi2
    edge = null_threshold(psi2, SHARE)
    best = wide_risk(SHARE, psi2)
    scale = SHARE**2 / (psi2 - SHARE**2)
    return (
        *closed_forms(),
        *statements((reduced("1 - R(infinity) = c (threshold - noise)", 1 - best, scale * (edge - noise)),)),
        always_positive("c > 0", scale),
        always_positive("R > R(infinity) for psi1 < psi2 without noise", risk(UNDER, sp.S.Zero) - best.subs(noise, 0)),
        always_positive("and at the threshold, so between", risk(UNDER, edge) - best.subs(noise, edge)),
        always_positive("beyond it R > 1 for psi1 < psi2", risk(UNDER, edge + more_noise) - 1),
        *statements((reduced("R -> 1 as psi1 -> 0", _at_zero_width(), sp.S.One),)),
        _this_activation(setting),
    )


def _at_zero_width() -> sp.Expr:
    """The ridgeless risk as psi1 -> 0 at fixed zeta and psi2 = b, where v = zeta^2 p."""
    at = point(sp.S.Zero, b)
    return sp.cancel(sp.together(risk(NARROW).subs(at.zeta2 * p, zeta2 * p).subs("v", zeta2 * p))).subs(p, 0)


def _this_activation(setting: Setting, *, reversed_roles: bool = False) -> Fact:
    """Certified for this activation and psi2: on either side of the threshold, infinity or zero wins."""
    slope, psi2 = slope_squared(setting), given(setting, "psi2")
    edge = null_noise(slope, psi2)
    far, near = psi2 * _FAR, psi2 / _FAR
    below, above = (edge * share / 100 for share in (99, 101))
    winners = [
        "infinity" if risk_at(slope, far, psi2, 0, level) < risk_at(slope, near, psi2, 0, level) else "zero"
        for level in (below, above)
    ]
    holds = winners == (["zero", "infinity"] if reversed_roles else ["infinity", "zero"])
    outcome = f"{winners[0]} wins at 99% of it and {winners[1]} at 101%"
    reason = f"the threshold is noise = {edge.str(10, radius=False)}; {outcome}"
    return Fact("on both sides of the threshold, this activation", Decision(holds, reason), certain=True)


def _wrong_threshold(edge: sp.Expr) -> Prediction:
    """The zero predictor would be as good as the infinite width at this noise."""
    best = sp.cancel(sp.together(wide_risk(SHARE, UNDER.psi2, edge)))
    return lambda setting: (Equation("R(infinity) = 1 at the threshold", best, sp.S.One),)


def _threshold(setting: Setting) -> arb:
    return null_noise(slope_squared(setting), given(setting, "psi2"))


_CORRECTED = (
    "ridgeless, the infimum over psi1 is approached as N/n -> infinity if and only if noise <= psi2 (2 - s)/s - 1, "
    "s/((1 - s)(psi2 - s)) = zeta^2; with more noise it is that of predicting zero, N/n -> 0"
)


_ERRATUM = Erratum(corrected=_CORRECTED, states=_dichotomy)
_MUTANTS = (
    Mutant(name="without-the-1", states=_wrong_threshold(UNDER.psi2 * (2 - SHARE) / SHARE)),
    Mutant(name="1-for-2", states=_wrong_threshold(UNDER.psi2 * (1 - SHARE) / SHARE - 1)),
    Mutant(name="roles-reversed", states=lambda setting: (_this_activation(setting, reversed_roles=True),)),
)

THEOREM = Theorem(
    slug="overparametrised-minimum",
    title="The least risk over all widths",
    source="T, slides after the theorem, and Insights",
    latex=(
        r"\inf_{\psi_1} R(\psi_1,\psi_2,0^+) = R(\infty,\psi_2,0^+) \iff "
        r"\frac{\tau^2}{\|\beta_0\|^2} \le \frac{\psi_2(2-s)}{s}-1"
    ),
    parameters={"psi2": 2},
    symbols=("psi2", "b_1", "b_star", "zeta"),
    evaluate=symbols,
    value=_threshold,
    value_name="the largest noise at which the ridgeless risk is least as psi1 -> infinity",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, LINEAR_PART),
    uses=("ridge-risk", "interpolation-singularity", "overparametrised-descent"),
    claims=(
        Shape(
            id="TL-GLOB",
            readings=(
                Reading(
                    document="T",
                    place="the slides with check marks after the theorem",
                    printed="Global minimum in the overparametrized regime",
                    states=_minimum_at_every_noise,
                    erratum=_ERRATUM,
                ),
            ),
            mutants=_MUTANTS,
        ),
        Shape(
            id="TL-GLOB",
            part="extreme",
            readings=(
                Reading(
                    document="T",
                    place="Insights, the ridgeless curve",
                    printed="Minimum risk at extreme overparametrization N/n -> inf",
                    states=_minimum_at_every_noise,
                    erratum=_ERRATUM,
                ),
            ),
            mutants=_MUTANTS,
        ),
    ),
)
