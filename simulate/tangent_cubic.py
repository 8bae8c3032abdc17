r"""The neural tangent model with sigma'(u) = u^2 - 1 on a cubic function, with the data integrated out.

x ~ N(0, I_d), w_1..w_N ~ N(0, I_d/d), the class sum_i <a_i, x> (<w_i, x>^2 - 1), and the target
f(x) = <beta, x> (|x|^2 - d - 2), |beta| = 1: a cubic orthogonal to everything of lower degree, with E f^2 = 2(d + 2).
Integration by parts gives the kernel of the N d features x_a g_i, g_i = <w_i, x>^2 - 1,

    E[x_a x_b g_i g_j] = delta_ab E[g_i g_j] + w_i^a w_i^b E[g_i'' g_j] + w_j^a w_j^b E[g_i g_j'']
                         + (w_i^a w_j^b + w_j^a w_i^b) E[g_i' g_j'],

and E[f x_a g_i] = 2 (|w_i|^2 beta_a + 2 w_i^a <w_i, beta>). The N d x N d matrix is never formed: it is applied to an
N x d array in three products of matrices, and the normal equations are solved by conjugate gradients. Their quadratic
form at any point is an upper bound of the least risk, above it by r' K^{-1} r, r the residual.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.sparse.linalg import cg

TOLERANCE = 1e-9
"""Relative residual at which the iteration ends. With r = TOLERANCE |t|, r' K^{-1} r = TOLERANCE^2 times at most the
condition number of K, which conjugate gradients could not have solved in MOST_ITERATIONS had it been above 1e6."""
MOST_ITERATIONS = 1000


def sample_weights(key: Array, *, dimension: int, neurons: int) -> Array:
    """The weights of one replicate, shape (neurons, dimension)."""
    return jax.random.normal(key, (neurons, dimension), dtype=jnp.float64) / jnp.sqrt(dimension)


def apply_kernel(weights: Array, coefficients: Array) -> Array:
    """K a for a of shape (neurons, dimension)."""
    gram = weights @ weights.T
    excess = jnp.diagonal(gram) - 1  # E g_i
    own = jnp.sum(weights * coefficients, axis=1)
    second = jnp.outer(excess, excess) + 2 * gram**2  # E[g_i g_j]
    own_curved = weights * (weights @ (coefficients.T @ (2 * excess)))[:, None]
    other_curved = 2 * excess[:, None] * (weights.T @ own)[None, :]
    slopes = weights * (4 * gram @ own)[:, None] + (4 * gram * (weights @ coefficients.T)) @ weights
    return second @ coefficients + own_curved + other_curved + slopes


def target_row(weights: Array, beta: Array) -> Array:
    """E[f x_a g_i]/sqrt(E f^2)."""
    inner = weights @ beta
    squares = jnp.sum(weights**2, axis=1)
    return 2 * (squares[:, None] * beta[None, :] + 2 * weights * inner[:, None]) / jnp.sqrt(2.0 * (len(beta) + 2))


@partial(jax.jit, static_argnames=("dimension", "neurons"))
def _replicates(keys: Array, *, dimension: int, neurons: int) -> tuple[Array, Array]:
    beta = jnp.zeros(dimension).at[0].set(1.0)  # the weights are isotropic, so any direction will do

    def one(key: Array) -> tuple[Array, Array]:
        weights = sample_weights(key, dimension=dimension, neurons=neurons)
        row = target_row(weights, beta)
        kernel = partial(apply_kernel, weights)
        solution, _ = cg(kernel, row, tol=TOLERANCE, maxiter=MOST_ITERATIONS)
        image = kernel(solution)
        risk = 1 - 2 * jnp.sum(row * solution) + jnp.sum(solution * image)
        return risk, jnp.linalg.norm(row - image) / jnp.linalg.norm(row)

    return jax.lax.map(one, keys)


def cubic_risk(keys: Array, *, dimension: int, neurons: int) -> Array:
    """R(W)/E f^2 for the weights of each key."""
    risks, residuals = _replicates(keys, dimension=dimension, neurons=neurons)
    # The recursive residual drifts from the true one by rounding: ten times the tolerance is still converged.
    if not bool(jnp.all(residuals <= 10 * TOLERANCE)):
        raise FloatingPointError(
            f"the normal equations of {neurons} neurons in dimension {dimension} did not converge; use fewer neurons"
        )
    return risks


def cubic_risk_cost(dimension: int, neurons: int) -> float:
    """Flops of one replicate: a few dozen applications of the kernel, each three products of matrices."""
    return 60.0 * 6.0 * neurons**2 * dimension + 30.0 * neurons * dimension
