r"""Laws of a label given the signal g = <beta_0, x>: P(y = 1 | g) = f(g).

    "sign"            f(g) = 1 for g > 0
    "logistic:SLOPE"  f(g) = 1/(1 + exp(-SLOPE g))
    "probit:SLOPE"    f(g) = Phi(SLOPE g)

All have f(-g) = 1 - f(g). The slope is a positive rational number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from scipy.special import expit, ndtr

from simulate.hermite_quadrature import composite_gauss_legendre

FAR = 12.0
"""P(|G| > 12) is below 4e-33."""


@dataclass(frozen=True)
class LabelLaw:
    """One of the laws; `slope` is infinite for the sign."""

    kind: Literal["sign", "logistic", "probit"]
    slope: float

    def flips(self, size: np.ndarray) -> np.ndarray:
        """The probability that the label is not the sign of a signal of this size >= 0."""
        if self.kind == "sign":
            return np.zeros_like(size)
        return expit(-self.slope * size) if self.kind == "logistic" else ndtr(-self.slope * size)

    def draw(self, signal: np.ndarray, uniform: np.ndarray) -> np.ndarray:
        """Labels of +-1, from one uniform number each."""
        return np.where(signal > 0, 1.0, -1.0) * np.where(uniform < self.flips(np.abs(signal)), -1.0, 1.0)

    def error_given(self, signal: np.ndarray, score: np.ndarray) -> np.ndarray:
        """P(y score <= 0 | signal, score); a score of 0 is always an error."""
        flips = self.flips(np.abs(signal))
        return np.where(score == 0, 1.0, np.where(signal * score > 0, flips, 1 - flips))

    def gaussian_error(self, overlap: float, spread: float) -> float:
        r"""P(y s <= 0) where s = overlap g + spread h, g and h independent normal.

        With the angle t between s and g it is t/pi for the sign. A label that is the sign of a noisy signal,
        slope g + e, has the same form with the angle between s and that one. Otherwise

            t/pi + 2 \int_0^inf phi(g) P(flip | g) (2 Phi(overlap g/spread) - 1) dg,

        on panels that double from the finest scale of the integrand: its nearest singularities are about that far
        from 0, so on [h, 2h] sixteen Gauss nodes leave only rounding.
        """
        if overlap == 0 and spread == 0:
            return 1.0
        if self.kind == "probit":
            shrunk = overlap * self.slope / math.hypot(1, self.slope)
            return math.atan2(math.hypot(spread, overlap / math.hypot(1, self.slope)), shrunk) / math.pi
        angle = math.atan2(spread, overlap) / math.pi
        if self.kind == "sign":
            return angle
        # A steeper score than this is a sign but on |g| < 1e-17, which has no more probability than that.
        steepness = overlap / max(spread, 1e-18 * abs(overlap))
        nodes, weights = _half_line(max(1.0, self.slope, abs(steepness)))
        agreement = 2 * ndtr(steepness * nodes) - 1
        return angle + 2 * float(weights @ (self.flips(nodes) * agreement))

    def signal(self) -> float:
        """E[y g]."""
        nodes, weights = _half_line(max(1.0, min(self.slope, 1e9)))
        return 2 * float(weights @ (nodes * (1 - 2 * self.flips(nodes))))


def _half_line(steepness: float) -> tuple[np.ndarray, np.ndarray]:
    """A rule for integrals over g > 0 against the normal density, of what varies on the scale 1/steepness."""
    finest = 1 / (4 * steepness)
    doublings = math.ceil(math.log2(FAR / finest))
    nodes, weights = composite_gauss_legendre(np.concatenate([[0.0], finest * 2.0 ** np.arange(doublings + 1)]))
    return nodes, weights * np.exp(-(nodes**2) / 2) / math.sqrt(2 * math.pi)


def label_law(name: str) -> LabelLaw:
    """The law of that name."""
    kind, _, slope = name.partition(":")
    if name == "sign":
        return LabelLaw("sign", math.inf)
    if kind in ("logistic", "probit"):
        value = float(Fraction(slope or "1"))
        if 0 < value < math.inf:
            return LabelLaw("logistic" if kind == "logistic" else "probit", value)
    raise ValueError(f"labels are sign, logistic:SLOPE or probit:SLOPE with a positive slope, not {name!r}")
