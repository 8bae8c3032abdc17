"""The max-margin classifier on noisy linear features: its limit, the symbols of it, and the observation of it.

T, slides Max-margin classification to Comparison. x ~ N(0, I_d), P(y = 1 | x) = f0(<beta_0, x>), ||beta_0|| = 1; w_j
uniform on the unit sphere, j <= N; u_j = b_1 <w_j, x> + b_* z_j; n samples; N/d -> psi1, n/d -> psi2;

    kappa_n = max over ||a|| <= 1 of min_i y_i <a, u_i>,    Err_n = P(y_new <a^, u_new> <= 0).

kappa_* and Err_* come from Gordon's comparison (proofs_checks/max_margin_derivation.py) with zeta = |b_1|/b_*. What is
sampled are the steadied forms of kappa_n and Err_n (simulate/max_margin.py), which differ by factors that tend to one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Literal

import flint
from flint import arb

from proofs_checks.ball_function import CannotDecide
from proofs_checks.margin_functional import LabelLaw, rational
from proofs_checks.max_margin import MaxMargin, max_margin, separability_threshold
from simulate.max_margin import error_cost, margin_cost
from theorems.activation import activation
from theorems.claim import Decision, Hypothesis, Observation, Setting
from theorems.thermodynamic.random_feature_ridge import neurons, samples

LADDER = (8, 16, 32, 64, 128, 256)
"""Gaps are about a percent at d = 8 already, and of what a second of work tells about the limit most comes from small
dimensions; whether the gaps fit the class is part of the verdict."""
BIAS_CLASS = "unit"
"""Why not `half`: in Gordon's problem kappa_n and Err_n are smooth functions of averages over n samples and N
directions, whose means expand in 1/d; they fluctuate by 1/sqrt d with a skewness of that order, which moves a median by
1/d. The factors that steady them are smooth functions of such averages too, over limits that are off by O(1/d). So,
away from the threshold, powers 1, 3/2, 2 occur, and 1/2 does not."""

_BITS = 128


def as_it_is(zeta: arb) -> arb:
    """zeta = |b_1|/b_*."""
    return zeta


def ratios(setting: Setting) -> tuple[Fraction, Fraction]:
    """N/d and n/d at this d, psi1 and psi2 in the limit."""
    if setting.dimension is None:
        return setting["psi1"], setting["psi2"]
    return Fraction(neurons(setting), setting.dimension), Fraction(samples(setting), setting.dimension)


def limit(setting: Setting) -> MaxMargin:
    """kappa_* (for b_* = 1), Err_* and the threshold at the actual N/d and n/d."""
    return solved(setting.activation.text, *ratios(setting), setting["labels"])


@cache
def zeta_of(sigma_text: str) -> arb:
    """|b_1|/b_* of the activation."""
    sigma = activation(sigma_text)
    with flint.ctx.workprec(_BITS):
        return abs(sigma.b1()) / sigma.b_star()


def margin_zeta(setting: Setting) -> arb:
    """|b_1|/b_* in this setting."""
    return zeta_of(setting.activation.text)


@cache
def solved(
    sigma_text: str, psi1: Fraction, psi2: Fraction, labels: str, zeta: Callable[[arb], arb] = as_it_is
) -> MaxMargin:
    """The limit in these circumstances, with a function of |b_1|/b_* in its place."""
    return max_margin(zeta(zeta_of(sigma_text)), psi1, psi2, LabelLaw.of(labels))


@cache
def _threshold(sigma_text: str, psi1: Fraction, labels: str) -> arb:
    return separability_threshold(zeta_of(sigma_text), psi1, LabelLaw.of(labels))


def threshold(setting: Setting) -> arb:
    """The n/d from which on the margin is zero, at the actual N/d."""
    return _threshold(setting.activation.text, ratios(setting)[0], setting["labels"])


def separability_symbols(setting: Setting) -> Mapping[str, arb]:
    """The values of the symbols that exist on both sides of the threshold."""
    psi1, psi2 = ratios(setting)
    with flint.ctx.workprec(_BITS):
        return {
            "psi1": rational(psi1),
            "psi2": rational(psi2),
            "b_1": setting.activation.b1(),
            "b_star": setting.activation.b_star(),
            "zeta": margin_zeta(setting),
            "psi2_star": threshold(setting),
        }


def symbols(setting: Setting) -> Mapping[str, arb]:
    """The values of the symbols of the slide in this setting."""
    found = limit(setting)
    return {**separability_symbols(setting), "kappa_star": found.kappa, "err_star": found.error}


def predicted_margin(setting: Setting) -> arb:
    """b_* kappa_*(zeta, psi1, psi2, f0), the limit of kappa_n."""
    with flint.ctx.workprec(_BITS):
        return setting.activation.b_star() * limit(setting).kappa


def predicted_error(setting: Setting) -> arb:
    """Err_*(zeta, psi1, psi2, f0)."""
    return limit(setting).error


Measured = Literal["steady_margin", "steady_error", "separable"]


def observed(measured: Measured) -> Callable[[Setting], Observation]:
    """One of the numbers that simulate/max_margin.py draws from noisy linear features."""

    def observe(setting: Setting) -> Observation:
        assert setting.dimension is not None
        shape = setting.dimension, neurons(setting), samples(setting)
        arguments: dict[str, Any] = {
            "neurons": shape[1],
            "samples": shape[2],
            "labels": setting["labels"],
            "features": "noisy_linear",
        }
        cost = error_cost(*shape, "noisy_linear") if measured == "steady_error" else margin_cost(*shape)
        return Observation(
            simulator=f"simulate.max_margin:{measured}",
            dimension=setting.dimension,
            arguments=arguments,
            cost=cost,
            activation=setting.activation.text,
        )

    return observe


def _separable(setting: Setting) -> Decision:
    if setting.activation.a1().holds is not True:
        return Decision(None, "zeta is not known")
    try:
        most = threshold(setting)
    except CannotDecide as error:
        return Decision(None, str(error))
    psi2 = rational(setting["psi2"])
    shown = most.str(8, radius=False)
    if psi2 < most:
        return Decision(True, f"n/d = {setting['psi2']} is below the threshold {shown}")
    return Decision(False if psi2 > most else None, f"not separable: the margin vanishes from n/d = {shown} on")


SEPARABLE = Hypothesis(
    name="separable",
    text="n/d is below the threshold at which kappa_* vanishes, so that there is a max-margin classifier",
    check=_separable,
)
