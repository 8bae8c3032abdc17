r"""A network of N ReLU neurons trained on a quadratic target: the exact population loss over (a, W, c), by descent.

f(x) = c + sum_i a_i max(<w_i, x>, 0), x ~ N(0, I_d), and the target <x, Bx> - Tr B, B = diag(target). With r the cosine
of w_i and w_j, the covariance of two neurons is |w_i| |w_j| k(r), and Stein's identity gives the cross term:

    k(r) = (sqrt(1 - r^2) + (pi - arccos r) r - 1)/(2 pi),     k'(r) = (pi - arccos r)/(2 pi),
    E max(<w, x>, 0) (<x, Bx> - Tr B) = <w, Bw>/(sqrt(2 pi) |w|).

The best c takes the mean away, and the loss over E f*^2 = 2 |B|^2 is

    L(a, W) = 1 + (sum_ij a_i a_j |w_i| |w_j| k(r_ij) - 2 sum_i a_i <w_i, B w_i>/(sqrt(2 pi) |w_i|))/(2 |B|^2).

L-BFGS descends from random starts and the lowest end is kept. Whatever the descent did, what is returned is the exact
loss of a network of N neurons: an upper bound of the infimum over the class.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from simulate.precision import float64_vector


@jax.custom_jvp
def covariance(cosine: Array) -> Array:
    """k(r), the covariance of max(u, 0) and max(v, 0) for standard Gaussians of correlation r."""
    r = jnp.clip(cosine, -1.0, 1.0)
    return (jnp.sqrt(1 - r**2) + (jnp.pi - jnp.arccos(r)) * r - 1) / (2 * jnp.pi)


@covariance.defjvp
def _covariance_slope(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    # Finite at r = 1 and -1, where the derivatives of the terms are not.
    (r,), (moved,) = primals, tangents
    return covariance(r), (jnp.pi - jnp.arccos(jnp.clip(r, -1.0, 1.0))) / (2 * jnp.pi) * moved


def population_loss(second: Array, weights: Array, target: Array) -> Array:
    """L(a, W) with the best constant, for a of shape (N,) and W of shape (N, d)."""
    lengths = jnp.linalg.norm(weights, axis=1)
    units = weights / lengths[:, None]
    sizes = second * lengths
    own = jnp.eye(len(second), dtype=bool)
    cosine = jnp.where(own, 1.0, units @ units.T)
    matched = sizes @ jnp.sum(target * units**2, axis=1) / jnp.sqrt(2 * jnp.pi)
    return 1 + (sizes @ covariance(cosine) @ sizes - 2 * matched) / (2 * jnp.sum(target**2))


@partial(jax.jit, static_argnames=("dimension", "neurons"))
def random_start(key: Array, *, dimension: int, neurons: int, target: Array) -> tuple[Array, Array]:
    """Isotropic directions, |w_i| = |a_i|, signs of a_i in the proportions of those of the eigenvalues.

    The lengths are such that all neurons together match the trace of B in the mean: sum_i a_i |w_i| = sqrt(2 pi) |Tr|
    over the eigenvalues of either sign.
    """
    directions, signs = jax.random.split(key)
    drawn = jax.random.normal(directions, (neurons, dimension), dtype=jnp.float64)
    total = jnp.sum(jnp.abs(target))
    share = jnp.sum(jnp.maximum(target, 0)) / total
    sign = jnp.where(jax.random.uniform(signs, (neurons,), dtype=jnp.float64) < share, 1.0, -1.0)
    length = jnp.sqrt(jnp.sqrt(2 * jnp.pi) * total / neurons)
    return sign * length, length * drawn / jnp.linalg.norm(drawn, axis=1, keepdims=True)


@partial(jax.jit, static_argnames=("neurons",))
def _loss_and_gradient(flat: Array, target: Array, *, neurons: int) -> tuple[Array, Array]:
    def loss(point: Array) -> Array:
        return population_loss(point[:neurons], point[neurons:].reshape(neurons, -1), target)

    return jax.value_and_grad(loss)(flat)


def train(start: tuple[ArrayLike, ArrayLike], target: ArrayLike, *, steps: int) -> tuple[float, np.ndarray, np.ndarray]:
    """The loss, a and W after at most so many steps of L-BFGS."""
    second, weights = (np.asarray(part, dtype=np.float64) for part in start)
    values = float64_vector(target, weights.shape[1], "target")

    def evaluate(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = _loss_and_gradient(jnp.asarray(flat), values, neurons=len(second))
        return float(value), np.asarray(gradient)

    found = minimize(
        evaluate,
        np.concatenate([second, weights.ravel()]),
        jac=True,
        method="L-BFGS-B",
        # No stopping but by the steps or at a gradient of rounding size: 2^-52 relative to a loss of order one.
        options={"maxiter": steps, "maxfun": 2 * steps, "maxcor": 20, "ftol": 2.0**-52, "gtol": 2.0**-40},
    )
    return float(found.fun), found.x[: len(second)], found.x[len(second) :].reshape(weights.shape)


def relu_network_risk(
    keys: Array,
    *,
    dimension: int,
    neurons: int,
    target: ArrayLike,
    steps: int = 400,
    restarts: int = 1,
    every: int = 1,
) -> Array:
    """The least loss found from `restarts` random starts, for each key.

    Where one value takes minutes and sixteen are too many, one key in `every` is computed and stands for those after
    it.
    """
    values = float64_vector(target, dimension, "target")
    if not np.any(np.asarray(values)):
        raise ValueError("the target is zero, so its risk cannot be normalised")
    if neurons == 0:
        return jnp.ones(len(keys))

    def best(key: Array) -> float:
        starts = jax.random.split(key, restarts)
        return min(
            train(random_start(one, dimension=dimension, neurons=neurons, target=values), values, steps=steps)[0]
            for one in starts
        )

    found = jnp.asarray([best(key) for key in keys[::every]], dtype=jnp.float64)
    return jnp.repeat(found, every)[: len(keys)]


def relu_network_cost(dimension: int, neurons: int, *, steps: int = 400, restarts: int = 1, every: int = 1) -> float:
    """Flops of one replicate: about one loss and gradient, three products, per step."""
    one = 6.0 * neurons**2 * dimension + 60.0 * neurons**2 + 80.0 * neurons * dimension
    return restarts * steps * one / every
