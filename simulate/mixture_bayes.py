r"""The Bayes risk (MMSE) of a mixture of two Gaussians, from the exact log-likelihood ratio.

In the eigenbasis of D = Sigma^-1/2 Delta Sigma^-1/2, eigenvalues t_i, the label given x has mean tanh(L/2),

    L = log p(x|+)/p(x|-) = sum_i [ log((1 + t_i)/(1 - t_i))/2 - t_i z_i^2/(1 - t_i^2) ],   z = Sigma^-1/2 x,

z_i^2 being (1 -+ t_i) times chi-square in the class y = +-1. The Bayes risk is E[1 - tanh(L/2)^2].
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.precision import float64_vector

DRAWS = 128
"""Points of each class in one replicate."""


@partial(jax.jit, static_argnames=("dimension",))
def _replicates(keys: Array, tilt: Array, *, dimension: int) -> Array:
    constant = jnp.sum(jnp.log1p(tilt) - jnp.log1p(-tilt)) / 2

    def one(key: Array) -> Array:
        squares = jax.random.normal(key, (2, DRAWS, dimension), dtype=jnp.float64) ** 2
        # t z^2/(1 - t^2) with z^2 = (1 -+ t) g^2 is t g^2/(1 +- t).
        ratios = [constant - part @ (tilt / (1 + y * tilt)) for y, part in zip((1, -1), squares, strict=True)]
        return jnp.mean(1 - jnp.tanh(jnp.stack(ratios) / 2) ** 2)

    return jax.lax.map(one, keys)


def posterior_variance(keys: Array, *, dimension: int, tilt: ArrayLike) -> Array:
    """For each key an unbiased estimate of the Bayes risk; `tilt` are the eigenvalues of D."""
    vector = float64_vector(tilt, dimension, "tilt")
    if not np.all(np.abs(np.asarray(vector)) < 1):
        raise ValueError("the eigenvalues of Sigma^-1/2 Delta Sigma^-1/2 must lie in (-1, 1)")
    return _replicates(keys, vector, dimension=dimension)


def posterior_variance_cost(dimension: int) -> float:
    """Flops of one replicate: the draws."""
    return 60.0 * DRAWS * dimension
