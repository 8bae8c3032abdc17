"""The number of samples up to which noisy linear features separate the labels.

max_margin_derivation.py, step 4: with U the share of the variance of <beta_0, x> that the features explain (t = 0), a
positive margin exists iff N/n > h_*, h_* the minimum over omega of the convex function

    h(omega) = E(-p YG - q Z)_+^2,   p = U omega,   q^2 = 1 + U (1 - U) omega^2,
    h'(omega) = 2 U ((1 - U) omega pi - D).

Signs h'(low) <= 0 <= h'(high) prove a bracket of the minimum; h' grows, so h(m) + [h'(low), h'(high)] ([low, high] - m)
holds h_*. For U = 0 it is 1/2: Cover's n = 2N.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx
from scipy.optimize import brentq

from proofs_checks import max_margin_derivation as derivation
from proofs_checks.ball_function import CannotDecide
from proofs_checks.margin_functional import (
    BITS,
    LabelLaw,
    density_moment,
    distribution_moment,
    floating_moments,
    rational,
)
from proofs_checks.plain_arithmetic import arithmetic

Number = arb | Fraction | int
DIGITS = 22
"""Digits asked of the integrals: the bracket is 12 digits wide, so the slopes at its ends are told from zero."""


def as_ball(value: Number) -> arb:
    """The number as a ball."""
    return value if isinstance(value, arb) else rational(value)


def require_parameters(zeta: arb, **ratios: arb) -> None:
    """zeta is a number and the ratios are positive, or CannotDecide says which is not."""
    if not zeta.is_finite():
        raise CannotDecide(f"zeta = {zeta.str(6)} is not finite: b_* is not shown to be positive")
    for name, value in ratios.items():
        if not (value.is_finite() and value > 0):
            raise CannotDecide(f"{name} = {value.str(6)} is not shown to be positive and finite")


def explained_variance(zeta: arb, psi1: arb) -> arb:
    """U at t = 0, where w + U = psi1: a quadratic equation for zeta^2 w, its root in the form without cancellation."""
    square = zeta * zeta  # a power of a ball around zero would be nan
    b = 1 + square - psi1 * square
    root = (b * b + 4 * psi1 * square).sqrt()
    scaled = 2 * psi1 * square / (b + root) if b > 0 else (root - b) / 2
    return scaled / (1 + scaled)


@cache
def _forms() -> Callable[..., Any]:
    """Phi, D and pi at k = 0."""
    p, q = sp.symbols("p q")
    forms = derivation.functionals(sp.Integer(0), p, q)
    given = (p, q, derivation.J0, derivation.J2, derivation.K1)
    return arithmetic(given, [forms["Phi"], forms["D"], forms["pi"]])


def _value_and_slope(labels: LabelLaw, U: arb, omega: arb) -> tuple[arb, arb]:
    """h, and h' over 2 U."""
    zero, p, q = arb(0), U * omega, (1 + U * (1 - U) * omega * omega).sqrt()
    Phi, D, pi = _forms()(
        p,
        q,
        distribution_moment(labels, 0, zero, p, q, DIGITS),
        distribution_moment(labels, 2, zero, p, q, DIGITS),
        density_moment(labels, 1, zero, p, q, DIGITS),
    )
    return Phi, derivation.threshold_slope(omega, U, D, pi)


def _lowest_point(labels: LabelLaw, U: float) -> float:
    """The minimum over omega in double precision."""

    def slope(omega: float) -> float:
        p, q = U * omega, np.sqrt(1 + U * (1 - U) * omega**2)
        J0, _, J2, _, K1 = floating_moments(labels, 0.0, p, q)
        _, D, pi = _forms()(p, q, J0, J2, K1)
        return derivation.threshold_slope(omega, U, D, pi)

    high = 1.0
    while slope(high) < 0:
        high *= 4
        if high > 1e12:
            raise CannotDecide("the separability threshold lies beyond double precision")
    return float(brentq(slope, 0.0, high, xtol=1e-300, rtol=1e-15))  # pyright: ignore[reportArgumentType]


def floating_threshold(zeta: float, psi1: float, labels: LabelLaw) -> float:
    """The threshold in double precision, without a certificate."""
    U = float(explained_variance(arb(zeta), arb(psi1)))
    omega = _lowest_point(labels, U)
    p, q = U * omega, np.sqrt(1 + U * (1 - U) * omega**2)
    J0, _, J2, _, K1 = floating_moments(labels, 0.0, p, q)
    return float(psi1 / _forms()(p, q, J0, J2, K1)[0])


def separability_threshold(zeta: Number, psi1: Number, labels: LabelLaw) -> arb:
    """The n/d at which kappa_* vanishes, as a ball.

    >>> separability_threshold(0, 3, LabelLaw.of("logistic:1")).str(12, radius=False)  # n = 2 N
    '6.00000000000'
    """
    with ctx.workprec(BITS):
        zeta, psi1 = as_ball(zeta), as_ball(psi1)
        require_parameters(zeta, psi1=psi1)
        U = explained_variance(zeta, psi1)
        middle = arb(_lowest_point(labels, float(U.mid())))
        # From the width that double precision leaves the root uncertain; wider where that proves no bracket.
        for exponent in (-40, -32, -24, -16):
            width = arb(2) ** exponent
            before = _value_and_slope(labels, U, middle * (1 - width))[1]
            after = _value_and_slope(labels, U, middle * (1 + width))[1]
            if before <= 0 and after >= 0:
                value, _ = _value_and_slope(labels, U, middle)
                away = arb(0, (middle * width).upper())
                return psi1 / (value + 2 * U * before.union(after) * away)
    raise CannotDecide(f"the separability threshold of {labels} at zeta = {zeta.str(6)} could not be enclosed")
