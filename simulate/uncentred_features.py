r"""Random features with sigma(u) = u^2 - 1 on a quadratic target whose mean is not zero, the data integrated out.

x ~ N(0, I_d); weights w_1..w_N ~ N(0, Gamma) with Gamma = diag(gamma)/d, Tr Gamma = 1; the target is
f(x) = mu + <x, Bx> - Tr B with B = diag(target), and the class sum_i a_i (<w_i,x>^2 - 1) has no free constant. Given
the weights, with q_i = |w_i|^2 - 1 the means of the features,

    K_ij = 2 <w_i,w_j>^2 + q_i q_j,   t_i = 2 <w_i, B w_i> + mu q_i,   E f^2 = 2 |B|_F^2 + mu^2,

by the fourth moments of Gaussians, and the least risk over the coefficients is 1 - t' K^{-1} t / E f^2. Its term linear
in mu has mean near zero and a spread of 1/sqrt d: the simulator averages over mu and -mu, exactly. The class spans a
space of dimension at most d(d+1)/2 + 1, that of all c + <x, Ax>: with that many neurons nothing is left.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.precision import batch_fits, float64_vector, over_replicates


def _draw(key: Array, gamma: Array, dimension: int, neurons: int) -> Array:
    normal = jax.random.normal(key, (neurons, dimension), dtype=jnp.float64)
    return normal * jnp.sqrt(gamma / dimension)


def sample_weights(key: Array, *, dimension: int, neurons: int, gamma: ArrayLike) -> Array:
    """The weights of one replicate, shape (neurons, dimension): the same that `uncentred_risk` draws."""
    return _draw(key, float64_vector(gamma, dimension, "gamma"), dimension, neurons)


@partial(jax.jit, static_argnames=("dimension", "neurons", "side_by_side"))
def _replicates(
    keys: Array, gamma: Array, target: Array, mean: Array, *, dimension: int, neurons: int, side_by_side: bool
) -> Array:
    energy = 2 * jnp.sum(target**2) + mean**2

    def risk(weights: Array) -> Array:
        means = jnp.sum(weights**2, axis=1) - 1
        kernel = 2 * (weights @ weights.T) ** 2 + jnp.outer(means, means)
        cross = jnp.stack([2 * (weights**2) @ target, mean * means], axis=1)
        lower = jax.lax.linalg.cholesky(kernel, symmetrize_input=False)
        half = jax.lax.linalg.triangular_solve(lower, cross, left_side=True, lower=True)
        return 1 - jnp.sum(half**2) / energy

    return over_replicates(lambda key: _draw(key, gamma, dimension, neurons), risk, keys, side_by_side)


def uncentred_risk(
    keys: Array, *, dimension: int, neurons: int, gamma: ArrayLike, target: ArrayLike, mean: float
) -> Array:
    """R(W) for the weights of each key, normalised by E f^2, averaged over the targets of mean `mean` and -`mean`.

    Raises FloatingPointError where the kernel is singular to working precision, rather than return a wrong number.
    """
    gammas = float64_vector(gamma, dimension, "gamma")
    targets = float64_vector(target, dimension, "target")
    if not np.any(np.asarray(target)) and mean == 0:
        raise ValueError("the target is zero, so its risk cannot be normalised")
    if neurons > dimension * (dimension + 1) // 2 and np.all(np.asarray(gammas) > 0):
        return jnp.zeros(len(keys))
    # Weights, kernel, its factor and XLA's temporaries.
    fits = batch_fits(len(keys), 8.0 * neurons * (2 * dimension + 4 * neurons))
    risks = _replicates(
        keys, gammas, targets, jnp.float64(mean), dimension=dimension, neurons=neurons, side_by_side=fits
    )
    if not np.all(np.isfinite(np.asarray(risks))):
        raise FloatingPointError("the kernel is singular in double precision: take fewer neurons or a larger d")
    return risks


def uncentred_risk_cost(dimension: int, neurons: int) -> float:
    """Flops of one replicate: draws, the products of the weights, and the factorisation."""
    return 30.0 * neurons * dimension + 2.0 * neurons**2 * dimension + neurons**3 / 3
