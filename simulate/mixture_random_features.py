r"""Random features on a mixture of two Gaussians, with the data integrated out.

Given the weights, t_i = E[y sigma(<w_i,x>)] is half the difference of the two class means, K half the sum of the
two class Gram matrices, and the least risk over the coefficients is

    min_a E(y - sum_i a_i sigma(<w_i,x>))^2 = 1 - t' K^{-1} t,

exactly: nothing is expanded in Delta. Under the class of covariance C the pair (<w_i,x>, <w_j,x>) has the norms s_i
= <w_i,Cw_i>^(1/2) and the correlation r, so that the Gram matrix is sum_k a_k(s_i) a_k(s_j) r^k with the Hermite
coefficients a_k(s) = E[sigma(sG) h_k(G)]. With a free constant in the class, K loses m m', m the mean of the two
class means; E y = 0 leaves t as it is.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from simulate.activation_function import ActivationFunction
from simulate.gaussian_kernels import normalised_kernel, series_profile, tabulated_coefficients
from simulate.hermite_quadrature import (
    ACCURACY,
    MOST_INTERPOLATION_POINTS,
    PIECE_WIDTH,
    _settled_grid,
    coefficient_table,
    last_piece,
    norm_at,
    piece_of,
)
from simulate.mixture import Mixture, draw_weights, mixture, weight_covariance
from simulate.precision import batch_fits, over_replicates
from simulate.random_features import ORDERS, TRUNCATION, least_precision, likely_order, norm_interval

# --- the size of a feature as a function of the norm --------------------------------------------------


@lru_cache(maxsize=256)
def _log_energy_table(activation: ActivationFunction, piece: int, order: int) -> np.ndarray:
    """Chebyshev coefficients, in tau, of log E sigma(sG)^2 on one piece.

    The tables of `hermite_quadrature` are of coefficients over sqrt(E sigma(sG)^2); a feature has another norm in each
    class, so that here the square root counts. Its relative accuracy is that of the coefficients.
    """
    grid = _settled_grid(activation, piece, order)

    def at(points: np.ndarray) -> np.ndarray:
        norms = norm_at((piece + (points + 1) / 2) * PIECE_WIDTH, activation.gaussian_growth)
        exponents = -((grid.nodes / norms[:, None]) ** 2) / 2
        # Half of the Gaussian on either factor, so that an activation of Gaussian growth does not overflow.
        root = grid.values * np.exp(exponents / 2)
        return np.log((root * root) @ grid.weights / (norms * math.sqrt(2 * math.pi)))

    count = 16
    while count <= MOST_INTERPOLATION_POINTS:
        angles = (np.arange(count) + 0.5) * math.pi / count
        transform = np.cos(np.outer(np.arange(count), angles)) * (2 / count)
        transform[0] /= 2
        table = transform @ at(np.cos(angles))
        # Extrema of the last polynomial left out, where the interpolation error is largest.
        probes = np.cos(np.arange(count + 1) * math.pi / count)
        if np.abs(chebyshev.chebval(probes, table) - at(probes)).max() <= 4 * ACCURACY * (1 + np.abs(table).max()):
            return table
        count *= 2
    raise FloatingPointError("the second moment of the activation varies too fast with the norm to be interpolated")


def _table(activation: ActivationFunction, first: int, last: int, order: int) -> np.ndarray:
    """Normalised coefficients a_0..a_order and, in the last column, log E sigma^2: (pieces, points, order + 2)."""
    series = coefficient_table(activation, first, last, order)
    logs = [_log_energy_table(activation, piece, order) for piece in range(first, last + 1)]
    points = max(series.shape[1], *(len(log) for log in logs))
    column = np.stack([np.pad(log, (0, points - len(log))) for log in logs])
    padded = np.pad(series, ((0, 0), (0, points - series.shape[1]), (0, 0)))
    return np.concatenate([padded, column[:, :, None]], axis=2)


def _polynomial_degree(activation: ActivationFunction) -> int | None:
    closed = activation.closed_form
    return len(closed.numbers) - 1 if closed is not None and closed.family == "polynomial" else None


# --- the risk given the weights -----------------------------------------------------------------------


@partial(jax.jit, static_argnames=("dimension", "neurons", "offset", "side_by_side", "by_eigenvalues"))
def _replicates(
    keys: Array,
    gamma: Array,
    sigma: Array,
    delta: Array,
    table: Array,
    first: Array,
    growth: Array,
    floor: Array,
    *,
    dimension: int,
    neurons: int,
    offset: bool,
    side_by_side: bool,
    by_eigenvalues: bool,
) -> tuple[Array, ...]:
    """For each key: risk, least pivot, truncation bound, least and largest norm of usable neurons."""

    def one(weights: Array) -> tuple[Array, ...]:
        common = (weights * sigma) @ weights.T
        tilt = (weights * delta) @ weights.T if delta.ndim == 1 else weights @ (delta @ weights.T)
        covariances = (common - tilt, common + tilt)
        norms = jnp.stack([jnp.sqrt(jnp.diagonal(covariance)) for covariance in covariances])
        usable = jnp.all(1 / norms**2 - growth > floor, axis=0)
        both = usable[:, None] & usable[None, :]
        diagonal = jnp.eye(neurons, dtype=bool)
        rows = [tabulated_coefficients(table, first, growth, norm) for norm in norms]
        logs = jnp.stack([row[:, -1] for row in rows])
        # A feature may be multiplied by any number: here so that its second moment under the mixture is one.
        shift = jnp.max(logs, axis=0)
        scaled = jnp.exp(logs - shift)
        sizes = jnp.sqrt(scaled / jnp.mean(scaled, axis=0))
        kernel, means, largest, tail = jnp.zeros((neurons, neurons)), [], jnp.zeros(()), jnp.zeros(())
        for covariance, norm, row, size in zip(covariances, norms, rows, sizes, strict=True):
            cosine = jnp.clip(covariance / jnp.outer(norm, norm), -1, 1)
            largest = jnp.maximum(largest, jnp.max(jnp.where(diagonal | ~both, 0, jnp.abs(cosine))))
            tail = jnp.maximum(tail, jnp.max(jnp.where(usable, 1 - jnp.sum(row[:, :-1] ** 2, axis=1), 0)))
            profile = series_profile(row[:, :-1] * size[:, None])
            kernel = kernel + normalised_kernel("series", jnp.zeros(0), profile, profile, cosine) / 2
            means.append(profile.mean)
        kernel = jnp.where(diagonal, 1.0, kernel)
        if offset:
            mean = (means[0] + means[1]) / 2
            kernel = kernel - jnp.outer(mean, mean)
        kernel = jnp.where(both, kernel, diagonal.astype(jnp.float64))
        cross = jnp.where(usable, (means[0] - means[1]) / 2, 0)
        if by_eigenvalues:
            # Entries carry a few units of rounding and |K| <= N: smaller eigenvalues are noise.
            values, vectors = jnp.linalg.eigh(kernel)
            resolved = values > 8 * neurons * jnp.finfo(jnp.float64).eps * values[-1]
            explained = jnp.sum(jnp.where(resolved, (vectors.T @ cross) ** 2 / jnp.where(resolved, values, 1), 0))
            pivot = jnp.ones(())
        else:
            lower = jax.lax.linalg.cholesky(kernel, symmetrize_input=False)
            half = jax.lax.linalg.triangular_solve(lower, cross[:, None], left_side=True, lower=True)
            explained = jnp.sum(half**2)
            pivot = jnp.min(jnp.nan_to_num(jnp.diagonal(lower) ** 2, nan=0.0))
        # |sum_{k > order} a_k a'_k r^k| <= r^(order+1) sqrt(tail tail'); an entry mixes two of them, of weight <= 2.
        terms = table.shape[2] - 1
        slack = jnp.maximum(tail, 0) + 10 * ACCURACY * math.sqrt(terms)
        low = jnp.min(jnp.where(usable, norms, jnp.inf))
        high = jnp.max(jnp.where(usable, norms, 0))
        return 1 - explained, pivot, 2 * slack * largest**terms, low, high

    return over_replicates(lambda key: draw_weights(key, gamma, dimension, neurons), one, keys, side_by_side)


def mixture_risk(
    keys: Array,
    *,
    dimension: int,
    neurons: int,
    gamma: ArrayLike,
    sigma: ArrayLike,
    delta: ArrayLike,
    activation: ActivationFunction,
    offset: bool = False,
) -> Array:
    """The least risk of random features on the mixture, for the weights N(0, diag(gamma)/d) of each key.

    Neurons of infinite second moment in a class cannot be used and are left out. Raises FloatingPointError
    rather than return a number that is not as accurate as stated.
    """
    found = mixture(sigma, delta, dimension)
    gammas = weight_covariance(gamma, found, dimension)
    if neurons == 0:
        return jnp.ones(len(keys))
    spread = np.asarray(gammas) * found.sigma
    low, high = _norms_to_expect(spread, neurons, found)
    degree = _polynomial_degree(activation)
    order = max(degree, 2) if degree is not None else likely_order(dimension / float(np.mean(spread**2)), neurons)
    fits = batch_fits(len(keys), 8.0 * neurons * (8 * neurons + 2 * dimension + 4 * order))
    growth = activation.gaussian_growth
    risks, pending = np.full(len(keys), np.nan), np.ones(len(keys), dtype=bool)
    while pending.any():
        first, last = _pieces(activation, low, high)
        arguments = (
            gammas,
            jnp.asarray(found.sigma),
            jnp.asarray(found.delta),
            jnp.asarray(_table(activation, first, last, order)),
            jnp.asarray(float(first)),
            jnp.asarray(growth),
            jnp.asarray(least_precision(activation)),
        )
        run = partial(
            _replicates, keys, *arguments, dimension=dimension, neurons=neurons, offset=offset, side_by_side=fits
        )
        risk, pivot, truncation, least, largest = (np.array(part) for part in run(by_eigenvalues=False))
        # Below this a pivot is rounding, with a factor for the growth of errors.
        singular = ~(pivot > 1e3 * neurons * np.finfo(np.float64).eps)
        if np.any(singular & pending):
            risk = np.where(singular, np.asarray(run(by_eigenvalues=True)[0]), risk)
        shortest, longest = norm_at(np.asarray([first, last + 1]) * PIECE_WIDTH, growth)
        inside = (least >= shortest) & ((largest <= longest) | (largest == 0))
        settled = pending & inside & ((truncation <= TRUNCATION) | (degree is not None))
        risks[settled] = risk[settled]
        pending &= ~settled
        if pending.any():
            low, high = min(low, float(least[pending].min())), max(high, float(largest[pending].max()))
            order = _next_order(order) if np.any(truncation[pending] > TRUNCATION) and degree is None else order
    if not np.all(np.isfinite(risks)):
        raise FloatingPointError("a risk is not finite; scale the weights or the activation down")
    return jnp.asarray(risks)


def _norms_to_expect(spread: np.ndarray, neurons: int, found: Mixture) -> tuple[float, float]:
    """<w,Cw> lies between (1 -+ ||Sigma^-1/2 Delta Sigma^-1/2||_op) <w,Sigma w>."""
    low, high = norm_interval(spread, neurons)
    tilt = found.largest_tilt
    return low * math.sqrt(1 - tilt), high * math.sqrt(1 + tilt)


def _pieces(activation: ActivationFunction, low: float, high: float) -> tuple[int, int]:
    floor = max(least_precision(activation), 1e-24)
    ends = [piece_of(-math.log(max(norm**-2 - activation.gaussian_growth, floor)) / 2) for norm in (low, high)]
    limit = last_piece(activation)
    first, last = ends if limit is None else (min(end, limit) for end in ends)
    return first, last


def _next_order(order: int) -> int:
    if order >= ORDERS[-1]:
        raise FloatingPointError(
            "two of the weights are too nearly parallel for the kernel series; use a larger dimension"
        )
    return next(larger for larger in ORDERS if larger > 1.4 * order)


def mixture_risk_cost(dimension: int, neurons: int) -> float:
    """Flops of one replicate: draws, two matrices of inner products, two kernels, the factorisation."""
    order = likely_order(dimension, neurons)
    return 30.0 * neurons * dimension + neurons**2 * (4.0 * dimension + 4 * order) + neurons**3 / 3
