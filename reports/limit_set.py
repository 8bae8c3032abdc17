"""The set of limits that some admissible bias reconciles with all the bands.

With x_k = d_1/d_k the gap in dimension d_k is modelled as

    g(x) = delta + c1 x^a1 + c2 x^a2 + c3 x^a3,    |c3| <= max(|c1|, |c2|)/4,

for one of the exponent triples of the bias class. The limit set is C = {delta : some such g has
low_k <= g(x_k) <= high_k for all k}. For each triple the condition on c3 is the union of four convex cones
(c1 >= 0, c1 <= 0, c2 >= 0 or c2 <= 0, with |c3| at most a quarter of that coefficient), so C is a union of
intervals, each the projection of a polyhedron {z : low <= M z <= high, some z_j >= 0}.

M does not depend on the bands. So the extreme points and rays of the dual are enumerated once per ladder,
and a projection is then a matrix product: for weights w with M_0 w = 1, M_j w = 0 for a free coefficient
and M_j w >= 0 for a nonnegative one, every feasible z has

    z_0 <= w . (M z) <= sum_k max(w_k, 0) high_k + min(w_k, 0) low_k,

and by duality the least such bound over extreme w is attained. M_0 w = -1 bounds z_0 from below; M_0 w = 0
gives the inequalities (Farkas) that decide whether there is any feasible z.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from theorems.claim import BiasClass

Triple = tuple[Fraction, Fraction, Fraction]


def _triple(first: str, second: str, third: str) -> Triple:
    return Fraction(first), Fraction(second), Fraction(third)


_ANALYTIC = (_triple("1", "2", "3"),)
_UNIT = (*_ANALYTIC, _triple("1", "3/2", "2"))
_HALF = (*_UNIT, _triple("1/2", "1", "3/2"), _triple("2/3", "4/3", "2"))
_QUARTER = (*_HALF, _triple("1/4", "1/2", "3/4"), _triple("1/3", "2/3", "1"))
EXPONENTS: dict[BiasClass, tuple[Triple, ...]] = {
    "analytic": _ANALYTIC,
    "unit": _UNIT,
    "half": _HALF,
    "quarter": _QUARTER,
}
THIRD_TERM = 0.25
"""The largest |c3| in units of max(|c1|, |c2|)."""

ROUNDING = 2.0**-48
"""Relative error of a bound w . band that is allowed for, outwards: the dot product of K <= 15 rows makes at
most 16 roundings of 2^-53, and the weights, computed in extended precision and rounded once, as many."""


@dataclass(frozen=True)
class LimitSet:
    """A union of disjoint closed intervals, in increasing order; the ends may be infinite."""

    intervals: tuple[tuple[float, float], ...]

    @property
    def empty(self) -> bool:
        return not self.intervals

    @property
    def hull(self) -> tuple[float, float]:
        """The smallest interval that holds the set; (nan, nan) for the empty set."""
        if self.empty:
            return math.nan, math.nan
        return self.intervals[0][0], self.intervals[-1][1]

    def meets(self, low: float, high: float) -> bool:
        """Whether the set has a point in [low, high]."""
        return any(a <= high and b >= low for a, b in self.intervals)


def union(intervals: Sequence[tuple[float, float]]) -> LimitSet:
    """The union of closed intervals, those with low > high being empty."""
    merged: list[tuple[float, float]] = []
    for low, high in sorted(pair for pair in intervals if pair[0] <= pair[1]):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return LimitSet(tuple(merged))


@dataclass(frozen=True, eq=False)
class Projection:
    """The interval of z_0 over {z : low <= M z <= high, z_j >= 0 for the given j}, for any bands.

    Rows of `above`, `below` and `rays` are the extreme dual weights; see the module's docstring.
    """

    above: np.ndarray
    below: np.ndarray
    rays: np.ndarray

    @staticmethod
    def of(matrix: np.ndarray, nonnegative: Sequence[int] = ()) -> Projection:
        columns = matrix.T.astype(np.longdouble)
        free = [j for j in range(1, len(columns)) if j not in nonnegative]
        above: list[np.ndarray] = []
        below: list[np.ndarray] = []
        rays: list[np.ndarray] = []
        for count in range(len(nonnegative) + 1):
            for slack in itertools.combinations(nonnegative, count):
                tight = free + [j for j in nonnegative if j not in slack]
                circuits = _both_signs(_circuits(columns[tight]), columns[list(slack)])
                scale = circuits @ columns[0]
                # A circuit almost orthogonal to z_0 bounds it only in the limit; leaving it out can only
                # make the interval larger.
                for kept, sign in ((above, 1), (below, -1)):
                    chosen = sign * scale > 2.0**-40
                    kept.append(circuits[chosen] / np.abs(scale[chosen, None]))
                rays.append(_both_signs(_circuits(columns[[0, *tight]]), columns[list(slack)]))
        return Projection(*(np.concatenate(kept).astype(np.float64) for kept in (above, below, rays)))


@dataclass(frozen=True, eq=False)
class ProjectionTable:
    """Several projections over the same rows, stacked so that many bands are projected at once."""

    positive: np.ndarray
    negative: np.ndarray
    starts: np.ndarray
    groups: int

    @staticmethod
    def of(projections: Sequence[Projection]) -> ProjectionTable:
        # A row of zeros opens each block: it stands for the bound that is always there (infinity for the
        # limit, zero for feasibility) and keeps every block nonempty.
        blocks = [
            np.vstack([np.zeros((1, part.shape[1])), part]) for p in projections for part in (p.above, p.below, p.rays)
        ]
        rows = np.vstack(blocks)
        starts = np.concatenate([[0], np.cumsum([len(block) for block in blocks])[:-1]])
        return ProjectionTable(np.maximum(rows, 0), np.minimum(rows, 0), starts, len(projections))

    def project(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the intervals, shape (bands, projections), for bands of shape (bands, rows).

        An empty projection has ends (inf, -inf).
        """
        size = np.maximum(np.abs(low), np.abs(high))
        values = self.positive @ high.T + self.negative @ low.T
        values += ROUNDING * ((self.positive - self.negative) @ size.T)
        infinite = self.starts.reshape(self.groups, 3)[:, :2].ravel()
        values[infinite] = np.inf
        least = np.minimum.reduceat(values, self.starts, axis=0).reshape(self.groups, 3, -1)
        feasible = least[:, 2] >= 0
        upper = np.where(feasible, least[:, 0], -np.inf)
        lower = np.where(feasible, -least[:, 1], np.inf)
        return lower.T, upper.T


def _circuits(columns: np.ndarray) -> np.ndarray:
    """Vectors w of minimal support with columns @ w = 0, scaled to max |w| = 1, one per support.

    On a support of one more place than there are columns the null vector is that of the signed minors.
    """
    count, size = columns.shape
    if count + 1 > size:
        return np.empty((0, size), dtype=columns.dtype)
    supports = np.array(list(itertools.combinations(range(size), count + 1)))
    blocks = columns[:, supports].transpose(1, 0, 2)
    minors = np.stack([(-1) ** i * _determinant(np.delete(blocks, i, axis=2)) for i in range(count + 1)], axis=1)
    largest = np.max(np.abs(minors), axis=1)
    kept = largest > 0
    circuits = np.zeros((len(supports), size), dtype=columns.dtype)
    np.put_along_axis(circuits, supports, minors, axis=1)
    return circuits[kept] / largest[kept, None]


def _both_signs(circuits: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Those of w and -w whose product with every slack column is nonnegative."""
    signed = np.concatenate([circuits, -circuits])
    return signed[np.all(signed @ slack.T >= 0, axis=1)]


def _determinant(blocks: np.ndarray) -> np.ndarray:
    """Determinants by expansion along the first row: NumPy's own has no extended precision."""
    size = blocks.shape[-1]
    if size == 0:
        return np.ones(len(blocks), dtype=blocks.dtype)
    rest = blocks[:, 1:]
    terms = [(-1) ** i * blocks[:, 0, i] * _determinant(np.delete(rest, i, axis=2)) for i in range(size)]
    return np.sum(terms, axis=0)


def powers(positions: np.ndarray, triple: Triple) -> np.ndarray:
    """Columns x^a1, x^a2, x^a3."""
    return np.stack([positions ** np.longdouble(a.numerator / a.denominator) for a in triple], axis=1)


def positions(dimensions: Sequence[int], first: int) -> np.ndarray:
    """x_k = d_1/d_k."""
    return np.longdouble(first) / np.asarray(dimensions, dtype=np.longdouble)


@lru_cache(maxsize=256)
def bias_table(dimensions: tuple[int, ...], first: int, bias_class: BiasClass) -> ProjectionTable:
    """The projections on delta of all triples and sign cones of a class.

    In the cone |c3| <= c/4, c being c1 or c2, the coefficients are nonnegative combinations of the two
    edges c = 1, c3 = +-1/4; the other coefficient and delta are free.
    """
    x = positions(dimensions, first)
    projections = []
    for triple in EXPONENTS[bias_class]:
        x1, x2, x3 = powers(x, triple).T
        for ruling, other in ((x1, x2), (x2, x1)):
            for sign in (1, -1):
                edges = [sign * ruling + s * np.longdouble(THIRD_TERM) * x3 for s in (1, -1)]
                matrix = np.stack([np.ones_like(x), other, *edges], axis=1)
                projections.append(Projection.of(matrix, nonnegative=(2, 3)))
    return ProjectionTable.of(projections)


def limit_set(
    dimensions: Sequence[int], low: np.ndarray, high: np.ndarray, *, first: int, bias_class: BiasClass
) -> LimitSet:
    """C for bands [low_k, high_k] in the given dimensions, d_1 being `first`; infinite bands constrain nothing."""
    finite = np.isfinite(low) & np.isfinite(high)
    kept = tuple(int(d) for d, keep in zip(dimensions, finite, strict=True) if keep)
    if np.any(low > high):
        return LimitSet(())
    if not kept:
        return LimitSet(((-math.inf, math.inf),))
    lower, upper = bias_table(kept, first, bias_class).project(low[None, finite], high[None, finite])
    return union(list(zip(lower[0].tolist(), upper[0].tolist(), strict=True)))
