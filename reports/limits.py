"""Deciding a `Limit`: the samples of each parameter point, confronted with one formula after another.

The readings, their corrections and the mutants of a claim are formulas about the same random numbers, so
they share one `Arena` of samples. Each formula asks for more samples until it is decided or the point's
budget is spent. Everything here is a generator of cells (see `reports/confrontation.py`), so the choices
depend on the numbers alone, not on who computed them or when.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import flint
import numpy as np

from proofs_checks.ball_function import CannotDecide
from proofs_checks.hermite import InfiniteMoment
from reports.allocation import first_steps, next_step
from reports.bands import Level
from reports.cells import BLOCK, Cell, CellResult, key
from reports.certified import PRECISION, decimal, is_exact_zero, midpoint
from reports.rate import RateVerdict
from reports.settings import PROFILES, Choices, describe
from reports.verdict import LimitVerdict, Rules, decide_limit
from theorems.claim import Limit, Observation, Observe, Prediction, Rate, Setting, Verdict

DISPATCH = 2e7
"""What handing out and storing a cell costs, in flops: some milliseconds, the same for every simulator."""
NO_NUMBER = (CannotDecide, InfiniteMoment)
"""What the evaluation of a formula raises when a constant in it cannot be certified, or does not exist."""
Cells = Generator[list[Cell], Mapping[str, CellResult], Any]


class UnlikeTheLimit(CannotDecide):
    """The sizes of the ladder are rounded to others than those asked for, and that changes what is stated."""


@dataclass
class Arena:
    """The samples drawn so far at each point of a claim; it only ever grows."""

    observe: Observe
    places: Sequence[Setting]
    ladder: tuple[int, ...]
    choices: Choices
    bias_class_proof: str | None = None
    samples: list[dict[int, np.ndarray]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    cost: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.samples = [{} for _ in self.places]
        self.seconds = [0.0 for _ in self.places]
        self.cost = [0.0 for _ in self.places]
        self._observations: dict[tuple[int, int], Observation] = {}

    def observation(self, point: int, dimension: int) -> Observation:
        """The random number observed at this point in this dimension."""
        where = (point, dimension)
        if where not in self._observations:
            setting = replace(self.places[point], dimension=dimension)
            self._observations[where] = self.observe(setting)
        return self._observations[where]

    def costs(self, point: int) -> dict[int, float]:
        """Declared flops of one replicate at each dimension of the ladder, its share of the dispatch included."""
        return {d: self.observation(point, d).cost + DISPATCH / BLOCK for d in self.ladder}

    def too_dear(self) -> str | None:
        """Why not even the first samples can be afforded, None if they can."""
        for point, place in enumerate(self.places):
            costs = self.costs(point)
            first = sum(step.replicates * costs[step.dimension] for step in first_steps(self.ladder))
            if first > self.choices.profile.cost_cap:
                where = ", ".join(f"{name}={value}" for name, value in describe(place).items())
                full = " or --profile full" if first <= PROFILES["full"].cost_cap else ""
                return (
                    f"At {where}: the first samples alone would take {first:.0e} flops, more than the profile "
                    f"{self.choices.profile.name} allows; take smaller ratios to d{full}."
                )
        return None

    def affords(self, point: int, totals: Mapping[int, int]) -> bool:
        """Whether the point's budget allows to raise the replicates in these dimensions to these totals."""
        costs, drawn = self.costs(point), self.samples[point]
        more = sum((total - len(drawn.get(d, ()))) * costs[d] for d, total in totals.items())
        budget = self.choices.budget
        # One purse for all points: they go on round by round together, and a quick one leaves its share.
        in_time = budget is None or sum(self.seconds) < budget
        return in_time and self.cost[point] + more <= self.choices.profile.cost_cap

    def draw(self, wanted: Mapping[tuple[int, int], int]) -> Cells:
        """Raise the number of replicates at (point, dimension) to the totals wanted, all in one round."""
        requests: list[tuple[int, int, Cell, str]] = []
        for (point, dimension), total in wanted.items():
            drawn = len(self.samples[point].get(dimension, ()))
            observation = self.observation(point, dimension)
            for block in range(drawn // BLOCK, total // BLOCK):
                cell = Cell(observation, block, self.choices.seed)
                requests.append((point, dimension, cell, key(cell)))
        results = yield [cell for _, _, cell, _ in requests]
        for point, dimension, cell, name in requests:
            result = results[name]
            before = self.samples[point].get(dimension, np.empty(0))
            self.samples[point][dimension] = np.concatenate([before, result.values])
            self.seconds[point] += result.seconds
            self.cost[point] += BLOCK * cell.observation.cost + DISPATCH

    def levels(self, point: int, states: Prediction) -> list[Level]:
        """The gaps to a formula at each dimension sampled so far."""
        return [
            Level(dimension, gaps(values, prediction_at(states, self.places[point], dimension)))
            for dimension, values in sorted(self.samples[point].items())
        ]


def prediction_at(states: Prediction, setting: Setting, dimension: int | None) -> Any:
    """The formula's value in this dimension (None for the limit)."""
    with flint.ctx.workprec(PRECISION):
        return states(replace(setting, dimension=dimension))


def gaps(values: np.ndarray, prediction: Any) -> np.ndarray:
    """(R - r)/|r|, or R - r where the prediction is zero."""
    middle = midpoint(prediction)
    return values - middle if is_exact_zero(prediction) else (values - middle) / abs(middle)


@dataclass(frozen=True)
class PointOutcome:
    """One formula at one point: the verdict and what it cost."""

    verdict: LimitVerdict | RateVerdict
    levels: tuple[Level, ...]
    seconds: float
    spent: bool


Totals = dict[tuple[int, int], int]
"""Replicates wanted at (point, dimension)."""


def settle(arena: Arena, states: Prediction, rules: Rules, points: Sequence[int]) -> Cells:
    """Sample until the formula is decided at every given point; see `rounds`."""
    for point in points:
        _require_one_unit(arena, point, states)
    return (yield from rounds(arena, points, lambda point: _steps(arena, point, states, rules)))


def _require_one_unit(arena: Arena, point: int, states: Prediction) -> None:
    """Gaps are relative, but absolute where the formula is zero: where it is so at some d only, they do not converge.

    With N = rho d rounded, rho = 0.999 is N = d up to d = 500, and (1 - rho)^2 would be confronted there as 0.
    """
    setting = arena.places[point]
    if is_exact_zero(prediction_at(states, setting, None)):
        return
    zeros = [d for d in arena.ladder if is_exact_zero(prediction_at(states, setting, d))]
    if zeros:
        where = ", ".join(f"{name}={value}" for name, value in describe(setting).items())
        raise UnlikeTheLimit(
            f"At {where}: the formula is zero at d = {', '.join(map(str, zeros))}, where sizes are rounded to whole "
            "numbers, but not in the limit, so these d cannot test it; take parameters further from its zero."
        )


def rounds(arena: Arena, points: Sequence[int], ask: Callable[[int], PointOutcome | Totals]) -> Cells:
    """Round by round, draw what `ask` wants at each point that it has not decided.

    It ends when every point is decided, or one is refuted, or nothing more can be afforded. Returns
    {point: PointOutcome}.
    """
    outcomes: dict[int, PointOutcome] = {}
    while True:
        wanted: Totals = {}
        for point in points:
            if point not in outcomes:
                answer = ask(point)
                if isinstance(answer, PointOutcome):
                    outcomes[point] = answer
                else:
                    wanted |= answer
        refuted = any(outcome.verdict.verdict == Verdict.REFUTED for outcome in outcomes.values())
        if refuted or not wanted:
            return outcomes
        yield from arena.draw(wanted)


def _steps(arena: Arena, point: int, states: Prediction, rules: Rules) -> PointOutcome | Totals:
    drawn = arena.samples[point]
    if not drawn:
        return {(point, step.dimension): step.replicates for step in first_steps(arena.ladder)}
    levels = arena.levels(point, states)
    verdict = decide_limit(levels, rules, bias_class_proof=arena.bias_class_proof)
    if verdict.verdict != Verdict.INCONCLUSIVE:
        return PointOutcome(verdict, tuple(levels), arena.seconds[point], False)
    step = next_step(levels, arena.costs(point), arena.ladder, rules)
    if step is not None and arena.affords(point, {step.dimension: step.replicates}):
        return {(point, step.dimension): step.replicates}
    return PointOutcome(verdict, tuple(levels), arena.seconds[point], True)


def rules_of(claim: Limit, choices: Choices, points: int) -> Rules:
    """The declared rules of the claim, its alpha split over its points."""
    ladder = ladder_of(claim, choices)
    return Rules(
        resolution=choices.resolution or claim.resolution,
        alpha=claim.alpha / points,
        functional=claim.functional,
        bias_class=claim.bias_class,
        ladder_length=len(ladder),
    )


def ladder_of(claim: Limit | Rate, choices: Choices, places: Sequence[Setting] = ()) -> tuple[int, ...]:
    """The claim's dimensions, moved where that makes products with d whole; a larger profile goes on doubling."""
    ladder = list(claim.ladder)
    if isinstance(claim, Limit) and claim.whole:
        step = math.lcm(*(place[name].denominator for place in places for name in claim.whole))
        first = -(-ladder[0] // step) * step
        if first < 2 * ladder[0]:  # else the declared one would be left altogether, for ratios such as 0.123
            ladder = [first << power for power in range(len(ladder))]
    while 2 * ladder[-1] <= choices.profile.largest_dimension:
        ladder.append(2 * ladder[-1])
    return tuple(ladder)


def offset(states: Prediction, mutant: Prediction, setting: Setting) -> float:
    """How far a mutant is from the claim in the limit, relative to the mutant: what its gaps converge to."""
    truth = prediction_at(states, setting, None)
    wrong = prediction_at(mutant, setting, None)
    return float(gaps(np.array([midpoint(truth)]), wrong)[0])


def point_record(setting: Setting, states: Prediction, outcome: PointOutcome | None) -> dict[str, Any]:
    """A point of results.json, in the units of the observed quantity."""
    prediction = prediction_at(states, setting, None)
    record: dict[str, Any] = {"parameters": describe(setting), "prediction": decimal(prediction)}
    if outcome is None:
        return record | {"estimate": None, "ladder": [], "verdict": Verdict.INCONCLUSIVE}
    verdict = outcome.verdict
    record["estimate"] = {
        "limit_low": _undo(verdict.limit_low, prediction),
        "limit_high": _undo(verdict.limit_high, prediction),
    }
    record["ladder"] = [
        _ladder_row(level, band, prediction_at(states, setting, level.dimension))
        for level, band in zip(outcome.levels, verdict.bands, strict=True)
    ]
    return record | {"verdict": verdict.verdict, "sentence": verdict.sentence, "seconds": outcome.seconds}


def _undo(gap: float, prediction: Any) -> float | None:
    if not np.isfinite(gap):
        return None
    middle = midpoint(prediction)
    return float(gap + middle if is_exact_zero(prediction) else middle + gap * abs(middle))


def _ladder_row(level: Level, band: tuple[float, float], prediction: Any) -> dict[str, Any]:
    return {
        "d": level.dimension,
        "n": len(level.gaps),
        "mean": _undo(float(np.mean(level.gaps)), prediction),
        "median": _undo(float(np.median(level.gaps)), prediction),
        "low": _undo(band[0], prediction),
        "high": _undo(band[1], prediction),
        "prediction": midpoint(prediction),
    }
