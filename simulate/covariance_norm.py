r"""The operator norm of a sample covariance, d ||(1/n) sum_i x_i x_i^T||_op/B_x^2, for inputs of square norm B_x^2.

Inputs, scaled to B_x^2 = d:

    "sphere"      uniform on the sphere,                      ||x|| constant;
    "hypercube"   independent signs,                          ||x|| constant;
    "gaussian"    independent N(0, 1),                        ||x|| constant in mean square only;
    "spiked"      independent signs, the first coordinate stretched so that its variance is `condition` times that of
                  the others: ||x|| constant and kappa(Cov) = `condition`.

The norm is the largest eigenvalue of the smaller of the two Gram matrices.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
from jax import Array

from simulate.precision import batch_fits, float64_vector, over_replicates

Inputs = Literal["sphere", "hypercube", "gaussian", "spiked"]


def draw_inputs(key: Array, inputs: Inputs, samples: int, dimension: int, condition: float = 1.0) -> Array:
    """n rows of square norm d (in the mean, if Gaussian)."""
    if inputs in ("hypercube", "spiked"):
        signs = jax.random.rademacher(key, (samples, dimension), dtype=jnp.float64)
        if inputs == "hypercube":
            return signs
        variances = jnp.ones(dimension, dtype=jnp.float64).at[0].set(condition)
        return signs * jnp.sqrt(dimension * variances / jnp.sum(variances))
    normals = jax.random.normal(key, (samples, dimension), dtype=jnp.float64)
    if inputs == "gaussian":
        return normals
    return normals * jnp.sqrt(dimension / jnp.sum(normals**2, axis=1, keepdims=True))


def norm_of(rows: Array) -> Array:
    """||(1/n) sum_i x_i x_i^T||_op by the eigenvalues of the smaller Gram matrix."""
    samples, dimension = rows.shape
    gram = rows.T @ rows if dimension <= samples else rows @ rows.T
    return jnp.linalg.eigvalsh(gram)[-1] / samples


@partial(jax.jit, static_argnames=("inputs", "samples", "dimension", "side_by_side"))
def _norms(keys: Array, condition: Array, *, inputs: Inputs, samples: int, dimension: int, side_by_side: bool) -> Array:
    def draw(key: Array) -> Array:
        return draw_inputs(key, inputs, samples, dimension, condition)  # pyright: ignore[reportArgumentType] (traced)

    return over_replicates(draw, norm_of, keys, side_by_side)


def scaled_norm(keys: Array, *, dimension: int, samples: int, inputs: Inputs, condition: float = 1.0) -> Array:
    """d ||(1/n) sum_i x_i x_i^T||_op/B_x^2 for each key; its mean is d M_{x,op}^2."""
    if samples < 1:
        raise ValueError("a sample covariance needs a sample: give samples >= 1")
    spread = float64_vector([condition], 1, "condition")[0]
    fits = batch_fits(len(keys), 8.0 * (samples * dimension + 3 * min(samples, dimension) ** 2))
    return _norms(keys, spread, inputs=inputs, samples=samples, dimension=dimension, side_by_side=fits)


def scaled_norm_cost(dimension: int, samples: int) -> float:
    """Flops of one replicate: the draw, the Gram matrix, its eigenvalues."""
    small = min(dimension, samples)
    return 30.0 * samples * dimension + samples * dimension * small + 4.0 * small**3
