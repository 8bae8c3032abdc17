"""The error rates of the verdict engine itself, measured.

A family is a law of gaps whose limit is known to be 0, so that its claim is true. A prediction that is wrong
by the factor 1 + offset turns a gap Y into (1 + Y)/(1 + offset) - 1, so each family also gives mutants of every
size. A study runs the sequential rule on many seeds and counts the verdicts. A PASS of a prediction that is wrong by
the resolution or more, and a REFUTED of a true one, are errors; where the family's bias is in the class they
happen with probability at most alpha. Off the class nothing is promised, and the table says what happens.

Two common rules are run on the same families for comparison, with 64 replicates in the largest dimension: a
tolerance of five resolutions, and a z-test at level 5%.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import special

from reports.allocation import sequential
from reports.bands import Level
from reports.verdict import Rules
from theorems.claim import Functional, Verdict

Gaps = Callable[[int, int, int, int], np.ndarray]
"""(seed, dimension, start, stop) -> gaps of the replicates start..stop-1 under the true prediction."""
Cost = Callable[[int], float]
LADDER = (32, 64, 128, 256, 512, 1024)
SINGLE_SIZE = 64
"""Replicates given to the common rules."""


@dataclass(frozen=True)
class Family:
    """A law of gaps with limit 0. `in_class` says whether its bias is known to be in the class assumed."""

    name: str
    gaps: Gaps
    cost: Cost
    functional: Functional = "median"
    in_class: bool = True
    ladder: tuple[int, ...] = LADDER


@dataclass(frozen=True)
class Row:
    """The verdicts of one rule on one family at one offset within one budget of declared cost."""

    rule: str
    family: str
    in_class: bool
    offset: float
    budget: float
    runs: int
    passed: int
    refuted: int
    inconclusive: int
    wrong: int
    wrong_rate_limit: float
    """Upper 95% confidence limit (Clopper-Pearson) of the probability of a wrong verdict."""
    median_cost: float
    median_seconds: float
    """Of the runs to their end, also where the budget stops them before."""

    def record(self) -> dict[str, Any]:
        """The row as plain data; no limit on the budget is null."""
        return asdict(self) | {"budget": self.budget if math.isfinite(self.budget) else None}


def clopper_pearson_limit(wrong: int, runs: int, level: float = 0.05) -> float:
    """The largest p under which at most this many errors have probability `level`.

    >>> round(clopper_pearson_limit(0, 200), 5)
    0.01487
    """
    return 1.0 if wrong == runs else float(special.betaincinv(wrong + 1, runs - wrong, 1 - level))


def mutated(gaps: np.ndarray, offset: float) -> np.ndarray:
    """The gaps to a prediction that is 1 + offset times the true one."""
    return (1 + gaps) / (1 + offset) - 1


def is_wrong(verdict: Verdict, offset: float, resolution: float) -> bool:
    """A PASS of an offset of the resolution or more, or a REFUTED of the truth."""
    if offset == 0:
        return verdict == Verdict.REFUTED
    return verdict == Verdict.PASS and abs(offset) >= resolution


def run_once(family: Family, offset: float, seed: int, rules: Rules, budget: float) -> tuple[Verdict, float]:
    """One sequential run: its verdict and declared cost."""
    costs = {d: family.cost(d) for d in family.ladder}

    def sample(dimension: int, start: int, stop: int) -> np.ndarray:
        return mutated(family.gaps(seed, dimension, start, stop), offset)

    verdict, trace = sequential(sample, family.ladder, costs, rules, budget)
    return verdict.verdict, trace.cost


def rules_for(family: Family, resolution: float, alpha: float) -> Rules:
    """The default class and the family's functional and ladder."""
    return Rules(
        resolution=resolution,
        alpha=alpha,
        functional=family.functional,
        ladder_length=len(family.ladder),
    )


Outcome = tuple[Verdict, float, float]
"""Verdict, declared cost, seconds."""


def study(
    families: Iterable[Family],
    *,
    offsets: Sequence[float] = (0.0, 0.01, 0.02, 0.05, 0.1),
    budgets: Sequence[float] = (1e10, math.inf),
    runs: int = 200,
    first_seed: int = 0,
    resolution: float = 0.01,
    alpha: float = 1e-3,
    common_rules: bool = True,
) -> list[Row]:
    """The table: every family at every offset within every budget, and the common rules."""
    rows = []
    seeds = range(first_seed, first_seed + runs)
    for family in families:
        rules = rules_for(family, resolution, alpha)
        for offset in offsets:
            outcomes = [_timed(family, offset, seed, rules, max(budgets)) for seed in seeds]
            for budget in budgets:
                stopped = [_within(outcome, budget) for outcome in outcomes]
                rows.append(row("limit set", family.name, family.in_class, offset, budget, resolution, stopped))
            if common_rules:
                rows.extend(_common_rows(family, offset, seeds, resolution))
    return rows


def _timed(family: Family, offset: float, seed: int, rules: Rules, budget: float) -> Outcome:
    begin = time.perf_counter()
    verdict, cost = run_once(family, offset, seed, rules, budget)
    return verdict, cost, time.perf_counter() - begin


def _within(outcome: Outcome, budget: float) -> Outcome:
    """The same run under a smaller budget: it takes the same steps, and stops undecided if they cost more."""
    verdict, cost, seconds = outcome
    return (verdict, cost, seconds) if cost <= budget else (Verdict.INCONCLUSIVE, budget, seconds)


def row(
    rule: str,
    family: str,
    in_class: bool,
    offset: float,
    budget: float,
    resolution: float,
    outcomes: Sequence[Outcome],
) -> Row:
    """The counts of some runs."""
    verdicts = [verdict for verdict, _, _ in outcomes]
    wrong = sum(is_wrong(verdict, offset, resolution) for verdict in verdicts)
    return Row(
        rule=rule,
        family=family,
        in_class=in_class,
        offset=offset,
        budget=budget,
        runs=len(verdicts),
        passed=verdicts.count(Verdict.PASS),
        refuted=verdicts.count(Verdict.REFUTED),
        inconclusive=verdicts.count(Verdict.INCONCLUSIVE),
        wrong=wrong,
        wrong_rate_limit=clopper_pearson_limit(wrong, len(verdicts)),
        median_cost=float(np.median([cost for _, cost, _ in outcomes])),
        median_seconds=float(np.median([seconds for _, _, seconds in outcomes])),
    )


def _common_rows(family: Family, offset: float, seeds: Iterable[int], resolution: float) -> list[Row]:
    largest = max(family.ladder)
    cost = SINGLE_SIZE * family.cost(largest)
    tolerance: list[Outcome] = []
    z_test: list[Outcome] = []
    for seed in seeds:
        begin = time.perf_counter()
        values = Level(largest, mutated(family.gaps(seed, largest, 0, SINGLE_SIZE), offset)).gaps
        mean, error = float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(SINGLE_SIZE)
        seconds = time.perf_counter() - begin
        near = Verdict.PASS if abs(mean) < 5 * resolution else Verdict.REFUTED
        tolerance.append((near, cost, seconds))
        significant = abs(mean) > float(special.ndtri(0.975)) * error
        z_test.append((Verdict.REFUTED if significant else Verdict.PASS, cost, seconds))
    named = ((f"tolerance {5 * resolution:g}", tolerance), ("z-test", z_test))
    return [row(rule, family.name, family.in_class, offset, math.inf, resolution, o) for rule, o in named]


# Synthetic families


def uniforms(name: str, seed: int, dimension: int, start: int, stop: int) -> np.ndarray:
    """Independent uniforms in (0, 1), one per replicate, the same whichever way the range is cut.

    Philox gives four numbers per step of its counter, so a range that starts at a multiple of four can be entered
    directly.
    """
    bits = np.random.Philox(key=[zlib.crc32(name.encode()) * 2**20 + seed, dimension])
    draws = np.random.Generator(bits.advance(start // 4)).random(stop - start + start % 4)[start % 4 :]
    return np.maximum(draws, 2.0**-54)


def synthetic(
    name: str,
    bias: Callable[[int], float],
    spread: Callable[[int], float],
    *,
    quantile: Callable[[np.ndarray], np.ndarray] = special.ndtri,
    cost: Cost = lambda d: float(d) ** 3,
    functional: Functional = "median",
    in_class: bool = True,
) -> Family:
    """Y = bias(d) + spread(d) Z, where Z has the given quantile function, centred for the functional."""

    def gaps(seed: int, dimension: int, start: int, stop: int) -> np.ndarray:
        noise = quantile(uniforms(name, seed, dimension, start, stop))
        return bias(dimension) + spread(dimension) * noise

    return Family(name, gaps, cost, functional, in_class)


def _lognormal(u: np.ndarray) -> np.ndarray:
    """A standardised skew law with mean 0: exp(Z/2) less its mean, over its standard deviation."""
    mean, variance = math.exp(1 / 8), math.exp(1 / 4) * (math.exp(1 / 4) - 1)
    return (np.exp(special.ndtri(u) / 2) - mean) / math.sqrt(variance)


def _student3(u: np.ndarray) -> np.ndarray:
    return special.stdtrit(3, u)


def _parity(d: int) -> float:
    """+1, -1, +1, ... along a ladder of doublings."""
    return (-1.0) ** round(math.log2(d))


def _rounding(d: int) -> float:
    """d (N/d - rho) for N = round(rho d), rho = e/4: what a prediction at rho instead of N/d leaves."""
    return round(math.e / 4 * d) - math.e / 4 * d


def _root(scale: float) -> Callable[[int], float]:
    return lambda d: scale / math.sqrt(d)


def _inverse(scale: float) -> Callable[[int], float]:
    return lambda d: scale / d


IN_CLASS = (
    synthetic("bias 2/d, spread 1.5/d", _inverse(2), _inverse(1.5), functional="mean"),
    synthetic("bias 1/d, spread 0.3/sqrt d", _inverse(1), _root(0.3)),
    synthetic("bias 3/d - 40/d^2, spread 1.5/d", lambda d: 3 / d - 40 / d**2, _inverse(1.5)),
    synthetic("bias 0.2/sqrt d, spread 1/d", _root(0.2), _inverse(1)),
    synthetic("Student t3, bias 2/d, spread 1/d", _inverse(2), _inverse(1), quantile=_student3),
    synthetic("lognormal, bias 1/d, spread 1/d", _inverse(1), _inverse(1), quantile=_lognormal, functional="mean"),
    synthetic("no bias, no spread", lambda d: 0.0, lambda d: 0.0, functional="mean"),
)
OFF_CLASS = (
    synthetic("parity 1/d, spread 1/d", lambda d: _parity(d) / d, _inverse(1), in_class=False),
    synthetic("rounding 2/d, spread 1/d", lambda d: 2 * _rounding(d) / d, _inverse(1), in_class=False),
    synthetic("bias 0.1 d^-1/4, spread 1/d", lambda d: 0.1 * d**-0.25, _inverse(1), in_class=False),
    synthetic("bias 0.1/log d, spread 1/d", lambda d: 0.1 / math.log(d), _inverse(1), in_class=False),
)
FAMILIES = IN_CLASS + OFF_CLASS


def table(rows: Sequence[Row]) -> str:
    """The rows for a person: shares of verdicts in percent."""
    columns = ("offset", 6), ("budget", 7), ("PASS", 6), ("REFUTED", 8), ("INCONCL.", 8), ("wrong", 6), ("< (95%)", 8)
    head = f"{'rule':<15} {'family':<34} " + " ".join(f"{name:>{width}}" for name, width in columns)
    lines = [head + f" {'cost':>9} {'seconds':>8}"]
    for row in rows:
        name = row.family if row.in_class else f"({row.family})"
        shares = [100 * count / row.runs for count in (row.passed, row.refuted, row.inconclusive)]
        lines.append(
            f"{row.rule:<15} {name:<34} {100 * row.offset:>5g}% {row.budget:>7.0e} {shares[0]:>6.1f} {shares[1]:>8.1f} "
            f"{shares[2]:>8.1f} {row.wrong:>6} {row.wrong_rate_limit:>8.4f} {row.median_cost:>9.2e} "
            f"{row.median_seconds:>8.4f}"
        )
    lines.append("Families in brackets have a bias outside the class, where no rate is promised.")
    return "\n".join(lines)
