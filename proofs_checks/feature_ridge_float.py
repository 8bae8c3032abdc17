"""B and V of feature ridge regression on float64 arrays, to about 14 digits.

The formulas are those of `feature_ridge_point.py`, sums of positive terms. The root p of g(p) + delta(p) = least
comes from Newton's method from a lower bound: the left side is concave and increasing, so each tangent meets `least`
at or before the root, and the iterates increase towards it; they stop where rounding stops them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proofs_checks.feature_ridge_point import Balance, LinearGap, RidgeGap, RidgePoint

Array = NDArray[np.float64]
_MOST_STEPS = 200
"""About ten are taken; a step is quadratic near the root, and doubles the exponent far below it."""


def fast_bias_variance(zeta: ArrayLike, psi1: ArrayLike, psi2: ArrayLike, lambda_bar: ArrayLike) -> tuple[Array, Array]:
    """(B, V) for arrays that broadcast together; lambda_bar = 0 is the ridgeless limit, infinite at psi1 = psi2."""
    slope, first, second, penalty = _arrays(zeta, psi1, psi2, lambda_bar)
    singular = (penalty == 0) & (first == second)
    bias, variance = fast_point(slope, first, second, np.where(singular, 1.0, penalty)).bias_variance()
    return np.where(singular, np.inf, bias), np.where(singular, np.inf, variance)


def fast_point(zeta: ArrayLike, psi1: ArrayLike, psi2: ArrayLike, lambda_bar: ArrayLike) -> RidgePoint:
    """p, a_1 and a_2, which give training error and norm too; lambda_bar > 0, or = 0 where psi1 != psi2."""
    slope, first, second, penalty = _arrays(zeta, psi1, psi2, lambda_bar)
    more = first - second
    gap = RidgeGap(first * second * penalty, np.abs(more))
    p = _root(Balance(slope**2, np.minimum(first, second), gap))
    delta = gap.value(p)
    return RidgePoint(slope**2, second, p, delta + np.maximum(more, 0.0), delta + np.maximum(-more, 0.0))


def fast_wide(zeta: ArrayLike, psi2: ArrayLike, lambda_bar: ArrayLike) -> tuple[Array, Array]:
    """The limits of B and V as psi1 -> infinity; lambda_bar >= 0."""
    return _linear(zeta, psi2, lambda_bar).wide()


def fast_large_sample(zeta: ArrayLike, psi1: ArrayLike, lambda_bar: ArrayLike) -> tuple[Array, Array]:
    """The limits of B and V as psi2 -> infinity; lambda_bar >= 0."""
    return _linear(zeta, psi1, lambda_bar).large_sample()


def _linear(zeta: ArrayLike, psi: ArrayLike, lambda_bar: ArrayLike) -> RidgePoint:
    slope, ratio, penalty = _arrays(zeta, psi, lambda_bar)
    gap = LinearGap(ratio * penalty)
    p = _root(Balance(slope**2, ratio, gap))
    return RidgePoint(slope**2, ratio, p, gap.value(p), gap.value(p))


def _arrays(zeta: ArrayLike, *rest: ArrayLike) -> tuple[Array, ...]:
    """zeta, the ratios psi, and lambda_bar last, as arrays of one shape."""
    slope, *ratios, penalty = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (zeta, *rest)))
    signs = [slope >= 0, penalty >= 0, *(ratio > 0 for ratio in ratios)]
    if not all(np.all(sign & np.isfinite(array)) for sign, array in zip(signs, (slope, penalty, *ratios), strict=True)):
        raise ValueError("give finite zeta >= 0, psi > 0 and lambda_bar >= 0")
    return slope, *ratios, penalty


def _root(balance: Balance) -> Array:
    with np.errstate(divide="ignore"):  # the gap's bound is infinite where there is no penalty
        p = balance.least_root()
    for _ in range(_MOST_STEPS):
        better = p - balance.excess(p) / balance.slope(p)
        if not np.any(better > p):
            return p
        p = np.maximum(p, better)
    raise ArithmeticError("Newton's iterates did not settle: the parameters are beyond what float64 can hold.")
