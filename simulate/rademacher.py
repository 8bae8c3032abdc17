r"""The Rademacher supremum of the quadratic model at drawn weights, inputs and signs.

With A_r = (1/n) sum_i eps_i sigma''(<w_{0,r}, x_i>) x_i x_i^T, the symmetric start (each weight with a_r = +1 and -1),
B_w = B_x = 1, the supremum over ||W||_{2,4} <= 1 of (1/n) sum_i eps_i f^Q_W(x_i) is

    (1/(2 sqrt m)) (sum over the m/2 distinct weights of [lambda_max(A_r)]_+^2 + [lambda_min(A_r)]_-^2)^(1/2).

In the plane the two eigenvalues are elementary.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from simulate.activation_function import ActivationFunction
from simulate.higher_tangents import derivative
from simulate.precision import float64_vector
from simulate.randomised_network import Function

FLOPS = 60.0
"""Of one pair of a weight and an input: an elementary function with two derivatives, and three products."""
FEW = 3
"""Inputs whose 2^n signs are all averaged over."""
DRAWS = 64
"""Rows of signs that one replicate averages over where there are too many to enumerate."""
Size = Literal["samples", "width"]


def closed_form(curvatures: Array, inputs: Array, signs: Array) -> Array:
    """The supremum for each row of signs; curvatures[r, i] = sigma''(<w_r, x_i>) of the m/2 distinct weights.

    inputs[i] is a point of the plane.
    """
    pairs, samples = curvatures.shape
    a, b, c = ((curvatures * inputs[:, i] * inputs[:, j]) @ signs.T / samples for i, j in ((0, 0), (0, 1), (1, 1)))
    middle, radius = (a + c) / 2, jnp.sqrt((a - c) ** 2 / 4 + b**2)
    squares = jnp.maximum(middle + radius, 0) ** 2 + jnp.maximum(radius - middle, 0) ** 2
    return jnp.sqrt(jnp.sum(squares, axis=0) / (2 * pairs)) / 2


def average(curvatures: Array, inputs: Array, signs: Array, movement: Array) -> Array:
    """(1/n) sum_i eps_i f^Q_W(x_i), with movement[0] where a_r = +1 and movement[1] where a_r = -1."""
    pairs, samples = curvatures.shape
    squares = (movement @ inputs.T) ** 2
    return jnp.sum((squares[0] - squares[1]) * curvatures * signs) / (2 * samples * math.sqrt(2 * pairs))


def circle(key: Array, samples: int) -> Array:
    """Inputs on the unit circle."""
    angles = jax.random.uniform(key, (samples,), dtype=jnp.float64, maxval=2 * jnp.pi)
    return jnp.stack([jnp.cos(angles), jnp.sin(angles)], axis=1)


def starts(key: Array, width: int) -> Array:
    """The m/2 distinct weights, N(0, I)."""
    return jax.random.normal(key, (width // 2, 2), dtype=jnp.float64)


@partial(jax.jit, static_argnames=("value", "samples", "width"))
def _drawn(keys: Array, *, value: Function, samples: int, width: int) -> Array:
    weights = starts(jax.random.key(width), width)

    def one(key: Array) -> Array:
        first, second = jax.random.split(key)
        inputs = circle(first, samples)
        signs = jax.random.rademacher(second, (DRAWS, samples), dtype=jnp.float64)
        return jnp.mean(closed_form(derivative(value, 2)(weights @ inputs.T), inputs, signs))

    return jax.lax.map(one, keys)


@partial(jax.jit, static_argnames=("value", "width"))
def _averaged(keys: Array, *, value: Function, width: int) -> Array:
    inputs = circle(jax.random.key(FEW), FEW)
    patterns = jnp.asarray(np.array(list(product((1.0, -1.0), repeat=FEW))))

    def one(key: Array) -> Array:
        curvatures = derivative(value, 2)(starts(key, width) @ inputs.T)
        return jnp.mean(closed_form(curvatures, inputs, patterns))

    return jax.lax.map(one, keys)


def supremum(keys: Array, *, dimension: int, grows: Size, activation: ActivationFunction, width: int = 16) -> Array:
    """The supremum for each key as `grows` (n or m) takes the value `dimension`.

    "samples": n inputs drawn on the circle, `width` given weights, the mean over DRAWS rows of signs.
    "width": FEW given inputs, m = `dimension`, the mean over all signs; only the weights are drawn.
    """
    float64_vector([1.0], 1, "precision")
    if grows == "samples":
        return _drawn(keys, value=activation.value, samples=dimension, width=width)
    return _averaged(keys, value=activation.value, width=dimension)


def supremum_cost(dimension: int, grows: Size, width: int = 16) -> float:
    """Flops of one replicate."""
    if grows == "samples":
        return (FLOPS + 6.0 * DRAWS) * dimension * width / 2
    return (FLOPS * FEW + 2.0**FEW * 20) * dimension / 2
