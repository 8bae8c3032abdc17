r"""The neural tangent model of Theorem 2 for sigma(u) = u^2: the risk is that of a random projector.

The class is c + sum_i <a_i, x> sigma'(<w_i, x>), that is c + <x, Ax> with A symmetric and PAP = 0, where P
projects off the span of the weights. The target is f(x) = <x, Bx> - Tr B, B = diag(target). Since
E(<x,Mx> - Tr M)^2 = 2 |M|_F^2, the least risk over A and c is 2 |PBP|_F^2, and normalised

    R(W) = |PBP|_F^2 / |B|_F^2.

Without the constant c, the loss of A is 2 |B - A|_F^2 + (Tr A)^2. Write A = (B - PBP) + E with PEP = 0. The loss
is 2 |PBP|^2 + 2 |E|^2 + (Tr QB + <E, Q>)^2 with Q = I - P of rank q, so E = eQ; the best e is
-Tr(QB)/(q + 2), and 2 Tr(QB)^2/(q + 2) is added to the loss: Tr(QB)^2/((q + 2) |B|_F^2) to R.

The span of N isotropic Gaussian weights is uniform among the subspaces of dimension N, and so is the orthogonal
complement of d - N such weights. The simulator draws whichever of the two is smaller.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.precision import batch_fits, float64_vector, over_replicates


def _drawn_rank(dimension: int, neurons: int) -> int:
    return min(neurons, max(dimension - neurons, 0))


def _drawn_vectors(key: Array, dimension: int, rank: int) -> Array:
    return jax.random.normal(key, (dimension, rank), dtype=jnp.float64)


def sample_weights(key: Array, *, dimension: int, neurons: int) -> Array:
    """Weights, shape (neurons, dimension), that span the very subspace `projector_risk` uses for this key.

    For N <= d/2 they are Gaussian. For d/2 < N < d they are an orthonormal basis of the orthogonal complement
    of the d - N vectors drawn. Only their span matters to the risk.
    """
    rank = _drawn_rank(dimension, neurons)
    if neurons >= dimension:
        return jax.random.normal(key, (neurons, dimension), dtype=jnp.float64)
    drawn = _drawn_vectors(key, dimension, rank)
    if rank == neurons:
        return drawn.T
    return jnp.linalg.qr(drawn, mode="complete")[0][:, rank:].T


@partial(jax.jit, static_argnames=("dimension", "neurons", "offset", "side_by_side"))
def _replicates(keys: Array, target: Array, *, dimension: int, neurons: int, offset: bool, side_by_side: bool) -> Array:
    rank = _drawn_rank(dimension, neurons)
    energy = jnp.sum(target**2)

    def risk(drawn: Array) -> Array:
        # QR by Cholesky: the orthonormal basis U = drawn R^{-1}, R'R = drawn' drawn. With rank <= d/2 the
        # condition number of drawn' drawn stays near ((1 + sqrt(1/2))/(1 - sqrt(1/2)))^2 = 34, so the
        # two digits this costs against Householder are of no account, and it is nearly all matrix products.
        lower = jax.lax.linalg.cholesky(drawn.T @ drawn, symmetrize_input=False)
        inverse = jax.lax.linalg.triangular_solve(lower, jnp.eye(rank), left_side=True, lower=True)
        basis = drawn @ inverse.T
        compressed = (basis.T * target) @ basis
        compressed_energy = jnp.sum(compressed**2)
        compressed_trace = jnp.trace(compressed)
        if rank == neurons:  # U spans the weights: P = I - UU'
            squared = energy - 2 * target**2 @ jnp.sum(basis**2, axis=1) + compressed_energy
            inside_trace = compressed_trace
        else:  # U spans the complement: P = UU'
            squared = compressed_energy
            inside_trace = jnp.sum(target) - compressed_trace
        if not offset:
            squared = squared + inside_trace**2 / (neurons + 2)
        return squared / energy

    return over_replicates(lambda key: _drawn_vectors(key, dimension, rank), risk, keys, side_by_side)


def projector_risk(keys: Array, *, dimension: int, neurons: int, target: ArrayLike, offset: bool = True) -> Array:
    """R(W) for each key; `offset` says whether the class has the free constant c."""
    vector = float64_vector(target, dimension, "target")
    values = np.asarray(vector)
    if not np.any(values):
        raise ValueError("the target is zero, so its risk cannot be normalised")
    if _drawn_rank(dimension, neurons) == 0:
        # No weights, or weights that span everything: P is I or 0, and nothing is random.
        if neurons == 0:
            return jnp.ones(len(keys))
        trace_term = 0.0 if offset else values.sum() ** 2 / ((dimension + 2) * np.sum(values**2))
        return jnp.full(len(keys), trace_term)
    rank = _drawn_rank(dimension, neurons)
    # Drawn vectors, their basis and its multiple by the target; three square matrices of the rank.
    fits = batch_fits(len(keys), 8.0 * (3 * dimension * rank + 3 * rank**2))
    return _replicates(keys, vector, dimension=dimension, neurons=neurons, offset=offset, side_by_side=fits)


def projector_risk_cost(dimension: int, neurons: int) -> float:
    """Flops of one replicate: draws, Gram matrix, basis, compression of B, and Cholesky."""
    rank = _drawn_rank(dimension, neurons)
    return 30.0 * dimension * rank + 5.0 * dimension * rank**2 + rank**3 / 3 + 1000.0
