r"""The best penalty at a given width (T, slides The double-descent curve, "Optimal regularization -> 0").

noise = tau^2/||beta_0||^2, zeta = |b_1|/b_*. The print holds as psi1 -> infinity (optimal_ridge.py). It is false at
finite width, even without noise: for psi1 < psi2 a penalty always helps, and beyond psi2 it helps unless

    noise <= (1 - s) (s (1 - s) p A^2 - (1 - s) K^2 A - K^3)/(s^2 (1 - s) A^2 + K^2 A + K^3),    A = psi1 - psi2,

s/((1 - s)(psi2 - s)) = zeta^2, p = psi2 - s, K = psi2 - s^2, which increases with psi1 from -(1 - s) to 1/zeta^2. The
risk has one minimum over lambda.
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from proofs_checks.double_descent import (
    a,
    along,
    b,
    p,
    penalty_slope,
    penalty_slope_gain,
    penalty_slope_loss,
    point,
    reduced,
    slope_steps,
    v,
)
from proofs_checks.double_descent_thresholds import ridgeless_noise
from theorems.claim import Bound, Equation, Erratum, Mutant, Reading, Setting, Shape, Statement, Theorem
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
from theorems.thermodynamic.interpolation_singularity import NARROW, WIDE
from theorems.thermodynamic.random_feature_ridge import ACTIVATION

AT = point()


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


def _largest_noise(setting: Setting) -> arb:
    """Up to psi2, where a penalty always helps, the value at psi2, -(1 - s): no noise is below it."""
    psi1, psi2 = given(setting, "psi1"), given(setting, "psi2")
    return ridgeless_noise(slope_squared(setting), psi1.max(psi2), psi2)


THEOREM = Theorem(
    slug="optimal-ridge-at-a-width",
    title="The best penalty for random features at a given width",
    source="T, slides The double-descent curve",
    latex=(
        r"\arg\min_\lambda R(\psi_1,\psi_2,\lambda) = 0^+ \iff \psi_1>\psi_2\ \text{and}\ "
        r"\frac{\tau^2}{\|\beta_0\|^2} \le \tau_*(\zeta,\psi_1,\psi_2),\quad \tau_* \uparrow \zeta^{-2}"
    ),
    parameters={"psi1": 8, "psi2": 2},
    symbols=("psi1", "psi2", "b_1", "b_star", "zeta"),
    evaluate=symbols,
    value=_largest_noise,
    value_name="the largest noise at which no penalty is best; negative: a penalty helps without noise too",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, LINEAR_PART),
    uses=("ridge-risk", "interpolation-singularity", "optimal-ridge"),
    claims=(
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
                            "a threshold that increases with psi1 from -(1 - s), s/((1 - s)(psi2 - s)) = zeta^2, to "
                            "1/zeta^2, so SNR > zeta^2 and enough overparametrisation; for psi1 <= psi2 a penalty "
                            "always helps; over lambda there is one minimum"
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
    ),
)
