r"""A classifier in the span of three vectors, of which all limits are known: what the max-margin one is compared with.

v_i = y_i u_i are the labelled features, K_ij = <v_i, v_j>/n. Were every point a support vector, the largest margin
would be ((1/n) 1'K^-1 1)^(-1/2), reached along a = sum_i p_i v_i with K p = 1. The same system restricted to p in
span{1, K1, K^2 1} (Galerkin; three steps of conjugate gradients) involves

    t_j = (1/n) 1'K^j 1,  j <= 5,

only: with G_ij = t_(i+j+1) + r t_(i+j), i, j < 3, and G c = (t_0, t_1, t_2), a = sum_j c_j V'K^j 1/n and the value, in
the place of (1/n) 1'K^-1 1, is <t, c>. r >= 0 is a ridge. By the law of large numbers the t_j tend to limits,
polynomials in the moments of the features' covariance (`covariance_words`); so do the value and, for fixed c, the error
of a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulate.covariance_words import feature_moments
from simulate.label_law import LabelLaw
from simulate.labelled_features import DataSet, FeatureModel

ORDER = 3
RIDGE = 0.3
"""r in units of t_1, for the error: where not all points are support vectors, the max-margin classifier is closer to a
ridge solution than to an exact one (at n = 2d, N = 4d, labels sign: 3/5 of the variance of log Err_n are explained, a
third with r = 0). Any r would be right."""


@dataclass(frozen=True, eq=False)
class KrylovLimits:
    """t_1, the value at r = 0, the coefficients c at r = RIDGE and the error of the classifier they make, in the limit.

    K is in units of t_1.
    """

    scale: float
    value: float
    coefficients: np.ndarray
    error: float


def krylov_limits(dimension: int, neurons: int, samples: int, law: LabelLaw, model: FeatureModel) -> KrylovLimits:
    """At the N/d and n/d of these numbers."""
    size = math.hypot(model.linear, model.noise)
    if not size > 0:
        raise FloatingPointError("the features are constant or overflow; take another activation")
    linear, noise = model.linear / size, model.noise / size  # so that no power of them under- or overflows
    known = feature_moments(dimension, neurons, samples, linear=linear, noise=noise, signal=law.signal())
    scale = known.between_labels(1)
    t = [known.between_labels(*[1] * j) / scale**j for j in range(2 * ORDER)]
    gram, ridge = (np.array([[t[i + j + k] for j in range(ORDER)] for i in range(ORDER)]) for k in (1, 0))
    coefficients = _solution(gram + RIDGE * ridge, np.array(t[:ORDER]))
    overlap = sum(c * known.towards_signal(*[1] * i) / scale**i for i, c in enumerate(coefficients))
    square = sum(
        c * e * known.between_labels(*[1] * i, 2, *[1] * j) / scale ** (i + j)
        for i, c in enumerate(coefficients)
        for j, e in enumerate(coefficients)
    )
    error = law.gaussian_error(overlap, math.sqrt(max(square - overlap**2, 0.0)))
    return KrylovLimits(size**2 * scale, _value(gram, np.array(t[:ORDER])), coefficients, error)


def _solution(gram: np.ndarray, right: np.ndarray) -> np.ndarray:
    # Very wide features make K a multiple of 1 and the matrix singular; what is cut off does not move the value.
    return np.linalg.lstsq(gram, right, rcond=1e-12)[0]


def _value(gram: np.ndarray, right: np.ndarray) -> float:
    return float(right @ _solution(gram, right))


@dataclass(frozen=True, eq=False)
class KrylovClassifier:
    """The value on given data, and the direction a with the limiting coefficients."""

    value: float
    direction: np.ndarray


def krylov_classifier(found: DataSet, model: FeatureModel, limits: KrylovLimits) -> KrylovClassifier:
    """On the features less their mean b_0."""
    points = found.points - model.mean * found.labels[:, None] if model.mean else found.points
    images, right = [], []
    weights = np.ones(len(points))
    for _ in range(ORDER):
        right.append(float(np.mean(weights)))
        images.append(weights @ points / len(points))
        weights = points @ images[-1] / limits.scale
    span = np.stack(images)
    return KrylovClassifier(_value(span @ span.T / limits.scale, np.array(right)), limits.coefficients @ span)
