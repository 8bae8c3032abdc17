"""`asymptest calibrate`: the error rates of the verdict engine, on two real theorems and on synthetic laws.

On a real theorem a run is the run of `asymptest check` at one parameter point under its own seed, once with the
true formula and once for each formula that is wrong by a factor 1 + offset. The cells are kept in the store, so a
study that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.calibration import FAMILIES, Row, row, study
from reports.catalogue import load, select
from reports.confrontation import confront
from reports.console import plain_table
from reports.limits import Arena, Cells, settle
from reports.settings import Choices, Profile, settings
from reports.store import Store
from reports.verdict import Rules
from reports.writers import write_whole
from theorems.claim import Limit, Prediction, Setting

OFFSETS = (0.0, 0.01, 0.02, 0.05, 0.1)
RESOLUTION = 0.01
ALPHA = 1e-3
_UNCAPPED = Profile("calibration", math.inf, 1024)


@dataclass(frozen=True)
class RealCase:
    """A theorem and the parameter point at which it is run."""

    slug: str
    point: dict[str, str]


REAL_CASES = (
    RealCase("nt-quadratic", {"rho": "1/2", "B": "two_point"}),
    RealCase("rf-quadratic-activation", {"rho": "1", "B": "isotropic"}),
)


def calibration_study(runs: int, store: Store, executor: Executor, *, real: bool = True) -> dict[str, Any]:
    """The table as plain data; `wrong_verdicts` counts errors where the bias is in the class."""
    rows = list(_real_rows(REAL_CASES, runs, store, executor)) if real else []
    rows += study(FAMILIES, offsets=OFFSETS, runs=runs, resolution=RESOLUTION, alpha=ALPHA)
    engine = [r for r in rows if r.rule == "limit set"]
    return {
        "schema_version": 1,
        "resolution": RESOLUTION,
        "alpha": ALPHA,
        "wrong_verdicts": sum(r.wrong for r in engine if r.in_class),
        "rows": [r.record() for r in rows],
    }


def _real_rows(cases: Sequence[RealCase], runs: int, store: Store, executor: Executor) -> Iterator[Row]:
    for case in cases:
        theorem = load(select((case.slug,))[0].entry)
        claim = next(claim for claim in theorem.claims if isinstance(claim, Limit))
        (setting,) = settings(theorem, (case.point,), Choices())
        keys = [(seed, offset) for seed in range(runs) for offset in OFFSETS]
        processes = [_run(claim, setting, seed, offset) for seed, offset in keys]
        outcomes = confront(processes, store, executor)
        for offset in OFFSETS:
            found = [outcome for (_, o), outcome in zip(keys, outcomes, strict=True) if o == offset]
            name = f"{case.slug}, rho={case.point['rho']}"
            yield row("limit set", name, True, offset, math.inf, RESOLUTION, found)


def _run(claim: Limit, setting: Setting, seed: int, offset: float) -> Cells:
    """(verdict, declared cost, seconds) of one run of the sequential rule."""
    arena = Arena(claim.observe, (setting,), claim.ladder, Choices(seed=seed, profile=_UNCAPPED))
    rules = Rules(RESOLUTION, ALPHA, claim.functional, "half", len(claim.ladder))
    outcomes = yield from settle(arena, _off_by(claim.readings[0].states, offset), rules, (0,))
    return outcomes[0].verdict.verdict, arena.cost[0], arena.seconds[0]


def _off_by(states: Prediction, offset: float) -> Prediction:
    return lambda setting: states(setting) * (1 + offset)


def write_study(result: dict[str, Any], folder: Path) -> Path:
    """calibration.json, written whole or not at all."""
    return write_whole(folder / "calibration.json", json.dumps(result, indent=1) + "\n")


def render_study(result: dict[str, Any]) -> list[Any]:
    """The table for a person."""
    rows = [
        (
            r["rule"],
            r["family"] if r["in_class"] else f"({r['family']})",
            f"{r['offset']:.0%}",
            "none" if r["budget"] is None else f"{r['budget']:.0e}",
            *(f"{r[name] / r['runs']:.1%}" for name in ("passed", "refuted", "inconclusive")),
            r["wrong"],
            f"{r['wrong_rate_limit']:.2%}",
            f"{r['median_seconds']:.2f}",
        )
        for r in result["rows"]
    ]
    columns = ("rule", "case", "offset", "budget", "PASS", "REFUTED", "INCONCLUSIVE", "wrong", "wrong <", "seconds")
    return [
        plain_table(columns, rows, right=columns[2:]),
        "Cases in brackets have a bias outside the class, where no rate is promised. 'wrong <' is the upper 95% "
        "confidence limit of the probability of a wrong verdict; seconds are medians.",
        f"wrong verdicts where the bias is in the class: {result['wrong_verdicts']}",
    ]
