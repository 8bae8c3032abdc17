r"""Second-order stationary points of a penalised risk: descent, escape along negative curvature, Newton to the end.

A point is descended by L-BFGS; where the Hessian then has an eigenvalue below -TOLERATED (its largest modulus), the
descent goes on from a point further along the descending eigenvectors at which the risk is lower; else Newton steps, with the
Hessian's eigenvalues replaced by their moduli, bring the gradient down to rounding. What is returned says how far it is
from exact: the gradient's norm and the least eigenvalue, both by automatic differentiation in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import jax
import numpy as np
from jax import Array
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from simulate.activation_function import ActivationFunction
from simulate.clean_risk import Risk, Task, clean_risk, norm, randomised_risk, with_penalty

TOLERATED = 1e-9
"""Eigenvalues this small against the largest are not told from zero; what they may cost is in the result."""
MOST_ESCAPES = 60
NEWTON_STEPS = 12

Model = Literal["clean", "randomised"]


class StationaryPoint(NamedTuple):
    """Where the search ended: W, the penalised risk, ||grad||, the least eigenvalue, and how often it escaped."""

    weights: np.ndarray
    risk: float
    gradient: float
    curvature: float
    escapes: int

    @property
    def norm(self) -> float:
        """||W||_{2,4}."""
        return norm(self.weights)


def _risk(task: Task, activation: ActivationFunction, model: Model, strength: Array | float) -> Risk:
    return with_penalty((clean_risk if model == "clean" else randomised_risk)(task, activation), strength)


@partial(jax.jit, static_argnames=("activation", "model"))
def risk_and_gradient(
    task: Task, weights: ArrayLike, strength: Array | float, *, activation: ActivationFunction, model: Model
) -> tuple[Array, Array]:
    return jax.value_and_grad(_risk(task, activation, model, strength))(weights)


@partial(jax.jit, static_argnames=("activation", "model"))
def hessian(task: Task, weights: ArrayLike, strength: Array | float, *, activation: ActivationFunction, model: Model) -> Array:
    return jax.hessian(_risk(task, activation, model, strength))(weights)


def second_order_point(
    task: Task, start: ArrayLike, strength: float, *, activation: ActivationFunction, model: Model
) -> StationaryPoint:
    """The second-order stationary point that the search reaches from `start`."""
    shape = np.shape(start)
    size = int(np.prod(shape))

    def value(flat: np.ndarray) -> tuple[float, np.ndarray]:
        risk, slope = risk_and_gradient(task, flat.reshape(shape), strength, activation=activation, model=model)
        return float(risk), np.asarray(slope).ravel()

    def modes(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        matrix = hessian(task, flat.reshape(shape), strength, activation=activation, model=model)
        return np.linalg.eigh(np.asarray(matrix).reshape(size, size))

    here = np.asarray(start, dtype=np.float64).ravel()
    escapes = 0
    while True:
        here = minimize(value, here, jac=True, method="L-BFGS-B", options={"maxiter": 2000, "gtol": 1e-8}).x
        for _ in range(NEWTON_STEPS):
            eigenvalues, vectors = modes(here)
            risk, slope = value(here)
            floor = TOLERATED * np.max(np.abs(eigenvalues))
            if eigenvalues[0] < -floor:
                break
            moved = here - vectors @ ((vectors.T @ slope) / np.maximum(np.abs(eigenvalues), floor))
            if not np.linalg.norm(value(moved)[1]) < np.linalg.norm(slope):
                break
            here = moved
        downhill = np.minimum(eigenvalues, 0.0)  # all descending modes at once, the steeper the more
        lower = _beyond(value, here, risk, vectors @ downhill) if eigenvalues[0] < -floor else None
        if lower is None or escapes == MOST_ESCAPES:
            weights = here.reshape(shape)
            return StationaryPoint(weights, risk, float(np.linalg.norm(slope)), float(eigenvalues[0]), escapes)
        here, escapes = lower, escapes + 1


def _beyond(
    value: Callable[[np.ndarray], tuple[float, np.ndarray]], here: np.ndarray, risk: float, direction: np.ndarray
) -> np.ndarray | None:
    """A point on the line in this direction with a lower risk, the best of steps from 1 down to 2^-20 both ways."""
    unit = direction / np.linalg.norm(direction)
    tried = [here + sign * 2.0**-power * unit for power in range(21) for sign in (1, -1)]
    best = min(tried, key=lambda point: value(point)[0])
    return best if value(best)[0] < risk else None
