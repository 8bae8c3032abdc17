r"""Random features on a linear function, with the data integrated out.

x ~ N(0, I_d); weights w_1..w_N ~ N(0, diag(gamma)/d); the target is f(x) = <beta, x>. Given the weights, the least
risk over the coefficients of sum_i a_i sigma(<w_i, x>) is

    R(W) = 1 - t' K^{-1} t,   K_ij = E sigma(<w_i,x>) sigma(<w_j,x>),   t_i = lambda_1(s_i) <w_i, beta>/(s_i |beta|),

s_i = |w_i|, lambda_1(s) = E[sigma(sG) G]. Kernel and coefficients are Mehler series in the normalised Hermite
coefficients of sigma(s_i .), which are exact for polynomials and tabulated by quadrature otherwise.

R(W) is a quadratic form in beta/|beta|, so its average over all directions of beta is the average over an orthonormal
basis: one factorisation gives it, and its fluctuations are O(1/d) where those of one direction are O(1/sqrt d).
"""

from __future__ import annotations

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.activation_function import ActivationFunction
from simulate.gaussian_kernels import (
    family_of,
    normalised_kernel,
    polynomial_coefficients,
    series_profile,
    tabulated_coefficients,
)
from simulate.hermite_quadrature import PIECE_WIDTH, coefficient_table, last_piece, norm_at, piece_of
from simulate.precision import batch_fits, float64_vector, over_replicates
from simulate.random_features import (
    ORDERS,
    TRUNCATION,
    least_precision,
    likely_order,
    norm_interval,
    population_risk_cost,
    sample_weights,
)


def _tables(
    activation: ActivationFunction, low: float, high: float, order: int
) -> tuple[Array, Array, tuple[float, float]]:
    """Polynomial coefficients, or the table for norms in [low, high] with its first piece, and the norms it holds."""
    closed = activation.closed_form
    if closed is not None and closed.family == "polynomial":
        return jnp.asarray(family_of(closed)[1]), jnp.zeros((0, 0, 0)), (0.0, math.inf)
    growth, limit = activation.gaussian_growth, last_piece(activation)
    floor = max(least_precision(activation), 1e-24)  # beyond it tau has no meaning: such neurons are left out
    first, last = (piece_of(-math.log(max(norm**-2 - growth, floor)) / 2) for norm in (low, high))
    if limit is not None:
        first, last = min(first, limit), min(last, limit)
    table = coefficient_table(activation, first, last, order)
    held = norm_at(np.asarray([first, last + 1]) * PIECE_WIDTH, growth)
    return jnp.asarray([float(first)]), jnp.asarray(table), (float(held[0]), float(held[1]))


@partial(jax.jit, static_argnames=("dimension", "neurons", "polynomial", "offset", "side_by_side"))
def _replicates(
    keys: Array,
    gamma: Array,
    targets: Array,
    numbers: Array,
    table: Array,
    growth: Array,
    least: Array,
    *,
    dimension: int,
    neurons: int,
    polynomial: bool,
    offset: bool,
    side_by_side: bool,
) -> tuple[Array, ...]:
    """For each key: risk, least squared pivot, bound on the truncation, least and largest usable norm."""

    def one(weights: Array) -> tuple[Array, ...]:
        norms = jnp.linalg.norm(weights, axis=1)
        directions = weights / norms[:, None]
        if polynomial:
            series = polynomial_coefficients(numbers, norms)
        else:
            series = tabulated_coefficients(table, numbers[0], growth, norms)
        usable = 1 / norms**2 - growth > least
        profile = series_profile(series)
        cosine = jnp.clip(directions @ directions.T, -1, 1)
        both = usable[:, None] & usable[None, :]
        identity = jnp.eye(neurons)
        # The second moment of a scaled feature is one by definition; a neuron left out gets the identity's row.
        kernel = jnp.where(identity > 0, 1.0, normalised_kernel("series", numbers, profile, profile, cosine))
        if offset:
            kernel = kernel - profile.mean[:, None] * profile.mean[None, :]
        kernel = jnp.where(both, kernel, identity)
        cross = jnp.where(usable[:, None], series[:, 1:2] * (directions @ targets), 0)
        lower = jax.lax.linalg.cholesky(kernel, symmetrize_input=False)
        explained = jax.lax.linalg.triangular_solve(lower, cross, left_side=True, lower=True)
        pivot = jnp.min(jnp.nan_to_num(jnp.diagonal(lower) ** 2, nan=0.0))
        largest = jnp.max(jnp.where(both & (identity == 0), jnp.abs(cosine), 0))
        # sum_{k > order} |a_k a'_k r^k| <= r^(order+1), since the squares of the coefficients sum to one
        truncation = jnp.zeros(()) if polynomial else largest ** series.shape[1]
        low = jnp.min(jnp.where(usable, norms, jnp.inf))
        return 1 - jnp.sum(explained**2), pivot, truncation, low, jnp.max(jnp.where(usable, norms, 0))

    def draw(key: Array) -> Array:
        return jax.random.normal(key, (neurons, dimension), dtype=jnp.float64) * jnp.sqrt(gamma / dimension)

    return over_replicates(draw, one, keys, side_by_side)


def _targets(direction: ArrayLike | None, dimension: int) -> Array:
    """Columns whose squared overlaps are summed: beta/|beta|, or an orthonormal basis over sqrt d."""
    if direction is None:
        return jnp.eye(dimension) / math.sqrt(dimension)
    beta = float64_vector(direction, dimension, "direction")
    if not np.any(np.asarray(beta)):
        raise ValueError("the target is zero, so its risk cannot be normalised")
    return (beta / jnp.linalg.norm(beta))[:, None]


def linear_risk(
    keys: Array,
    *,
    dimension: int,
    neurons: int,
    gamma: ArrayLike,
    activation: ActivationFunction,
    direction: ArrayLike | None = None,
    offset: bool = False,
) -> Array:
    """R(W) for the weights of each key (those of `random_features.sample_weights`), normalised by E f^2.

    `direction` is beta; None stands for the average over all directions.
    Raises FloatingPointError rather than return a number that the kernel's conditioning has spoilt.
    """
    sample_weights(keys[0], dimension=dimension, neurons=1, gamma=gamma)  # refuses a gamma that is no covariance
    gammas = float64_vector(gamma, dimension, "gamma")
    targets = _targets(direction, dimension)
    low, high = norm_interval(np.asarray(gammas), neurons)
    order = likely_order(dimension / float(jnp.mean(gammas**2)), neurons)
    polynomial = activation.closed_form is not None and activation.closed_form.family == "polynomial"
    # Kernel, cosines, factor and their temporaries, and the weights.
    fits = batch_fits(len(keys), 8.0 * neurons * (6 * neurons + 3 * dimension))
    risks, pending = np.full(len(keys), np.nan), np.ones(len(keys), dtype=bool)
    while True:
        numbers, table, held = _tables(activation, low, high, order)
        results = _replicates(
            keys,
            gammas,
            targets,
            numbers,
            table,
            jnp.asarray(activation.gaussian_growth),
            jnp.asarray(least_precision(activation)),
            dimension=dimension,
            neurons=neurons,
            polynomial=polynomial,
            offset=offset,
            side_by_side=fits,
        )
        risk, pivot, truncation, least, largest = (np.asarray(part) for part in results)
        inside = (least >= held[0]) & ((largest <= held[1]) | (largest == 0))
        settled = pending & inside & (truncation <= TRUNCATION)
        # An entry of the kernel carries TRUNCATION, so its quadratic form N times that: a pivot must be well above.
        if np.any(pivot[settled] <= 1e3 * neurons * max(np.finfo(np.float64).eps, float(truncation.max()))):
            raise FloatingPointError(
                f"the kernel of {neurons} neurons in dimension {dimension} is singular to rounding; use fewer neurons"
            )
        risks[settled] = risk[settled]
        pending &= ~settled
        if not pending.any():
            return jnp.asarray(risks)
        low, high = min(low, float(np.min(least[pending]))), max(high, float(np.max(largest[pending])))
        if np.any(truncation[pending] > TRUNCATION):
            if order == ORDERS[-1]:
                raise FloatingPointError(
                    f"two of the {neurons} weights in dimension {dimension} are too nearly parallel for the series"
                )
            order = ORDERS[min(ORDERS.index(order) + 2, len(ORDERS) - 1)]


def linear_risk_cost(dimension: int, neurons: int) -> float:
    """Flops of one replicate: kernel and factorisation as for a quadratic target, and one solve per direction."""
    return population_risk_cost(dimension, neurons) + float(neurons) ** 2 * dimension
