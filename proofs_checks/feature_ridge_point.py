"""The point (nu_1, nu_2) on the imaginary axis, and every formula of feature ridge regression at it.

With xi = i t, t^2 = psi1 psi2 lambda_bar, and nu_j = i n_j, n_j > 0, the printed pair of equations reads

    n_j t = psi_j - g(p),   g(p) = p + s,   s = zeta^2 p/(1 + zeta^2 p),   p = n_1 n_2 = -chi.

Write a_j = psi_j - g(p) for n_j t. The product of the two is one equation for p, a_1 a_2 = t^2 p, and with K = p
g'(p) = p + s (1 - s) and D = a_1 a_2 + K (a_1 + a_2) the printed polynomials are sums of positive terms:

    E_0 = -(1 + zeta^2 p)^3 D,   E_1 = -(1 + zeta^2 p)^3 psi2 (1 - s) ((1 - s) a_1 + K),
    E_2 = -(1 + zeta^2 p)^3 (K^2 + s^2 (a_1 + K)).

So B = E_1/E_0 and V = E_2/E_0 lose no digit to cancellation, at N = n either (`feature_ridge_steps.py` proves this).
The formulas take balls, float64 arrays and SymPy expressions alike. What may be zero is squared by a product, since
python-flint answers nan for the power of a ball centred at zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb


@dataclass(frozen=True, eq=False)
class RidgePoint:
    """p = n_1 n_2 with a_1 = psi1 - g(p), a_2 = psi2 - g(p), at given zeta^2 and psi2."""

    zeta2: Any
    psi2: Any
    p: Any
    a1: Any
    a2: Any

    @property
    def rest(self) -> Any:
        """1 - s, the share of a linear function that the regularised features leave."""
        return 1 / (1 + self.zeta2 * self.p)

    @property
    def s(self) -> Any:
        return self.zeta2 * self.p * self.rest

    @property
    def K(self) -> Any:
        """p g'(p)."""
        return self.p + self.s * self.rest

    @property
    def D(self) -> Any:
        return self.a1 * self.a2 + self.K * (self.a1 + self.a2)

    def bias_numerator(self) -> Any:
        return self.psi2 * self.rest * (self.rest * self.a1 + self.K)

    def variance_numerator(self) -> Any:
        return self.K**2 + self.s * self.s * (self.a1 + self.K)

    def bias_variance(self) -> tuple[Any, Any]:
        """(B, V)."""
        return self.bias_numerator() / self.D, self.variance_numerator() / self.D

    def wide(self) -> tuple[Any, Any]:
        """(B, V) as psi1 -> infinity, where D/psi1 -> a_2 + K."""
        scale = self.a2 + self.K
        return self.psi2 * self.rest**2 / scale, self.s * self.s / scale

    def large_sample(self) -> tuple[Any, Any]:
        """(B, V) as psi2 -> infinity, where D/psi2 -> a_1 + K."""
        return self.rest * (self.rest * self.a1 + self.K) / (self.a1 + self.K), 0 * self.p

    def polynomials(self) -> tuple[Any, Any, Any]:
        """(E_0, E_1, E_2)."""
        scale = -((1 + self.zeta2 * self.p) ** 3)
        return scale * self.D, scale * self.bias_numerator(), scale * self.variance_numerator()

    def training_error(self) -> tuple[Any, Any]:
        """(a_2/psi2)^2 times (B, 1 + V): the test error shrunk by (1 - df/n)^2, df = d g(p)."""
        shrink = (self.a2 / self.psi2) ** 2
        return shrink * self.bias_numerator() / self.D, shrink * self.psi2 * (self.a1 + self.K) / self.D

    def coefficient_norm(self) -> tuple[Any, Any]:
        """The limits of b_*^2 ||a||^2 per ||beta_0||^2 and per tau^2."""
        return self.p * self.rest * (self.K + self.s * self.a2) / self.D, self.p * self.K / self.D

    def objective(self) -> tuple[Any, Any]:
        """(a_2/psi2) times (1 - s, 1): training error plus penalty."""
        return self.a2 / self.psi2 * self.rest, self.a2 / self.psi2


def root_of(value: Any) -> Any:
    return value.sqrt() if isinstance(value, arb) else np.sqrt(value)


@dataclass(frozen=True, eq=False)
class RidgeGap:
    """delta(p) > 0 with delta (delta + excess) = t^2 p: the smaller of a_1, a_2, where excess = |psi1 - psi2|.

    It increases, is concave, and is written without a difference.
    """

    square: Any
    excess: Any

    def _root(self, p: Any) -> Any:
        return root_of(self.excess * self.excess + 4 * self.square * p)

    def value(self, p: Any) -> Any:
        return 2 * self.square * p / (self.excess + self._root(p))

    def slope(self, p: Any) -> Any:
        return self.square / self._root(p)

    def inverse(self, level: Any) -> Any:
        return level * (level + self.excess) / self.square


@dataclass(frozen=True, eq=False)
class LinearGap:
    """delta(p) = rate p: what is left of the other one as psi1 or psi2 tends to infinity."""

    rate: Any

    def value(self, p: Any) -> Any:
        return self.rate * p

    def slope(self, p: Any) -> Any:
        return self.rate + 0 * p

    def inverse(self, level: Any) -> Any:
        return level / self.rate


@dataclass(frozen=True, eq=False)
class NoGap:
    """delta = 0: no penalty, psi1 != psi2."""

    def value(self, p: Any) -> Any:
        return 0 * p

    def slope(self, p: Any) -> Any:
        return 0 * p

    def inverse(self, level: Any) -> Any:
        return arb.pos_inf() if isinstance(level, arb) else np.full_like(level, np.inf)


Gap = RidgeGap | LinearGap | NoGap


@dataclass(frozen=True, eq=False)
class Balance:
    """The equation g(p) + delta(p) = least, least = min(psi1, psi2): its left side increases and is concave."""

    zeta2: Any
    least: Any
    gap: Gap

    def excess(self, p: Any) -> Any:
        """Left side minus right side."""
        q = self.zeta2 * p
        return p + q / (1 + q) + self.gap.value(p) - self.least

    def slope(self, p: Any) -> Any:
        """Its derivative, which decreases in p."""
        return 1 + self.zeta2 / (1 + self.zeta2 * p) ** 2 + self.gap.slope(p)

    def least_root(self) -> Any:
        """A lower bound of the solution: g and delta are both at most least/2 there."""
        half = self.least / 2
        return smaller(inverse_g(self.zeta2, half), self.gap.inverse(half))


def inverse_g(zeta2: Any, level: Any) -> Any:
    """p with g(p) = level: the positive root of zeta^2 p^2 + (1 + zeta^2 (1 - level)) p = level.

    Whichever of the two ways to write it has no difference is taken.
    """
    middle = 1 + zeta2 * (1 - level)
    larger = abs(middle) + root_of(middle * middle + 4 * zeta2 * level)
    if isinstance(middle, arb):
        return 2 * level / larger if middle > 0 else larger / (2 * zeta2)
    with np.errstate(divide="ignore"):  # zeta = 0 has middle = 1
        return np.where(middle > 0, 2 * level / larger, larger / (2 * zeta2))


def smaller(one: Any, other: Any) -> Any:
    return one.min(other) if isinstance(one, arb) else np.minimum(one, other)
