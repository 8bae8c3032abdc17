"""The randomised risk as an integral against all 2^m signs, and curvatures against the full Hessian."""

from __future__ import annotations

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from simulate.activation_function import ActivationFunction
from simulate.clean_risk import (
    CUT,
    LARGEST_GROWTH,
    STEP,
    clean_derivatives,
    clean_risk,
    draw_task,
    enumerated_risk,
    growth,
    norm,
    quadratic_model,
    randomised_excess,
    randomised_risk,
    signed_curvature,
    with_penalty,
)

CUBE = ActivationFunction(lambda u: jnp.maximum(u, 0.0) ** 3 / 6, lambda u: jnp.maximum(u, 0.0) ** 2 / 2)
SINE = ActivationFunction(lambda u: u - jnp.sin(u), lambda u: 1 - jnp.cos(u))
WIDTH, DIMENSION = 4, 2
TASK = draw_task(7, width=WIDTH, dimension=DIMENSION, samples=3)
ROUNDING = 2.0**-53 * 2**WIDTH * round(CUT / STEP)
"""The longer of the two sums, in units of rounding of terms of order one."""


def weights(seed: int, scale: float) -> jax.Array:
    return jnp.asarray(scale * np.random.default_rng(seed).normal(size=(WIDTH, DIMENSION)))


@pytest.mark.parametrize("activation", [CUBE, SINE], ids=["cubic relu", "x - sin x"])
@pytest.mark.parametrize("scale", [2.5])
def test_the_integral_is_the_mean_over_all_signs(activation: ActivationFunction, scale: float) -> None:
    integral, mean = randomised_risk(TASK, activation), enumerated_risk(TASK, activation)
    W = weights(1, scale)
    assert growth(TASK, activation, W) < LARGEST_GROWTH
    size = 1 + float(jnp.max(jnp.abs(W))) ** 3
    assert abs(float(integral(W) - mean(W))) < ROUNDING * size
    assert float(jnp.max(jnp.abs(jax.grad(integral)(W) - jax.grad(mean)(W)))) < ROUNDING * size
    curved = jax.jit(jax.hessian(integral))(W) - jax.jit(jax.hessian(mean))(W)
    assert float(jnp.max(jnp.abs(curved))) < ROUNDING * size


def test_the_integral_is_still_accurate_at_its_largest_growth() -> None:
    W = weights(2, 1.0)
    low, high = 1.0, 30.0
    size = jax.jit(lambda factor: growth(TASK, CUBE, factor * W))
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if size(middle) < LARGEST_GROWTH else (low, middle)
    assert growth(TASK, CUBE, low * W) == pytest.approx(LARGEST_GROWTH)
    difference = randomised_risk(TASK, CUBE)(low * W) - enumerated_risk(TASK, CUBE)(low * W)
    assert abs(float(difference)) < ROUNDING * LARGEST_GROWTH
    far = 4 * low * W
    assert abs(float(randomised_risk(TASK, CUBE)(far) - enumerated_risk(TASK, CUBE)(far))) > 1.0


def test_the_quadratic_model_is_the_second_order_part_of_the_network() -> None:
    """f_{W0 + hW} = h f^L + h^2 f^Q + O(h^3), and f_{W0} = 0."""
    W = weights(3, 1.0)

    def network(h: jax.Array) -> jax.Array:
        seen = TASK.points @ (TASK.start + h * W).T
        return SINE.value(seen) @ TASK.outer / jnp.sqrt(WIDTH)

    zero = jnp.zeros(())
    second = jax.jacfwd(jax.jacfwd(network))(zero) / 2
    assert jnp.allclose(network(zero), 0.0, atol=1e-14)
    assert jnp.allclose(second, quadratic_model(TASK, SINE)(W), rtol=1e-12)


def test_the_signed_curvature_is_the_mean_over_sign_patterns() -> None:
    W, V = weights(4, 0.8), weights(5, 0.6)
    risk = randomised_risk(TASK, CUBE)
    matrix = np.asarray(jax.jit(jax.hessian(risk))(W)).reshape(W.size, W.size)
    patterns = np.array(list(product((1.0, -1.0), repeat=WIDTH)))
    moved = (patterns[:, :, None] * np.asarray(V)).reshape(len(patterns), -1)
    mean = np.mean(np.einsum("pi,ij,pj->p", moved, matrix, moved))
    assert float(signed_curvature(risk, W, V)) == pytest.approx(mean, rel=1e-11)


def test_the_excess_is_put_together_from_its_parts() -> None:
    W, V, strength, constant = weights(6, 0.8), weights(7, 0.6), 0.01, 3.0
    risk = with_penalty(enumerated_risk(TASK, CUBE), strength)
    parts = signed_curvature(risk, W, V) - jnp.sum(jax.grad(risk)(W) * W) + 2 * (risk(W) - clean_risk(TASK, CUBE)(V))
    expected = float(parts) - strength * (constant * norm(V) ** 8 - norm(W) ** 8)
    assert float(randomised_excess(TASK, W, V, strength, constant, activation=CUBE)) == pytest.approx(
        expected, rel=1e-11
    )


def test_the_clean_derivatives_agree_with_differences() -> None:
    W, V = weights(8, 0.7), weights(9, 0.5)
    value, level, slope, tensor = clean_derivatives(TASK, W, V, activation=CUBE)
    risk = clean_risk(TASK, CUBE)
    step = 1e-5  # the error of a central difference is of order step^2, and rounding over step
    assert float(value) == float(risk(W))
    assert float(level) == float(risk(V))
    assert float(slope) == pytest.approx(float(risk((1 + step) * W) - risk((1 - step) * W)) / (2 * step), abs=1e-8)
    along = jnp.einsum("ij,ijkl,kl->", V, tensor, V)
    second = (risk(W + 1e-4 * V) + risk(W - 1e-4 * V) - 2 * risk(W)) / 1e-8
    assert float(along) == pytest.approx(float(second), abs=1e-6)
