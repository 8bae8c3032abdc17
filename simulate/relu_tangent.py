r"""The neural tangent model of ReLU on a quadratic target: least squares with x integrated out, matrix-free.

The class is c + sum_i <a_i, x> 1(<w_i, x> > 0), x ~ N(0, I_d), and the target <x, Bx> - Tr B, B = diag(target). Only
directions matter, so |w_i| = 1. With 1(u > 0) = (1 + sgn u)/2 a member is an odd part <sum_i a_i, x>/2 and an even
part. For r = <w_i, w_j> Stein's identity, used twice, gives

    E sgn(u_i) sgn(u_j) x x^T = 2/pi [asin(r) I + (w_i w_j^T + w_j w_i^T - r w_i w_i^T - r w_j w_j^T)/sqrt(1 - r^2)],
    E sgn(u_i) x = sqrt(2/pi) w_i,     E sgn(u_i) x (<x, Bx> - Tr B) = sqrt(2/pi) (2 B w_i - <w_i, B w_i> w_i).

The constant c takes the mean of the even part away, and the Gram operator of the coefficients b = a/2 is

    K_ij = E sgn sgn x x^T - 2/pi w_i w_j^T + I,

I being the odd part. It is positive definite for distinct lines (a member that vanishes has no jump and no kink on any
hyperplane). The risk is R(W) = 1 - t^T K^-1 t/(2 |B|^2), t the last row above. K has (Nd)^2 entries and is only ever
applied: three products of N x N with N x d matrices. Conjugate gradients lower the risk at each step, and what is
returned is the exact risk of a member of the class, 1 - (2 <b,t> - <b,Kb>)/(2 |B|^2).
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.precision import float64_vector

RESIDUAL = 1e-8
"""|t - Kb| <= RESIDUAL |t|. The captured energy <t, K^-1 t> is then short by at most RESIDUAL^2 times the condition
number of K, relatively: below 1e-10 for condition numbers up to 1e6 (the odd part has N, the rest is of order one)."""
MOST_STEPS = 2000


class Lines(NamedTuple):
    """Unit weights (N, d) with the kernels of their cosines, zero on the diagonal of the last two."""

    weights: Array
    arcsine: Array
    inverse_sine: Array
    cotangent: Array


def sample_weights(key: Array, *, dimension: int, neurons: int) -> Array:
    """Directions uniform on the sphere, shape (neurons, dimension)."""
    drawn = jax.random.normal(key, (neurons, dimension), dtype=jnp.float64)
    return drawn / jnp.linalg.norm(drawn, axis=1, keepdims=True)


def lines(weights: Array) -> Lines:
    """The kernels of unit weights that are pairwise not parallel."""
    own = jnp.eye(len(weights), dtype=bool)
    cosine = jnp.where(own, 0.0, jnp.clip(weights @ weights.T, -1.0, 1.0))
    inverse_sine = jnp.where(own, 0.0, 1 / jnp.sqrt(1 - cosine**2))
    return Lines(weights, jnp.where(own, jnp.pi / 2, jnp.arcsin(cosine)), inverse_sine, cosine * inverse_sine)


def apply_kernel(found: Lines, coefficients: Array) -> Array:
    """K b for b of shape (N, d)."""
    weights, arcsine, inverse_sine, cotangent = found
    cross = weights @ coefficients.T  # <w_i, b_j>
    own = jnp.diagonal(cross)
    along = inverse_sine @ own - jnp.sum(cotangent * cross, axis=1) - jnp.sum(own)
    mixed = (inverse_sine * cross - cotangent * own) @ weights
    even = arcsine @ coefficients + along[:, None] * weights + mixed
    # - sum_j w_i <w_j, b_j> above is the mean of the even part; the odd part has the same row for every neuron.
    return 2 / jnp.pi * even + jnp.sum(coefficients, axis=0)


def target_row(weights: Array, target: Array) -> Array:
    """t_i = sqrt(2/pi) (2 B w_i - <w_i, B w_i> w_i)."""
    moved = weights * target
    return jnp.sqrt(2 / jnp.pi) * (2 * moved - jnp.sum(moved * weights, axis=1, keepdims=True) * weights)


class Fit(NamedTuple):
    """The risk of the last iterate, relative to E f^2, and how far the normal equations are from solved."""

    risk: Array
    residual: Array
    steps: Array


@jax.jit
def _fit(weights: Array, target: Array) -> Fit:
    found, row = lines(weights), target_row(weights, target)
    size = jnp.sum(row**2)

    def going(state: tuple[Array, ...]) -> Array:
        return (state[3] > RESIDUAL**2 * size) & (state[4] < MOST_STEPS)

    def step(state: tuple[Array, ...]) -> tuple[Array, ...]:
        solution, residual, direction, squared, count = state
        image = apply_kernel(found, direction)
        length = squared / jnp.sum(direction * image)
        solution, residual = solution + length * direction, residual - length * image
        fresh = jnp.sum(residual**2)
        return solution, residual, residual + fresh / squared * direction, fresh, count + 1

    start = (jnp.zeros_like(row), row, row, size, jnp.asarray(0))
    solution, _, _, _, steps = jax.lax.while_loop(going, step, start)
    # The recurrence drifts from the true residual by rounding, so both are computed anew.
    image = apply_kernel(found, solution)
    captured = 2 * jnp.sum(solution * row) - jnp.sum(solution * image)
    residual = jnp.linalg.norm(row - image) / jnp.sqrt(size)
    return Fit(1 - captured / (2 * jnp.sum(target**2)), residual, steps)


def tangent_fit(weights: ArrayLike, target: ArrayLike) -> Fit:
    """The least-squares fit given the weights (neurons, dimension), of any lengths."""
    vectors = jnp.asarray(weights, dtype=jnp.float64)
    values = float64_vector(target, vectors.shape[1], "target")
    if not np.any(np.asarray(values)):
        raise ValueError("the target is zero, so its risk cannot be normalised")
    return _fit(vectors / jnp.linalg.norm(vectors, axis=1, keepdims=True), values)


@partial(jax.jit, static_argnames=("dimension", "neurons"))
def _replicates(keys: Array, target: Array, *, dimension: int, neurons: int) -> tuple[Array, Array]:
    def one(key: Array) -> tuple[Array, Array]:
        fit = _fit(sample_weights(key, dimension=dimension, neurons=neurons), target)
        return fit.risk, fit.residual

    return jax.lax.map(one, keys)


def relu_tangent_risk(keys: Array, *, dimension: int, neurons: int, target: ArrayLike, every: int = 1) -> Array:
    """R(W) for each key; raises FloatingPointError where the normal equations could not be solved.

    Where one value takes minutes and sixteen are too many, one key in `every` is computed and stands for those after
    it.
    """
    values = float64_vector(target, dimension, "target")
    if not np.any(np.asarray(values)):
        raise ValueError("the target is zero, so its risk cannot be normalised")
    if neurons == 0:
        return jnp.ones(len(keys))
    risks, residuals = _replicates(keys[::every], values, dimension=dimension, neurons=neurons)
    # A hundredfold: the true residual may exceed that of the recurrence by the rounding of some hundred steps.
    if not bool(jnp.all(residuals <= 100 * RESIDUAL)):
        raise FloatingPointError(
            f"the normal equations of {neurons} neurons are left with {float(residuals.max()):.1e}"
        )
    return jnp.repeat(risks, every)[: len(keys)]


def relu_tangent_cost(dimension: int, neurons: int, *, every: int = 1) -> float:
    """Flops of one replicate: about 60 applications of the operator, three products each."""
    return 60.0 * 6.0 * neurons**2 * dimension / every + 1000.0
