r"""Gradients and Hessians of the randomised risk against those of the quadratic model, exact over all signs (B, B.3).

One input, the logistic loss l(z) = log(1 + e^-z), neurons as in randomised_network.py. Neuron r adds a two-point
variable with centre c_r and half-spread s_r to f, so the characteristic function of f is Phi(t) = prod_r e^(i t c_r)
cos(t s_r) and, with l(z) = g(z) - z/2 and g(z) = log(2 cosh(z/2)),

    E g(f) = const - int_0^oo (Re Phi(t) - 1)/(t sinh(pi t)) dt.

Derivatives in the movements h_r go under the integral. Along W itself (h_r' = h_r) the derivative of Phi is
Phi sum_r (i t c_r' - t s_r' tan(t s_r)). The Hessian along W_* Sigma', averaged over the signs Sigma', is the sum of
the second derivatives in single movements times <w_{*,r}, x>^2, as mixed ones have mean zero; a single one is

    Phi (-t^2 (c'^2 + s'^2) + i t c'' - t s'' tan(t s) - 2 i t^2 c' s' tan(t s)).

The integrands are analytic and decay like t e^(-pi t), so that Gauss-Legendre quadrature converges geometrically.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from simulate.activation_function import ActivationFunction
from simulate.higher_tangents import derivative
from simulate.precision import float64_vector
from simulate.randomised_network import FLOPS_PER_NEURON, Function, Neurons

Gap = Literal["gradient", "hessian"]
NODES = 24
CUT = 8.0
"""Beyond it the integrands are below 64 e^(-8 pi) < 1e-9, which is nothing beside gaps of 1e-4; see the tests."""
FLOPS_PER_NODE = 40.0
"""A cosine and a tangent of each neuron at each node."""


class _TwoPoint(NamedTuple):
    """Centre and half-spread of what each neuron adds to f, or of a derivative of it in the movement."""

    centre: Array
    spread: Array


def _two_point(value: Function, neurons: Neurons, width: int, order: int) -> _TwoPoint:
    at = derivative(value, order)
    scale = neurons.outer / math.sqrt(width)
    up, down = (e**order * at(neurons.start + e * neurons.movement) for e in (1.0, -1.0))
    if order == 0:
        up, down = up - value(neurons.start), down - value(neurons.start)
    return _TwoPoint(scale * (up + down) / 2, scale * (up - down) / 2)


def _nodes() -> tuple[Array, Array]:
    """Abscissas t and weights divided by t sinh(pi t)."""
    abscissas, weights = np.polynomial.legendre.leggauss(NODES)
    t = CUT * (abscissas + 1) / 2
    return jnp.asarray(t), jnp.asarray(CUT * weights / 2 / (t * np.sinh(math.pi * t)))


def _quadratic(value: Function, neurons: Neurons, movement: Array, width: int) -> Array:
    """f^Q at these movements."""
    return jnp.sum(neurons.outer * derivative(value, 2)(neurons.start) * movement**2) / (2 * math.sqrt(width))


def _loss_slope(z: Array) -> Array:
    return jnp.tanh(z / 2) / 2 - 0.5


def _loss_curvature(z: Array) -> Array:
    return 0.25 / jnp.cosh(z / 2) ** 2


def gradient_gap(value: Function, neurons: Neurons, width: int) -> Array:
    """<grad L~(W) - grad L^Q(W), W>; the neurons are those that move, out of `width`."""
    law, slope = (_two_point(value, neurons, width, order) for order in (0, 1))
    first = _TwoPoint(slope.centre * neurons.movement, slope.spread * neurons.movement)
    centre, mean = jnp.sum(law.centre), jnp.sum(first.centre)
    t, weights = _nodes()

    def at(node: Array) -> Array:
        modulus = jnp.prod(jnp.cos(node * law.spread))
        along = -node * jnp.sum(first.spread * jnp.tan(node * law.spread))
        return modulus * (jnp.cos(node * centre) * along - jnp.sin(node * centre) * node * mean)

    quadratic = _quadratic(value, neurons, neurons.movement, width)
    return -jnp.sum(weights * jax.lax.map(at, t)) - mean / 2 - _loss_slope(quadratic) * 2 * quadratic


def hessian_gap(value: Function, neurons: Neurons, directions: Array, width: int) -> Array:
    """E (Hess L~(W) - Hess L^Q(W))[W_* Sigma', W_* Sigma'] over Sigma'; `directions` are the <w_{*,r}, x>."""
    law, first, second = (_two_point(value, neurons, width, order) for order in (0, 1, 2))
    squares = directions**2
    centre, bend = jnp.sum(law.centre), jnp.sum(squares * second.centre)
    energy = jnp.sum(squares * (first.centre**2 + first.spread**2))
    t, weights = _nodes()

    def at(node: Array) -> Array:
        tangent = squares * jnp.tan(node * law.spread)
        modulus = jnp.prod(jnp.cos(node * law.spread))
        real = -(node**2) * energy - node * jnp.sum(second.spread * tangent)
        imaginary = node * bend - 2 * node**2 * jnp.sum(first.centre * first.spread * tangent)
        return modulus * (jnp.cos(node * centre) * real - jnp.sin(node * centre) * imaginary)

    randomised = -jnp.sum(weights * jax.lax.map(at, t)) - bend / 2
    quadratic = _quadratic(value, neurons, neurons.movement, width)
    tangents = derivative(value, 2)(neurons.start) * neurons.movement * directions
    curvature = _loss_curvature(quadratic) * jnp.sum(tangents**2) / width
    return randomised - curvature - _loss_slope(quadratic) * 2 * _quadratic(value, neurons, directions, width)


@partial(jax.jit, static_argnames=("value", "width", "quantity"))
def _gaps(keys: Array, scale: float, *, value: Function, width: int, quantity: Gap) -> Array:
    def one(key: Array) -> Array:
        moving = width // 2
        start = jax.random.normal(key, (moving,), dtype=jnp.float64)
        movement = jnp.full(moving, scale * moving**-0.25)
        neurons = Neurons(jnp.ones(moving), start, movement)
        if quantity == "gradient":
            return jnp.abs(gradient_gap(value, neurons, width))
        return jnp.abs(hessian_gap(value, neurons, movement, width))

    return jax.lax.map(one, keys)


def gap_cost(width: int, quantity: Gap) -> float:
    """Flops of one replicate."""
    return (FLOPS_PER_NEURON + FLOPS_PER_NODE * NODES * (1 if quantity == "gradient" else 1.5)) * width / 2


def typical_gap(
    keys: Array, *, dimension: int, quantity: Gap, activation: ActivationFunction, scale: float = 1.0
) -> Array:
    """The gap at a fixed input of m = `dimension` neurons with starts from N(0, 1), those with a_r = +1 moving alike.

    `scale` is B_x ||W||_{2,4}; for the Hessian W_* = W.
    """
    if dimension % 2:
        raise ValueError("the symmetric initialisation has an even number of neurons")
    float64_vector([scale], 1, "scale")
    return _gaps(keys, scale, value=activation.value, width=dimension, quantity=quantity)
