"""The verdict on a limit, from the bands of the gap along a ladder of dimensions.

With the resolution eps, the slack eps0 = eps/4 and the limit set C (see `reports/limit_set.py`):

    REFUTED       C misses [-eps0, eps0] and is not inside (-eps, eps);
    PASS          C is inside (-eps, eps) and meets [-eps0, eps0]; where a gap exceeds eps, a later one is
                  significantly smaller than the largest; some gap is significantly at most 6 eps;
    INCONCLUSIVE  anything else, with the reason.

Both decisions also need a bias of the class that threads the per-level 95% bands: a bias that alternates
with the parity of d, or follows the rounding of N = rho d, can thread the wide bands by luck. This test of the class
must be able to fail: it needs five dimensions, one more than the class has coefficients, and in each of them a
band whose half-width is at most max(1, 4 x_k)/2 times the resolution, or the distance of C from zero where that is
more (parity and rounding effects are of order x_k, so the small dimensions may be seen less sharply).

Guarantee: if all bands hold (probability at least 1 - alpha) and the bias is in the class, then delta is
in C. So P(REFUTED | delta = 0) <= alpha and P(PASS | |delta| >= eps) <= alpha, at any stopping time.

Three powers of d are an idealisation of a bias. So every band is widened by a remainder, any sequence bounded
by (eps/64) x_k with x_k = d_1/d_k: it vanishes in the limit, so that the guarantee holds for this larger class,
and it costs a few hundredths of eps in the width of C.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, TypeVar

import numpy as np

from reports.bands import Band, Level, UnusableSample, band_level, ladder_bands, smallest_size
from reports.limit_set import LimitSet, bias_table, limit_set, positions, union
from theorems.claim import BiasClass, Functional, Verdict

SLACK = 0.25
"""eps0 in units of eps: what a true claim may be off by and still pass."""
LEVERAGE = 6.0
"""A limit is not extrapolated from gaps that are all larger than this many eps."""
REMAINDER = 1 / 64
"""The bound of the remainder at d_1, in units of eps."""
FIT_LEVEL = 0.05
FIT_DIMENSIONS = 5
FIT_WIDTH = 0.5
FIT_GROWTH = 4.0
"""A band tests the class if its half-width is at most FIT_WIDTH max(1, FIT_GROWTH x_k) in units of the resolution, or
of the distance refuted."""
CONFIRMATION: BiasClass = "quarter"


class Reason(StrEnum):
    """Why the verdict is what it is."""

    DECIDED = "decided"
    RESOLUTION = "resolution not reached"
    BETWEEN = "offset below the resolution"
    CLASS = "class rejected"
    FIT = "lack of fit"
    UNTESTED = "fit not tested"
    SHRINK = "gap not shown to shrink"
    LEVERAGE = "leverage too large"


@dataclass(frozen=True)
class Rules:
    """What is declared before sampling; see `theorems.claim.Limit`."""

    resolution: float
    alpha: float = 1e-5
    functional: Functional = "median"
    bias_class: BiasClass = "half"
    ladder_length: int = 6

    def __post_init__(self) -> None:
        if not 0 < self.resolution < math.inf:
            raise ValueError(f"the resolution must be a positive number, not {self.resolution}")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, not {self.alpha}")
        if self.ladder_length < 1:
            raise ValueError(f"a ladder has at least one dimension, not {self.ladder_length}")

    @property
    def slack(self) -> float:
        return SLACK * self.resolution

    @property
    def band_level(self) -> float:
        return band_level(self.alpha, self.ladder_length)


@dataclass(frozen=True)
class LimitVerdict:
    """What is concluded about the limit of the gap, and from what.

    `bands` (at the level that makes the guarantee) and `bands95` belong to `dimensions`, in increasing
    order. `confirmed` tells whether a REFUTED also holds under the confirmation class on the same samples;
    it is None for other verdicts.
    """

    verdict: Verdict
    reason: Reason
    sentence: str
    limit: LimitSet
    dimensions: tuple[int, ...]
    bands: tuple[Band, ...]
    bands95: tuple[Band, ...]
    fits: bool
    rules: Rules
    confirmed: bool | None = None

    @property
    def limit_low(self) -> float:
        return self.limit.hull[0]

    @property
    def limit_high(self) -> float:
        return self.limit.hull[1]

    @property
    def intervals(self) -> tuple[Band, ...]:
        return self.limit.intervals


def ordered_ladder(levels: Sequence[Level], rules: Rules) -> tuple[Level, ...]:
    """The levels by increasing dimension, each dimension once and no more of them than were declared."""
    ladder = tuple(sorted(levels, key=lambda sample: sample.dimension))
    dimensions = [sample.dimension for sample in ladder]
    if not ladder:
        raise UnusableSample("no dimension was sampled: there is nothing to decide")
    if len(set(dimensions)) < len(dimensions):
        raise UnusableSample(f"a dimension occurs twice in {dimensions}: join its replicates into one level")
    if len(ladder) > rules.ladder_length:
        raise UnusableSample(
            f"{len(ladder)} dimensions were sampled but alpha was split over {rules.ladder_length}: declare them all"
        )
    return ladder


def widened(
    dimensions: Sequence[int], first: int, low: np.ndarray, high: np.ndarray, rules: Rules
) -> tuple[np.ndarray, np.ndarray]:
    """Bands with room for the remainder."""
    remainder = REMAINDER * rules.resolution * positions(dimensions, first).astype(np.float64)
    return low - remainder, high + remainder


def possible_limits(
    dimensions: tuple[int, ...], bands: Sequence[Band], rules: Rules, bias_class: BiasClass | None = None
) -> LimitSet:
    """C, for bands in increasing dimensions."""
    low, high = np.array(bands, dtype=np.float64).T
    first = dimensions[0]
    low, high = widened(dimensions, first, low, high, rules)
    chosen = bias_class or rules.bias_class
    limits = limit_set(dimensions, low, high, first=first, bias_class=chosen)
    if rules.functional == "quantile90":  # a quantile of |Y| is nonnegative, and so is its limit
        limits = union([(max(a, 0.0), b) for a, b in limits.intervals])
    return limits


def reasons(
    dimensions: tuple[int, ...], low: np.ndarray, high: np.ndarray, rules: Rules
) -> list[tuple[Verdict, Reason]]:
    """The rule for many sets of finite bands at once, shape (sets, dimensions), leaving out the 95% fit."""
    wide_low, wide_high = widened(dimensions, dimensions[0], low, high, rules)
    lower, upper = bias_table(dimensions, dimensions[0], rules.bias_class).project(wide_low, wide_high)
    if rules.functional == "quantile90":
        lower = np.maximum(lower, 0.0)
        lower, upper = np.where(lower > upper, np.inf, lower), np.where(lower > upper, -np.inf, upper)
    meets = np.any((lower <= rules.slack) & (upper >= -rules.slack), axis=1)
    hull_low, hull_high = np.min(lower, axis=1), np.max(upper, axis=1)
    return [
        conclude(bool(m), (float(a), float(b)), dimensions, list(zip(lo.tolist(), hi.tolist(), strict=True)), rules)
        for m, a, b, lo, hi in zip(meets, hull_low, hull_high, low, high, strict=True)
    ]


def place(meets_slack: bool, hull: tuple[float, float], eps: float) -> tuple[Verdict, Reason]:
    """Where a set of possible offsets lies; a hull with low > high is the empty set."""
    inside = -eps < hull[0] and hull[1] < eps
    if not hull[0] <= hull[1]:
        return Verdict.INCONCLUSIVE, Reason.CLASS
    if meets_slack:
        return (Verdict.PASS, Reason.DECIDED) if inside else (Verdict.INCONCLUSIVE, Reason.RESOLUTION)
    return (Verdict.INCONCLUSIVE, Reason.BETWEEN) if inside else (Verdict.REFUTED, Reason.DECIDED)


def conclude(
    meets_slack: bool, hull: tuple[float, float], dimensions: Sequence[int], bands: Sequence[Band], rules: Rules
) -> tuple[Verdict, Reason]:
    """The table of this module's docstring, without the 95% fit."""
    eps = rules.resolution
    verdict, reason = place(meets_slack, hull, eps)
    if verdict == Verdict.REFUTED and not _tested(dimensions, bands, max(hull[0], -hull[1], eps)):
        return Verdict.INCONCLUSIVE, Reason.UNTESTED
    if verdict != Verdict.PASS:
        return verdict, reason
    least = [max(low, -high, 0.0) for low, high in bands]
    most = [max(-low, high) for low, high in bands]
    if min(most) > LEVERAGE * eps:
        return Verdict.INCONCLUSIVE, Reason.LEVERAGE
    largest = max(range(len(bands)), key=lambda k: least[k])
    if least[largest] > eps and min(most[largest:]) >= least[largest]:
        return Verdict.INCONCLUSIVE, Reason.SHRINK
    if not _tested(dimensions, bands, eps):
        return Verdict.INCONCLUSIVE, Reason.UNTESTED
    return Verdict.PASS, Reason.DECIDED


def _tested(dimensions: Sequence[int], bands: Sequence[Band], distance: float) -> bool:
    """Whether a wrong class could have shown at the scale of this distance."""
    return len(bands) >= FIT_DIMENSIONS and all(
        (high - low) / 2 <= FIT_WIDTH * distance * max(1.0, FIT_GROWTH * dimensions[0] / d)
        for d, (low, high) in zip(dimensions, bands, strict=True)
    )


def decide_limit(levels: Sequence[Level], rules: Rules, *, bias_class_proof: str | None = None) -> LimitVerdict:
    """The verdict on these samples; `bias_class_proof` says why the bias is known to be in the class."""
    ladder = ordered_ladder(levels, rules)
    dimensions = tuple(sample.dimension for sample in ladder)
    bands = ladder_bands(ladder, rules.functional, rules.band_level)
    bands95 = ladder_bands(ladder, rules.functional, FIT_LEVEL)
    limits = possible_limits(dimensions, bands, rules)
    fits = not possible_limits(dimensions, bands95, rules).empty
    verdict, reason = _table(limits, dimensions, bands, rules)
    if verdict != Verdict.INCONCLUSIVE and not fits:
        verdict, reason = Verdict.INCONCLUSIVE, Reason.FIT
    decided = LimitVerdict(verdict, reason, "", limits, dimensions, bands, bands95, fits, rules)
    if verdict == Verdict.REFUTED:
        decided = replace(decided, confirmed=confirm(ladder, rules))
    return replace(decided, sentence=_sentence(decided, bias_class_proof))


def _table(limits: LimitSet, dimensions: Sequence[int], bands: Sequence[Band], rules: Rules) -> tuple[Verdict, Reason]:
    return conclude(limits.meets(-rules.slack, rules.slack), limits.hull, dimensions, bands, rules)


def confirm(levels: Sequence[Level], rules: Rules) -> bool:
    """Whether these samples refute the claim under the confirmation class too."""
    ladder = ordered_ladder(levels, rules)
    dimensions = tuple(sample.dimension for sample in ladder)
    bands = ladder_bands(ladder, rules.functional, rules.band_level)
    limits = possible_limits(dimensions, bands, rules, CONFIRMATION)
    return _table(limits, dimensions, bands, rules)[0] == Verdict.REFUTED


class Concluded(Protocol):
    """What the verdicts on a limit and on a rate have in common."""

    @property
    def verdict(self) -> Verdict: ...
    @property
    def sentence(self) -> str: ...
    @property
    def limit_low(self) -> float: ...
    @property
    def limit_high(self) -> float: ...


V = TypeVar("V", bound=Concluded)


def combine(verdicts: Sequence[V]) -> V:
    """The claim's verdict from those of its points, given as the one that decides it.

    One refuted point refutes the claim (its alpha having been split over the points); a PASS needs them all.
    """
    if not verdicts:
        raise ValueError("a claim has at least one point")
    for wanted in (Verdict.REFUTED, Verdict.INCONCLUSIVE):
        for verdict in verdicts:
            if verdict.verdict == wanted:
                return verdict
    return max(verdicts, key=lambda v: max(abs(v.limit_low), abs(v.limit_high)))


def percent(value: float) -> str:
    """A relative gap for a person.

    >>> percent(0.01), percent(-0.00123), percent(float("inf"))
    ('1%', '-0.123%', 'infinity')
    """
    if math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    return f"{100 * value:.3g}%"


def _sentence(decided: LimitVerdict, proof: str | None) -> str:
    rules = decided.rules
    eps = percent(rules.resolution)
    pieces = " or ".join(f"[{percent(low)}, {percent(high)}]" for low, high in decided.intervals)
    bounded = any(math.isfinite(end) for end in decided.limit.hull)
    limits = f"the limit of the gap lies in {pieces}" if bounded else "nothing bounds the limit of the gap yet"
    assumed = f"for a bias of class '{rules.bias_class}'" + (f" (proved: {proof})" if proof else "")
    if decided.verdict == Verdict.PASS:
        return f"An offset of {eps} or more is excluded: {limits}, {assumed}."
    if decided.verdict == Verdict.REFUTED:
        text = f"Refuted at resolution {eps}: {limits}, away from zero, {assumed}"
        if proof or rules.bias_class == CONFIRMATION:
            return text + "."
        held = "it holds" if decided.confirmed else "these samples do not decide it"
        return text + f"; under the wider class '{CONFIRMATION}' {held}{' too' if decided.confirmed else ''}."
    return _INCONCLUSIVE[decided.reason](decided, limits, eps)


def _unresolved(decided: LimitVerdict, limits: str, eps: str) -> str:
    few = sum(math.isfinite(low) for low, _ in decided.bands)
    smallest = smallest_size(decided.rules.functional, decided.rules.band_level)
    if few < len(decided.bands) and smallest is not None:
        more = f"at least {smallest} replicates in every dimension, then more"
    else:
        more = "more replicates or larger dimensions"
    assumed = f" for class '{decided.rules.bias_class}'" if any(map(math.isfinite, decided.limit.hull)) else ""
    return f"Not decided at resolution {eps}: {limits}{assumed}; {more} would decide it."


def _between(decided: LimitVerdict, limits: str, eps: str) -> str:
    return (
        f"Neither right to a quarter of the resolution nor {eps} wrong: {limits} for class "
        f"'{decided.rules.bias_class}'; a smaller resolution would decide it."
    )


def _rejected(decided: LimitVerdict, limits: str, eps: str) -> str:
    return (
        f"No bias of class '{decided.rules.bias_class}' threads the bands, so nothing follows about the limit at "
        f"resolution {eps}; a wider class, or larger dimensions only, may decide it."
    )


def _unfit(decided: LimitVerdict, limits: str, eps: str) -> str:
    return (
        f"No bias of class '{decided.rules.bias_class}' fits the 95% bands (parity or rounding effects do this), so "
        f"a verdict at resolution {eps} would rest on a wrong class; the bias by dimension needs looking at."
    )


def _untested(decided: LimitVerdict, limits: str, eps: str) -> str:
    return (
        f"Not decided at resolution {eps}, although {limits}: class '{decided.rules.bias_class}' is not tested before "
        f"{FIT_DIMENSIONS} dimensions have narrow bands; more replicates where they are wide would decide it."
    )


def _not_shrinking(decided: LimitVerdict, limits: str, eps: str) -> str:
    return (
        f"A gap above {eps} is not shown to shrink in later dimensions, although {limits} for class "
        f"'{decided.rules.bias_class}'; larger dimensions or more replicates would decide it."
    )


def _extrapolated(decided: LimitVerdict, limits: str, eps: str) -> str:
    return (
        f"Every gap may exceed {LEVERAGE:g} times the resolution {eps}, too far to extrapolate although {limits} for "
        f"class '{decided.rules.bias_class}'; larger dimensions would decide it."
    )


_INCONCLUSIVE = {
    Reason.RESOLUTION: _unresolved,
    Reason.BETWEEN: _between,
    Reason.CLASS: _rejected,
    Reason.FIT: _unfit,
    Reason.UNTESTED: _untested,
    Reason.SHRINK: _not_shrinking,
    Reason.LEVERAGE: _extrapolated,
}
