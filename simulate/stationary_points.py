r"""Second-order stationary points of a penalised risk: descent, escape along negative curvature, Newton to the end.

A point is descended by L-BFGS; where the Hessian then has an eigenvalue below -TOLERATED (its largest modulus), the
descent goes on from a point further along the descending eigenvectors at which the risk is lower; else Newton steps,
with the Hessian's eigenvalues replaced by their moduli, bring the gradient down to rounding. What is returned says how
far it is from exact: the gradient's norm and the least eigenvalue, both by automatic differentiation in float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from simulate.activation_function import ActivationFunction
from simulate.clean_risk import LARGEST_GROWTH, Risk, Task, clean_risk, growth, norm, randomised_risk, with_penalty

TOLERATED = 1e-9
"""Eigenvalues this small against the largest are not told from zero; what they may cost is in the result."""
MOST_ESCAPES = 60
NEWTON_STEPS = 12
BOWL = 1e3
"""Far above any risk of interest: a line search that leaves the accurate region comes back."""

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
    task: Task, weights: Array, strength: Array | float, *, activation: ActivationFunction, model: Model
) -> tuple[Array, Array]:
    """(penalised risk, its gradient); beyond the growth to which the risk is accurate, a bowl that leads back."""
    risk, slope = jax.value_and_grad(_risk(task, activation, model, strength))(weights)
    outside = (model == "randomised") & (growth(task, activation, weights) > LARGEST_GROWTH)
    return jnp.where(outside, BOWL * (1 + jnp.sum(weights**2)), risk), jnp.where(outside, 2 * BOWL * weights, slope)


@partial(jax.jit, static_argnames=("activation", "model"))
def hessian(
    task: Task, weights: Array, strength: Array | float, *, activation: ActivationFunction, model: Model
) -> Array:
    """The second derivatives of the penalised risk, of shape (m, d, m, d)."""
    return jax.hessian(_risk(task, activation, model, strength))(weights)


@dataclass(frozen=True, eq=False)
class _Surface:
    """The penalised risk as a function of a flat vector."""

    task: Task
    shape: tuple[int, ...]
    strength: float
    activation: ActivationFunction
    model: Model

    def value(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = jnp.asarray(flat.reshape(self.shape))
        risk, slope = risk_and_gradient(self.task, weights, self.strength, activation=self.activation, model=self.model)
        return float(risk), np.asarray(slope).ravel()

    def modes(self, flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues in increasing order, and eigenvectors."""
        weights = jnp.asarray(flat.reshape(self.shape))
        matrix = hessian(self.task, weights, self.strength, activation=self.activation, model=self.model)
        return np.linalg.eigh(np.asarray(matrix).reshape(flat.size, flat.size))

    def descended(self, flat: np.ndarray) -> np.ndarray:
        return minimize(self.value, flat, jac=True, method="L-BFGS-B", options={"maxiter": 2000, "gtol": 1e-8}).x


def _newton(surface: _Surface, here: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(where Newton's steps end, eigenvalues, eigenvectors there): at a descending mode, or as the gradient stalls."""
    for _ in range(NEWTON_STEPS):
        eigenvalues, vectors = surface.modes(here)
        floor = _floor(eigenvalues)
        slope = surface.value(here)[1]
        moved = here - vectors @ ((vectors.T @ slope) / np.maximum(np.abs(eigenvalues), floor))
        if eigenvalues[0] < -floor or not np.linalg.norm(surface.value(moved)[1]) < np.linalg.norm(slope):
            return here, eigenvalues, vectors
        here = moved
    return here, *surface.modes(here)


def _floor(eigenvalues: np.ndarray) -> float:
    return TOLERATED * float(np.max(np.abs(eigenvalues)))


def _beyond(surface: _Surface, here: np.ndarray, direction: np.ndarray) -> np.ndarray | None:
    """A point on the line in this direction with a lower risk, the best of steps from 1 down to 2^-20 both ways."""
    unit = direction / np.linalg.norm(direction)
    tried = [here + sign * 2.0**-power * unit for power in range(21) for sign in (1, -1)]
    risks = [surface.value(point)[0] for point in tried]
    best = int(np.argmin(risks))
    return tried[best] if risks[best] < surface.value(here)[0] else None


def second_order_point(
    task: Task, start: ArrayLike, strength: float, *, activation: ActivationFunction, model: Model
) -> StationaryPoint:
    """The second-order stationary point that the search reaches from `start`."""
    surface = _Surface(task, np.shape(start), strength, activation, model)
    here = np.asarray(start, dtype=np.float64).ravel()
    escapes = 0
    while True:
        here, eigenvalues, vectors = _newton(surface, surface.descended(here))
        lower = None
        if eigenvalues[0] < -_floor(eigenvalues) and escapes < MOST_ESCAPES:
            # All descending modes at once, the steeper the more: at W = 0 every neuron has its own.
            lower = _beyond(surface, here, vectors @ np.minimum(eigenvalues, 0.0))
        if lower is None:
            risk, slope = surface.value(here)
            gradient = float(np.linalg.norm(slope))
            return StationaryPoint(here.reshape(surface.shape), risk, gradient, float(eigenvalues[0]), escapes)
        here, escapes = lower, escapes + 1
