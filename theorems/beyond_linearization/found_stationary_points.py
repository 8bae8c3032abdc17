r"""Second-order stationary points of L~_lambda that were really found, with what Theorem 4 says about each.

L~ is exact over the signs (simulate/clean_risk.py), lambda is that of B.6, C lambda B_w*^8 = 2 gamma OPT + eps, and W*
is a stationary point of the clean risk with a weak penalty, OPT = L^Q(W*). At a point with gradient g and least
eigenvalue mu of the Hessian, E L~_lambda''[W* Sigma', W* Sigma'] >= min(mu, 0) ||W*||_F^2 and <grad, W> <= |g|
||W||_F, so what is left of exactness costs the two conclusions at most `inexact` = |g| ||W||_F + max(-mu, 0)
||W*||_F^2, and nothing else is tolerated. The premise (18) is asked at the point itself: `excess`, the coupling error,
must be at most eps. Where it is not, the width is one for which Theorem 4 says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from proofs_checks.eighth_power import CONSTANT
from simulate.clean_risk import draw_task, norm, randomised_excess
from simulate.stationary_points import StationaryPoint, second_order_point
from theorems.activation import Activation

WIDTHS = (4, 16, 32)
"""A narrow one, then wider ones until (18) holds at some point found."""
DIMENSION, SAMPLES = 2, 4
ACCURACY = 0.02
"""eps of Theorem 4."""
GAMMAS = (0.1, 1.0)
WEAK_PENALTY = 1e-5
STARTS = (0.0, 1.0)
"""Scales of the Gaussian starts; W = 0 is stationary and left along negative curvature."""


@dataclass(frozen=True)
class Found:
    """One point, and the numbers of Theorem 4 there."""

    width: int
    gamma: float
    level: float
    size: float
    strength: float
    excess: float
    inexact: float
    point: StationaryPoint

    @property
    def premise(self) -> bool:
        """(18) at this point."""
        return self.excess <= ACCURACY

    @property
    def stationary(self) -> bool:
        """Whether the search arrived: what it is short of a stationary point is a small part of eps."""
        return self.inexact <= ACCURACY / 100

    @property
    def allowed(self) -> float:
        """(1 + gamma) OPT + eps."""
        return (1 + self.gamma) * self.level + ACCURACY

    def loss_room(self) -> float:
        """(1 + gamma) OPT + eps - L~_lambda, with what inexactness costs."""
        return self.allowed + self.inexact / 2 - self.point.risk

    def norm_ratio(self) -> float:
        """||W||/B_w*."""
        return self.point.norm / self.size

    def largest_ratio(self) -> float:
        """(C (1 + (2 OPT + eps)/(2 gamma OPT + eps)))^(1/8), with what inexactness costs."""
        share = (2 * self.level + ACCURACY + self.inexact) / (2 * self.gamma * self.level + ACCURACY)
        return (float(CONSTANT) * (1 + share)) ** 0.125

    def __str__(self) -> str:
        return (
            f"L = {self.point.risk:.5g} against {self.allowed:.5g}, ||W||/B_w* = "
            f"{self.norm_ratio():.4g} against {self.largest_ratio():.4g}, error of (18) {self.excess:.3g}, |grad| = "
            f"{self.point.gradient:.1e}, least eigenvalue {self.point.curvature:.1e}, {self.point.escapes} escapes"
        )


@cache
def found_points(sigma: Activation) -> tuple[Found, ...]:
    """The points reached for each width, gamma and start."""
    points: tuple[Found, ...] = ()
    for width in WIDTHS:
        here = tuple(_search(sigma, width))
        points += here
        if width > WIDTHS[0] and any(point.stationary and point.premise for point in here):
            break
    return points


def _search(sigma: Activation, width: int) -> Iterator[Found]:
    function = sigma.function()
    task = draw_task(3, width=width, dimension=DIMENSION, samples=SAMPLES)
    rng = np.random.default_rng(5)
    begin = 0.3 * rng.normal(size=(width, DIMENSION))
    star = second_order_point(task, begin, WEAK_PENALTY, activation=function, model="clean")
    size = norm(star.weights)
    level = star.risk - WEAK_PENALTY * size**8
    for gamma in GAMMAS:
        strength = (2 * gamma * level + ACCURACY) / (float(CONSTANT) * size**8)
        for scale in STARTS:
            start = scale * rng.normal(size=(width, DIMENSION))
            point = second_order_point(task, start, strength, activation=function, model="randomised")
            found = randomised_excess(task, point.weights, star.weights, strength, float(CONSTANT), activation=function)
            inexact = point.gradient * float(np.linalg.norm(point.weights))
            inexact += max(-point.curvature, 0.0) * float(np.sum(star.weights**2))
            yield Found(width, gamma, level, size, strength, float(found), inexact, point)
