"""The exponent of a quantity that scales like a power of m.

With x = m_1/m and m_1 the smallest size,

    log Q(m) = a - b log m + c x^g + e(m),    |c| <= 1,

for one of a few exponents g of the correction. A sampled quantity has e = 0 and bands on log Q; a quantity known
by an exact formula has bands of no width (or of a certified radius), and |e(m)| <= x^{2g}, as the expansion of the
logarithm of 1 + c x^g + ... has terms of second order. The set of possible b is a union of intervals, one per g, each
the projection of a polyhedron. It is wide on a short ladder, since a correction looks like a change of
exponent there: an exact formula should be evaluated at sizes far apart.

The exponent b is compared with the predicted one as a limit is with zero (see `reports/verdict.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from reports.bands import WHOLE_LINE, Band, Level, UnusableSample, ladder_bands
from reports.limit_set import LimitSet, Projection, ProjectionTable, positions, union
from reports.verdict import FIT_LEVEL, Reason, Rules, ordered_ladder, place
from theorems.claim import Verdict

CORRECTIONS = tuple(Fraction(g) for g in ("1/2", "2/3", "1", "3/2", "2"))
"""Exponents g of the correction."""


@dataclass(frozen=True)
class RateVerdict:
    """What is concluded about an exponent; `bands` are those of log Q, by increasing size."""

    verdict: Verdict
    reason: Reason
    sentence: str
    predicted: float
    resolution: float
    exponents: LimitSet
    dimensions: tuple[int, ...]
    bands: tuple[Band, ...]
    fits: bool

    @property
    def limit_low(self) -> float:
        return self.exponents.hull[0]

    @property
    def limit_high(self) -> float:
        return self.exponents.hull[1]


@lru_cache(maxsize=256)
def _rate_table(dimensions: tuple[int, ...], first: int) -> ProjectionTable:
    """Projections on b for each g: rows are the sizes and the correction's own bound, columns b, a, c."""
    x = positions(dimensions, first)
    bound = np.array([[0, 0, 1]], dtype=np.longdouble)
    rows = [np.stack([np.log(x), np.ones_like(x), x ** np.longdouble(float(g))], axis=1) for g in CORRECTIONS]
    return ProjectionTable.of([Projection.of(np.concatenate([row, bound])) for row in rows])


def exponent_set(dimensions: Sequence[int], low: np.ndarray, high: np.ndarray, *, remainder: bool = False) -> LimitSet:
    """The possible b for bands [low_k, high_k] on log Q at increasing sizes; infinite bands constrain nothing."""
    first = min(dimensions)
    finite = np.isfinite(low) & np.isfinite(high)
    kept = tuple(int(m) for m, keep in zip(dimensions, finite, strict=True) if keep)
    if len(kept) < 2:
        return LimitSet((WHOLE_LINE,))
    x = positions(kept, first).astype(np.float64)
    room = np.stack([x ** (2 * float(g)) if remainder else np.zeros_like(x) for g in CORRECTIONS])
    unit = np.ones((len(CORRECTIONS), 1))
    lower, upper = _rate_table(kept, first).project(
        np.hstack([low[finite] - room, -unit]), np.hstack([high[finite] + room, unit])
    )
    # Row j has the room of the j-th g, so only the j-th projection of it is meant.
    return union(list(zip(np.diag(lower).tolist(), np.diag(upper).tolist(), strict=True)))


def decide_rate(levels: Sequence[Level], predicted: float, rules: Rules) -> RateVerdict:
    """The verdict on sampled values (the `gaps` of the levels are values of Q itself)."""
    ladder = ordered_ladder(levels, rules)
    dimensions = tuple(sample.dimension for sample in ladder)
    bands = _log_bands(ladder, rules, rules.band_level)
    exponents = exponent_set(dimensions, *np.array(bands).T)
    fitted = exponent_set(dimensions, *np.array(_log_bands(ladder, rules, FIT_LEVEL)).T)
    return _decide(dimensions, bands, exponents, not fitted.empty, predicted, rules.resolution, "sampled")


def decide_rate_exact(
    dimensions: Sequence[int],
    values: Sequence[float],
    predicted: float,
    *,
    resolution: float,
    radii: Sequence[float] | None = None,
) -> RateVerdict:
    """The verdict on values known exactly, up to certified radii; nothing is left to chance."""
    order = np.argsort(dimensions)
    sizes = tuple(int(dimensions[k]) for k in order)
    if len(set(sizes)) < len(sizes):
        raise UnusableSample(f"a size occurs twice in {sizes}: give each value once")
    middle = np.array([float(values[k]) for k in order])
    radius = np.zeros_like(middle) if radii is None else np.array([float(radii[k]) for k in order])
    if not (np.all(np.isfinite(middle + radius)) and np.all(middle - radius > 0)):
        raise UnusableSample("a rate needs finite values that are positive beyond their radii; give more digits")
    # One rounding of the value and one of its logarithm.
    slack = 2.0**-51 * (1 + np.abs(np.log(middle)))
    low, high = np.log(middle - radius) - slack, np.log(middle + radius) + slack
    bands = tuple(zip(low.tolist(), high.tolist(), strict=True))
    exponents = exponent_set(sizes, low, high, remainder=True)
    return _decide(sizes, bands, exponents, not exponents.empty, predicted, resolution, "exact")


def _log_bands(ladder: Sequence[Level], rules: Rules, level: float) -> tuple[Band, ...]:
    """Bands of log Q; one that reaches zero says nothing about the logarithm."""
    return tuple(
        (math.log(low), math.log(high)) if low > 0 and math.isfinite(high) else WHOLE_LINE
        for low, high in ladder_bands(ladder, rules.functional, level)
    )


def _decide(
    dimensions: tuple[int, ...],
    bands: tuple[Band, ...],
    exponents: LimitSet,
    fits: bool,
    predicted: float,
    resolution: float,
    source: str,
) -> RateVerdict:
    if not math.isfinite(predicted):
        raise ValueError(f"the predicted exponent must be a finite number, not {predicted}")
    offsets = LimitSet(tuple((low - predicted, high - predicted) for low, high in exponents.intervals))
    slack = Rules(resolution).slack
    verdict, reason = place(offsets.meets(-slack, slack), offsets.hull, resolution)
    if verdict != Verdict.INCONCLUSIVE and not fits:
        verdict, reason = Verdict.INCONCLUSIVE, Reason.FIT
    decided = RateVerdict(verdict, reason, "", predicted, resolution, exponents, dimensions, bands, fits)
    return replace(decided, sentence=_sentence(decided, source))


def _sentence(decided: RateVerdict, source: str) -> str:
    pieces = " or ".join(f"[{low:.4g}, {high:.4g}]" for low, high in decided.exponents.intervals)
    sizes = f"{decided.dimensions[0]}..{decided.dimensions[-1]}"
    found = f"the exponent lies in {pieces} ({source} values at sizes {sizes})"
    claim = f"the predicted {decided.predicted:.6g}"
    assumed = "for one power correction of at most 1 in the logarithm"
    if decided.verdict == Verdict.PASS:
        return f"An error of {decided.resolution:g} or more in {claim} is excluded: {found}, {assumed}."
    if decided.verdict == Verdict.REFUTED:
        return f"Refuted at resolution {decided.resolution:g}: {found}, away from {claim}, {assumed}."
    if decided.reason in (Reason.CLASS, Reason.FIT):
        return (
            f"No power law with one correction fits ({decided.reason}), so nothing follows about {claim} at resolution "
            f"{decided.resolution:g}; larger sizes would decide it."
        )
    remedy = "a smaller resolution" if decided.reason == Reason.BETWEEN else "more replicates or sizes further apart"
    return (
        f"Not decided at resolution {decided.resolution:g}: {found} against {claim}, {assumed}; "
        f"{remedy} would decide it."
    )
