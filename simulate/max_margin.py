r"""Max-margin classification on random features: margin, test error, and whether the data are separable.

For a data set of `labelled_features`, v_i = y_i u_i,

    kappa_n = max_{|a| <= 1} min_i <a, v_i>,   Err_n = P(y <a, u> <= 0) for a fresh (x, y),

with a duality-gap certificate on each draw (`hard_margin`). Data that are not separable have kappa_n = 0, attained at
a = 0; the definition then gives Err_n = 1. So they weigh in a median with their number and not with a size, no draw is
left out, and `separable` tells how many there are.

Err_n given a is exact for noisy linear features: (<beta_0, x>, <a, u>) is Gaussian. Nonlinear features are not Gaussian
at finite d, so fresh points are drawn: TEST_POINTS d vectors x - <beta_0, x> beta_0, and on each of them one value of
<beta_0, x> from each of STRATA equally likely intervals, the label being averaged exactly. The estimate is unbiased.

Both fluctuate like 1/sqrt d. Much of it they share with a classifier in the span of three vectors whose value q and
error Err' tend to known limits q_*, Err'_* by the law of large numbers (`krylov_classifier`), for any labels and
features. So the *steadied* quantities

    kappa_n (q/q_*)^(1/2),    Err_n (Err'_*/Err')^(7/8)

differ from kappa_n and Err_n by factors that tend to one in probability, with the same powers of 1/d in their bias, and
have the same limits: with a variance 4 to 70 times (margin) and 2.5 to 11 times (error) smaller at n = 2d to d/2,
N = 2d to 4d. Were q_* or Err'_* wrong, a true claim would be refuted; they use nothing of the max-margin problem. The
power 1/2 is exact where all points are support vectors; 7/8 is about the best over all parameters, any one is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from jax import Array
from scipy.special import ndtr, ndtri

from simulate.activation_function import ActivationFunction
from simulate.hard_margin import hard_margin
from simulate.krylov_classifier import KrylovLimits, krylov_classifier, krylov_limits
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


Observable = Callable[[DataSet, LabelLaw, FeatureModel, KrylovLimits], float]


def _margin(found: DataSet, law: LabelLaw, model: FeatureModel, known: KrylovLimits) -> float:
    return hard_margin(found.points).value


def _steady_margin(found: DataSet, law: LabelLaw, model: FeatureModel, known: KrylovLimits) -> float:
    return hard_margin(found.points).value * math.sqrt(krylov_classifier(found, model, known).value / known.value)


def _separable(found: DataSet, law: LabelLaw, model: FeatureModel, known: KrylovLimits) -> float:
    return float(hard_margin(found.points).separable)


def _error(found: DataSet, law: LabelLaw, model: FeatureModel, known: KrylovLimits) -> float:
    best = hard_margin(found.points)
    return classification_errors(found, best.direction[None], law, model)[0] if best.separable else 1.0


def _steady_error(found: DataSet, law: LabelLaw, model: FeatureModel, known: KrylovLimits) -> float:
    best = hard_margin(found.points)
    if not best.separable:
        return 1.0
    direction = krylov_classifier(found, model, known).direction
    thresholds = 0.0, model.mean * float(np.sum(direction))
    error, plain = classification_errors(found, np.stack([best.direction, direction]), law, model, thresholds)
    if model.sigma is not None:
        # Among few fresh points there may be no mistake at all: half a one is taken.
        plain = max(plain, 0.5 / (STRATA * len(found.fresh)))
    return error * (known.error / plain) ** (7 / 8)


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
        known = krylov_limits(dimension, neurons, samples, law, model)
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
    """Flops of one replicate: draws, features, and one product with the points for each of the support vectors.

    The five products of the Krylov classifier are among the sixty flops of a draw.
    """
    draws = 60.0 * (neurons * dimension + samples * dimension + samples * neurons)
    smaller = min(neurons, samples)
    return draws + 2.0 * samples * neurons * dimension + 1.6 * smaller**2 * samples + 4.0 * samples * neurons * smaller


def error_cost(dimension: int, neurons: int, samples: int, features: Kind) -> float:
    """Flops of one replicate: those of the margin, and the fresh points where they are drawn."""
    fresh = TEST_POINTS * dimension if features == "nonlinear" else 0
    return margin_cost(dimension, neurons, samples) + fresh * (
        60.0 * dimension + 2.0 * dimension * neurons + 10.0 * STRATA * neurons
    )
