r"""Two centred Gaussian classes: y = +1 or -1 with probability 1/2, x | y ~ N(0, Sigma - y Delta).

Sigma is diagonal and given by its eigenvalues; Delta is any symmetric matrix, a vector standing for a diagonal one.
Under the mixture, for a symmetric matrix A (C = Sigma -+ Delta in turn, E<x,Ax>^2 = 2 Tr(ACAC) + Tr(AC)^2),

    E <x,Ax> = Tr(A Sigma),   E y <x,Ax> = -Tr(A Delta),
    Var <x,Ax> = 2 Tr(A Sigma A Sigma) + 2 Tr(A Delta A Delta) + Tr(A Delta)^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.precision import float64_vector


@dataclass(frozen=True, eq=False)
class Mixture:
    """Sigma by its eigenvalues; Delta as a vector (diagonal, same basis) or as a symmetric matrix."""

    sigma: np.ndarray
    delta: np.ndarray

    @property
    def largest_tilt(self) -> float:
        """||Sigma^-1/2 Delta Sigma^-1/2||_op: below one, since both classes have a density."""
        return float(np.max(np.abs(self.tilt_eigenvalues())))

    def whitened(self) -> np.ndarray:
        """Sigma^-1/2 Delta Sigma^-1/2, as a vector if Delta is one."""
        root = np.sqrt(self.sigma)
        return self.delta / self.sigma if self.delta.ndim == 1 else self.delta / np.outer(root, root)

    def tilt_eigenvalues(self) -> np.ndarray:
        """The eigenvalues of Sigma^-1/2 Delta Sigma^-1/2."""
        tilt = self.whitened()
        return tilt if tilt.ndim == 1 else np.linalg.eigvalsh(tilt)


def mixture(sigma: ArrayLike, delta: ArrayLike, dimension: int) -> Mixture:
    """The mixture, or a ValueError if a class has no density."""
    eigenvalues = np.asarray(float64_vector(sigma, dimension, "sigma"))
    tilt = np.asarray(delta, dtype=np.float64)
    if tilt.shape not in ((dimension,), (dimension, dimension)) or not np.all(np.isfinite(tilt)):
        raise ValueError(f"delta must be a finite vector or matrix of side {dimension}, not of shape {tilt.shape}")
    if tilt.ndim == 2 and not np.array_equal(tilt, tilt.T):
        raise ValueError("delta must be symmetric; give (delta + delta.T)/2")
    if np.any(eigenvalues <= 0):
        raise ValueError("sigma must be positive")
    found = Mixture(eigenvalues, tilt)
    if not found.largest_tilt < 1:
        raise ValueError("Sigma - Delta and Sigma + Delta must be positive definite; take a smaller delta")
    return found


def draw_weights(key: Array, gamma: Array, dimension: int, neurons: int) -> Array:
    """Weights N(0, diag(gamma)/d), shape (neurons, dimension)."""
    return jax.random.normal(key, (neurons, dimension), dtype=jnp.float64) * jnp.sqrt(gamma / dimension)


def weight_covariance(gamma: ArrayLike, found: Mixture, dimension: int) -> Array:
    """gamma, checked: nonnegative and with Tr(Gamma Sigma) = 1, Gamma = diag(gamma)/d."""
    vector = float64_vector(gamma, dimension, "gamma")
    values = np.asarray(vector)
    # Rounding of a sum of `dimension` numbers; further from one is another Gamma than is meant.
    if np.any(values < 0) or abs(np.mean(values * found.sigma) - 1) > 1e-12 * dimension:
        raise ValueError("gamma must be nonnegative with Tr(Gamma Sigma) = 1; divide it by the mean of gamma sigma")
    return vector


def sample_weights(key: Array, *, dimension: int, neurons: int, gamma: ArrayLike) -> Array:
    """The weights of one replicate: the same that the risks of this key are computed with."""
    return draw_weights(key, float64_vector(gamma, dimension, "gamma"), dimension, neurons)
