r"""The ridgeless risk is singular at the interpolation threshold N = n (T, slide Insights).

R = B + noise V, the excess test error over ||beta_0||^2, in the limit lambda -> 0+ after n, N, d -> infinity; noise =
tau^2/||beta_0||^2. For every zeta, psi1, psi2 > 0, with s(psi) in (0, 1) the root of s/((1 - s)(psi - s)) = zeta^2,

    psi1 < psi2:  B = psi2 (1 - s(psi1))/(psi2 - psi1),       V = psi1/(psi2 - psi1),
    psi1 > psi2:  B = psi2 (1 - s)/(psi1 - psi2) + psi2 (1 - s)^2/(psi2 - s^2),
                  V = psi2/(psi1 - psi2) + s^2/(psi2 - s^2),

s = s(psi2) in the last two. So |psi1 - psi2| R -> psi2 (1 - s + noise) from both sides: the singularity is a simple
pole with the same constant on the left and on the right, and it is there without noise as well, since s < 1: what the
features cannot express of their own nonlinearity acts as noise. On the right R - R(psi1 = infinity) is exactly this
constant over psi1 - psi2.
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from proofs_checks.double_descent import a, b, degrees, noise, p, point, reduced, risk, v, wide_risk
from proofs_checks.double_descent_thresholds import singular_constant
from theorems.claim import Bound, Equation, Identity, Mutant, Reading, Setting, Statement, Theorem
from theorems.steps import statements
from theorems.thermodynamic.descent_evidence import LINEAR_PART, given, slope_squared, symbols
from theorems.thermodynamic.random_feature_ridge import ACTIVATION

NARROW, WIDE = point(sp.S.Zero, b), point(a, sp.S.Zero)
"""The ridgeless limit for psi1 < psi2, where a = 0, and for psi1 > psi2, where b = 0."""
CONSTANT = degrees(point()) * (1 / (1 + v) + noise)
"""psi (1 - s + noise)."""


def closed_forms() -> tuple[Statement, ...]:
    """B and V without penalty, on both sides of the threshold."""
    bias, variance = NARROW.bias_variance()
    wide_bias, wide_variance = WIDE.bias_variance()
    psi, s = degrees(WIDE), WIDE.s
    return statements(
        (
            reduced("V for psi1 < psi2", variance, degrees(NARROW) / b),
            reduced("B for psi1 < psi2", bias, NARROW.psi2 * NARROW.rest / b),
            reduced("V for psi1 > psi2", wide_variance, psi / a + s**2 / (psi - s**2)),
            reduced("B for psi1 > psi2", wide_bias, psi * (1 - s) / a + psi * (1 - s) ** 2 / (psi - s**2)),
            reduced("s/((1 - s)(psi - s)) = zeta^2", s / ((1 - s) * (psi - s)), v / p),
            reduced("R - R(infinity) is the constant over psi1 - psi2", risk(WIDE) - wide_risk(s, psi), CONSTANT / a),
        )
    )


def poles(power: int = 1, level: sp.Expr = noise) -> tuple[sp.Expr, sp.Expr]:
    """The limits of |psi1 - psi2|^power R from the left and from the right."""
    left = sp.cancel(sp.together(b**power * risk(NARROW, level)))
    right = sp.cancel(sp.together(a**power * risk(WIDE, level)))
    return left.subs(b, 0), right.subs(a, 0)


def _simple_pole(setting: Setting) -> tuple[Statement, ...]:
    left, right = poles()
    return (
        *closed_forms(),
        Equation("(psi2 - psi1) R at the threshold, from the left", left, CONSTANT),
        Equation("(psi1 - psi2) R at the threshold, from the right", right, CONSTANT),
        Bound("the constant is positive, without noise too", sp.S.Zero, CONSTANT, strict=True, certificate=CONSTANT),
    )


def _double_pole(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("(psi1 - psi2)^2 R at the threshold", poles(2)[1], CONSTANT),)


def _noise_alone(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("(psi1 - psi2) R at the threshold", poles()[1], noise * degrees(point())),)


def _regular_without_noise(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("(psi1 - psi2) B at the threshold", poles(level=sp.S.Zero)[1], sp.S.Zero),)


def _constant(setting: Setting) -> arb:
    return singular_constant(slope_squared(setting), given(setting, "psi2"), given(setting, "noise"))


THEOREM = Theorem(
    slug="interpolation-singularity",
    title="The ridgeless risk is singular at the interpolation threshold",
    source="T, slide Insights",
    latex=r"\lim_{\psi_1\to\psi_2} |\psi_1-\psi_2|\,R(\psi_1,\psi_2,0^+) = \psi_2\,(\|\beta_0\|^2(1-s)+\tau^2)",
    parameters={"psi2": 2, "noise": "1/5"},
    symbols=("psi2", "noise", "b_1", "b_star", "zeta"),
    evaluate=symbols,
    value=_constant,
    value_name="the limit of |psi1 - psi2| R as psi1 -> psi2, over ||beta_0||^2",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, LINEAR_PART),
    uses=("ridge-risk",),
    claims=(
        Identity(
            id="TL-SING",
            readings=(
                Reading(
                    document="T",
                    place="Insights, the ridgeless curve",
                    printed="Singularity at the interpolation threshold",
                    states=_simple_pole,
                ),
            ),
            mutants=(
                Mutant(name="exponent-2", states=_double_pole),
                Mutant(name="through-the-noise-alone", states=_noise_alone),
                Mutant(name="regular-without-noise", states=_regular_without_noise),
            ),
        ),
    ),
)
