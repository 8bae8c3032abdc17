r"""A network of N quadratic neurons trained on a quadratic target: SGD, gradient descent and gradient flow.

The target is f(x) = b_0 + <x, Bx>, x ~ N(0, I_d), the network c + sum_i <w_i, x>^2 with W = (w_1, ..., w_N), and with
M = B - WW^T and m = Tr M + b_0 - c the population risk is L(W, c) = 2 |M|_F^2 + m^2. Only c - b_0 matters, so c stands
for c - b_0 here; x is isotropic, so B is diagonal here without loss of generality. Three witnesses:

`sgd_path`      one-pass SGD as printed: W, c <- W, c - eps grad (f(x_k) - f^(x_k))^2 on a fresh sample (or a batch);
`descent_path`  the same with the gradient of L in place of the sample's;
`flow_path`     dW/dt = 8 MW + 4 m W, dc/dt = 2 m by the classical Runge-Kutta method: the limit eps -> 0, l = t/eps.

With c optimised out m = 0, and the flow dW/dt = 8 (B - WW^T) W is solved by W(t) W(t)^T = X Y^-1 X^T with
X = e^{8Bt} W_0 and Y = I + W_0^T (e^{16Bt} - I) B^-1 W_0 (`riccati_path`).

What the start does: the limit t -> inf does not depend on it, the time it takes does. While m_0 = Tr M_0 - c_0 relaxes,
W is multiplied by exp(4 int m dt), about exp(2 m_0): a large c_0 shrinks W and delays the escape from W = 0 by about
|m_0|/(4 lambda); a large W_0 or a small c_0 makes the first steps large, and SGD at a fixed eps may diverge. A path
that diverges is stopped there, and says so: its last risk is finite and large.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.neural_tangent import projector_risk
from simulate.precision import float64_vector

DIVERGED = 1e6
"""A path has diverged when its risk exceeds its first risk plus E f^2 by this factor. Descent lowers the risk and the
fluctuations of SGD are of relative order sqrt(eps), so six decades up are out of reach but for the cubic blow-up of an
overshooting step; and the step after is still far from overflow."""
CHUNK = 64
"""Steps whose samples are drawn together."""


class Path(NamedTuple):
    """L(W, c) at equally spaced times from 0, and whether the path had diverged by then."""

    risk: Array
    diverged: Array


def population_risk(weights: Array, offset: Array | float, target: Array) -> Array:
    """L(W, c) for B = diag(target) or a symmetric matrix, and c measured from b_0."""
    matrix = jnp.diag(target) if target.ndim == 1 else target
    mismatch = matrix - weights @ weights.T
    return 2 * jnp.sum(mismatch**2) + (jnp.trace(mismatch) - offset) ** 2


def trained_floor(target: ArrayLike, neurons: int) -> float:
    """The least risk of N neurons with second-layer weights 1: the N largest positive eigenvalues are fitted."""
    values = np.sort(np.asarray(target, dtype=np.float64))[::-1]
    fitted = np.maximum(values[:neurons], 0)
    return float(2 * (np.sum(values**2) - np.sum(fitted**2)))


def random_start(key: Array, *, dimension: int, neurons: int, scale: float = 1.0) -> tuple[Array, Array]:
    """W_0 with entries N(0, scale^2/d) and c_0 ~ N(0, 1): a law with a density."""
    weights, offset = jax.random.split(key)
    drawn = jax.random.normal(weights, (dimension, neurons), dtype=jnp.float64)
    return scale * drawn / jnp.sqrt(dimension), jax.random.normal(offset, (), dtype=jnp.float64)


State = tuple[Array, Array]


Step = Callable[[State, Array], State]


def _path(
    step: Step, draw: Callable[[Array], Array], target: Array, start: State, between: Array | int, *, records: int
) -> Path:
    """Risks at 0, between, 2 between, ... steps; `draw(k)` gives what the CHUNK steps of the k-th chunk need.

    The number of steps is no part of the compiled shape: the last chunk of each stretch is cut short by a mask.
    """
    first = population_risk(*start, target)
    ceiling = DIVERGED * (first + 2 * jnp.sum(target**2) + jnp.sum(target) ** 2)
    chunks = -(-between // CHUNK)

    def masked(state: State, numbered: tuple[Array, Array]) -> tuple[State, None]:
        """One step, but for a path that has diverged or a stretch that is over: these stay where they are."""
        number, noise = numbered
        going = (number < between) & (population_risk(*state, target) <= ceiling)
        new = step(state, noise)
        return (jnp.where(going, new[0], state[0]), jnp.where(going, new[1], state[1])), None

    def record(state: State, index: Array) -> tuple[State, Array]:
        def advance(chunk: Array, current: State) -> State:
            numbers = chunk * CHUNK + jnp.arange(CHUNK)
            return jax.lax.scan(masked, current, (numbers, draw(index * chunks + chunk)))[0]

        weights, offset = jax.lax.fori_loop(0, chunks, advance, state)
        return (weights, offset), population_risk(weights, offset, target)

    _, risks = jax.lax.scan(record, start, jnp.arange(records))
    risk = jnp.concatenate([first[None], risks])
    return Path(risk, risk > ceiling)


@partial(jax.jit, static_argnames=("records", "batch"))
def _sgd(
    key: Array, start: State, target: Array, step_size: Array, between: Array | int, *, records: int, batch: int
) -> Path:
    dimension = len(target)

    def draw(index: Array) -> Array:
        return jax.random.normal(jax.random.fold_in(key, index), (CHUNK, batch, dimension), dtype=jnp.float64)

    def step(state: State, x: Array) -> State:
        weights, offset = state
        inner = x @ weights
        residual = (x * x) @ target - jnp.sum(inner**2, axis=1) - offset
        return (
            weights + (4 * step_size / batch) * (x * residual[:, None]).T @ inner,
            offset + (2 * step_size / batch) * jnp.sum(residual),
        )

    return _path(step, draw, target, start, between, records=records)


def sgd_path(
    key: Array,
    weights: ArrayLike,
    offset: ArrayLike,
    *,
    target: ArrayLike,
    step_size: float,
    records: int,
    between: int,
    batch: int = 1,
) -> Path:
    """One-pass SGD from (weights, offset): risks every `between` steps, a fresh batch at each step."""
    start = _start(weights, offset)
    eigenvalues = float64_vector(target, start[0].shape[0], "target")
    return _sgd(key, start, eigenvalues, jnp.float64(step_size), between, records=records, batch=batch)


def sgd_paths(
    keys: Array,
    weights: ArrayLike,
    offset: ArrayLike,
    *,
    target: ArrayLike,
    step_size: float,
    records: int,
    between: int,
    batch: int = 1,
) -> Path:
    """`sgd_path` from one start for each key: arrays of shape (keys, records + 1)."""
    start = _start(weights, offset)
    eigenvalues = float64_vector(target, start[0].shape[0], "target")
    run = partial(_sgd, records=records, batch=batch)
    return jax.vmap(run, in_axes=(0, None, None, None, None))(keys, start, eigenvalues, jnp.float64(step_size), between)


def _start(weights: ArrayLike, offset: ArrayLike) -> State:
    return jnp.asarray(weights, dtype=jnp.float64), jnp.asarray(offset, dtype=jnp.float64)


def _velocity(state: State, target: Array) -> State:
    """-grad L."""
    weights, offset = state
    mismatch = jnp.diag(target) - weights @ weights.T
    mean = jnp.trace(mismatch) - offset
    return 8 * mismatch @ weights + 4 * mean * weights, 2 * mean


def _moved(state: State, velocity: State, time: Array | float) -> State:
    return state[0] + time * velocity[0], state[1] + time * velocity[1]


def _no_noise(index: Array) -> Array:
    return jnp.zeros(CHUNK)


@partial(jax.jit, static_argnames=("records",))
def _descent(start: State, target: Array, step_size: Array, between: Array | int, *, records: int) -> Path:
    def step(state: State, _: Array) -> State:
        return _moved(state, _velocity(state, target), step_size)

    return _path(step, _no_noise, target, start, between, records=records)


def descent_path(
    weights: ArrayLike, offset: ArrayLike, *, target: ArrayLike, step_size: float, records: int, between: int
) -> Path:
    """Gradient descent on the population risk, W and c together."""
    start = _start(weights, offset)
    eigenvalues = float64_vector(target, start[0].shape[0], "target")
    return _descent(start, eigenvalues, jnp.float64(step_size), between, records=records)


@partial(jax.jit, static_argnames=("records",))
def _flow(start: State, target: Array, time_step: Array, between: Array | int, *, records: int) -> Path:
    def step(state: State, _: Array) -> State:
        first = _velocity(state, target)
        second = _velocity(_moved(state, first, time_step / 2), target)
        third = _velocity(_moved(state, second, time_step / 2), target)
        fourth = _velocity(_moved(state, third, time_step), target)
        for velocity, weight in ((first, 1), (second, 2), (third, 2), (fourth, 1)):
            state = _moved(state, velocity, weight * time_step / 6)
        return state

    return _path(step, _no_noise, target, start, between, records=records)


def flow_path(
    weights: ArrayLike, offset: ArrayLike, *, target: ArrayLike, time: float, records: int, between: int = 256
) -> Path:
    """Gradient flow of L up to `time`, W and c together, `between` Runge-Kutta steps from record to record."""
    start = _start(weights, offset)
    eigenvalues = float64_vector(target, start[0].shape[0], "target")
    return _flow(start, eigenvalues, jnp.float64(time / (records * between)), between, records=records)


@partial(jax.jit, static_argnames=("records", "between"))
def _riccati(weights: Array, target: Array, time_step: Array, *, records: int, between: int) -> Array:
    growth = jnp.exp(8 * target * time_step)
    exponent = 16 * target * time_step
    small = jnp.where(target == 0, 1.0, exponent)
    # (e^{16 lambda t} - 1)/lambda, and 16 t where lambda = 0.
    spent = 16 * time_step * jnp.where(target == 0, 1.0, jnp.expm1(small) / small)
    neurons = weights.shape[1]

    def step(current: Array, _: None) -> tuple[Array, None]:
        # X Y^-1 X^T = (X C^-T)(X C^-T)^T with Y = C C^T: short times compose to long ones without overflow.
        lower = jnp.linalg.cholesky(jnp.eye(neurons) + (current.T * spent) @ current)
        moved = jax.lax.linalg.triangular_solve(lower, (growth[:, None] * current).T, left_side=True, lower=True)
        return moved.T, None

    def record(current: Array, _: None) -> tuple[Array, Array]:
        current, _ = jax.lax.scan(step, current, None, length=between)
        return current, 2 * jnp.sum((jnp.diag(target) - current @ current.T) ** 2)

    _, risks = jax.lax.scan(record, weights, None, length=records)
    return jnp.concatenate([2 * jnp.sum((jnp.diag(target) - weights @ weights.T) ** 2)[None], risks])


def riccati_path(weights: ArrayLike, *, target: ArrayLike, time: float, records: int) -> Array:
    """2 |B - WW^T|^2 along the flow with c optimised out, in closed form, at `records` times after 0."""
    start = jnp.asarray(weights, dtype=jnp.float64)
    eigenvalues = float64_vector(target, start.shape[0], "target")
    # One application of the formula covers a time in which no exponential exceeds e^16.
    between = max(1, int(np.ceil(np.max(np.abs(np.asarray(eigenvalues))) * time / records)))
    return _riccati(start, eigenvalues, jnp.float64(time / (records * between)), records=records, between=between)


@partial(jax.jit, static_argnames=("neurons",))
def _late_risks(
    keys: Array, target: Array, step_size: Array, steps: Array, start: State | None, *, neurons: int
) -> Array:
    def one(key: Array) -> Array:
        first, second = jax.random.split(key)
        state = random_start(first, dimension=len(target), neurons=neurons) if start is None else start
        return _sgd(second, state, target, step_size, steps, records=1, batch=1).risk[-1]

    return jax.vmap(one)(keys) / (2 * jnp.sum(target**2))


def sgd_risk(
    keys: Array, *, dimension: int, target: ArrayLike, neurons: int, time: float, start: ArrayLike | None = None
) -> Array:
    """L(W_l, c_l) of printed SGD with eps = 1/dimension after l = time/eps steps, over 2 |B|_F^2.

    What grows along the ladder is 1/eps; the network's own d is the length of `target`. W_0 and c_0 are random for
    each key, or W_0 = `start` and c_0 = 0. A diverged path gives the finite large risk at which it was stopped.
    """
    eigenvalues = float64_vector(target, len(np.asarray(target)), "target")
    steps = jnp.asarray(round(time * dimension))
    state = None if start is None else _start(start, 0.0)
    return _late_risks(keys, eigenvalues, jnp.float64(1 / dimension), steps, state, neurons=neurons)


def sgd_risk_cost(dimension: int, size: int, neurons: int, time: float) -> float:
    """Flops of one replicate: samples, forward and backward pass, and the check for divergence, at every step."""
    return time * dimension * (30.0 * size + 10.0 * size * neurons + 4.0 * size**2 * neurons + 200.0)


def tangent_minus_trained(keys: Array, *, dimension: int, neurons: int, target: ArrayLike) -> Array:
    """The gap between the neural tangent risk given its weights and the least risk of trained neurons, over E f^2."""
    energy = 2 * float(np.sum(np.asarray(target, dtype=np.float64) ** 2))
    tangent = projector_risk(keys, dimension=dimension, neurons=neurons, target=target)
    return tangent - trained_floor(target, neurons) / energy
