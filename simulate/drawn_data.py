r"""Second witnesses: least squares on drawn data, with the actual features.

Let a* minimise the risk R(a) = E loss(a; x), let a^ minimise the mean loss over n drawn points, and let
fresh points be drawn after. Then

    (1/n) sum loss(a^; x_k) <= (1/n) sum loss(a*; x_k), an average of independent terms of mean R(a*), and
    (1/n') sum loss(a^; x'_k) over fresh points is an average of mean R(a^) >= R(a*) given a^.

So R(a*) lies between in_sample - z in_sample_se and fresh + z fresh_se but with the probability of z standard
errors on either side. Nothing of the exact route is used: no kernel, no Hermite coefficient, no projector.
Only the draw of the weights is shared, so that both speak of the same class.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from numpy.typing import ArrayLike

from simulate.activation_function import ActivationFunction
from simulate.precision import float64_vector

CHUNK = 4096


class Bracket(NamedTuple):
    """Losses normalised by E f^2, with their standard errors."""

    in_sample: float
    in_sample_se: float
    fresh: float
    fresh_se: float

    def holds(self, risk: float, z: float) -> bool:
        """Whether the risk lies in the bracket widened by z standard errors on either side."""
        return self.in_sample - z * self.in_sample_se <= risk <= self.fresh + z * self.fresh_se


@partial(jax.jit, static_argnames=("features", "samples"))
def _least_squares(
    key: Array, weights: Array, target: Array, *, features: Callable[[Array, Array], Array], samples: int
) -> tuple[Array, ...]:
    """Mean loss and its standard error, in the sample and on as many fresh points.

    Data come in chunks that are drawn again, from the same keys, when they are needed again.
    """
    dimension = len(target)
    chunks = -(-samples // CHUNK)
    width = jax.eval_shape(features, jax.ShapeDtypeStruct((CHUNK, dimension), jnp.float64), weights).shape[1]
    trace, variance = jnp.sum(target), 2 * jnp.sum(target**2)

    def chunk(index: Array) -> tuple[Array, Array]:
        x = jax.random.normal(jax.random.fold_in(key, index), (CHUNK, dimension), dtype=jnp.float64)
        return features(x, weights), ((x * x) @ target - trace) / jnp.sqrt(variance)

    def gather(index: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        columns, response = chunk(index)
        return sums[0] + columns.T @ columns, sums[1] + columns.T @ response

    gram, cross = jax.lax.fori_loop(0, chunks, gather, (jnp.zeros((width, width)), jnp.zeros(width)))
    # Pseudo-inverse, since tangent features <w_i,x> x_k are linearly dependent. What rounding leaves in
    # small eigenvalues only moves a^ away from the minimiser, by the square root of rounding at most.
    values, vectors = jnp.linalg.eigh(gram)
    kept = values > width * jnp.finfo(jnp.float64).eps * values[-1]
    solution = vectors @ (jnp.where(kept, 1 / jnp.where(kept, values, 1), 0) * (vectors.T @ cross))

    def losses(first: Array) -> tuple[Array, Array]:
        def add(index: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
            columns, response = chunk(index)
            loss = (response - columns @ solution) ** 2
            return sums[0] + jnp.sum(loss), sums[1] + jnp.sum(loss**2)

        total, squares = jax.lax.fori_loop(first, first + chunks, add, (jnp.zeros(()), jnp.zeros(())))
        count = chunks * CHUNK
        mean = total / count
        return mean, jnp.sqrt((squares / count - mean**2) / count)

    # The sample's own chunks, then the fresh ones: mapped rather than called twice, to be compiled once.
    means, errors = jax.lax.map(losses, jnp.asarray([0, chunks]))
    return means[0], errors[0], means[1], errors[1]


def _bracket(
    key: Array,
    weights: ArrayLike,
    target: ArrayLike,
    features: Callable[[Array, Array], Array],
    samples: int,
) -> Bracket:
    vectors = jnp.asarray(weights, dtype=jnp.float64)
    targets = float64_vector(target, vectors.shape[1], "target")
    results = _least_squares(key, vectors, targets, features=features, samples=samples)
    return Bracket(*(float(value) for value in results))


def random_features_bracket(
    key: Array,
    weights: ArrayLike,
    *,
    target: ArrayLike,
    activation: ActivationFunction,
    offset: bool = False,
    samples: int = 100_000,
) -> Bracket:
    """Bracket of the risk of sum_i a_i sigma(<w_i,x>) (+ c), given the weights (neurons, dimension).

    `samples` is rounded up to whole chunks.
    """
    return _bracket(key, weights, target, _random_features(activation, offset), samples)


@lru_cache(maxsize=64)
def _random_features(activation: ActivationFunction, offset: bool) -> Callable[[Array, Array], Array]:
    """One function per activation, so that it is compiled once."""

    def features(x: Array, vectors: Array) -> Array:
        columns = activation.value(x @ vectors.T)
        return _with_constant(columns) if offset else columns

    return features


def neural_tangent_bracket(
    key: Array, weights: ArrayLike, *, target: ArrayLike, offset: bool = True, samples: int = 100_000
) -> Bracket:
    """Bracket of the risk of sum_i <a_i,x> <w_i,x> (+ c), given the weights (neurons, dimension)."""
    return _bracket(key, weights, target, _tangent_features_and_constant if offset else _tangent_features, samples)


def _tangent_features(x: Array, vectors: Array) -> Array:
    """<w_i, x> x_k for all i and k."""
    return ((x @ vectors.T)[:, :, None] * x[:, None, :]).reshape(len(x), -1)


def _tangent_features_and_constant(x: Array, vectors: Array) -> Array:
    return _with_constant(_tangent_features(x, vectors))


def _with_constant(columns: Array) -> Array:
    return jnp.concatenate([columns, jnp.ones((len(columns), 1))], axis=1)
