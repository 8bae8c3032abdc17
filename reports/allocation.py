"""Where to spend the next samples.

A plan is a number of replicates in each dimension for which a decision is predicted; the cheapest plan found
is followed one step at a time, and made anew after every step. The prediction of a plan puts each band on a
curve of the bias class fitted to what was seen, with the width that its sample size will give:

  - the curve is fitted twice, with the limit free and with the limit 0, so that a plan may aim at a
    refutation or at a pass; the cheaper aim is tried first;
  - the spread in a dimension not yet sampled continues the power law of the spreads seen;
  - from a plan that certainly suffices, replicates are taken away as long as a decision is still predicted,
    in the most expensive dimension first. The starting proportions n_k ~ (spread_k/cost_k)^(2/3) minimise the
    cost of a given sum of widths.

Costs are declared, the search has no randomness and ties go to the smaller dimension, so a resumed run
repeats its choices. Nothing here can spoil a verdict, whose bands hold for every allocation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import special

from reports.bands import (
    ORDER,
    SIZES,
    WHOLE_LINE,
    Level,
    UnusableSample,
    order_ranks,
    smallest_size,
    student_factor,
    used_size,
)
from reports.limit_set import EXPONENTS, positions, powers
from reports.verdict import (
    FIT_DIMENSIONS,
    LimitVerdict,
    Reason,
    Rules,
    decide_limit,
    ordered_ladder,
    possible_limits,
    reasons,
)
from theorems.claim import Functional, Verdict

OVERHEAD = 1e6
"""Flops that a replicate costs besides those declared: a cell of 16 takes about a millisecond to start and to
store, however small it is. Without it a plan would draw tens of thousands of tiny replicates."""
FIRST_LEVELS = 4
"""A class of four coefficients says nothing about the limit from fewer dimensions."""
MARGINS = tuple(2 ** (j / 4) for j in range(13))
"""Factors by which the predicted widths are enlarged, one after the other, while a plan predicts that nothing
more is needed: the samples seen are then less favourable than the fitted curve."""
LARGEST_SHARE = 0.25
"""A step of several doublings costs at most this share of its plan, so that the plan can still change."""


@dataclass(frozen=True)
class Step:
    """Raise the number of replicates in this dimension to this total."""

    dimension: int
    replicates: int


def first_steps(ladder: Sequence[int]) -> tuple[Step, ...]:
    """The start: the smallest sample in each of the smallest dimensions."""
    return tuple(Step(d, SIZES[0]) for d in sorted(ladder)[:FIRST_LEVELS])


@lru_cache(maxsize=4096)
def unit_half_width(functional: Functional, size: int, level: float) -> float:
    """Half the width expected of a band for a standard normal gap; infinite for too small a sample."""
    if functional == "mean":
        return student_factor(size, level)
    ranks = order_ranks(size, ORDER[functional], level)
    if ranks is None:
        return math.inf
    low, high = (rank / (size + 1) for rank in ranks)
    if functional == "quantile90":  # P(|Y| <= y) = 2 Phi(y) - 1
        low, high = (1 + low) / 2, (1 + high) / 2
    return float(special.ndtri(high) - special.ndtri(low)) / 2


def next_step(levels: Sequence[Level], costs: Mapping[int, float], ladder: Sequence[int], rules: Rules) -> Step | None:
    """The next samples to draw, or None when more of them would not help.

    That is so when every dimension has all the replicates a band can use, and when no bias of the class threads
    the bands: the class is then rejected at level alpha, for good.
    """
    ordered = ordered_ladder(levels, rules)
    if not any(sample.used.size for sample in ordered):
        return first_steps(ladder)[0]
    verdict = decide_limit(ordered, rules)
    outlook = _Outlook.of(ordered, verdict, costs, ladder)
    if outlook.minimum is None or verdict.reason == Reason.CLASS:
        return None
    if not verdict.fits:
        return outlook.cheapest_doubling(_suspects(verdict)) or outlook.cheapest_doubling()
    for margin in MARGINS:
        plans = [plan for curve in outlook.curves for plan in outlook.plans(curve, margin)]
        chosen = min(plans, key=lambda plan: (outlook.cost(plan), len(plan)), default=None)
        if chosen is None:
            break
        if outlook.cost(chosen) > 0:
            return outlook.towards(chosen)
    return outlook.cheapest_doubling()


def _suspects(verdict: LimitVerdict) -> set[int]:
    """The dimensions each of which alone keeps the class from fitting the 95% bands.

    Usually one small sample is off by chance, and it is also the cheapest of them to enlarge.
    """
    suspects = set()
    for k, dimension in enumerate(verdict.dimensions):
        spared = [*verdict.bands95[:k], WHOLE_LINE, *verdict.bands95[k + 1 :]]
        if not possible_limits(verdict.dimensions, spared, verdict.rules).empty:
            suspects.add(dimension)
    return suspects


@dataclass(frozen=True, eq=False)
class _Outlook:
    """What is known when a plan is made; all arrays run over the whole ladder."""

    rules: Rules
    dimensions: tuple[int, ...]
    costs: np.ndarray
    drawn: np.ndarray
    widths: np.ndarray
    """Half-widths of the present bands, infinite where there is none."""
    spreads: np.ndarray
    curves: tuple[np.ndarray, ...]
    minimum: int | None

    @staticmethod
    def of(
        levels: Sequence[Level], verdict: LimitVerdict, costs: Mapping[int, float], ladder: Sequence[int]
    ) -> _Outlook:
        rules = verdict.rules
        dimensions = tuple(sorted(ladder))
        place = {d: k for k, d in enumerate(dimensions)}
        if strange := [sample.dimension for sample in levels if sample.dimension not in place]:
            raise UnusableSample(f"the ladder {dimensions} does not have the sampled dimensions {strange}")
        drawn = np.zeros(len(dimensions), dtype=int)
        widths = np.full(len(dimensions), np.inf)
        for sample, (low, high) in zip(levels, verdict.bands, strict=True):
            drawn[place[sample.dimension]] = used_size(len(sample.gaps))
            widths[place[sample.dimension]] = (high - low) / 2
        seen = [sample for sample in levels if sample.used.size]
        spreads = _spreads(seen, dimensions)
        where = [place[sample.dimension] for sample in seen]
        centres = np.array([_centre(sample, rules.functional) for sample in seen])
        errors = spreads[where] / np.sqrt(drawn[where])
        return _Outlook(
            rules=rules,
            dimensions=dimensions,
            costs=np.array([costs[d] + OVERHEAD for d in dimensions]),
            drawn=drawn,
            widths=widths,
            spreads=spreads,
            curves=_curves(dimensions, where, centres, errors, rules),
            minimum=smallest_size(rules.functional, rules.band_level),
        )

    def cost(self, plan: np.ndarray) -> float:
        """Cost of what the plan adds, overhead included."""
        return float(np.sum(self.costs[: len(plan)] * np.maximum(plan - self.drawn[: len(plan)], 0)))

    def decided(self, curve: np.ndarray, plans: np.ndarray, margin: float) -> np.ndarray:
        """Whether a decision is predicted for each plan, shape (plans, open dimensions)."""
        count = plans.shape[1]
        table = self._width_table[:, :count]
        steps = np.log2(plans // SIZES[0]).astype(int)
        half = margin * table[steps, np.arange(count)]
        outcomes = reasons(self.dimensions[:count], curve[:count] - half, curve[:count] + half, self.rules)
        return np.array([verdict != Verdict.INCONCLUSIVE for verdict, _ in outcomes])

    @cached_property
    def _width_table(self) -> np.ndarray:
        """Predicted half-widths by size and dimension: present ones as they are, others by the spread."""
        units = [unit_half_width(self.rules.functional, n, self.rules.band_level) for n in SIZES]
        table = np.outer(units, self.spreads)
        for k, n in enumerate(self.drawn):
            if n and math.isfinite(self.widths[k]):
                table[SIZES.index(n), k] = self.widths[k]
        return table

    def plans(self, curve: np.ndarray, margin: float) -> list[np.ndarray]:
        """One plan for each number of open dimensions that may be worth its cost."""
        found: list[np.ndarray] = []
        least = max(FIT_DIMENSIONS, int(np.flatnonzero(self.drawn)[-1]) + 1)
        for count in range(min(least, len(self.dimensions)), len(self.dimensions) + 1):
            # A present sample that gives no band will not do as it is.
            grown = np.where(np.isinf(self.widths), 2 * self.drawn, self.drawn)[:count]
            floor = np.clip(grown, self.minimum, SIZES[-1])
            if found and self.cost(floor) >= min(self.cost(plan) for plan in found):
                break
            plan = self._pruned(curve, floor, margin)
            if plan is not None:
                found.append(plan)
        return found

    def _pruned(self, curve: np.ndarray, floor: np.ndarray, margin: float) -> np.ndarray | None:
        count = len(floor)
        shape = (self.spreads[:count] / self.costs[:count]) ** (2 / 3)
        doublings = np.log2(shape / np.min(shape)).round() if np.all(shape > 0) else np.zeros(count)
        sizes = np.clip(SIZES[0] * 2.0 ** (np.arange(len(SIZES))[:, None] + doublings), floor, SIZES[-1]).astype(int)
        sizes = np.vstack([floor, sizes])
        enough = self.decided(curve, sizes, margin)
        if not enough.any():
            return None
        plan = sizes[int(np.argmax(enough))]
        for k in sorted(range(count), key=lambda k: (-self.costs[k] * plan[k], k)):
            fewer = [n for n in SIZES if floor[k] <= n < plan[k]]
            if fewer:
                trials = np.tile(plan, (len(fewer), 1))
                trials[:, k] = fewer
                kept = np.flatnonzero(self.decided(curve, trials, margin))
                if kept.size:
                    plan = trials[kept[0]]
        return plan

    def towards(self, plan: np.ndarray) -> Step:
        """The cheapest part of the plan that is not yet done, in steps of limited cost."""
        wanted = [k for k in range(len(plan)) if plan[k] > self.drawn[k]]
        k = min(wanted, key=lambda k: (self.costs[k] * (plan[k] - self.drawn[k]), k))
        return Step(self.dimensions[k], self._capped(k, int(plan[k]), LARGEST_SHARE * self.cost(plan)))

    def _capped(self, k: int, wanted: int, cost: float) -> int:
        smallest = max(2 * int(self.drawn[k]), SIZES[0])
        if not self.drawn[k] and self.minimum is not None:
            smallest = self.minimum
        affordable = [n for n in SIZES if n <= wanted and self.costs[k] * (n - self.drawn[k]) <= cost]
        return max([smallest, *affordable])

    def cheapest_doubling(self, among: Collection[int] | None = None) -> Step | None:
        """For when no plan predicts a decision: whatever improves the outlook at the least cost."""
        room = [k for k, d in enumerate(self.dimensions) if self.drawn[k] < SIZES[-1] and (among is None or d in among)]
        if not room:
            return None
        smallest = {k: self._capped(k, 0, 0.0) for k in room}
        k = min(room, key=lambda k: (self.costs[k] * (smallest[k] - self.drawn[k]), k))
        return Step(self.dimensions[k], smallest[k])


def _centre(sample: Level, functional: Functional) -> float:
    if functional == "mean":
        return float(np.mean(sample.used))
    if functional == "median":
        return float(sample.ordered[len(sample.used) // 2])
    return float(sample.ordered_magnitudes[int(ORDER[functional] * len(sample.used))])


def _spreads(seen: Sequence[Level], dimensions: Sequence[int]) -> np.ndarray:
    """Standard deviations by dimension, robust against heavy tails, following a power law where not seen.

    The quartiles of a normal law are 2 * 0.6745 standard deviations apart.
    """
    if not seen:
        return np.ones(len(dimensions))
    quartiles = 2 * float(special.ndtri(0.75))
    measured = np.array([s.ordered[3 * len(s.used) // 4] - s.ordered[len(s.used) // 4] for s in seen]) / quartiles
    varies = np.array([not s.constant for s in seen]) & (measured > 0)
    if not varies.any():
        return np.array([seen[0].rounding] * len(dimensions))
    logs = np.log([s.dimension for s in seen])[varies]
    slope = np.polyfit(logs, np.log(measured[varies]), 1)[0] if varies.sum() > 1 else 0.0
    slope = min(float(slope), 0.0)  # noise must not predict spreads that grow
    level = np.mean(np.log(measured[varies]) - slope * logs)
    spreads = np.exp(level + slope * np.log(dimensions))
    for sample, spread, known in zip(seen, measured, varies, strict=True):
        if known:
            spreads[list(dimensions).index(sample.dimension)] = spread
    return spreads


def _curves(
    dimensions: tuple[int, ...], where: list[int], centres: np.ndarray, errors: np.ndarray, rules: Rules
) -> tuple[np.ndarray, ...]:
    """The best curves delta + c1 x^a1 + c2 x^a2 of the class, with delta free and with delta = 0."""
    x = positions(dimensions, dimensions[0]).astype(np.float64)
    best: list[np.ndarray] = []
    for constant in ([np.ones_like(x)], []):
        fits = []
        for triple in EXPONENTS[rules.bias_class]:
            columns = np.stack([*constant, *powers(x, triple).astype(np.float64).T[:2]], axis=1)
            weights = 1 / errors
            fit = np.linalg.lstsq(columns[where] * weights[:, None], centres * weights, rcond=None)[0]
            curve = columns @ fit
            fits.append((float(np.sum(((curve[where] - centres) * weights) ** 2)), curve))
        best.append(min(fits, key=lambda pair: pair[0])[1])
    return tuple(best)


@dataclass(frozen=True)
class Trace:
    """How a sequential run went: the steps in order, the replicates drawn, and their declared cost."""

    steps: tuple[Step, ...]
    replicates: Mapping[int, int]
    cost: float


Sampler = Callable[[int, int, int], np.ndarray]
"""(dimension, start, stop) -> gaps of the replicates start..stop-1."""


def sequential(
    sample: Sampler, ladder: Sequence[int], costs: Mapping[int, float], rules: Rules, budget_cost: float
) -> tuple[LimitVerdict, Trace]:
    """Sample until decided, or until the next step would exceed the budget."""
    levels: dict[int, Level] = {}
    drawn = dict.fromkeys(ladder, 0)
    steps: list[Step] = []
    cost = 0.0
    pending: Sequence[Step] = first_steps(ladder)
    while True:
        for step in pending:
            d, before = step.dimension, drawn[step.dimension]
            new = sample(d, before, step.replicates)
            levels[d] = Level(d, np.concatenate([levels[d].gaps, new]) if before else new)
            drawn[d] = step.replicates
            steps.append(step)
            cost += (step.replicates - before) * costs[d]
        present = list(levels.values())
        verdict = decide_limit(present, rules)
        step = None if verdict.verdict != Verdict.INCONCLUSIVE else next_step(present, costs, ladder, rules)
        if step is None or cost + (step.replicates - drawn[step.dimension]) * costs[step.dimension] > budget_cost:
            return verdict, Trace(tuple(steps), drawn, cost)
        pending = (step,)
