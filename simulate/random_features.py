r"""The random-features model of Theorem 1, with the data integrated out.

x ~ N(0, I_d); weights w_1..w_N ~ N(0, Gamma) with Gamma = diag(gamma)/d, Tr Gamma = 1; the target is
f(x) = <x, Bx> - Tr B with B = diag(target). Given the weights, the least risk over the coefficients is

    R(W) = min_a E(f - sum_i a_i sigma(<w_i,x>))^2 / E f^2 = 1 - t' K^{-1} t / (2 |B|_F^2),
    K_ij = E sigma(<w_i,x>) sigma(<w_j,x>),   t_i = E f sigma(<w_i,x>) = lambda_2(s_i) <w_i, B w_i>/s_i^2,

s_i = |w_i|, lambda_2(s) = E sigma(sG)(G^2 - 1). No data is drawn: the only noise is that of the weights.
With a free constant in the class, K becomes K - m m', m_i = E sigma(s_i G).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.activation_function import ActivationFunction
from simulate.gaussian_kernels import (
    Profile,
    cancellation,
    closed_profile,
    family_of,
    normalised_kernel,
    polynomial_coefficients,
    rows_of,
    series_profile,
    tabulated_coefficients,
)
from simulate.hermite_quadrature import (
    ACCURACY,
    PIECE_WIDTH,
    coefficient_table,
    last_piece,
    norm_at,
    piece_of,
)
from simulate.precision import batch_fits, float64_vector, over_replicates

WeightLaw = Literal["gaussian", "sphere", "unscaled"]

TRUNCATION = 1e-11
"""Largest error of an entry of the kernel, relative to its diagonal, from cutting the series."""
ORDERS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)
RARE = 1e-6
"""Probability, per replicate, of norms outside those a first attempt provides for."""
UNUSUAL = 1e-3
"""The same for cosines: larger, since the order needed in low dimension rises steeply toward rare ones."""


# --- the weights --------------------------------------------------------------------------------------


def sample_weights(
    key: Array, *, dimension: int, neurons: int, gamma: ArrayLike, weights: WeightLaw = "gaussian"
) -> Array:
    """The weights W of one replicate, shape (neurons, dimension): the same that `population_risk` draws."""
    return _draw(key, _gamma(gamma, dimension, weights), dimension, neurons, weights)


def _draw(key: Array, gamma: Array, dimension: int, neurons: int, weights: WeightLaw) -> Array:
    normal = jax.random.normal(key, (neurons, dimension), dtype=jnp.float64)
    if weights == "sphere":
        return normal / jnp.linalg.norm(normal, axis=1, keepdims=True)
    return normal * jnp.sqrt(gamma if weights == "unscaled" else gamma / dimension)


def _gamma(gamma: ArrayLike, dimension: int, weights: WeightLaw) -> Array:
    vector = float64_vector(gamma, dimension, "gamma")
    values = np.asarray(vector)
    if weights not in ("gaussian", "sphere", "unscaled"):
        raise ValueError(f"the law of the weights is gaussian, sphere or unscaled, not {weights!r}")
    # Rounding of a sum of `dimension` numbers; a mean further from one is another Gamma than is meant.
    if np.any(values < 0) or abs(values.mean() - 1) > 1e-12 * dimension:
        raise ValueError("gamma must be nonnegative with mean one; divide it by its mean")
    if weights == "sphere" and np.any(values != 1):
        raise ValueError("weights on the sphere are isotropic: give gamma all ones")
    return vector


def norm_interval(gamma: np.ndarray, neurons: int) -> tuple[float, float]:
    """An interval that holds all |w_i|, w ~ N(0, diag(gamma)/d), with probability at least 1 - RARE.

    Chernoff: P(s^2 > t) <= exp(-theta t) prod (1 - 2 theta g/d)^(-1/2) for 0 < theta < d/(2 max g), and
    P(s^2 < t) <= exp(theta t) prod (1 + 2 theta g/d)^(-1/2); best over a grid of theta, union over neurons.
    """
    scaled = gamma / len(gamma)
    level = math.log(2 * neurons / RARE)
    share = np.concatenate([np.geomspace(1e-4, 0.5, 60), 1 - np.geomspace(1e-3, 0.5, 20)])
    up = share / (2 * scaled.max())
    high = np.min((level - 0.5 * np.log1p(-2 * np.outer(up, scaled)).sum(axis=1)) / up)
    down = np.geomspace(1e-2, 1e9, 300) / scaled.max()
    low = np.max((0.5 * np.log1p(2 * np.outer(down, scaled)).sum(axis=1) - level) / down)
    return math.sqrt(max(low, 1e-24)), math.sqrt(high)


def likely_order(effective_dimension: float, neurons: int) -> int:
    """A series order that will mostly do: r_max^(order + 1) <= TRUNCATION but with probability UNUSUAL.

    For isotropic weights P(|r| > t) <= (1 - t^2)^((d-1)/2); for others d is replaced by the effective
    dimension 1/|Gamma|_F^2. It is only a first attempt: the bound is checked on the actual cosines.
    """
    pairs = neurons * (neurons - 1) / 2 + 1
    orthogonal_share = (UNUSUAL / pairs) ** (2 / max(effective_dimension - 1, 1))
    # log of the cosine; its share below rounding cannot be told from parallel weights
    log_cosine = 0.5 * math.log1p(-max(orthogonal_share, np.finfo(np.float64).eps))
    wanted = math.log(TRUNCATION) / log_cosine
    return next((order for order in ORDERS if order >= wanted), ORDERS[-1])


# --- the kernel of an activation ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Kernel:
    """An activation as the compiled program takes it: a name it is compiled for, arrays it is traced with."""

    family: str
    numbers: np.ndarray
    table: np.ndarray
    """Shape (pieces, points, order + 1), of size zero unless family == "tabulated"."""
    first: int
    growth: float
    least_precision: float
    """Neurons with 1/s^2 - growth below this are left out: their second moment is infinite or (within
    a few percent of the critical norm) cannot be gathered in double precision."""

    @property
    def order(self) -> int | None:
        return self.table.shape[2] - 1 if self.family == "tabulated" else None

    @property
    def traced(self) -> tuple[Array, ...]:
        return tuple(
            jnp.asarray(part, dtype=jnp.float64)
            for part in (self.numbers, self.table, self.first, self.growth, self.least_precision)
        )


def least_precision(activation: ActivationFunction) -> float:
    """The least 1/s^2 - growth that a usable neuron may have: zero but for Gaussian growth."""
    last = last_piece(activation)
    return 0.0 if last is None else math.exp(-2 * (last + 1) * PIECE_WIDTH)


def _pieces(activation: ActivationFunction, low: float, high: float) -> tuple[int, int]:
    """The pieces that hold the norms from low to high, as far as these are usable."""
    floor = max(least_precision(activation), 1e-24)
    first, last = (piece_of(-math.log(max(norm**-2 - activation.gaussian_growth, floor)) / 2) for norm in (low, high))
    limit = last_piece(activation)
    return (first, last) if limit is None else (min(first, limit), min(last, limit))


def _choose_kernel(activation: ActivationFunction, low: float, high: float, order: int) -> _Kernel:
    """Closed form where there is one and it does not cancel, else a table for norms in [low, high]."""
    closed = activation.closed_form
    empty = np.zeros((0, 0, 0))
    # A closed kernel keeps 13 digits times the surviving share: TRUNCATION as long as that is above 1%.
    if closed is not None and (
        closed.family == "polynomial" or cancellation(closed, np.linspace(low, high, 33)) > 0.01
    ):
        family, numbers = family_of(closed)
        return _Kernel(family, numbers, empty, 0, 0.0, 0.0)
    first, last = _pieces(activation, low, high)
    table = coefficient_table(activation, first, last, order)
    return _Kernel("tabulated", np.zeros(0), table, first, activation.gaussian_growth, least_precision(activation))


def _profile(family: str, traced: tuple[Array, ...], norms: Array) -> Profile:
    numbers, table, first, growth, _ = traced
    if family == "tabulated":
        return series_profile(tabulated_coefficients(table, first, growth, norms))
    if family == "polynomial":
        return series_profile(polynomial_coefficients(numbers, norms))
    return closed_profile(family, numbers, norms)


# --- the risk given the weights -----------------------------------------------------------------------


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class _Features:
    """The features of one replicate: directions and profiles of the neurons, and the target's row."""

    directions: Array
    profile: Profile
    usable: Array
    cross: Array
    """E[feature f]/sqrt(E f^2), zero for neurons that are left out."""


def _features(weights: Array, target: Array, family: str, traced: tuple[Array, ...]) -> tuple[_Features, Array]:
    norms = jnp.linalg.norm(weights, axis=1)
    directions = weights / norms[:, None]
    profile = _profile(family, traced, norms)
    usable = 1 / norms**2 - traced[3] > traced[4]
    quadratic_form = (directions * directions) @ target
    cross = profile.quadratic * quadratic_form / jnp.sqrt(2 * jnp.sum(target**2))
    return _Features(directions, profile, usable, jnp.where(usable, cross, 0)), norms


def _kernel_block(
    features: _Features, rows: slice, columns: slice, family: str, numbers: Array, offset: bool
) -> tuple[Array, Array]:
    """A block of the scaled kernel, and the largest |cosine| in it off the diagonal.

    Neurons that are left out get the rows and columns of the identity.
    """
    left, right = rows_of(features.profile, rows), rows_of(features.profile, columns)
    cosine = jnp.clip(features.directions[rows] @ features.directions[columns].T, -1, 1)
    diagonal = jnp.arange(rows.start, rows.stop)[:, None] == jnp.arange(columns.start, columns.stop)
    both = features.usable[rows][:, None] & features.usable[columns][None, :]
    largest = jnp.max(jnp.where(diagonal | ~both, 0, jnp.abs(cosine)))
    kernel_family = "series" if family in ("tabulated", "polynomial") else family
    block = normalised_kernel(kernel_family, numbers, left, right, cosine)
    # The second moment of a scaled feature is one by definition: the exact diagonal.
    block = jnp.where(diagonal, 1.0, block)
    if offset:
        block = block - left.mean[:, None] * right.mean[None, :]
    return jnp.where(both, block, diagonal.astype(jnp.float64)), largest


def _panel_width(neurons: int) -> int:
    """One panel (LAPACK alone) up to 512 neurons; then as few as keep LAPACK's share of the work small."""
    return 512 if neurons <= 4096 else 1024


def _cholesky_risk(features: _Features, family: str, numbers: Array, offset: bool) -> tuple[Array, Array, Array]:
    """Risk, least squared pivot, largest cosine: left-looking Cholesky by block columns.

    The target is appended as a last row, which comes out as L^{-1} t. Each block column of the kernel is
    formed when its turn comes and only the factor is kept, so memory is that of half a matrix, and
    the work is in products of matrices.
    """
    neurons = len(features.cross)
    width = _panel_width(neurons)
    panels: list[tuple[int, Array]] = []
    explained, least_pivot, largest = jnp.zeros(()), jnp.asarray(jnp.inf), jnp.zeros(())
    for start in range(0, neurons, width):
        columns = slice(start, min(start + width, neurons))
        block, cosine = _kernel_block(features, slice(start, neurons), columns, family, numbers, offset)
        block = jnp.concatenate([block, features.cross[None, columns]])
        for begin, panel in panels:
            below = panel[start - begin :]
            block = block - below @ below[: columns.stop - start].T
        size = columns.stop - start
        corner = jax.lax.linalg.cholesky(block[:size], symmetrize_input=False)
        inverse = jax.lax.linalg.triangular_solve(corner, jnp.eye(size), left_side=True, lower=True)
        panel = jnp.concatenate([corner, block[size:] @ inverse.T])
        panels.append((start, panel))
        explained = explained + jnp.sum(panel[-1] ** 2)
        # A factorisation that broke down has NaN pivots; XLA's minimum may drop a NaN, so they are made zeros first.
        pivots = jnp.nan_to_num(jnp.diagonal(corner) ** 2, nan=0.0)
        least_pivot = jnp.minimum(least_pivot, jnp.min(pivots))
        largest = jnp.maximum(largest, cosine)
    return 1 - explained, least_pivot, largest


def _eigenvalue_risk(features: _Features, family: str, numbers: Array, offset: bool) -> Array:
    """The risk over the span that double precision resolves: for a kernel that is singular to rounding.

    Entries of K carry errors of a few units of rounding and |K| <= Tr K = N, so eigenvalues below
    8 N eps times the largest are noise. Where the kernel has exact rank (polynomials) nothing is lost; else
    the value is an upper bound of the risk.
    """
    neurons = len(features.cross)
    whole = slice(0, neurons)
    block, _ = _kernel_block(features, whole, whole, family, numbers, offset)
    values, vectors = jnp.linalg.eigh(block)
    resolved = values > 8 * neurons * jnp.finfo(jnp.float64).eps * values[-1]
    components = vectors.T @ features.cross
    return 1 - jnp.sum(jnp.where(resolved, components**2 / jnp.where(resolved, values, 1), 0))


@partial(
    jax.jit,
    static_argnames=("dimension", "neurons", "law", "family", "offset", "side_by_side", "by_eigenvalues"),
)
def _replicates(
    keys: Array,
    gamma: Array,
    target: Array,
    traced: tuple[Array, ...],
    *,
    dimension: int,
    neurons: int,
    law: WeightLaw,
    family: str,
    offset: bool,
    side_by_side: bool,
    by_eigenvalues: bool,
) -> tuple[Array, ...]:
    """For each key: risk, least pivot, truncation bound, least and largest norm of usable neurons."""

    def one(weights: Array) -> tuple[Array, ...]:
        features, norms = _features(weights, target, family, traced)
        if by_eigenvalues:
            risk = _eigenvalue_risk(features, family, traced[0], offset)
            pivot, largest = jnp.ones(()), jnp.zeros(())
        else:
            risk, pivot, largest = _cholesky_risk(features, family, traced[0], offset)
        series = features.profile.series
        # sum_{k > order} |a_k a'_k r^k| <= r^(order+1) sqrt(tail tail'), tail = 1 - sum_{k <= order} a_k^2
        # and the sum itself errs by at most 2 sum |a_k| 5 ACCURACY <= 10 ACCURACY sqrt(order + 1).
        terms = series.shape[1]
        tail = jnp.max(jnp.where(features.usable, 1 - jnp.sum(series**2, axis=1), 0))
        tail = jnp.maximum(tail, 0) + 10 * ACCURACY * math.sqrt(terms)
        truncation = tail * largest**terms if family == "tabulated" else jnp.zeros(())
        low = jnp.min(jnp.where(features.usable, norms, jnp.inf))
        high = jnp.max(jnp.where(features.usable, norms, 0))
        return risk, pivot, truncation, low, high

    return over_replicates(lambda key: _draw(key, gamma, dimension, neurons, law), one, keys, side_by_side)


def population_risk(
    keys: Array,
    *,
    dimension: int,
    neurons: int,
    gamma: ArrayLike,
    target: ArrayLike,
    activation: ActivationFunction,
    offset: bool = False,
    weights: WeightLaw = "gaussian",
) -> Array:
    """R(W) for the weights of each key, normalised by E f^2.

    `weights`: "gaussian" is N(0, diag(gamma)/d), "sphere" uniform on the unit sphere, "unscaled"
    N(0, diag(gamma)). `offset` adds a free constant to the class. Neurons of infinite second moment cannot be
    used and are left out (`infinite_neurons` counts them). Raises FloatingPointError rather than
    return a number that is not as accurate as stated.
    """
    gammas = _gamma(gamma, dimension, weights)
    targets = float64_vector(target, dimension, "target")
    if not np.any(np.asarray(target)):
        raise ValueError("the target is zero, so its risk cannot be normalised")
    if neurons == 0:
        return jnp.ones(len(keys))
    low, high = _norms_to_expect(np.asarray(gammas), neurons, weights)
    effective = dimension / float(jnp.mean(gammas**2))
    order = likely_order(effective, neurons)
    # The factor and one block column with its products; half as much again for XLA's temporaries.
    fits = batch_fits(len(keys), 8 * 1.5 * neurons * (neurons + dimension + 2 * _panel_width(neurons)))
    run = partial(
        _replicates,
        keys,
        gammas,
        targets,
        dimension=dimension,
        neurons=neurons,
        law=weights,
        offset=offset,
        side_by_side=fits,
    )
    risks = np.full(len(keys), np.nan)
    pending = np.ones(len(keys), dtype=bool)
    while True:
        kernel = _choose_kernel(activation, low, high, order)
        results = run(kernel.traced, family=kernel.family, by_eigenvalues=False)
        risk, pivot, truncation, least, largest = (np.array(part) for part in results)
        # Below this a pivot is rounding (see _eigenvalue_risk, with a factor for the growth of errors).
        singular = ~(pivot > 1e3 * neurons * np.finfo(np.float64).eps)
        if np.any(singular & pending):
            by_eigenvalues = run(kernel.traced, family=kernel.family, by_eigenvalues=True)[0]
            risk = np.where(singular, np.asarray(by_eigenvalues), risk)
        inside = np.ones(len(keys), dtype=bool)
        if kernel.family == "tabulated":
            edges = (kernel.first + np.asarray([0, len(kernel.table)])) * PIECE_WIDTH
            shortest, longest = norm_at(edges, kernel.growth)
            inside = (least >= shortest) & ((largest <= longest) | (largest == 0))
        # A replicate settles on its own account, so its value does not depend on its neighbours.
        settled = pending & inside & (truncation <= TRUNCATION)
        risks[settled] = risk[settled]
        pending &= ~settled
        if not pending.any():
            break
        low = min(low, float(np.min(least[pending])))
        high = max(high, float(np.max(largest[pending])))
        if np.any(truncation[pending] > TRUNCATION):
            if order == ORDERS[-1]:
                raise FloatingPointError(
                    f"two of the {neurons} weights in dimension {dimension} are too nearly parallel for the "
                    "kernel series; use a larger dimension or an activation with a closed kernel"
                )
            order = ORDERS[ORDERS.index(order) + 2] if order < ORDERS[-2] else ORDERS[-1]
    if not np.all(np.isfinite(risks)):
        raise FloatingPointError("a population risk is not finite; scale the weights or the activation down")
    return jnp.asarray(risks)


def _norms_to_expect(gamma: np.ndarray, neurons: int, weights: WeightLaw) -> tuple[float, float]:
    if weights == "sphere":
        # |w| = 1 up to the rounding of a sum of squares.
        slack = len(gamma) * np.finfo(np.float64).eps
        return 1 - slack, 1 + slack
    low, high = norm_interval(gamma, neurons)
    scale = math.sqrt(len(gamma)) if weights == "unscaled" else 1.0
    return low * scale, high * scale


@partial(jax.jit, static_argnames=("dimension", "neurons", "law"))
def _count_beyond(keys: Array, gamma: Array, bound: Array, *, dimension: int, neurons: int, law: WeightLaw) -> Array:
    def one(key: Array) -> Array:
        weights = _draw(key, gamma, dimension, neurons, law)
        return jnp.sum(1 / jnp.sum(weights**2, axis=1) <= bound).astype(jnp.float64)

    return jax.lax.map(one, keys)


def infinite_neurons(
    keys: Array,
    *,
    dimension: int,
    neurons: int,
    gamma: ArrayLike,
    activation: ActivationFunction,
    weights: WeightLaw = "gaussian",
) -> Array:
    """How many of the neurons of each replicate `population_risk` leaves out.

    These are the neurons with growth * s^2 >= 1, whose features have infinite second moment and hence
    coefficient zero, and those within a few percent of it, whose second moment is gathered where the
    activation overflows double precision.
    """
    gammas = _gamma(gamma, dimension, weights)
    if activation.gaussian_growth <= 0:
        return jnp.zeros(len(keys))
    bound = jnp.asarray(activation.gaussian_growth + least_precision(activation))
    return _count_beyond(keys, gammas, bound, dimension=dimension, neurons=neurons, law=weights)


def population_risk_cost(dimension: int, neurons: int) -> float:
    """Flops of one replicate: draws, half the cosines, half the kernel, the factorisation."""
    order = likely_order(dimension, neurons)
    draws = 30.0 * neurons * dimension
    return draws + neurons**2 * (dimension + 1.5 * order) + neurons**3 / 3
