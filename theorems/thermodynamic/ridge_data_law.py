r"""The law of the data in ridge regression on random features (T, the first slides and Precise asymptotics).

The talk takes x uniform on the sphere of radius sqrt d, or x ~ N(0, I_d), and prints one formula for both. They differ
at finite d where sigma has a mean or a quadratic part: the mean over w of sigma(<w, x>) depends on |x|, which is fixed
on the sphere and fluctuates by a relative 1/sqrt(2d) for Gaussian x. That adds to the n x N matrix of features a term
of rank one whose norm is of the order of that of the rest, sqrt d, so it is not small; but one direction among n and N
changes a trace by O(1/d), and it is uncorrelated with <beta_0, x>. So the limit is the same, and is checked here under
each law with activations that have both parts.
"""

from __future__ import annotations

from dataclasses import replace

from theorems.claim import Limit, Mutant, Reading, Setting, Theorem
from theorems.thermodynamic.random_feature_ridge import (
    ACTIVATION,
    BIAS_CLASS,
    LADDER,
    ROUNDED,
    Regime,
    mean_as_noise,
    observed,
    predicted,
    rescaled,
    symbols,
    zeta_of_the_slide,
)


def _quadratic_part_halved(place: Regime, setting: Setting) -> Regime:
    """Half of E[sigma(G)(G^2 - 1)]^2/2 missing in b_*^2, as if |x| absorbed it."""
    return rescaled(place, (place.b_star**2 - setting.activation.hermite(2) ** 2 / 4).sqrt())


def _unit_sphere(place: Regime, setting: Setting) -> Regime:
    """x/sqrt d for x: a linear part smaller by sqrt d, which vanishes in the limit."""
    return replace(place, zeta=place.zeta * 0)


_CHANGES = {
    "mean-counts-as-noise": mean_as_noise,
    "half-the-quadratic-part-absorbed-by-the-norm": _quadratic_part_halved,
    "nothing-linear-is-left": _unit_sphere,
    "zeta-as-on-the-slide": zeta_of_the_slide,
}

THEOREM = Theorem(
    slug="ridge-data-law",
    title="Ridge regression on random features: data on the sphere or Gaussian",
    source="T, the data model and Precise asymptotics",
    latex=r"x_i \sim \mathrm{Unif}(\mathbb{S}^{d-1}(\sqrt d)) \ \text{or}\ x_i \sim \mathsf{N}(0, I_d)",
    parameters={"psi1": 2, "psi2": 1, "ridge": "1/10", "noise": "1/10", "data": "gaussian"},
    symbols=("psi1", "psi2", "ridge", "noise", "b_1", "b_star", "zeta", "lambda_bar", "chi"),
    evaluate=symbols,
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    uses=("ridge-risk",),
    claims=(
        Limit(
            id="TL-SPHERE",
            observe=observed("excess_risk"),
            ladder=LADDER,
            whole=ROUNDED,
            bias_class=BIAS_CLASS,
            points=(
                {"psi1": "4/5", "psi2": "2/5", "ridge": "1/5", "data": "gaussian", "activation": "relu"},
                {"psi1": "4/5", "psi2": "2/5", "ridge": "1/5", "data": "sphere", "activation": "relu"},
                {"psi1": "2/5", "psi2": "4/5", "ridge": "1", "data": "gaussian", "activation": "x + x**2/2"},
                {"psi1": "2/5", "psi2": "4/5", "ridge": "1", "data": "sphere", "activation": "x + x**2/2"},
            ),
            resolution=0.03,
            resolution_reason="every mutant moves the excess risk by more than 3% at one of the points",
            readings=(
                Reading(
                    document="T",
                    place="the data model, with the excess risk B + noise V of Precise asymptotics at ||beta_0|| = 1",
                    printed="x_i ~ Unif(S^{d-1}(sqrt d)) or x_i ~ N(0, I_d), d >> 1",
                    states=predicted("excess_risk"),
                ),
            ),
            mutants=tuple(
                Mutant(name=name, states=predicted("excess_risk", change=change)) for name, change in _CHANGES.items()
            ),
        ),
    ),
)
