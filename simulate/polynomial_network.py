r"""The network that expresses a power: W* built neuron by neuron, and the error of its quadratic term (B, C.4).

sigma(t) = relu(t)^3/6, a_r = +-1, w_{0,r} = w_{0,r+m/2} ~ N(0, I/B_x^2) (B, (3)), f_*(x) = alpha <beta, x>^p. With
q = p - 2,

    a(w_0) = alpha (B_x |beta|)^q He_q(B_x <w_0, beta>/|beta|)/lambda_q,   lambda_q = E[relu(G) He_q(G)],
    w*_r = 2 m^(-1/4) sqrt([a(w_{0,r})]_+) beta,   w*_{r+m/2} = 2 m^(-1/4) sqrt([a(w_{0,r})]_-) beta.

f^Q is the second-order term of f at W_0 along W*, taken by differentiating the network itself twice. lambda_q comes
from Gauss-Legendre quadrature here. The directions of beta and x matter only through their angle, so beta lies along
the first axis of a plane that holds x.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.polynomial import hermite_e

from simulate.precision import float64_vector

INPUTS = 2
"""The dimension of x: beta and x span no more, and the formula does not know d."""
NETWORKS = 64
"""Networks whose squared errors are averaged in one replicate: a single one is no better than one normal variable."""
ALPHA, RADIUS, NORM = 0.75, 1.5, 0.8
"""alpha, B_x and |beta|: none of them 1, so that a wrong power of one would show."""
MOST_DEGREE = 8
REACH = 16.0
"""Beyond it relu(g) He_q(g) phi(g) is below 1e-45 for q <= 6."""


class Network(NamedTuple):
    """W_0 and W*, rows being neurons, and the outer signs."""

    outer: Array
    start: Array
    movement: Array


def relu_hermite_coefficient(order: int) -> float:
    """lambda_q, by 96 nodes on [0, 16]: the integrand is a polynomial times exp(-g^2/2), entire."""
    nodes, weights = np.polynomial.legendre.leggauss(96)
    g = REACH * (nodes + 1) / 2
    values = g * hermite_e.hermeval(g, [0.0] * order + [1.0]) * np.exp(-(g**2) / 2) / math.sqrt(2 * math.pi)
    return float(np.sum(REACH * weights / 2 * values))


def coefficient_polynomial(degree: int) -> np.ndarray:
    """alpha (B_x |beta|)^q He_q/lambda_q by powers, lowest first, padded so that all degrees have one shape."""
    order = degree - 2
    powers = np.zeros(MOST_DEGREE - 1)
    values = hermite_e.herme2poly([0.0] * order + [1.0]) / relu_hermite_coefficient(order)
    powers[: order + 1] = ALPHA * (RADIUS * NORM) ** order * values
    return powers


def build_power(key: Array, width: int, polynomial: Array) -> Network:
    """W_0 drawn, W* from it."""
    half = jax.random.normal(key, (width // 2, INPUTS), dtype=jnp.float64) / RADIUS
    beta = NORM * jnp.eye(INPUTS)[0]
    value = jnp.polyval(polynomial[::-1], RADIUS * (half @ beta) / NORM)
    parts = jnp.concatenate([jnp.maximum(value, 0), jnp.maximum(-value, 0)])
    movement = 2 * width**-0.25 * jnp.sqrt(parts)[:, None] * beta
    return Network(jnp.repeat(jnp.array([1.0, -1.0]), width // 2), jnp.tile(half, (2, 1)), movement)


def fourth_power_norm(network: Network) -> Array:
    """The fourth power of the 2,4-norm of W*."""
    return jnp.sum(jnp.sum(network.movement**2, axis=1) ** 2)


def quadratic_term(network: Network, x: Array) -> Array:
    """Half the second derivative of s -> f at W_0 + s W*, s = 0."""
    start, movement = network.start @ x, network.movement @ x

    def along(scale: Array) -> Array:
        hidden = jnp.maximum(start + scale * movement, 0) ** 3 / 6
        return jnp.sum(network.outer * hidden) / math.sqrt(network.outer.shape[0])

    return jax.grad(jax.grad(along))(jnp.zeros(())) / 2


def build_xor(key: Array, width: int, shape: int, inputs: Array | int) -> Network:
    """W_0 ~ N(0, I/d) and the W* of the 2-XOR: half of the neurons move along e_1 + e_2, half along e_1 - e_2.

    There are `shape` columns, of which an x of d = `inputs` coordinates sees the first d.
    """
    half = jax.random.normal(key, (width // 2, shape), dtype=jnp.float64) / jnp.sqrt(inputs)
    axes = jnp.eye(shape)
    directions = jnp.repeat(jnp.stack([axes[0] + axes[1], axes[0] - axes[1]]), width // 2, axis=0)
    outer = jnp.repeat(jnp.array([1.0, -1.0]), width // 2)
    return Network(outer, jnp.tile(half, (2, 1)), (2 * math.pi / width) ** 0.25 * directions)


@partial(jax.jit, static_argnames=("width", "shape"))
def _xor_errors(keys: Array, inputs: Array, *, width: int, shape: int) -> Array:
    def one(key: Array) -> Array:
        weights, signs = jax.random.split(key)
        x = jax.random.rademacher(signs, (shape,), dtype=jnp.float64) * (jnp.arange(shape) < inputs)
        return (quadratic_term(build_xor(weights, width, shape, inputs), x) - x[0] * x[1]) ** 2

    def replicate(key: Array) -> Array:
        return width * jnp.mean(jax.vmap(one)(jax.random.split(key, NETWORKS)))

    return jax.lax.map(replicate, keys)


def columns(inputs: int) -> int:
    """The number of columns for x in {-1, 1}^d: a power of two from 4, so that several d share a compiled program."""
    return max(4, 1 << (inputs - 1).bit_length())


def xor_cost(width: int, inputs: int) -> float:
    """Flops of one replicate of `xor_error`."""
    return 60.0 * NETWORKS * columns(inputs) * width


def xor_error(keys: Array, *, dimension: int, inputs: int) -> Array:
    """m (f^Q_{W*}(x) - x_1 x_2)^2, m = `dimension`, x drawn from {-1, 1}^d, d = `inputs`, averaged over networks."""
    if dimension % 2 or inputs < 2:
        raise ValueError("the width is even, and x has two coordinates at least")
    float64_vector([1.0], 1, "precision")
    return _xor_errors(keys, jnp.asarray(inputs), width=dimension, shape=columns(inputs))


@partial(jax.jit, static_argnames=("width",))
def _scaled_errors(keys: Array, polynomial: Array, target: Array, x: Array, unit: Array, *, width: int) -> Array:
    def one(key: Array) -> Array:
        return (quadratic_term(build_power(key, width, polynomial), x) - target) ** 2

    def replicate(key: Array) -> Array:
        return width * jnp.mean(jax.vmap(one)(jax.random.split(key, NETWORKS))) / unit

    return jax.lax.map(replicate, keys)


def error_cost(width: int) -> float:
    """Flops of one replicate: a Gaussian variable per entry of W_0 and a few passes."""
    return 60.0 * NETWORKS * INPUTS * width


def scaled_error(keys: Array, *, dimension: int, degree: int, cosine: float) -> Array:
    """m (f^Q_{W*}(x) - f_*(x))^2/(alpha^2 (B_x |beta|)^{2p}), m = `dimension`, averaged over independent networks.

    `cosine` is <beta, x>/(|beta| B_x).
    """
    if dimension % 2 or not (degree == 3 or (degree % 2 == 0 and 2 <= degree <= MOST_DEGREE)):
        raise ValueError(f"the width is even, and the degree is 3 or even from 2 to {MOST_DEGREE}")
    x = float64_vector([RADIUS * cosine, RADIUS * math.sqrt(1 - cosine**2)], INPUTS, "x")
    target = jnp.asarray(ALPHA * (NORM * RADIUS * cosine) ** degree)
    unit = jnp.asarray(ALPHA**2 * (RADIUS * NORM) ** (2 * degree))
    return _scaled_errors(keys, jnp.asarray(coefficient_polynomial(degree)), target, x, unit, width=dimension)
