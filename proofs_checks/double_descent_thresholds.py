"""Closed forms for where the shape of the risk changes, for balls and float64 arrays alike.

s(zeta^2, psi2) is the share s = v/(1 + v) at g(p) = psi2: the ridgeless one of every psi1 >= psi2. Noise is
tau^2/||beta_0||^2, one over the signal-to-noise ratio.
"""

from __future__ import annotations

from typing import Any

from proofs_checks.double_descent import penalty_slope_gain, penalty_slope_loss
from proofs_checks.feature_ridge_point import RidgePoint, inverse_g, root_of


def ridgeless_point(zeta2: Any, psi1: Any, psi2: Any) -> RidgePoint:
    """The limit lambda_bar -> 0+ for psi1 > psi2."""
    return RidgePoint(zeta2, psi2, inverse_g(zeta2, psi2), psi1 - psi2, 0 * psi2)


def singular_constant(zeta2: Any, psi2: Any, noise: Any) -> Any:
    """The limit of |psi1 - psi2| R as psi1 -> psi2: psi2 (1 - s + noise)."""
    return psi2 * (ridgeless_point(zeta2, psi2, psi2).rest + noise)


def null_noise(zeta2: Any, psi2: Any) -> Any:
    """The noise at which the ridgeless risk at psi1 = infinity is that of the zero predictor: psi2 (2 - s)/s - 1."""
    at = ridgeless_point(zeta2, psi2, psi2)
    return psi2 * (1 + at.rest) / at.s - 1


def matching_noise(zeta2: Any, psi2: Any, lambda_bar: Any) -> Any:
    """The noise for which lambda_bar is the best penalty at psi1 = infinity."""
    return (1 + psi2 * lambda_bar) / zeta2


def best_penalty(zeta2: Any, psi2: Any, noise: Any) -> Any:
    """The lambda_bar that minimises the risk at psi1 = infinity where it is positive; otherwise the best is 0+."""
    return (noise * zeta2 - 1) / psi2


def ridgeless_noise(zeta2: Any, psi1: Any, psi2: Any) -> Any:
    """The noise up to which no penalty is best at this psi1 > psi2; negative: a penalty helps without noise too."""
    at = ridgeless_point(zeta2, psi1, psi2)
    return penalty_slope_gain(at) / penalty_slope_loss(at)


def ridgeless_width(zeta2: Any, psi2: Any) -> Any:
    """The psi1 beyond which no penalty is best without noise: the root of the gain, quadratic in psi1 - psi2."""
    at = ridgeless_point(zeta2, psi2, psi2)
    lead, middle, last = at.s * at.rest * at.p, at.rest * at.K**2, at.K**3
    return psi2 + (middle + root_of(middle * middle + 4 * lead * last)) / (2 * lead)
