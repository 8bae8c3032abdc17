"""SGD with a batch, and the flow to its end: against drawn data, automatic differentiation and the exact floor."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from simulate.batch_training import (
    START,
    UNBOUNDED,
    Model,
    Task,
    batch_sgd_risk,
    draw_data,
    exact_risk,
    flow_risk,
    reached_matrix,
)
from simulate.quadratic_network import trained_floor

DIMENSION = 6
TARGETS = {"quadratic": np.array([2.0, 1.5, 1.0, 0.5, 0.3, 0.1]), "mixture": np.array([0.7, 0.5, 0.4, 0.3, 0.2, 0.1])}


@pytest.mark.parametrize("task", ["quadratic", "mixture"])
def test_the_exact_risk_is_the_mean_loss_on_drawn_data(task: Task) -> None:
    target = jnp.asarray(TARGETS[task])
    drawn = 0.3 * jax.random.normal(jax.random.key(1), (DIMENSION, DIMENSION), dtype=jnp.float64)
    matrix, constant = drawn + drawn.T, 0.4
    x, y = draw_data(jax.random.key(2), target, 400_000, task)
    loss = (y - constant - jnp.sum((x @ matrix) * x, axis=1)) ** 2
    energy = 2 * jnp.sum(target**2) if task == "quadratic" else 1.0
    mean, error = float(jnp.mean(loss) / energy), float(jnp.std(loss) / energy / jnp.sqrt(len(loss)))
    # Five standard errors: a false alarm has probability 6e-7.
    assert abs(mean - float(exact_risk(matrix, constant, target, task))) < 5 * error
    assert abs(mean - float(exact_risk(-matrix, constant, target, task))) > 5 * error


@pytest.mark.parametrize("task", ["quadratic", "mixture"])
@pytest.mark.parametrize("model", ["tangent", "trained"])
def test_a_step_follows_the_gradient_of_the_printed_loss(model: Model, task: Task) -> None:
    neurons, step_size, batch = 3, 0.01, 5
    target, key = jnp.asarray(TARGETS[task]), jax.random.key(3)
    weights, data = jax.random.split(key)
    fixed = jax.random.normal(weights, (DIMENSION, neurons), dtype=jnp.float64) / jnp.sqrt(DIMENSION)
    moved = jnp.zeros_like(fixed) if model == "tangent" else fixed * jnp.sqrt(START[task] * jnp.sum(target) / neurons)
    constant = -jnp.trace(reached_matrix(fixed, moved, model, task))

    def loss(moved: jax.Array, constant: jax.Array, step: int) -> jax.Array:
        x, y = draw_data(jax.random.fold_in(data, step), target, batch, task)
        predicted = constant + jnp.sum((x @ reached_matrix(fixed, moved, model, task)) * x, axis=1)
        return jnp.mean((y - predicted) ** 2)

    for step in range(2):
        slopes = jax.grad(loss, argnums=(0, 1))(moved, constant, step)
        moved, constant = moved - step_size * slopes[0], constant - step_size * slopes[1]
    expected = float(exact_risk(reached_matrix(fixed, moved, model, task), constant, target, task))
    (risk,) = batch_sgd_risk(
        key[None], dimension=DIMENSION, neurons=neurons, target=target, model=model, task=task, step_size=step_size,
        steps=2, batch=batch,
    )  # fmt: skip
    # Two steps of some hundred roundings each.
    assert float(risk) == pytest.approx(expected, rel=1e3 * np.finfo(np.float64).eps)


def test_sgd_starts_at_the_minimum_and_a_divergence_is_a_number() -> None:
    target = TARGETS["quadratic"]
    keys = jax.random.split(jax.random.key(4), 2)

    def risks(step_size: float, steps: int) -> np.ndarray:
        return np.asarray(
            batch_sgd_risk(keys, dimension=DIMENSION, neurons=2, target=target, model="trained", task="quadratic",
                           step_size=step_size, steps=steps, at_minimum=True)
        )  # fmt: skip

    floor = trained_floor(target, 2) / (2 * np.sum(target**2))
    # No step is taken: the two differ by the rounding of sums of at most a hundred like terms.
    np.testing.assert_allclose(risks(0.1, 0), floor, rtol=100 * np.finfo(np.float64).eps)
    assert np.all(risks(1.0, 200) == UNBOUNDED)
    with pytest.raises(ValueError, match="minimum"):
        batch_sgd_risk(keys, dimension=DIMENSION, neurons=2, target=target, model="tangent", task="quadratic",
                       step_size=0.1, steps=1, at_minimum=True)  # fmt: skip


@pytest.mark.parametrize("neurons", [2, 9])
def test_the_flow_ends_at_the_floor(neurons: int) -> None:
    target = TARGETS["quadratic"]
    keys = jax.random.split(jax.random.key(5), 2)
    risks = np.asarray(flow_risk(keys, dimension=DIMENSION, neurons=neurons, target=target, time=20.0))
    floor = trained_floor(target, neurons) / (2 * np.sum(target**2))
    assert np.all(risks >= floor - 100 * np.finfo(np.float64).eps)
    # The slowest mode is the gap 0.5 (N = 2) or the eigenvalue 0.1 (N = 9): e^{-16 t gap} <= e^{-32}, to which the
    # overlaps of a random start (here at least e^{-10}) give back some.
    assert np.all(risks <= floor + np.exp(-20))
