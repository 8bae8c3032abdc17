r"""The terms of the Taylor series of a wide network in its movement, at random initial weights.

A neuron sees the input x, ||x|| = B_x, only through u = <w_0, x> ~ N(0, 1) and its movement h = <w, x>; so nothing else
is drawn. Two quantities:

`term_size`. 2m neurons in pairs (B, Section 6), movements z_+ h and z_- h, h = b m^(-1/2k), with z_+ and z_- drawn from
two finite laws. The j-th term m^(-1/2) sum_r sigma^(j)(u_r) (z_+^j - z_-^j) h_r^j/j!, or the remainder after the k-th,
is a sum of independent variables given u: its mean and variance over z are exact sums over the two laws, and the value
returned is the root of its mean square. Nothing but u is left to chance.

`tangent_size`. m neurons with signs a_r and paired u (B, (3)), movements of size m^(-1/2), chosen to make the linear
term or the rest of the series as large as they can.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jax import Array

from simulate.activation_function import ActivationFunction
from simulate.precision import float64_vector

FLOPS_PER_NEURON = 1000.0
"""A Gaussian variable, an elementary function and its derivatives: some hundred operations, none of them part of a
matrix product, whose speed is what the budgets of the profiles are made for."""
Function = Callable[[Array], Array]
Law = tuple[tuple[float, float], ...]
"""Pairs (value, probability)."""


def term_size_cost(neurons: int) -> float:
    return FLOPS_PER_NEURON * neurons


def derivative(function: Function, order: int) -> Function:
    """The derivative of an elementwise function, by forward differentiation."""
    for _ in range(order):
        function = partial(_slope, function)
    return function


def _slope(function: Function, points: Array) -> Array:
    return jax.jvp(function, (points,), (jnp.ones_like(points),))[1]


def matched_signs(values: Array, order: int) -> Array:
    """b in {-1, 0, 1} with values * b^order >= 0 everywhere and not 0 for more than half of the sum of |values|."""
    if order % 2:
        return jnp.where(values < 0, -1.0, 1.0)
    positive = jnp.sum(jnp.maximum(values, 0)) >= jnp.sum(jnp.maximum(-values, 0))
    return jnp.where(jnp.where(positive, values, -values) > 0, 1.0, 0.0)


@partial(jax.jit, static_argnames=("value", "neurons", "dominant", "term", "matched", "plus", "minus"))
def _term_sizes(
    keys: Array, *, value: Function, neurons: int, dominant: int, term: int, matched: bool, plus: Law, minus: Law
) -> Array:
    order = term or dominant + 1

    def term_moments(law: Law, u: Array, h: Array) -> tuple[Array, Array]:
        """Mean and variance over z of sigma^(j)(u) (z h)^j/j!: those of z^j, times powers of the rest."""
        mean = sum(probability * node**term for node, probability in law)
        spread = sum(probability * (node**term - mean) ** 2 for node, probability in law)
        rest = derivative(value, term)(u) * h**term / math.factorial(term)
        return mean * rest, spread * rest**2

    def remainder_moments(law: Law, u: Array, h: Array) -> tuple[Array, Array]:
        """Mean and variance over z of what is left of sigma(u + z h) after the order that dominates."""
        known = [derivative(value, i)(u) / math.factorial(i) for i in range(dominant + 1)]
        left = [value(u + node * h) - sum(c * (node * h) ** i for i, c in enumerate(known)) for node, _ in law]
        weighted = [(rest, probability) for rest, (_, probability) in zip(left, law, strict=True)]
        mean = sum((probability * rest for rest, probability in weighted), jnp.zeros_like(u))
        spread = sum((probability * (rest - mean) ** 2 for rest, probability in weighted), jnp.zeros_like(u))
        return mean, spread

    def one(key: Array) -> Array:
        u = jax.random.normal(key, (neurons,), dtype=jnp.float64)
        direction = matched_signs(derivative(value, order)(u), order) if matched else jnp.ones_like(u)
        h = direction * neurons ** (-1 / (2 * dominant))
        moments = term_moments if term else remainder_moments
        (above, spread_above), (below, spread_below) = (moments(law, u, h) for law in (plus, minus))
        mean, variance = jnp.sum(above - below), jnp.sum(spread_above + spread_below)
        return jnp.sqrt((mean**2 + variance) / neurons)

    return jax.lax.map(one, keys)


def term_size(
    keys: Array,
    *,
    dimension: int,
    dominant: int,
    term: int,
    matched: bool,
    plus: Law,
    minus: Law,
    activation: ActivationFunction,
) -> Array:
    """The root mean square over z of the term-th order (0: of the remainder after order `dominant`), for m pairs.

    `matched` chooses the signs of the movements so that the term has a mean as large as it can; otherwise all agree.
    """
    for law in (plus, minus):
        weights = float64_vector([probability for _, probability in law], len(law), "probabilities")
        if abs(float(jnp.sum(weights)) - 1) > 1e-12:  # rationals rounded to doubles, at most a dozen of them
            raise ValueError("the probabilities of a law must sum to one")
    return _term_sizes(
        keys,
        value=activation.value,
        neurons=dimension,
        dominant=dominant,
        term=term,
        matched=matched,
        plus=plus,
        minus=minus,
    )


@partial(jax.jit, static_argnames=("value", "neurons", "linear"))
def _tangent_sizes(keys: Array, *, value: Function, neurons: int, linear: bool) -> Array:
    size = neurons**-0.5

    def one(key: Array) -> Array:
        u = jax.random.normal(key, (neurons // 2,), dtype=jnp.float64)
        slope, curvature = derivative(value, 1)(u), derivative(value, 2)(u)
        if linear:
            # a_r h_r is the sign of sigma'(u_r) in both halves: every neuron adds |sigma'(u_r)|.
            return 2 * jnp.sum(jnp.abs(slope)) * size / math.sqrt(neurons)
        # Only the half in which a_r sigma''(u_r) > 0 moves: the curvatures add up and do not cancel in pairs.
        rest = jnp.abs(value(u + size) - value(u) - slope * size)
        return jnp.sum(jnp.where(curvature == 0, 0.0, rest)) / math.sqrt(neurons)

    return jax.lax.map(one, keys)


def tangent_size(keys: Array, *, dimension: int, linear: bool, activation: ActivationFunction) -> Array:
    """|f^L|, or |f - f_0 - f^L|, for m = `dimension` neurons with movements |<w_r, x>| <= m^(-1/2), at their worst."""
    if dimension % 2:
        raise ValueError("the symmetric initialisation has an even number of neurons")
    float64_vector([1.0], 1, "precision")
    return _tangent_sizes(keys, value=activation.value, neurons=dimension, linear=linear)
