"""Deciding limits and rates: readings, corrections and mutants on shared samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from reports import limits, rates
from reports.case import Case, erratum_record
from reports.limits import NO_NUMBER, Arena, Cells, PointOutcome, ladder_of
from reports.records import MutantRecord, Record
from reports.settings import describe, settings
from reports.verdict import Rules, combine
from theorems.claim import Limit, Mutant, Observe, Prediction, Rate, Reading, Verdict

Sampled = Limit | Rate


def _kind(claim: Sampled) -> ModuleType:
    """The module that decides claims of this kind: settle, rules_of, offset and point_record."""
    return limits if isinstance(claim, Limit) else rates


def decide_sampled(case: Case[Sampled]) -> Cells:
    """Records for every reading."""
    claim, choices = case.claim, case.choices
    arenas: dict[tuple[Observe, str], Arena] = {}
    proof = getattr(claim, "bias_class_proof", None)

    def arena_of(observe: Observe | None, points: Sequence[Mapping[str, Any]] | None) -> Arena:
        places = settings(case.theorem, claim.points if points is None else points, choices)
        where = (observe or claim.observe, repr([describe(place) for place in places]))
        if where not in arenas:
            arenas[where] = Arena(where[0], places, ladder_of(claim, choices, places), choices, proof)
        return arenas[where]

    main = arena_of(None, None)
    rows, verdict, sentence = case.applies(main.places)
    dear = main.too_dear() if verdict is None else None
    if dear is not None:
        verdict, sentence = Verdict.INCONCLUSIVE, dear
    if verdict is not None:
        return case.same_for_all(verdict, sentence, hypotheses=rows)

    records = []
    mutants: tuple[MutantRecord, ...] = ()
    for number, reading in enumerate(claim.readings):
        arena = arena_of(reading.observe, reading.points)
        trial = yield from _try(case, arena, reading.states)
        erratum = None
        truth, ground = reading.states, arena
        if reading.erratum is not None:
            truth = reading.erratum.states
            ground = arena_of(reading.erratum.observe or reading.observe, reading.erratum.points or reading.points)
            corrected = yield from _try(case, ground, truth)
            erratum = erratum_record(reading, trial.sentence, corrected.verdict, corrected.sentence)
        if number == 0 and choices.mutants:
            mutants = yield from _mutants(case, ground, truth)
        records.append(_record(case, reading, trial, arena, hypotheses=rows, mutants=mutants, erratum=erratum))
    return records


@dataclass(frozen=True)
class Trial:
    """One formula over all points: the claim-level verdict and the record of each point."""

    verdict: Verdict
    sentence: str
    points: tuple[Mapping[str, Any], ...]


def _record(case: Case[Sampled], reading: Reading, trial: Trial, arena: Arena, **more: Any) -> Record:
    claim, choices = case.claim, case.choices
    return case.record(
        reading,
        trial.verdict,
        trial.sentence,
        resolution=choices.resolution or claim.resolution,
        alpha=claim.alpha,
        bias_class=getattr(claim, "bias_class", None),
        points=trial.points,
        seconds=sum(arena.seconds),
        **more,
    )


def _try(case: Case[Sampled], arena: Arena, states: Prediction) -> Cells:
    kind = _kind(case.claim)
    rules = kind.rules_of(case.claim, case.choices, len(arena.places))
    outcomes = yield from kind.settle(arena, states, rules, range(len(arena.places)))
    points = tuple(kind.point_record(place, states, outcomes.get(n)) for n, place in enumerate(arena.places))
    return _conclude(outcomes, points)


def _conclude(outcomes: Mapping[int, PointOutcome], points: tuple[Mapping[str, Any], ...]) -> Trial:
    """One refuted point refutes the claim; a PASS needs them all. The sentence is the deciding point's."""
    deciding = combine([outcome.verdict for outcome in outcomes.values()])
    number, outcome = next((n, o) for n, o in outcomes.items() if o.verdict is deciding)
    place = ", ".join(f"{name}={value}" for name, value in points[number]["parameters"].items())
    sentence = deciding.sentence
    if deciding.verdict != Verdict.PASS:
        sentence = f"At {place}: {sentence}"
    elif len(points) > 1:
        sentence = f"At all {len(points)} points. At {place}, the widest: {sentence}"
    if outcome.spent:
        sentence += " The budget is spent: a larger --budget or --profile full would go on."
    return Trial(deciding.verdict, sentence, points)


def _mutants(case: Case[Sampled], arena: Arena, truth: Prediction) -> Cells:
    kind = _kind(case.claim)
    rules = kind.rules_of(case.claim, case.choices, len(arena.places))
    found = []
    for mutant in case.claim.mutants:
        found.append((yield from _mutant(kind, arena, truth, mutant, rules)))
    return tuple(found)


def _mutant(kind: ModuleType, arena: Arena, truth: Prediction, mutant: Mutant, rules: Rules) -> Cells:
    """A mutant is tried where it differs most; it survives only if no point rejects it.

    Where its formula has no number there is nothing to try; a mutant that no other point rejects is then undecided.
    """
    offsets: dict[int, float] = {}
    silent: list[Exception] = []
    for point, setting in enumerate(arena.places):
        try:
            offsets[point] = kind.offset(truth, mutant.states, setting)
        except NO_NUMBER as reason:
            silent.append(reason)
    order = sorted(offsets, key=lambda point: -abs(offsets[point]))
    candidates = [point for point in order if abs(offsets[point]) >= rules.resolution]
    survived = None
    for point in candidates:
        try:
            outcome = (yield from kind.settle(arena, mutant.states, rules, (point,)))[point]
        except NO_NUMBER as reason:
            silent.append(reason)
            continue
        if outcome.verdict.verdict == Verdict.REFUTED:
            return _mutant_record(mutant, offsets[point], "REFUTED", outcome)
        survived = _mutant_record(mutant, offsets[point], "SURVIVED", outcome)
    if survived is not None:
        return survived
    sentence = f"Within the resolution {rules.resolution:g} of the claim at every point."
    if silent:
        sentence = f"Not tried: at {len(silent)} of {len(arena.places)} points its formula has no number: {silent[-1]}"
    return MutantRecord(
        name=mutant.name,
        offset=offsets[order[0]] if order else None,
        verdict="UNDECIDED" if silent else "INDISTINGUISHABLE",
        d=None,
        seconds=0.0,
        sentence=sentence,
    )


def _mutant_record(mutant: Mutant, size: float, verdict: str, outcome: PointOutcome) -> MutantRecord:
    return MutantRecord(
        name=mutant.name,
        offset=size,
        verdict=verdict,
        d=max(level.dimension for level in outcome.levels),
        seconds=outcome.seconds,
        sentence=outcome.verdict.sentence,
    )
