r"""Second witness for a test error: fresh points are drawn, labelled and classified, and the mistakes counted.

Nothing of the exact route is used: no angle between Gaussian directions, no average over labels, no strata. The weights
and the classifier are given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

CHUNK = 20_000


class Counted(NamedTuple):
    """The share of mistakes and its standard error."""

    share: float
    se: float


def counted_mistakes(
    weights: np.ndarray,
    direction: np.ndarray,
    *,
    features: Callable[[np.ndarray, np.random.Generator], np.ndarray],
    probability: Callable[[np.ndarray], np.ndarray],
    points: int,
    seed: int,
) -> Counted:
    """How often y <a, u> <= 0 among fresh points, rounded up to whole chunks.

    `features` turns the projections <w_j, x> into u; `probability` is P(y = 1 | <beta_0, x>), beta_0 the first
    coordinate vector.
    """
    generator = np.random.default_rng(seed)
    chunks = -(-points // CHUNK)
    mistakes = 0
    for _ in range(chunks):
        x = generator.standard_normal((CHUNK, weights.shape[1]))
        labels = np.where(generator.random(CHUNK) < probability(x[:, 0]), 1, -1)
        mistakes += int(np.sum(labels * (features(x @ weights.T, generator) @ direction) <= 0))
    share = mistakes / (chunks * CHUNK)
    return Counted(share, float(np.sqrt(share * (1 - share) / (chunks * CHUNK))))
