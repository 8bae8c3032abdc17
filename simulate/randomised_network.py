r"""A network with random signs on its movement, seen at one input (B, Section 3): exact averages over the signs.

At an input x a neuron is three numbers: its outer sign a_r, its start u_r = <w_{0,r}, x>, its movement h_r = <w_r, x>.
With flips eps_r = +-1 (the diagonal of Sigma)

    f = m^(-1/2) sum_r a_r sigma(u_r + eps_r h_r),              f^L = m^(-1/2) sum_r a_r sigma'(u_r) eps_r h_r,
    f^Q = (1/2) m^(-1/2) sum_r a_r sigma''(u_r) h_r^2,          Delta^Q = f - f_0 - f^L - f^Q.

Averages over the flips are exact: the mean square of f^L is a sum of squares; the largest |Delta^Q| is taken neuron
by neuron; and as f is a sum of independent two-point variables with centre c and half-spreads s_r, its characteristic
function is e^(itc) prod_r cos(t s_r), which gives the mean of the logistic loss l(z) = log(1 + e^-z): with
g(z) = l(z) + z/2 = log(2 cosh(z/2)), whose second derivative has the Fourier transform pi t/sinh(pi t),

    E g(f) - g(q) = int_0^oo (cos(tq) - cos(tc) prod_r cos(t s_r))/(t sinh(pi t)) dt.

The integrand is analytic in |Im t| < 1 and decays like e^(-pi t), so Gauss-Legendre quadrature is exact to rounding
while the outputs stay below REACH; beyond, NaN is returned.
The starts are drawn, half of them, and copied (B, (3)); movements are chosen to be the worst of their norm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from simulate.activation_function import ActivationFunction
from simulate.higher_tangents import derivative
from simulate.precision import float64_vector

Function = Callable[[Array], Array]
FLOPS_PER_NEURON = 100.0
"""A Gaussian variable, an elementary function and its derivatives."""
NODES = 48
CUT = 12.0
"""Beyond it the integrand is below 2 e^(-pi 12)/12 < 1e-17."""
REACH = 16.0
"""Outputs of this size still oscillate slowly enough for the nodes: errors measured below 1e-13, and 1e-8 at 28."""


class Neurons(NamedTuple):
    """What one input sees of the m neurons: arrays of length m."""

    outer: Array
    start: Array
    movement: Array


def outer_signs(width: int) -> Array:
    """a_r: +1 in the first half, -1 in the second."""
    return jnp.repeat(jnp.array([1.0, -1.0]), width // 2)


def symmetric_start(key: Array, width: int) -> Array:
    """u_r = <w_{0,r}, x> ~ N(0, 1) for the first half, copied into the second."""
    return jnp.tile(jax.random.normal(key, (width // 2,), dtype=jnp.float64), 2)


def _average(outer: Array, values: Array) -> Array:
    return jnp.sum(outer * values) / math.sqrt(outer.shape[0])


def network(value: Function, neurons: Neurons, flips: Array) -> Array:
    """f at W_0 + W Sigma."""
    return _average(neurons.outer, value(neurons.start + flips * neurons.movement))


def linear_part(value: Function, neurons: Neurons, flips: Array) -> Array:
    """f^L at W Sigma."""
    return _average(neurons.outer, derivative(value, 1)(neurons.start) * flips * neurons.movement)


def quadratic_part(value: Function, neurons: Neurons) -> Array:
    """f^Q, which no flip changes."""
    return _average(neurons.outer, derivative(value, 2)(neurons.start) * neurons.movement**2) / 2


def remainders(value: Function, neurons: Neurons, flips: Array) -> Array:
    """What is left of sigma(u_r + eps_r h_r) after the second order, neuron by neuron."""
    u, h = neurons.start, flips * neurons.movement
    return value(u + h) - value(u) - derivative(value, 1)(u) * h - derivative(value, 2)(u) * h**2 / 2


def remainder(value: Function, neurons: Neurons, flips: Array) -> Array:
    """Delta^Q at W Sigma."""
    return _average(neurons.outer, remainders(value, neurons, flips))


def linear_mean_square(value: Function, neurons: Neurons) -> Array:
    """E (f^L)^2 over the flips: the mean of sigma'(u_r)^2 h_r^2."""
    return jnp.mean((derivative(value, 1)(neurons.start) * neurons.movement) ** 2)


def largest_remainder(value: Function, neurons: Neurons) -> Array:
    """max over the flips of |Delta^Q|: each neuron takes its better flip."""
    up, down = (neurons.outer * remainders(value, neurons, flip * jnp.ones_like(neurons.start)) for flip in (1.0, -1.0))
    most, least = jnp.sum(jnp.maximum(up, down)), jnp.sum(jnp.minimum(up, down))
    return jnp.maximum(most, -least) / math.sqrt(neurons.start.shape[0])


def logistic_gap(value: Function, neurons: Neurons) -> Array:
    """E l(f) - l(f^Q) over the flips, l the logistic loss at y = 1; y = -1 is this for -a_r."""
    up, down = (neurons.outer * (value(neurons.start + e * neurons.movement) - value(neurons.start)) for e in (1, -1))
    root = math.sqrt(neurons.start.shape[0])
    centre, spread = jnp.sum(up + down) / (2 * root), (up - down) / (2 * root)
    quadratic = quadratic_part(value, neurons)
    abscissas, weights = np.polynomial.legendre.leggauss(NODES)
    t = jnp.asarray(CUT * (abscissas + 1) / 2)
    law = jnp.cos(t * centre) * jax.lax.map(lambda s: jnp.prod(jnp.cos(s * spread)), t)
    even = jnp.sum(jnp.asarray(CUT * weights / 2) * (jnp.cos(t * quadratic) - law) / (t * jnp.sinh(math.pi * t)))
    reach = jnp.maximum(jnp.abs(quadratic), jnp.abs(centre) + 4 * jnp.linalg.norm(spread))
    return jnp.where(reach <= REACH, even - (centre - quadratic) / 2, jnp.nan)


Quantity = Literal["linear", "quadratic", "remainder", "risk"]


def _size(
    value: Function, quantity: Quantity, outer: Array, start: Array, shape: Array, worst: bool, scale: float
) -> Array:
    """The quantity for movements of ||W||_{2,4} B_x = scale; `worst` takes the largest over those W where it is known.

    sup E(f^L)^2 = scale^2 m^(-1/2) (mean sigma'^4)^(1/2) and sup |f^Q| = (scale^2/2) m^(-1/2) (the larger of the sums
    of [a sigma'']_+^2 and [a sigma'']_-^2)^(1/2), by Cauchy-Schwarz with equality. Otherwise h_r = scale m^(-1/4) times
    `shape`, whose fourth powers have mean 1; but for f^Q, which the copies cancel: there only the first half moves.
    """
    width = start.shape[0]
    neurons = Neurons(outer, start, scale * width**-0.25 * shape)
    if quantity == "linear":
        if worst:
            return scale * width**-0.25 * jnp.mean(derivative(value, 1)(start) ** 4) ** 0.25
        return jnp.sqrt(linear_mean_square(value, neurons))
    if quantity == "quadratic":
        if worst:
            curvature = outer * derivative(value, 2)(start)
            sides = [jnp.sum(jnp.maximum(side * curvature, 0) ** 2) for side in (1, -1)]
            return scale**2 / 2 * jnp.sqrt(jnp.maximum(*sides) / width)
        half = 2**0.25 * neurons.movement * (outer > 0)
        return jnp.abs(quadratic_part(value, neurons._replace(movement=half)))
    if quantity == "remainder":
        return largest_remainder(value, neurons)
    return jnp.abs(logistic_gap(value, neurons))


@partial(jax.jit, static_argnames=("value", "width", "quantity", "worst"))
def _sizes(keys: Array, scale: float, *, value: Function, width: int, quantity: Quantity, worst: bool) -> Array:
    outer = outer_signs(width)

    def one(key: Array) -> Array:
        start, shape = symmetric_start(key, width), jnp.ones(width)
        if quantity == "remainder":
            # Movements of one size would leave nothing to chance for x^3, whose remainder is h^3 whatever u is.
            fourth = jax.random.uniform(jax.random.fold_in(key, 1), (width,), dtype=jnp.float64)
            shape = (fourth / jnp.mean(fourth)) ** 0.25
        return _size(value, quantity, outer, start, shape, worst, scale)

    return jax.lax.map(one, keys)


def size_cost(width: int, quantity: Quantity) -> float:
    """Flops of one replicate."""
    return (FLOPS_PER_NEURON + (20.0 * NODES if quantity == "risk" else 0.0)) * width


def typical_size(
    keys: Array,
    *,
    dimension: int,
    quantity: Quantity,
    worst: bool,
    activation: ActivationFunction,
    scale: float = 1.0,
) -> Array:
    """The quantity at a fixed input of m = `dimension` neurons, its starts drawn from N(0, 1).

    "linear" is the root of the mean square of f^L, "quadratic" is |f^Q|, "remainder" the largest |Delta^Q|, "risk"
    |E l(f) - l(f^Q)|; `scale` is B_x ||W||_{2,4}. Movements are of one size, but for the remainder, where the fourth
    powers of their sizes are uniform.
    """
    if dimension % 2:
        raise ValueError("the symmetric initialisation has an even number of neurons")
    float64_vector([scale], 1, "scale")
    return _sizes(keys, scale, value=activation.value, width=dimension, quantity=quantity, worst=worst)


@partial(jax.jit, static_argnames=("value", "inputs", "width", "quantity"))
def _aligned_sizes(keys: Array, *, value: Function, inputs: int, width: int, quantity: Quantity) -> Array:
    def one(key: Array) -> Array:
        weights = jax.random.normal(key, (width // 2, inputs), dtype=jnp.float64)
        start = jnp.tile(weights @ weights[0] / jnp.linalg.norm(weights[0]), 2)
        return _size(value, quantity, outer_signs(width), start, jnp.ones(width), True, 1.0)

    return jax.lax.map(one, keys)


def aligned_cost(inputs: int, width: int) -> float:
    """Flops of one replicate of `aligned_size`."""
    return FLOPS_PER_NEURON * inputs * width / 2


def aligned_size(
    keys: Array, *, dimension: int, width: int, quantity: Quantity, activation: ActivationFunction
) -> Array:
    """The worst of the quantity over W, B_x ||W||_{2,4} = 1, at x parallel to w_{0,1} in R^d, d = `dimension`."""
    if width % 2:
        raise ValueError("the symmetric initialisation has an even number of neurons")
    float64_vector([1.0], 1, "precision")
    return _aligned_sizes(keys, value=activation.value, inputs=dimension, width=width, quantity=quantity)
