r"""Quadratic networks as the figures train them: SGD with a batch, and the flow from a random start at its end.

Predictors are c + <x, Ax>. `tangent`: A = WV^T + VW^T with W fixed, entries N(0, 1/d), and V trained from 0.
`trained`: A = sign VV^T with V trained from Gaussian entries scaled so that E Tr VV^T is Tr B, or a tenth of Tr Delta:
from a larger start the risk is far above 1 and the constant, which moves slowly, holds V up. Or, `at_minimum`, from the
V with VV^T the part of diag(target) on its N largest entries. The constant starts where the predictor has mean zero.
One step on the loss as printed, a mean over a fresh batch of residuals r = y - c - <x, Ax>, is

    V <- V + 2 eps mean(r dA/dV),   c <- c + 2 eps mean(r).

The risk of what is reached is exact. On y = <x, Bx> - Tr B it is 2 |B - A|^2 + (c + Tr A)^2, over 2 |B|^2; on the
mixture y = +-1, x | y ~ N(0, I - y Delta), the moments in `mixture.py` give
1 + 2 <A,D> + <A,D>^2 + 2 |A|^2 + 2 Tr(ADAD) + (c + Tr A)^2 with D = Delta = diag(target).
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
from jax import Array
from numpy.typing import ArrayLike

from simulate.precision import float64_vector
from simulate.quadratic_network import riccati_path

Model = Literal["tangent", "trained"]
Task = Literal["quadratic", "mixture"]
START = {"quadratic": 1.0, "mixture": 0.1}
"""E Tr VV^T at the start of a trained network, over the trace of the target."""
UNBOUNDED = 1e12
"""Risks are cut here: a path that diverges ends as this number, not as an overflow."""


def exact_risk(matrix: Array, constant: Array | float, target: Array, task: Task) -> Array:
    """The risk of c + <x, Ax>, relative to that of the best constant."""
    mean = constant + jnp.trace(matrix)
    if task == "quadratic":
        return (2 * jnp.sum((jnp.diag(target) - matrix) ** 2) + mean**2) / (2 * jnp.sum(target**2))
    inner = jnp.sum(jnp.diagonal(matrix) * target)
    tilted = jnp.sum(matrix**2 * jnp.outer(target, target))
    return (1 + inner) ** 2 + 2 * jnp.sum(matrix**2) + 2 * tilted + mean**2


def draw_data(key: Array, target: Array, batch: int, task: Task) -> tuple[Array, Array]:
    """A batch (x, y)."""
    first, second = jax.random.split(key)
    x = jax.random.normal(first, (batch, len(target)), dtype=jnp.float64)
    if task == "quadratic":
        return x, (x * x - 1) @ target
    y = jnp.where(jax.random.bernoulli(second, 0.5, (batch,)), 1.0, -1.0)
    return x * jnp.sqrt(1 - y[:, None] * target), y


def reached_matrix(fixed: Array, moved: Array, model: Model, task: Task) -> Array:
    """A; the best matrix for the mixture is negative where Delta is positive, so its sign is -1."""
    if model == "tangent":
        return fixed @ moved.T + moved @ fixed.T
    return (1 if task == "quadratic" else -1) * moved @ moved.T


def _least(target: Array, neurons: int) -> Array:
    largest = jnp.argsort(-target)[:neurons]
    return jnp.zeros((len(target), neurons)).at[largest, jnp.arange(len(largest))].set(jnp.sqrt(target[largest]))


@partial(jax.jit, static_argnames=("neurons", "batch", "model", "task", "at_minimum"))
def _replicates(
    keys: Array,
    target: Array,
    step_size: Array,
    steps: Array,
    *,
    neurons: int,
    batch: int,
    model: Model,
    task: Task,
    at_minimum: bool,
) -> Array:
    sign = 1.0 if task == "quadratic" or model == "tangent" else -1.0

    def one(key: Array) -> Array:
        weights, data = jax.random.split(key)
        fixed = jax.random.normal(weights, (len(target), neurons), dtype=jnp.float64) / jnp.sqrt(len(target))
        if at_minimum:
            start = _least(target, neurons)
        else:
            scale = 0.0 if model == "tangent" else START[task]
            start = fixed * jnp.sqrt(scale * jnp.sum(target) / neurons)
        constant = -jnp.trace(reached_matrix(fixed, start, model, task))

        def step(index: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
            moved, offset = state
            x, y = draw_data(jax.random.fold_in(data, index), target, batch, task)
            inner = x @ (fixed if model == "tangent" else moved)
            factor = 2 * (x @ moved) if model == "tangent" else sign * inner
            residual = y - offset - jnp.sum(inner * factor, axis=1)
            gradient = 2 * sign * (x * residual[:, None]).T @ inner
            new = moved + (2 * step_size / batch) * gradient, offset + 2 * step_size * jnp.mean(residual)
            going = jnp.sum(moved**2) < UNBOUNDED
            return jnp.where(going, new[0], moved), jnp.where(going, new[1], offset)

        moved, offset = jax.lax.fori_loop(0, steps, step, (start, constant))
        risk = exact_risk(reached_matrix(fixed, moved, model, task), offset, target, task)
        return jnp.minimum(risk, UNBOUNDED)

    return jax.lax.map(one, keys)


def batch_sgd_risk(
    keys: Array,
    *,
    dimension: int,
    neurons: int,
    target: ArrayLike,
    model: Model,
    task: Task,
    step_size: float,
    steps: int,
    batch: int = 100,
    at_minimum: bool = False,
    every: int = 1,
) -> Array:
    """The exact risk after `steps` steps of one-pass SGD, for each key; `UNBOUNDED` where it diverged.

    Where one path takes minutes and sixteen are too many, one key in `every` is computed and stands for those after it.
    """
    vector = float64_vector(target, dimension, "target")
    size, count = jnp.float64(step_size), jnp.asarray(steps)
    if at_minimum and (model, task) != ("trained", "quadratic"):
        raise ValueError("only the trained network on the quadratic target starts at its minimum")
    found = _replicates(
        keys[::every], vector, size, count, neurons=neurons, batch=batch, model=model, task=task, at_minimum=at_minimum
    )
    return jnp.repeat(found, every)[: len(keys)]


def batch_sgd_cost(dimension: int, neurons: int, steps: int, batch: int = 100, every: int = 1) -> float:
    """Flops of one replicate: draws, forward and backward pass at every step."""
    return steps * batch * dimension * (30.0 + 6.0 * neurons) / every


def flow_risk(keys: Array, *, dimension: int, neurons: int, target: ArrayLike, time: float) -> Array:
    """2 |B - WW^T|^2/(2 |B|^2) on the flow with c optimised out, from W_0 with entries N(0, 1/d), for each key.

    The flow of WW^T depends on W_0 W_0^T only, so that N > d neurons are replaced by d of the same Gram matrix.
    """
    vector = float64_vector(target, dimension, "target")
    energy = 2 * jnp.sum(vector**2)

    def one(key: Array) -> Array:
        drawn = jax.random.normal(key, (dimension, neurons), dtype=jnp.float64) / jnp.sqrt(dimension)
        start = drawn if neurons <= dimension else jnp.linalg.cholesky(drawn @ drawn.T)
        return riccati_path(start, target=vector, time=time, records=1)[-1] / energy

    return jnp.stack([one(key) for key in keys])


def flow_risk_cost(dimension: int, neurons: int, time: float) -> float:
    """Flops of one replicate: a factorisation and products of d x N for each unit of time and eigenvalue (about 8)."""
    rank = min(dimension, neurons)
    return 8.0 * time * (rank**3 + 4.0 * dimension * rank**2) + 30.0 * dimension * neurons
