r"""Second witnesses for linear and cubic targets: least squares on drawn data, with the actual features.

As in `drawn_data`, the least risk lies between the loss in the sample and the loss on fresh points, each widened by its
standard errors. Only the weights are shared with the exact routes.
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from simulate.activation_function import ActivationFunction
from simulate.drawn_data import Bracket


def _mean_and_error(losses: np.ndarray) -> tuple[float, float]:
    return float(np.mean(losses)), float(np.std(losses) / np.sqrt(len(losses)))


def least_squares_bracket(
    features: Callable[[np.ndarray], np.ndarray],
    target: Callable[[np.ndarray], np.ndarray],
    *,
    dimension: int,
    samples: int,
    seed: int,
) -> Bracket:
    """The bracket of the least risk of the span of the features, for a target with E f^2 = 1."""
    generator = np.random.default_rng(seed)
    seen, fresh = generator.standard_normal((2, samples, dimension))
    columns = features(seen)
    coefficients = np.linalg.lstsq(columns.T @ columns, columns.T @ target(seen), rcond=None)[0]
    inside, outside = (
        _mean_and_error((target(points) - features(points) @ coefficients) ** 2) for points in (seen, fresh)
    )
    return Bracket(*inside, *outside)


def linear_bracket(
    weights: ArrayLike,
    *,
    direction: ArrayLike,
    activation: ActivationFunction,
    offset: bool = False,
    samples: int = 100_000,
    seed: int = 0,
) -> Bracket:
    """For f(x) = <beta, x>/|beta| and the features sigma(<w_i, x>) (and a constant)."""
    vectors = np.asarray(weights)
    beta = np.asarray(direction) / np.linalg.norm(np.asarray(direction))

    def features(points: np.ndarray) -> np.ndarray:
        columns = np.asarray(activation.value(jnp.asarray(points @ vectors.T)))
        return np.column_stack([columns, np.ones(len(points))]) if offset else columns

    return least_squares_bracket(
        features, lambda points: points @ beta, dimension=vectors.shape[1], samples=samples, seed=seed
    )


def cubic_bracket(weights: ArrayLike, *, samples: int = 100_000, seed: int = 0) -> Bracket:
    """For f(x) = x_1 (|x|^2 - d - 2)/sqrt(2(d + 2)) and the features x_a (<w_i, x>^2 - 1)."""
    vectors = np.asarray(weights)
    dimension = vectors.shape[1]

    def features(points: np.ndarray) -> np.ndarray:
        return (((points @ vectors.T) ** 2 - 1)[:, :, None] * points[:, None, :]).reshape(len(points), -1)

    def target(points: np.ndarray) -> np.ndarray:
        return points[:, 0] * (np.sum(points**2, axis=1) - dimension - 2) / np.sqrt(2 * (dimension + 2))

    return least_squares_bracket(features, target, dimension=dimension, samples=samples, seed=seed)
