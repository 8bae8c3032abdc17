"""Ridge regression on random features: the symbols of its limit, its predictions, and the observation of it.

T, slides Ridge regression and Precise asymptotics. w_i uniform on the unit sphere, i <= N; x uniform on the sphere of
radius sqrt d or N(0, I_d); y = <beta_0, x> + eps, tau^2 = E eps^2; a^ minimises the mean square over n samples plus
(N lambda/d) ||a||^2; N/d -> psi1, n/d -> psi2. Every limit is ||beta_0||^2 times one function of

    zeta = |b_1|/b_*,   psi1,   psi2,   lambda_bar = lambda/b_*^2

plus tau^2 times another (proofs_checks/feature_ridge.py). Here ||beta_0|| = 1 and `noise` is tau^2. The slide prints
zeta = b_1^2/b_*^2; the formulas below it are right with the square root of that, which is what zeta means here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Literal

import flint
from flint import arb

from proofs_checks.feature_ridge import coefficient_norm, ridge_risk, training_error
from simulate.feature_ridge import ridge_regression_cost
from theorems.activation import activation
from theorems.claim import Decision, Hypothesis, Observation, Prediction, Setting

Quantity = Literal["excess_risk", "test_error", "training_error", "coefficient_norm"]
Part = Literal["signal", "noise", "both"]
"""beta_0 alone (tau = 0), the noise alone (beta_0 = 0, tau = 1), or ||beta_0|| = 1 with tau^2 = `noise`."""

LADDER = (25, 50, 100, 200, 400, 800)
ROUNDED = ("psi1", "psi2")
"""N = psi1 d and n = psi2 d are rounded."""

BIAS_CLASS = "unit"
"""Why not `half`: averaged over beta_0, the noise and x, what is observed is a smooth function of normalised traces of
random matrices. Their means expand in 1/d, they fluctuate by 1/d with a skewness that vanishes, so that a median
differs from the mean by less than 1/d; a mean component of the features, or the fluctuating norm of a Gaussian x, is of
rank one or two and moves a trace by 1/d. Powers 1, 3/2, 2 cover this, and 1/2 does not occur."""

_BITS = 160


@dataclass(frozen=True, eq=False)
class Regime:
    """The arguments of the limits; b_star only sets the scale of the coefficients."""

    zeta: arb
    psi1: arb
    psi2: arb
    lambda_bar: arb
    b_star: arb

    def pair(self, quantity: Quantity) -> tuple[arb, arb]:
        """The factors of ||beta_0||^2 and tau^2."""
        place = self.zeta, self.psi1, self.psi2, self.lambda_bar
        if quantity == "training_error":
            return training_error(*place)
        if quantity == "coefficient_norm":
            signal, noise = coefficient_norm(*place)
            return signal / self.b_star**2, noise / self.b_star**2
        risk = ridge_risk(*place)
        # A fresh response carries a noise of its own, whatever is predicted.
        return risk.bias, risk.variance + (1 if quantity == "test_error" else 0)


Change = Callable[[Regime, Setting], Regime]
"""How a wrong version misplaces the arguments."""


def neurons(setting: Setting) -> int:
    """N = round(psi1 d), at least one."""
    return _whole(setting, "psi1")


def samples(setting: Setting) -> int:
    """n = round(psi2 d), at least one."""
    return _whole(setting, "psi2")


def _whole(setting: Setting, ratio: str) -> int:
    assert setting.dimension is not None
    return max(1, round(setting[ratio] * setting.dimension))


def _actual(setting: Setting, ratio: str) -> Fraction:
    if setting.dimension is None:
        return setting[ratio]
    return Fraction(_whole(setting, ratio), setting.dimension)


def regime(setting: Setting) -> Regime:
    """The arguments in this setting, at the actual N/d and n/d."""
    return _regime(setting.activation.text, _actual(setting, "psi1"), _actual(setting, "psi2"), setting["ridge"])


@cache
def _regime(sigma_text: str, psi1: Fraction, psi2: Fraction, ridge: Fraction) -> Regime:
    sigma = activation(sigma_text)
    with flint.ctx.workprec(_BITS):
        b_star = sigma.b_star()
        return Regime(abs(sigma.b1()) / b_star, _ball(psi1), _ball(psi2), _ball(ridge) / b_star**2, b_star)


def _ball(value: Fraction) -> arb:
    return arb(value.numerator) / value.denominator


def symbols(setting: Setting) -> Mapping[str, arb]:
    """The values of the symbols of the slide in this setting."""
    place = regime(setting)
    with flint.ctx.workprec(_BITS):
        return {
            "psi1": place.psi1,
            "psi2": place.psi2,
            "ridge": _ball(setting["ridge"]),
            "noise": _ball(setting["noise"]),
            "b_1": setting.activation.b1(),
            "b_star": place.b_star,
            "zeta": place.zeta,
            "lambda_bar": place.lambda_bar,
            "chi": ridge_risk(place.zeta, place.psi1, place.psi2, place.lambda_bar).chi,
        }


def predicted(quantity: Quantity, part: Part = "both", change: Change | None = None) -> Prediction:
    """The limit of a quantity; with a `change`, what a wrong version of the theorem says."""

    def states(setting: Setting) -> arb:
        place = regime(setting)
        with flint.ctx.workprec(_BITS):
            signal, noise = (place if change is None else change(place, setting)).pair(quantity)
            if part != "both":
                return signal if part == "signal" else noise
            return signal + _ball(setting["noise"]) * noise

    return states


def observed(quantity: Quantity, part: Part = "both", features: str = "nonlinear") -> Callable[[Setting], Observation]:
    """The quantity given weights and data, averaged over beta_0, the noise and a fresh x."""

    def observe(setting: Setting) -> Observation:
        assert setting.dimension is not None
        signal, noise = {"signal": (1.0, 0.0), "noise": (0.0, 1.0), "both": (1.0, float(setting["noise"]))}[part]
        return Observation(
            simulator="simulate.feature_ridge:ridge_regression",
            dimension=setting.dimension,
            arguments=design(setting) | {"quantity": quantity, "features": features, "signal": signal, "noise": noise},
            cost=ridge_regression_cost(setting.dimension, neurons(setting), samples(setting)),
            activation=setting.activation.text,
        )

    return observe


def design(setting: Setting) -> dict[str, int | float | str]:
    """The arguments that say what is drawn and how it is fitted."""
    return {
        "neurons": neurons(setting),
        "samples": samples(setting),
        "ridge": float(setting["ridge"]),
        "data": setting["data"],
    }


# --- wrong versions -----------------------------------------------------------------------------------


def zeta_of_the_slide(place: Regime, setting: Setting) -> Regime:
    """b_1^2/b_*^2."""
    return replace(place, zeta=place.zeta**2)


def without_psi1(place: Regime, setting: Setting) -> Regime:
    """chi taken at i sqrt(psi2 lambda_bar)."""
    return replace(place, lambda_bar=place.lambda_bar / place.psi1)


def without_psi2(place: Regime, setting: Setting) -> Regime:
    """chi taken at i sqrt(psi1 lambda_bar)."""
    return replace(place, lambda_bar=place.lambda_bar / place.psi2)


def swapped(place: Regime, setting: Setting) -> Regime:
    return replace(place, psi1=place.psi2, psi2=place.psi1)


def bare_ridge(place: Regime, setting: Setting) -> Regime:
    """lambda instead of lambda/b_*^2."""
    return replace(place, lambda_bar=_ball(setting["ridge"]))


def ridge_of_the_sum(place: Regime, setting: Setting) -> Regime:
    """The penalty of a mean square taken for that of a sum over n samples, in units of d."""
    return replace(place, lambda_bar=place.lambda_bar * place.psi2)


def mean_as_noise(place: Regime, setting: Setting) -> Regime:
    """b_*^2 = E sigma^2 - b_1^2, which leaves the mean E sigma(G) in."""
    return rescaled(place, setting.activation.lambda_tilde().sqrt())


def rescaled(place: Regime, b_star: arb) -> Regime:
    """The arguments if b_* were another number."""
    ratio = place.b_star / b_star
    return replace(place, zeta=place.zeta * ratio, lambda_bar=place.lambda_bar * ratio**2, b_star=b_star)


# --- hypotheses ---------------------------------------------------------------------------------------


def _finite_and_not_affine(setting: Setting) -> Decision:
    return setting.activation.a1()


ACTIVATION = Hypothesis(
    name="b_* > 0",
    text="sigma(u)^2 <= c0 exp(c1 u^2/2), c1 < 1, so that b_1 and b_* exist, and sigma is not affine, so that b_* > 0",
    check=_finite_and_not_affine,
)
