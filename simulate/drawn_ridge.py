r"""Second witness of ridge regression on random features: drawn targets, drawn noise, fresh test points.

Shares with feature_ridge.py the draw of weights and data, so that both speak of the same design, and nothing else: for
each of many pairs (beta_0, eps) the coefficients are the least squares solution of the augmented system

    [ U ; sqrt(kappa) I ] a = [ y ; 0 ],        kappa = n N lambda/d,

and errors are averages over the training set and over fresh points. No kernel, no trace and no Gram matrix is formed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from simulate.activation_function import ActivationFunction
from simulate.feature_ridge import draw_design, draw_latent
from simulate.spherical_kernels import DataLaw


class Estimate(NamedTuple):
    """An average over independent draws of (beta_0, eps) and fresh points, with its standard error."""

    mean: float
    standard_error: float

    def agrees(self, value: float, z: float) -> bool:
        return abs(value - self.mean) <= z * self.standard_error


class Drawn(NamedTuple):
    """What the quantities of `ridge_regression` are estimates of."""

    test_error: Estimate
    training_error: Estimate
    coefficient_norm: Estimate


def _estimate(draws: np.ndarray) -> Estimate:
    return Estimate(float(draws.mean()), float(draws.std(ddof=1) / math.sqrt(len(draws))))


def drawn_ridge(
    key: Array,
    *,
    dimension: int,
    neurons: int,
    samples: int,
    ridge: float,
    signal: float,
    noise: float,
    data: DataLaw,
    activation: ActivationFunction,
    noisy: tuple[float, float, float] | None = None,
    targets: int = 400,
    fresh: int = 400,
) -> Drawn:
    """Estimates for the design of this key; `noisy` = (b_0, b_1, b_*) asks for b_0 + b_1 <w,x> + b_* z."""
    design = draw_design(key, dimension=dimension, neurons=neurons, samples=samples, data=data)
    latent = draw_latent(key, neurons=neurons, samples=samples)
    weights, x, latent = (np.asarray(part) for part in (*design, latent))
    random = np.random.default_rng(np.asarray(jax.random.key_data(key)))

    def features(points: np.ndarray, z: np.ndarray) -> np.ndarray:
        projections = points @ weights.T
        if noisy is None:
            return np.asarray(activation.value(jnp.asarray(projections)))
        return noisy[0] + noisy[1] * projections + noisy[2] * z

    beta = random.standard_normal((dimension, targets))
    beta *= math.sqrt(signal) / np.linalg.norm(beta, axis=0)
    u = features(x, latent)
    y = x @ beta + math.sqrt(noise) * random.standard_normal((samples, targets))
    penalty = math.sqrt(samples * neurons * ridge / dimension)
    system = np.concatenate([u, penalty * np.eye(neurons)])
    coefficients = np.linalg.lstsq(system, np.concatenate([y, np.zeros((neurons, targets))]), rcond=None)[0]

    test = np.empty(targets)
    for target in range(targets):  # fresh points of its own for each, so that the errors are independent
        points = random.standard_normal((fresh, dimension))
        if data == "sphere":
            points *= math.sqrt(dimension) / np.linalg.norm(points, axis=1, keepdims=True)
        response = points @ beta[:, target] + math.sqrt(noise) * random.standard_normal(fresh)
        z = random.standard_normal((fresh, neurons))
        test[target] = np.mean((response - features(points, z) @ coefficients[:, target]) ** 2)
    return Drawn(
        test_error=_estimate(test),
        training_error=_estimate(np.mean((y - u @ coefficients) ** 2, axis=0)),
        coefficient_norm=_estimate(np.sum(coefficients**2, axis=0)),
    )
