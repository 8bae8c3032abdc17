r"""The risks of a two-layer network under random signs of its movement, exactly, and their curvatures.

f_{W_0+WS}(x) = m^-1/2 sum_r a_r sigma(<w_{0,r} + s_r w_r, x>) with signs s_r, and f^Q_W its quadratic part. With the
logistic loss l(y, z) = log(1 + exp(-yz)), y = +-1,

    clean risk       L^Q(W) = mean_i l(y_i, f^Q_W(x_i)),
    randomised risk  L~(W)  = mean_i E_s l(y_i, f_{W_0+WS}(x_i)).

For one x the network is c + sum_r s_r b_r with c and b_r the even and the odd part of its neurons in w_r. As
l(y, z) = -yz/2 + log(2 cosh(z/2)) and log cosh(z/2) = int_0^oo (1 - cos kz)/(k sinh(pi k)) dk, the mean over all 2^m
signs is one integral,

    E_s l(y, c + sum_r s_r b_r) = -yc/2 + log 2 + int_0^oo (1 - cos(kc) prod_r cos(k b_r))/(k sinh(pi k)) dk,

of a function that is even and analytic for |Im k| < 1. The midpoint rule with step h errs by
4 pi exp(-2 pi/h) cosh(c) prod_r cosh(b_r) at most, to leading order (the residue at k = i), and cutting at K by
exp(-pi K)/K: no signs are sampled at any width. Derivatives are those of this sum, by automatic differentiation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from simulate.activation_function import ActivationFunction

STEP = 1 / 16
CUT = 12.0
LARGEST_GROWTH = 60.0
"""exp(-pi CUT) = 4e-17, and exp(-2 pi/STEP + LARGEST_GROWTH) = 3e-18: below rounding while `growth` is no larger."""


class Task(NamedTuple):
    """Initial weights w_0 (m, d), outer signs a (m,), points x (n, d) and labels y (n,)."""

    start: Array
    outer: Array
    points: Array
    labels: Array


Risk = Callable[[Array], Array]


def make_task(start: ArrayLike, outer: ArrayLike, points: ArrayLike, labels: ArrayLike) -> Task:
    """The task of these arrays, in float64."""
    return Task(*(jnp.asarray(part, dtype=jnp.float64) for part in (start, outer, points, labels)))


def draw_task(seed: int, *, width: int, dimension: int, samples: int, radius: float = 1.0) -> Task:
    """The symmetric initialisation (m even), points uniform on the sphere of this radius, labels from a quadratic."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(width // 2, dimension)) / radius
    points = rng.normal(size=(samples, dimension))
    points *= radius / np.linalg.norm(points, axis=1, keepdims=True)
    score = (points @ rng.normal(size=dimension)) ** 2
    outer = np.repeat([1.0, -1.0], width // 2)
    return make_task(np.concatenate([half, half]), outer, points, np.where(score > np.median(score), 1.0, -1.0))


def norm(weights: ArrayLike) -> float:
    """||W||_{2,4} for the rows w_r of `weights`."""
    return float(np.sum(np.sum(np.asarray(weights) ** 2, axis=1) ** 2) ** 0.25)


def second_derivative(activation: ActivationFunction, seen: Array) -> Array:
    """sigma'', elementwise."""
    return jax.jvp(activation.derivative, (seen,), (jnp.ones_like(seen),))[1]


def quadratic_model(task: Task, activation: ActivationFunction) -> Callable[[Array], Array]:
    """W -> f^Q_W(x_i) = (1/(2 sqrt m)) sum_r a_r sigma''(<w_{0,r}, x_i>) <w_r, x_i>^2."""
    coefficients = task.outer * second_derivative(activation, task.points @ task.start.T)
    return lambda weights: (coefficients * (task.points @ weights.T) ** 2).sum(1) / (2 * jnp.sqrt(len(task.outer)))


def logistic(labels: Array, values: Array) -> Array:
    return jnp.logaddexp(0.0, -labels * values)


def clean_risk(task: Task, activation: ActivationFunction) -> Risk:
    """W -> L^Q(W)."""
    model = quadratic_model(task, activation)
    return lambda weights: jnp.mean(logistic(task.labels, model(weights)))


def _product_of_cosines(angles: Array) -> Array:
    """prod_r cos(angle_r) over the last axis, as a sign and a sum of logarithms.

    One operation at every width, also in its derivatives, which lose digits like 1/|cos| next to a zero only.
    """
    cosines = jnp.cos(angles)
    negative = jnp.sum(cosines < 0, axis=-1) % 2
    return (1 - 2 * negative) * jnp.exp(jnp.sum(jnp.log(jnp.abs(cosines)), axis=-1))


def _parts(task: Task, activation: ActivationFunction, weights: Array) -> tuple[Array, Array]:
    """c_i, and b_{i,r}, of the network as a function of the signs."""
    still, moved = task.points @ task.start.T, task.points @ weights.T
    above, below = activation.value(still + moved), activation.value(still - moved)
    root = jnp.sqrt(len(task.outer))
    return (above + below) @ task.outer / (2 * root), (above - below) * task.outer / (2 * root)


def growth(task: Task, activation: ActivationFunction, weights: Array) -> Array:
    """The largest |c| + sum_r log cosh(b_r) over the samples: the exponent by which the midpoint rule loses digits."""
    even, odd = _parts(task, activation, weights)
    return jnp.max(jnp.abs(even) + jnp.sum(jnp.logaddexp(odd, -odd) - jnp.log(2.0), axis=1))


def randomised_risk(task: Task, activation: ActivationFunction) -> Risk:
    """W -> L~(W), the mean over all signs as an integral."""
    nodes = jnp.asarray(STEP * (np.arange(round(CUT / STEP)) + 0.5))
    weight = STEP / (nodes * jnp.sinh(jnp.pi * nodes))

    def risk(weights: Array) -> Array:
        even, odd = _parts(task, activation, weights)
        cosines = jnp.cos(even[:, None] * nodes) * _product_of_cosines(odd[:, None, :] * nodes[:, None])
        return jnp.mean(-task.labels * even / 2 + jnp.log(2.0) + (1 - cosines) @ weight)

    return risk


def enumerated_risk(task: Task, activation: ActivationFunction) -> Risk:
    """W -> L~(W) as the plain mean over all 2^m sign patterns of the network itself, for small m."""
    patterns = jnp.asarray(list(product((1.0, -1.0), repeat=len(task.outer))))

    def risk(weights: Array) -> Array:
        def one(signs: Array) -> Array:
            seen = task.points @ (task.start + signs[:, None] * weights).T
            values = activation.value(seen) @ task.outer / jnp.sqrt(len(task.outer))
            return jnp.mean(logistic(task.labels, values))

        return jnp.mean(jax.lax.map(one, patterns))

    return risk


def with_penalty(risk: Risk, strength: Array | float) -> Risk:
    """W -> risk(W) + lambda ||W||_{2,4}^8."""
    return lambda weights: risk(weights) + strength * _eighth_power(weights)


def _eighth_power(weights: Array) -> Array:
    """||W||_{2,4}^8, smooth at 0."""
    return jnp.sum(jnp.sum(weights**2, axis=1) ** 2) ** 2


def signed_curvature(risk: Risk, weights: Array, direction: Array) -> Array:
    """E_S risk''(W)[VS, VS] over independent signs: the mixed terms vanish, so a sum over neurons one at a time."""

    def one(index: Array) -> Array:
        only = jnp.zeros_like(direction).at[index].set(direction[index])

        def slope(time: Array) -> Array:
            return jax.jvp(lambda s: risk(weights + s * only), (time,), (jnp.ones(()),))[1]

        return jax.jvp(slope, (jnp.zeros(()),), (jnp.ones(()),))[1]

    return jnp.sum(jax.vmap(one)(jnp.arange(len(weights))))


@partial(jax.jit, static_argnames=("activation",))
def clean_derivatives(
    task: Task, weights: ArrayLike, direction: ArrayLike, *, activation: ActivationFunction
) -> tuple[Array, Array, Array, Array]:
    """(L^Q(W), L^Q(V), <grad L^Q(W), W>, the Hessian of L^Q at W), by automatic differentiation."""
    risk, here = clean_risk(task, activation), jnp.asarray(weights)
    value, slope = jax.jvp(risk, (here,), (here,))
    return value, risk(jnp.asarray(direction)), slope, jax.hessian(risk)(here)


def _excess(
    task: Task, weights: Array, direction: Array, strength: Array | float, constant: Array | float,
    activation: ActivationFunction,
) -> Array:  # fmt: skip
    risk = with_penalty(randomised_risk(task, activation), strength)
    value, slope = jax.jvp(risk, (weights,), (weights,))
    level = clean_risk(task, activation)(direction)
    allowed = constant * _eighth_power(direction) - _eighth_power(weights)
    return signed_curvature(risk, weights, direction) - slope + 2 * (value - level) - strength * allowed


@partial(jax.jit, static_argnames=("activation",))
def randomised_excess(
    task: Task,
    weights: ArrayLike,
    direction: ArrayLike,
    strength: Array | float = 0.0,
    constant: Array | float = 0.0,
    *,
    activation: ActivationFunction,
) -> Array:
    """E_S L~_l''(W)[VS, VS] - <grad L~_l(W), W> + 2 (L~_l(W) - L^Q(V)) + l (||W||^8 - C ||V||^8), l the strength."""
    return _excess(task, jnp.asarray(weights), jnp.asarray(direction), strength, constant, activation)


@partial(jax.jit, static_argnames=("activation", "steps"))
def ascended_excess(
    task: Task,
    start: ArrayLike,
    direction: ArrayLike,
    radius: Array | float,
    strength: Array | float = 0.0,
    constant: Array | float = 0.0,
    *,
    activation: ActivationFunction,
    steps: int,
) -> Array:
    """The excess along gradient ascent in W from `start`, inside ||W||_{2,4} <= radius: steps + 1 values."""
    other = jnp.asarray(direction)

    def excess(weights: Array) -> Array:
        return _excess(task, weights, other, strength, constant, activation)

    def climb(weights: Array, index: Array) -> tuple[Array, Array]:
        value, slope = jax.value_and_grad(excess)(weights)
        length = radius / (2.0 + index) / (jnp.linalg.norm(slope) + jnp.finfo(jnp.float64).tiny)
        moved = weights + length * slope
        return moved * jnp.minimum(1.0, radius / _eighth_power(moved) ** 0.125), value

    end, values = jax.lax.scan(climb, jnp.asarray(start), jnp.arange(steps))
    return jnp.append(values, excess(end))
