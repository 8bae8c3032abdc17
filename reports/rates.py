"""Deciding a `Rate`: the exponent of a sampled quantity, over sizes that double.

The interface is that of `reports/limits.py` (settle, rules_of, offset, point_record), so that readings, errata and
mutants are handled alike. All sizes get the same number of replicates, doubled until the exponent is decided or
the point's budget is spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reports.bands import SIZES, Level
from reports.certified import decimal, midpoint
from reports.limits import Arena, Cells, PointOutcome, Totals, prediction_at, rounds
from reports.rate import decide_rate
from reports.settings import Choices, describe
from reports.verdict import Rules
from theorems.claim import Prediction, Rate, Setting, Verdict

FIRST = 64
"""Replicates to begin with: the first size at which a median has a finite band at the levels used here."""


def rules_of(claim: Rate, choices: Choices, points: int) -> Rules:
    """The declared rules of the claim, its alpha split over its points."""
    return Rules(
        resolution=choices.resolution or claim.resolution,
        alpha=claim.alpha / points,
        functional=claim.functional,
        ladder_length=len(claim.ladder),
    )


def settle(arena: Arena, states: Prediction, rules: Rules, points: Sequence[int]) -> Cells:
    """Sample until the exponent is decided at every given point; see `reports.limits.rounds`."""
    return (yield from rounds(arena, points, lambda point: _step(arena, point, states, rules)))


def _step(arena: Arena, point: int, states: Prediction, rules: Rules) -> PointOutcome | Totals:
    drawn = arena.samples[point]
    if not drawn:
        return {(point, size): FIRST for size in arena.ladder}
    levels = tuple(Level(size, values) for size, values in sorted(drawn.items()))
    predicted = midpoint(prediction_at(states, arena.places[point], None))
    verdict = decide_rate(levels, predicted, rules)
    replicates = 2 * len(levels[0].gaps)
    decided = verdict.verdict != Verdict.INCONCLUSIVE
    if not decided and replicates <= SIZES[-1] and arena.affords(point, dict.fromkeys(arena.ladder, replicates)):
        return {(point, size): replicates for size in arena.ladder}
    return PointOutcome(verdict, levels, arena.seconds[point], not decided)


def offset(states: Prediction, mutant: Prediction, setting: Setting) -> float:
    """How far the mutant's exponent is from the claim's."""
    truth, wrong = (midpoint(prediction_at(formula, setting, None)) for formula in (states, mutant))
    return truth - wrong


def point_record(setting: Setting, states: Prediction, outcome: PointOutcome | None) -> dict[str, Any]:
    """A point of results.json: the prediction and the estimate are exponents, the ladder is of the quantity."""
    record: dict[str, Any] = {
        "parameters": describe(setting),
        "prediction": decimal(prediction_at(states, setting, None)),
    }
    if outcome is None:
        return record | {"estimate": None, "ladder": [], "verdict": Verdict.INCONCLUSIVE}
    verdict = outcome.verdict
    ends = [value if np.isfinite(value) else None for value in (verdict.limit_low, verdict.limit_high)]
    record["estimate"] = {"limit_low": ends[0], "limit_high": ends[1]}
    record["ladder"] = [
        {
            "d": level.dimension,
            "n": len(level.gaps),
            "mean": float(np.mean(level.gaps)),
            "median": float(np.median(level.gaps)),
            "low": _exponential(band[0]),
            "high": _exponential(band[1]),
        }
        for level, band in zip(outcome.levels, verdict.bands, strict=True)
    ]
    return record | {"verdict": verdict.verdict, "sentence": verdict.sentence, "seconds": outcome.seconds}


def _exponential(logarithm: float) -> float | None:
    value = float(np.exp(logarithm))
    return value if np.isfinite(value) else None
