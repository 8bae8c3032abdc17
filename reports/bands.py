"""Confidence bands for the law of the gap in one dimension, valid at any stopping time.

A sample is used at the sizes n = 16, 32, ..., 16 * 2^12 only. For a ladder of K dimensions each band has
level alpha/(13 K), so by the union bound all of them, at every size in every dimension, hold together with
probability at least 1 - alpha, however the sizes were chosen and whenever sampling stopped.

    mean        Student's interval: mean +- t_{n-1} s/sqrt(n);
    median      [X_(r), X_(s)] with exact binomial ranks, which are valid with ties and without moments;
    quantile90  the same for the 90% quantile of |Y|.

A sample too small for its level gives the whole line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import special

from theorems.claim import Functional

SIZES = tuple(16 * 2**g for g in range(13))
"""The sample sizes at which a band is ever computed."""
ORDER = {"median": 0.5, "quantile90": 0.9}
WHOLE_LINE = (-math.inf, math.inf)
Band = tuple[float, float]


class UnusableSample(ValueError):
    """A sample from which no band can be computed; the message says which and what to do."""


@dataclass(frozen=True, eq=False)
class Level:
    """The gaps of the replicates in one dimension, in the order in which they were drawn.

    `radius` bounds what is known to be uncertain about the gap besides chance, such as the certified
    radius of the prediction; it widens the band.
    """

    dimension: int
    gaps: np.ndarray
    radius: float = 0.0

    def __post_init__(self) -> None:
        gaps = np.asarray(self.gaps, dtype=np.float64)
        if gaps.ndim != 1:
            raise UnusableSample(f"the gaps at d = {self.dimension} must form one row, not shape {gaps.shape}")
        if not np.isfinite(gaps).all():
            place = int(np.flatnonzero(~np.isfinite(gaps))[0])
            raise UnusableSample(
                f"replicate {place} at d = {self.dimension} has gap {gaps[place]}: the observed quantity or its "
                "prediction is not a finite number there, so stay off this parameter point or correct the formula"
            )
        if self.dimension < 1:
            raise UnusableSample(f"a dimension must be a positive integer, not {self.dimension}")
        if not (math.isfinite(self.radius) and self.radius >= 0):
            raise UnusableSample(f"the radius at d = {self.dimension} must be finite and >= 0, not {self.radius}")
        object.__setattr__(self, "gaps", gaps)

    @cached_property
    def used(self) -> np.ndarray:
        """The longest initial part whose size is one of `SIZES`; empty below 16 replicates."""
        return self.gaps[: used_size(len(self.gaps))]

    @cached_property
    def ordered(self) -> np.ndarray:
        return np.sort(self.used)

    @cached_property
    def ordered_magnitudes(self) -> np.ndarray:
        return np.sort(np.abs(self.used))

    @property
    def rounding(self) -> float:
        """How far rounding alone may have moved a gap.

        R and r carry at least one rounding each, 2^-53 of their size, so (R - r)/|r| moves by up to
        (2 + |Y|) 2^-53 plus the roundings of the two operations: together below 2^-51 (1 + |Y|).
        """
        return 2.0**-51 * (1 + float(np.max(np.abs(self.used), initial=0.0)))

    @cached_property
    def constant(self) -> bool:
        """Whether the sample does not vary beyond rounding."""
        return bool(np.ptp(self.used) <= 2 * self.rounding) if self.used.size else False


def used_size(drawn: int) -> int:
    """The largest of `SIZES` that is at most the number drawn, 0 if there is none."""
    return max((size for size in SIZES if size <= drawn), default=0)


def band_level(alpha: float, ladder_length: int) -> float:
    """The level of one band out of 13 sizes in each of K dimensions."""
    return alpha / (ladder_length * len(SIZES))


@lru_cache(maxsize=4096)
def student_factor(size: int, level: float) -> float:
    """t_{n-1}(1 - level/2)/sqrt(n): half the width of the interval for a mean, in standard deviations."""
    return -float(special.stdtrit(size - 1, level / 2)) / math.sqrt(size)


@lru_cache(maxsize=4096)
def order_ranks(size: int, order: float, level: float) -> tuple[int, int] | None:
    """Ranks (r, s), counted from 1, with P(X_(r) > q) <= level/2 and P(X_(s) < q) <= level/2.

    X_(r) > q means that at most r - 1 observations are <= q, and each is so with probability at least
    `order`; X_(s) < q means that at least s are < q, each with probability at most `order`. Hence r is the
    largest rank with P(Bin <= r - 1) <= level/2 and s the smallest with P(Bin >= s) <= level/2.
    """
    counts = np.arange(size + 1)
    at_most = special.bdtr(counts, size, order)
    at_least = np.concatenate([[1.0], special.bdtrc(counts[:-1], size, order)])
    low = int(np.sum(at_most <= level / 2))
    high = size + 1 - int(np.sum(at_least <= level / 2))
    return (low, high) if low >= 1 and high <= size else None


def smallest_size(functional: Functional, level: float) -> int | None:
    """The smallest of `SIZES` whose band is not the whole line; None if even the largest is too small."""
    if functional == "mean":
        return SIZES[0]
    return next((size for size in SIZES if order_ranks(size, ORDER[functional], level) is not None), None)


def band(sample: Level, functional: Functional, level: float) -> Band:
    """The interval for the functional at this level, from one sample taken by itself."""
    size = len(sample.used)
    if size == 0:
        return WHOLE_LINE
    if functional == "mean":
        middle = float(np.mean(sample.used))
        half = student_factor(size, level) * float(np.std(sample.used, ddof=1))
        low, high = middle - half, middle + half
    else:
        ranks = order_ranks(size, ORDER[functional], level)
        if ranks is None:
            return WHOLE_LINE
        values = sample.ordered if functional == "median" else sample.ordered_magnitudes
        low, high = float(values[ranks[0] - 1]), float(values[ranks[1] - 1])
    slack = sample.radius + sample.rounding
    return low - slack, high + slack


def ladder_bands(levels: Sequence[Level], functional: Functional, level: float) -> tuple[Band, ...]:
    """The bands of all levels, with one precaution that needs them all.

    A deterministic quantity does not vary anywhere, and then Student's interval is the value itself. A
    sample that does not vary although other levels do comes from a law with an atom, of which it has not
    seen the rest: it says nothing about the mean, and its band is the whole line. Order statistics need no
    such care, as they are exact for every law.
    """
    atoms = functional == "mean" and not all(sample.constant for sample in levels if sample.used.size)
    return tuple(WHOLE_LINE if atoms and sample.constant else band(sample, functional, level) for sample in levels)
