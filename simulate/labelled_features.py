r"""Labelled random features: the data sets on which a linear classifier is trained.

x ~ N(0, I_d); labels P(y = 1 | x) = f(<beta_0, x>), |beta_0| = 1; weights w_j uniform on the unit sphere, j <= N. The
features of a point are

    "nonlinear"     u_j = sigma(<w_j, x>)            (less b_0 if `centred`), or
    "noisy_linear"  u_j = b_1 <w_j, x> + b_* z_j,    z_j ~ N(0, 1),

where b_0 = E sigma(G), b_1 = E[G sigma(G)] and b_*^2 = E (sigma(G) - b_0 - b_1 G)^2, by quadrature or as given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from scipy.special import ndtr

from simulate.activation_function import ActivationFunction
from simulate.label_law import LabelLaw
from simulate.spherical_kernels import kernel

Kind = Literal["nonlinear", "noisy_linear"]

PIECES = (128, 1024, 8192, 65536)
"""Random numbers and activations come in pieces of few sizes, since JAX compiles anew for each shape."""
GROUP = 2**22
"""Numbers made at once: 32 MB."""


@partial(jax.jit, static_argnames=("count",))
def _chunk(keys: Array, index: Array, count: int) -> Array:
    def one(key: Array) -> Array:
        return jax.random.normal(jax.random.fold_in(key, index), (count,), dtype=jnp.float64)

    return jax.vmap(one)(keys)


def _pieces(size: int) -> tuple[int, int]:
    """How many pieces, and of which length: at most a quarter is made in vain."""
    length = max((piece for piece in PIECES if 4 * piece <= size), default=PIECES[0])
    return -(-size // length), length


def normals(keys: Array, *shapes: tuple[int, ...]) -> Iterator[list[np.ndarray]]:
    """For each key independent normal arrays of the given shapes."""
    sizes = [math.prod(shape) for shape in shapes]
    count, length = _pieces(sum(sizes))
    ends = np.cumsum(sizes)
    together = next((group for group in (len(keys), 16) if group * count * length <= GROUP), 1)
    for start in range(0, len(keys), together):
        group = keys[start : start + together]
        for flat in np.concatenate([np.asarray(_chunk(group, index, length)) for index in np.arange(count)], axis=1):
            yield [flat[end - size : end].reshape(shape) for end, size, shape in zip(ends, sizes, shapes, strict=True)]


@lru_cache(maxsize=64)
def _on_arrays(activation: ActivationFunction) -> Callable[[np.ndarray], np.ndarray]:
    """sigma on NumPy arrays of any shape, compiled once for each power of two."""
    compiled = jax.jit(activation.value)

    def values(u: np.ndarray) -> np.ndarray:
        length = min(max(256, 1 << (u.size - 1).bit_length()), PIECES[-1])
        padded = np.resize(u, (-(-u.size // length), length))
        return np.concatenate([np.asarray(compiled(row)) for row in padded])[: u.size].reshape(u.shape)

    return values


@dataclass(frozen=True)
class FeatureModel:
    """sigma less `offset`, or b_1 and b_* where sigma is None; `mean` is what b_0 is after that."""

    sigma: Callable[[np.ndarray], np.ndarray] | None
    offset: float
    mean: float
    linear: float
    noise: float


def feature_model(
    features: Kind,
    activation: ActivationFunction | None,
    coefficients: tuple[float, float] | None = None,
    centred: bool = False,
) -> FeatureModel:
    """The features of that kind; `coefficients` are b_1 and b_* for noisy linear ones without an activation."""
    if features not in ("nonlinear", "noisy_linear"):
        raise ValueError(f"features are nonlinear or noisy_linear, not {features!r}")
    if features == "noisy_linear" and coefficients is not None:
        return FeatureModel(None, 0.0, 0.0, *map(float, coefficients))
    if activation is None or coefficients is not None:
        raise ValueError("nonlinear features need an activation, noisy linear ones an activation or (b_1, b_*)")
    # Under the Gaussian law the coefficients do not depend on the dimension; the least one allowed will do.
    gaussian = kernel(activation, "gaussian", 3, 1)
    mean, linear, noise = gaussian.mean, gaussian.linear, gaussian.nonlinear
    if features == "noisy_linear":
        return FeatureModel(None, 0.0, 0.0, linear, noise)
    return FeatureModel(_on_arrays(activation), *((mean, 0.0) if centred else (0.0, mean)), linear, noise)


@dataclass(frozen=True, eq=False)
class DataSet:
    """The weights, the labels, the labelled features y_i u_i, and normal numbers for fresh points.

    beta_0 is the first coordinate vector: the weights are isotropic.
    """

    weights: np.ndarray
    labels: np.ndarray
    points: np.ndarray
    fresh: np.ndarray


def data_sets(
    keys: Array, dimension: int, neurons: int, samples: int, law: LabelLaw, model: FeatureModel, fresh: int = 0
) -> Iterator[DataSet]:
    """One data set for each key, with as many fresh normal vectors in R^d as asked for."""
    noise = (samples, neurons) if model.sigma is None else (0,)
    shapes = (neurons, dimension), (samples, dimension), (samples,), noise, (fresh, dimension)
    for directions, x, uniform, z, more in normals(keys, *shapes):
        weights = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        projections = x @ weights.T
        if model.sigma is None:
            features = model.linear * projections + model.noise * z
        else:
            features = model.sigma(projections) - model.offset
        labels = law.draw(x[:, 0], ndtr(uniform))
        yield DataSet(weights, labels, labels[:, None] * features, more)
