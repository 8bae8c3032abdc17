"""The averages over random signs that are claimed to be exact, against running through all signs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import jax
import numpy as np
import pytest

from simulate.activation_function import ActivationFunction
from simulate.randomised_network import (
    Neurons,
    Quantity,
    aligned_size,
    largest_remainder,
    linear_mean_square,
    linear_part,
    logistic_gap,
    network,
    outer_signs,
    quadratic_part,
    remainder,
    symmetric_start,
    typical_size,
)

WIDTH = 10
SIGNS = np.array(list(product((1.0, -1.0), repeat=WIDTH)))


class Cubic:
    """max(x, 0)^3 and its derivatives by hand, on NumPy arrays."""

    @staticmethod
    def jax_value(x: jax.Array) -> jax.Array:
        return jax.numpy.maximum(x, 0) ** 3

    derivatives: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
        lambda x: np.maximum(x, 0) ** 3,
        lambda x: 3 * np.maximum(x, 0) ** 2,
        lambda x: 6 * np.maximum(x, 0),
    )


class Shifted:
    """x - sin(x)."""

    @staticmethod
    def jax_value(x: jax.Array) -> jax.Array:
        return x - jax.numpy.sin(x)

    derivatives: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
        lambda x: x - np.sin(x),
        lambda x: 1 - np.cos(x),
        np.sin,
    )


CASES = pytest.mark.parametrize("sigma", [Cubic, Shifted])
ROUNDING = 1e-13
"""Sums of ten terms below 100, and a quadrature whose own error is below 1e-15."""


def _drawn(size: float = 1.0) -> Neurons:
    """A symmetric start with movements that are not symmetric."""
    start, movement = jax.random.split(jax.random.key(7))
    return Neurons(
        outer_signs(WIDTH), symmetric_start(start, WIDTH), size * jax.random.normal(movement, (WIDTH,), dtype="float64")
    )


def _terms(sigma: type[Cubic] | type[Shifted], neurons: Neurons) -> tuple[np.ndarray, np.ndarray, float]:
    """f, f^L for every choice of the signs, and f^Q."""
    a, u, h = (np.asarray(part) for part in neurons)
    value, slope, curvature = sigma.derivatives
    root = np.sqrt(WIDTH)
    outputs = (a * value(u + SIGNS * h)).sum(axis=1) / root
    linear = (a * slope(u) * SIGNS * h).sum(axis=1) / root
    return outputs, linear, float((a * curvature(u) * h**2).sum() / (2 * root))


def _logistic(z: np.ndarray | float) -> np.ndarray:
    return np.logaddexp(0, -np.asarray(z))


@CASES
def test_the_start_is_the_zero_function_and_the_parts_add_up(sigma: type[Cubic] | type[Shifted]) -> None:
    neurons = _drawn()
    outputs, linear, quadratic = _terms(sigma, neurons)
    value = sigma.jax_value
    still = network(value, neurons._replace(movement=0 * neurons.movement), SIGNS[0])
    assert abs(float(still)) < ROUNDING
    for row in (0, 5, 300, 1023):
        parts = (linear_part(value, neurons, SIGNS[row]), remainder(value, neurons, SIGNS[row]))
        assert abs(float(network(value, neurons, SIGNS[row])) - outputs[row]) < ROUNDING
        assert abs(float(parts[0]) - linear[row]) < ROUNDING
        assert abs(float(sum(parts)) + quadratic - outputs[row]) < ROUNDING
    assert abs(float(quadratic_part(value, neurons)) - quadratic) < ROUNDING


@CASES
def test_the_mean_square_of_the_linear_part_is_that_over_all_signs(sigma: type[Cubic] | type[Shifted]) -> None:
    neurons = _drawn()
    linear = _terms(sigma, neurons)[1]
    assert abs(linear.mean()) < ROUNDING
    assert abs(float(linear_mean_square(sigma.jax_value, neurons)) - (linear**2).mean()) < ROUNDING


@CASES
def test_the_largest_remainder_is_the_largest_over_all_signs(sigma: type[Cubic] | type[Shifted]) -> None:
    neurons = _drawn()
    outputs, linear, quadratic = _terms(sigma, neurons)
    largest = np.abs(outputs - linear - quadratic).max()
    assert abs(float(largest_remainder(sigma.jax_value, neurons)) - largest) < ROUNDING


@CASES
@pytest.mark.parametrize("size", [0.1, 0.5, 0.8])
def test_the_mean_loss_is_that_over_all_signs(sigma: type[Cubic] | type[Shifted], size: float) -> None:
    neurons = _drawn(size)
    outputs, _, quadratic = _terms(sigma, neurons)
    gap = (_logistic(outputs) - _logistic(quadratic)).mean()
    assert abs(float(logistic_gap(sigma.jax_value, neurons)) - gap) < ROUNDING * (1 + np.abs(outputs).max())


def test_outputs_too_large_for_the_quadrature_are_refused() -> None:
    assert np.isnan(float(logistic_gap(Cubic.jax_value, _drawn(3.0))))


def _activation(sigma: type[Cubic] | type[Shifted]) -> ActivationFunction:
    return ActivationFunction(sigma.jax_value, sigma.jax_value)


@CASES
@pytest.mark.parametrize("quantity", ["linear", "quadratic"])
def test_no_movement_of_the_same_norm_beats_the_worst(sigma: type[Cubic] | type[Shifted], quantity: Quantity) -> None:
    key = jax.random.key(11)
    width = 8
    worst = float(
        typical_size(
            jax.numpy.stack([key]), dimension=width, quantity=quantity, worst=True, activation=_activation(sigma)
        )[0]
    )
    u, a = np.asarray(symmetric_start(key, width)), np.asarray(outer_signs(width))
    _, slope, curvature = sigma.derivatives
    rng = np.random.default_rng(3)
    moves = rng.standard_normal((2000, width)) * rng.integers(0, 2, (2000, width))
    best = np.sqrt(np.abs(slope(u) ** 2 if quantity == "linear" else np.maximum(a * curvature(u), 0)))
    moves = np.concatenate([moves[np.abs(moves).sum(axis=1) > 0], best[None, :]])
    moves /= (moves**4).sum(axis=1, keepdims=True) ** 0.25
    if quantity == "linear":
        sizes = np.sqrt((slope(u) ** 2 * moves**2).mean(axis=1))
    else:
        sizes = np.abs((a * curvature(u) * moves**2).sum(axis=1)) / (2 * np.sqrt(width))
    assert sizes[:-1].max() < worst
    assert abs(sizes.max() - worst) < ROUNDING


def test_two_neurons_at_an_aligned_input_see_the_norm_of_the_weight() -> None:
    key = jax.random.key(5)
    found = aligned_size(jax.numpy.stack([key]), dimension=9, width=2, quantity="linear", activation=_activation(Cubic))
    length = np.linalg.norm(np.asarray(jax.random.normal(key, (1, 9), dtype="float64")))
    assert abs(float(found[0]) - 2**-0.25 * 3 * length**2) < ROUNDING * length**2


def test_an_odd_width_has_no_symmetric_start() -> None:
    keys = jax.random.split(jax.random.key(0), 2)
    with pytest.raises(ValueError, match="even"):
        typical_size(keys, dimension=7, quantity="linear", worst=False, activation=_activation(Cubic))
