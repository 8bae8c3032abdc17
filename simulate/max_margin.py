r"""Max-margin classification on random features: margin, test error, and whether the data are separable.

For a data set of `labelled_features`, v_i = y_i u_i,

    kappa_n = max_{|a| <= 1} min_i <a, v_i>,   Err_n = P(y <a, u> <= 0) for a fresh (x, y),

with a duality-gap certificate on each draw (`hard_margin`). Data that are not separable have kappa_n = 0, attained at
a = 0; the definition then gives Err_n = 1. So they weigh in a median with their number and not with a size, no draw is
left out, and `separable` tells how many there are.

Err_n given a is exact for noisy linear features: (<beta_0, x>, <a, u>) is Gaussian. Nonlinear features are not Gaussian
at finite d, so fresh points are drawn: TEST_POINTS d vectors x - <beta_0, x> beta_0, and on each of them one value of
<beta_0, x> from each of STRATA equally likely intervals, the label being averaged exactly. The estimate is unbiased.

Both fluctuate like 1/sqrt d. Part of it is that of the average v = (1/n) sum_i v_i, of which everything is known: with
sigma less its mean, m = E[y <beta_0, x>] and F = E|W'W|_F^2 = N + N(N-1)/d,

    E|v|^2 = (N/n)(b_1^2 + b_*^2) + (1 - 1/n) m^2 b_1^2 N/d,    E <beta_0, W'v> = b_1 m N/d,
    E|W'v|^2 = b_1^2 F (1/n + (1 - 1/n) m^2/d) + b_*^2 N/n

(up to O(1/d) relative for nonlinear features). By the law of large numbers |v|^2 and the error of the classifier v tend
to what these give, so the *steadied* quantities

    kappa_n (E|v|^2/|v|^2)^(1/2),    Err_n (Err(v) at the means / Err(v))^(3/4)

differ from kappa_n and Err_n by factors that tend to one, and have the same limits with a variance up to three times
smaller. The exponents are about the best ones over all parameters; any fixed ones would be right.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jax import Array
from scipy.special import ndtr, ndtri

from simulate.activation_function import ActivationFunction
from simulate.hard_margin import hard_margin
from simulate.label_law import LabelLaw, label_law
from simulate.labelled_features import DataSet, FeatureModel, Kind, data_sets, feature_model

TEST_POINTS = 4
STRATA = 4
"""About the best use of time at d = 24 and 64 (ReLU, N = 2d = 2n): the fresh points add a third to the variance which
the draw of the data has anyway, and take as long as the solution."""


def classification_errors(
    found: DataSet, directions: np.ndarray, law: LabelLaw, model: FeatureModel, thresholds: tuple[float, ...] = (0.0,)
) -> list[float]:
    """P(y (<a, u> - t) <= 0) for a fresh point, each row a and its threshold t (0 for noisy linear features).

    Exact for noisy linear features, an unbiased estimate for others.
    """
    if model.sigma is None:
        images = model.linear * (directions @ found.weights)
        return [
            law.gaussian_error(
                float(image[0]), math.hypot(np.linalg.norm(image[1:]), model.noise * np.linalg.norm(direction))
            )
            for image, direction in zip(images, directions, strict=True)
        ]
    projections = found.fresh[:, 1:] @ found.weights[:, 1:].T
    shift = ndtr(found.fresh[:, 0])
    total = np.zeros(len(directions))
    for stratum in range(STRATA):
        signal = ndtri((stratum + shift) / STRATA)
        features = model.sigma(projections + np.outer(signal, found.weights[:, 0])) - model.offset
        scores = features @ directions.T - np.asarray(thresholds)
        total += [float(np.mean(law.error_given(signal, score))) for score in scores.T]
    return list(total / STRATA)


@dataclass(frozen=True)
class AverageLimits:
    """E|v|^2, and the error of v where its overlap and lengths are at their means."""

    square: float
    error: float


def average_limits(dimension: int, neurons: int, samples: int, law: LabelLaw, model: FeatureModel) -> AverageLimits:
    """What the average v comes to; see the head of this module."""
    linear, noise, signal = model.linear**2, model.noise**2, law.signal()
    squared_gram = neurons * (1 + (neurons - 1) / dimension)
    known = (1 - 1 / samples) * signal**2 / dimension
    square = neurons * ((linear + noise) / samples + linear * known)
    overlap = linear * signal * neurons / dimension
    image = linear * (linear * squared_gram * (1 / samples + known) + noise * neurons / samples)
    rest = image + noise * square - overlap**2
    return AverageLimits(square, law.gaussian_error(overlap, math.sqrt(max(rest, 0.0))))


def _centred_average(found: DataSet, model: FeatureModel) -> np.ndarray:
    return np.mean(found.points, axis=0) - model.mean * np.mean(found.labels)


Observable = Callable[[DataSet, LabelLaw, FeatureModel, AverageLimits], float]


def _margin(found: DataSet, law: LabelLaw, model: FeatureModel, known: AverageLimits) -> float:
    return hard_margin(found.points).value


def _steady_margin(found: DataSet, law: LabelLaw, model: FeatureModel, known: AverageLimits) -> float:
    average = _centred_average(found, model)
    return hard_margin(found.points).value * math.sqrt(known.square / float(average @ average))


def _separable(found: DataSet, law: LabelLaw, model: FeatureModel, known: AverageLimits) -> float:
    return float(hard_margin(found.points).separable)


def _error(found: DataSet, law: LabelLaw, model: FeatureModel, known: AverageLimits) -> float:
    best = hard_margin(found.points)
    return classification_errors(found, best.direction[None], law, model)[0] if best.separable else 1.0


def _steady_error(found: DataSet, law: LabelLaw, model: FeatureModel, known: AverageLimits) -> float:
    best = hard_margin(found.points)
    if not best.separable:
        return 1.0
    average = _centred_average(found, model)
    thresholds = 0.0, model.mean * float(np.sum(average))
    error, plain = classification_errors(found, np.stack([best.direction, average]), law, model, thresholds)
    if model.sigma is not None:
        # Among few fresh points v may make no mistake at all: it is taken to make half a one.
        plain = max(plain, 0.5 / (STRATA * len(found.fresh)))
    return error * (known.error / plain) ** 0.75


def _observable(measure: Observable, summary: str, *, tested: bool = False) -> Callable[..., np.ndarray]:
    def simulator(
        keys: Array,
        *,
        dimension: int,
        neurons: int,
        samples: int,
        labels: str,
        features: Kind,
        coefficients: tuple[float, float] | None = None,
        centred: bool = False,
        activation: ActivationFunction | None = None,
    ) -> np.ndarray:
        if min(dimension, neurons, samples) < 1:
            raise ValueError("dimension, neurons and samples are at least one")
        law, model = label_law(labels), feature_model(features, activation, coefficients, centred)
        known = average_limits(dimension, neurons, samples, law, model)
        fresh = TEST_POINTS * dimension if tested and features == "nonlinear" else 0
        drawn = data_sets(keys, dimension, neurons, samples, law, model, fresh)
        return np.asarray([measure(found, law, model, known) for found in drawn], dtype=np.float64)

    simulator.__doc__ = summary
    return simulator


margin = _observable(_margin, "kappa_n for each key, 0 where the data are not separable.")
error = _observable(_error, "Err_n for each key, 1 where the data are not separable.", tested=True)
separable = _observable(_separable, "For each key 1 if the data are separable, 0 if not.")
steady_margin = _observable(_steady_margin, "kappa_n steadied, 0 where the data are not separable.")
steady_error = _observable(_steady_error, "Err_n steadied, 1 where the data are not separable.", tested=True)


def margin_cost(dimension: int, neurons: int, samples: int) -> float:
    """Flops of one replicate: draws, features, and one product with the points for each of the support vectors."""
    draws = 60.0 * (neurons * dimension + samples * dimension + samples * neurons)
    smaller = min(neurons, samples)
    return draws + 2.0 * samples * neurons * dimension + 1.6 * smaller**2 * samples + 4.0 * samples * neurons * smaller


def error_cost(dimension: int, neurons: int, samples: int, features: Kind) -> float:
    """Flops of one replicate: those of the margin, and the fresh points where they are drawn."""
    fresh = TEST_POINTS * dimension if features == "nonlinear" else 0
    return margin_cost(dimension, neurons, samples) + fresh * (
        60.0 * dimension + 2.0 * dimension * neurons + 10.0 * STRATA * neurons
    )
