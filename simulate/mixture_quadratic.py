r"""The neural tangent class with sigma(u) = u^2 on a mixture of two Gaussians, with the data integrated out.

The class is c + <x,Ax>, A = sum_i (w_i a_i' + a_i w_i'). In M = Sigma^1/2 A Sigma^1/2 and D = Sigma^-1/2 Delta
Sigma^-1/2, the moments in `mixture.py` give E y<x,Ax> = -<M,D> and Var <x,Ax> = Q(M) + <M,D>^2, Q(M) = 2 |M|^2 + 2
Tr(MDMD), so that the least risk is

    1/(1 + q),   q = max <M,D>^2/Q(M) = <D, (M -> M + D M D restricted to V)^{-1} D>/2,   V = {M : PMP = 0},

P the projector off the span of Sigma^1/2 W. Without the constant c, E <x,Ax> = Tr M is not taken off: Q gains
Tr(M)^2 and the map Tr(M) I/2. The restricted system is solved by conjugate gradients: its condition number is at
most (1 + |D|^2)/(1 - |D|^2), |D| < 1 the operator norm (one more, large, eigenvalue without c).
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.sparse.linalg import cg
from numpy.typing import ArrayLike

from simulate.mixture import draw_weights, mixture, weight_covariance
from simulate.precision import over_replicates

RESIDUAL = 1e-10
"""Relative residual of the conjugate gradients: q errs by its square, times the condition number."""


@partial(jax.jit, static_argnames=("dimension", "neurons", "offset"))
def _replicates(
    keys: Array, gamma: Array, root: Array, tilt: Array, *, dimension: int, neurons: int, offset: bool
) -> Array:
    matrix = jnp.diag(tilt) if tilt.ndim == 1 else tilt

    def energy(m: Array) -> Array:
        """Half the derivative of Q/2."""
        tilted = m * jnp.outer(tilt, tilt) if tilt.ndim == 1 else tilt @ m @ tilt
        return m + tilted if offset else m + tilted + jnp.trace(m) / 2 * jnp.eye(dimension)

    def risk(weights: Array) -> Array:
        basis = jnp.linalg.qr((weights * root).T)[0]

        def onto(m: Array) -> Array:
            """M - PMP = BB'M + MBB' - B(B'MB)B' for the basis B of the span."""
            left = basis.T @ m
            half = basis @ left
            return half + half.T - basis @ (left @ basis) @ basis.T

        inside = onto(matrix)
        solution, _ = cg(lambda m: onto(energy(m)), inside, tol=RESIDUAL)
        return 1 / (1 + jnp.sum(matrix * solution) / 2)

    return over_replicates(lambda key: draw_weights(key, gamma, dimension, neurons), risk, keys, False)


def tangent_risk(
    keys: Array,
    *,
    dimension: int,
    neurons: int,
    gamma: ArrayLike,
    sigma: ArrayLike,
    delta: ArrayLike,
    offset: bool = True,
) -> Array:
    """The least risk of the tangent class for the weights of each key; `offset`: with the constant c."""
    found = mixture(sigma, delta, dimension)
    gammas = weight_covariance(gamma, found, dimension)
    if np.any(np.asarray(gammas) == 0):
        raise ValueError("weights of a singular covariance do not span generic directions; give gamma > 0")
    if neurons >= dimension:
        # Every M is allowed and the best one commutes with D: nothing is random.
        tilts = found.tilt_eigenvalues()
        solution = tilts / (1 + tilts**2)
        if not offset:  # Sherman and Morrison: (diag(1 + t^2) + 1 1'/2)^{-1}
            inverse = 1 / (1 + tilts**2)
            solution = solution - inverse * np.sum(solution) / (2 + np.sum(inverse))
        return jnp.full(len(keys), 1 / (1 + np.sum(tilts * solution) / 2))
    return _replicates(
        keys,
        gammas,
        jnp.sqrt(jnp.asarray(found.sigma)),
        jnp.asarray(found.whitened()),
        dimension=dimension,
        neurons=neurons,
        offset=offset,
    )


def tangent_risk_cost(dimension: int, neurons: int, *, diagonal: bool = True) -> float:
    """Flops of one replicate: a basis, and some ten steps of four products with it (two more with a full Delta)."""
    rank = min(dimension, neurons)
    if rank == dimension:
        return 1000.0
    step = 8.0 * dimension**2 * rank + (0 if diagonal else 4.0 * dimension**3)
    return 30.0 * dimension * rank + 4.0 * dimension * rank**2 + 10 * step
