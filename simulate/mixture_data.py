r"""Second witness of the risks on a mixture: least squares on drawn data, with the actual features.

As in `drawn_data.py`, the mean loss of the fit in its own sample and on fresh points brackets the least risk, each
up to its standard error. No Gram matrix, Hermite coefficient or moment of the exact route is used.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.activation_function import ActivationFunction
from simulate.drawn_data import Bracket
from simulate.mixture import Mixture


def _draw(key: Array, found: Mixture, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and labels, as many of either class."""
    delta = np.diag(found.delta) if found.delta.ndim == 1 else found.delta
    normal = np.asarray(jax.random.normal(key, (2, samples // 2, len(found.sigma)), dtype=jnp.float64))
    points = [
        part @ np.linalg.cholesky(np.diag(found.sigma) - y * delta).T for y, part in zip((1, -1), normal, strict=True)
    ]
    return np.concatenate(points), np.repeat([1.0, -1.0], samples // 2)


def _mean_and_error(losses: np.ndarray) -> tuple[float, float]:
    return float(losses.mean()), float(losses.std() / np.sqrt(len(losses)))


def _bracket(key: Array, found: Mixture, columns: Callable[[np.ndarray], np.ndarray], samples: int) -> Bracket:
    (train, labels), (fresh, fresh_labels) = (_draw(part, found, samples) for part in jax.random.split(key))
    solution = np.linalg.lstsq(columns(train), labels, rcond=None)[0]
    inside = _mean_and_error((labels - columns(train) @ solution) ** 2)
    return Bracket(*inside, *_mean_and_error((fresh_labels - columns(fresh) @ solution) ** 2))


def random_features_bracket(
    key: Array,
    weights: ArrayLike,
    *,
    found: Mixture,
    activation: ActivationFunction,
    offset: bool = False,
    samples: int = 40_000,
) -> Bracket:
    """Bracket of the risk of sum_i a_i sigma(<w_i,x>) (+ c), given the weights (neurons, dimension)."""

    def columns(x: np.ndarray) -> np.ndarray:
        values = np.asarray(activation.value(jnp.asarray(x @ np.asarray(weights).T)))
        return np.column_stack([values, np.ones(len(x))]) if offset else values

    return _bracket(key, found, columns, samples)


def tangent_bracket(
    key: Array, weights: ArrayLike, *, found: Mixture, offset: bool = True, samples: int = 40_000
) -> Bracket:
    """Bracket of the risk of sum_i <a_i,x> <w_i,x> (+ c), given the weights (neurons, dimension)."""

    def columns(x: np.ndarray) -> np.ndarray:
        tangents = (x @ np.asarray(weights).T)[:, :, None] * x[:, None, :]
        flat = tangents.reshape(len(x), -1)
        return np.column_stack([flat, np.ones(len(x))]) if offset else flat

    return _bracket(key, found, columns, samples)
