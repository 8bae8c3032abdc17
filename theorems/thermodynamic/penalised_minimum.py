r"""The least risk over all widths at a fixed penalty (T, slide Insights, "Same at lambda > 0 fixed").

With noise = tau^2/||beta_0||^2 and lambda_bar = lambda/b_*^2, the minimum is at psi1 = infinity for every noise <=
(3/2)(1 + psi2 lambda_bar)/zeta^2, and no larger constant will do for all zeta, psi2, lambda. At given ones the exact
threshold is enclosed: beyond it either a finite width or the zero predictor is better.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import sympy as sp
from flint import arb

from proofs_checks.double_descent_gap import (
    MATCH,
    gap_steps,
    null_threshold,
    penalised_gap,
)
from proofs_checks.double_descent_thresholds import matching_noise
from proofs_checks.double_descent_widths import WidthCurve, curve_to, dominated_noise
from theorems.claim import (
    Decision,
    Equation,
    Erratum,
    Fact,
    Mutant,
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
    risk_at,
)
from theorems.thermodynamic.penalised_descent import BEST, worst_ratio
from theorems.thermodynamic.random_feature_ridge import ACTIVATION

LIMITS = ((Fraction(100), Fraction(10), Fraction(2)), (Fraction(250), Fraction(30), Fraction(5)),
          (Fraction(10**6), Fraction(30), Fraction(200)), (Fraction(5), Fraction(3), Fraction(1)))  # fmt: skip
"""zeta^2, and v and b at psi1 = infinity; beyond the threshold a finite width wins, on the last one zero."""


def _minimum_at_every_penalty(setting: Setting) -> tuple[Statement, ...]:
    wide, finite_width = risk_at(100, None, 2, 4, "1/2"), risk_at(100, 3, 2, 4, "1/2")
    where = "zeta^2 = 100, psi2 = 2, lambda_bar = 4, noise = 1/2"
    return (compared("least at N/n = infinity", {"R(infinity)": wide}, {"R(psi1 = 3)": finite_width}, where),)


def _condition(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(gap_steps()),
        always_positive("R > R(infinity) without noise", penalised_gap(sp.S.Zero)),
        always_positive("and at the largest noise, so between", penalised_gap(BEST * MATCH)),
        Equation("no constant above 3/2 will do", worst_ratio(), BEST),
        thresholds(lambda curve: Fraction(3, 2) * matching_noise(curve.zeta2, curve.psi2, curve.lambda_bar)),
    )


@cache
def _exact_threshold(place: tuple[Fraction, Fraction, Fraction]) -> tuple[WidthCurve, arb]:
    curve = curve_to(*place)
    return curve, dominated_noise(curve, place[1])


def thresholds(allowed: Callable[[WidthCurve], Fraction]) -> Fact:
    """At each curve: the allowed noise is at most the exact threshold."""
    wrong, figures = [], {}
    for place in LIMITS:
        curve, exact = _exact_threshold(place)
        limit = allowed(curve)
        where = f"zeta^2 = {curve.zeta2}, psi2 = {curve.psi2}, lambda_bar = {curve.lambda_bar}"
        figures[where] = f"allowed {float(limit):.6g}, exact {exact.str(8, radius=False)}"
        if not ball(limit) <= exact:
            wrong.append(
                f"at {where} another width wins from noise = {exact.str(8, radius=False)} on, not {float(limit):.6g}"
            )
    reason = wrong[0] if wrong else f"allowed <= exact at {len(LIMITS)} curves"
    return Fact("the exact threshold", Decision(not wrong, reason), certain=True, figures=figures)


def _zero_predictor(curve: WidthCurve) -> Fraction:
    """The noise at which the zero predictor is as good as the infinite width, rounded down."""
    share = Fraction(float(curve.infinite / (1 + curve.infinite))) + Fraction(1, 10**12)
    return null_threshold(curve.psi2, share)


THEOREM = Theorem(
    slug="penalised-minimum",
    title="The least risk over all widths at a fixed penalty",
    source="T, slide Insights",
    latex=(
        r"\inf_{\psi_1} R(\psi_1,\psi_2,\lambda) = R(\infty,\psi_2,\lambda)\ \text{if}\ "
        r"\frac{\tau^2}{\|\beta_0\|^2} \le \frac{3}{2}\,\frac{1+\psi_2\lambda/b_*^2}{\zeta^2}"
    ),
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, LINEAR_PART),
    uses=("ridge-risk", "penalised-descent"),
    claims=(
        Shape(
            id="TL-LAMFIX",
            readings=(
                Reading(
                    document="T",
                    place="Insights, the curves at lambda > 0",
                    printed="Same at lambda > 0 fixed: Minimum at N/n -> inf",
                    states=_minimum_at_every_penalty,
                    erratum=Erratum(
                        corrected=(
                            "the minimum is at N/n = infinity if noise <= (3/2)(1 + psi2 lambda_bar)/zeta^2 (so always "
                            "without noise), and 3/2 is the best constant; with enough noise a finite width or the "
                            "zero predictor is better"
                        ),
                        states=_condition,
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="constant-2",
                    states=lambda setting: (thresholds(lambda c: 2 * matching_noise(c.zeta2, c.psi2, c.lambda_bar)),),
                ),
                Mutant(name="only-zero-can-be-better", states=lambda setting: (thresholds(_zero_predictor),)),
                Mutant(
                    name="zeta-for-zeta^2",
                    states=lambda setting: (
                        thresholds(
                            lambda c: Fraction(3, 2) * (1 + c.psi2 * c.lambda_bar) / Fraction(float(c.zeta2) ** 0.5)
                        ),
                    ),
                ),
            ),
        ),
    ),
)
