"""From a claim to its records: each kind has its own way of being decided.

`decide(theorem, claim, choices)` is a generator of cells that returns one `Record` per reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.cells import SimulatorFailed
from reports.formula import formula
from reports.limits import (
    Arena,
    Cells,
    PointOutcome,
    ladder_of,
    offset,
    point_record,
    prediction_at,
    rules_of,
    settle,
)
from reports.records import ErratumRecord, MutantRecord, Record
from reports.settings import Choices, check_hypotheses, describe, refused_activation, settings
from reports.symbolic import Outcome, decide_statements
from reports.verdict import Rules, combine
from theorems.claim import (
    Claim,
    Limit,
    Mutant,
    Observe,
    Prediction,
    Reading,
    Setting,
    Theorem,
    Verdict,
)


def decide(theorem: Theorem, module: str, claim: Claim, choices: Choices) -> Cells:
    """Records for every reading of the claim."""
    typed = None if choices.against is None else formula(choices.against, theorem)
    refused = refused_activation(theorem, choices)
    if refused is not None:
        return [_record(theorem, module, claim, reading, Verdict.NOT_APPLICABLE, refused) for reading in claim.readings]
    if isinstance(claim, Limit):
        try:
            return (yield from _decide_limit(theorem, module, claim, choices, typed))
        except SimulatorFailed as error:
            return [_record(theorem, module, claim, reading, Verdict.FAIL, str(error)) for reading in claim.readings]
    return [_decide_exact(theorem, module, claim, reading, choices) for reading in claim.readings]
    yield


def _record(
    theorem: Theorem,
    module: str,
    claim: Claim,
    reading: Reading,
    verdict: Verdict,
    sentence: str,
    **more: Any,
) -> Record:
    return Record(
        id=claim.id,
        document=reading.document,
        part=claim.part,
        theorem=theorem.slug,
        module=module,
        kind=type(claim).__name__,
        verdict=verdict,
        sentence=sentence,
        printed=reading.printed,
        place=reading.place,
        scan=reading.scan,
        **more,
    )


def _applies(
    theorem: Theorem, claim: Claim, places: Sequence[Setting]
) -> tuple[tuple[Mapping[str, Any], ...], Verdict | None, str]:
    hypotheses = theorem.hypotheses if claim.hypotheses is None else claim.hypotheses
    rows, decision = check_hypotheses(hypotheses, places)
    if decision.holds is False:
        return rows, Verdict.NOT_APPLICABLE, f"A hypothesis fails: {decision.reason}."
    if decision.holds is None:
        return rows, Verdict.INCONCLUSIVE, f"A hypothesis cannot be decided: {decision.reason}."
    return rows, None, ""


def _decide_exact(theorem: Theorem, module: str, claim: Claim, reading: Reading, choices: Choices) -> Record:
    """Identities, inequalities and shapes: no sampling."""
    (place,) = settings(theorem, reading.points or ({},), choices)
    rows, verdict, sentence = _applies(theorem, claim, (place,))
    if verdict is not None:
        return _record(theorem, module, claim, reading, verdict, sentence, hypotheses=rows)

    def attempt(states: Prediction) -> Outcome:
        return decide_statements(prediction_at(states, place, None), seed=choices.seed)

    outcome = attempt(reading.states)
    erratum = None
    if reading.erratum is not None:
        corrected = attempt(reading.erratum.states)
        erratum = ErratumRecord(
            printed=reading.printed,
            corrected=reading.erratum.corrected,
            corrected_verdict=corrected.verdict,
            evidence=f"Print: {outcome.sentence} Correction: {corrected.sentence}",
        )
    return _record(
        theorem,
        module,
        claim,
        reading,
        outcome.verdict,
        outcome.sentence,
        hypotheses=rows,
        evidence=outcome.evidence,
        mutants=tuple(_exact_mutant(mutant, attempt) for mutant in claim.mutants if choices.mutants),
        erratum=erratum,
    )


def _exact_mutant(mutant: Mutant, attempt: Callable[[Prediction], Outcome]) -> MutantRecord:
    outcome = attempt(mutant.states)
    rejected = outcome.verdict == Verdict.REFUTED
    return MutantRecord(
        name=mutant.name,
        offset=None,
        verdict="REFUTED" if rejected else "SURVIVED",
        d=None,
        seconds=0.0,
        sentence=outcome.sentence,
    )


def _decide_limit(theorem: Theorem, module: str, claim: Limit, choices: Choices, typed: Prediction | None) -> Cells:
    arenas: dict[tuple[Observe, str], Arena] = {}
    # The proof is about the claim's own formula, not about one that a user types.
    proof = claim.bias_class_proof if choices.against is None else None

    def arena_of(observe: Observe | None, points: Sequence[Mapping[str, Any]] | None) -> Arena:
        places = settings(theorem, claim.points if points is None else points, choices)
        where = (observe or claim.observe, repr([describe(place) for place in places]))
        if where not in arenas:
            arenas[where] = Arena(where[0], places, ladder_of(claim, choices), choices, proof)
        return arenas[where]

    main = arena_of(None, None)
    rows, verdict, sentence = _applies(theorem, claim, main.places)
    dear = main.too_dear() if verdict is None else None
    if dear is not None:
        verdict, sentence = Verdict.INCONCLUSIVE, dear
    if verdict is not None:
        return [
            _record(theorem, module, claim, reading, verdict, sentence, hypotheses=rows) for reading in claim.readings
        ]
    if typed is not None:
        return [(yield from _decide_typed(theorem, module, claim, choices, main, typed))]

    records = []
    mutants: tuple[MutantRecord, ...] = ()
    for number, reading in enumerate(claim.readings):
        arena = arena_of(reading.observe, reading.points)
        trial = yield from _try(arena, reading.states, claim, choices)
        erratum = None
        truth, ground = reading.states, arena
        if reading.erratum is not None:
            truth = reading.erratum.states
            ground = arena_of(reading.erratum.observe or reading.observe, reading.erratum.points or reading.points)
            corrected = yield from _try(ground, truth, claim, choices)
            erratum = ErratumRecord(
                printed=reading.printed,
                corrected=reading.erratum.corrected,
                corrected_verdict=corrected.verdict,
                evidence=f"Print: {trial.sentence} Correction: {corrected.sentence}",
            )
        if number == 0 and choices.mutants:
            mutants = yield from _limit_mutants(ground, truth, claim, choices)
        records.append(
            _record(
                theorem,
                module,
                claim,
                reading,
                trial.verdict,
                trial.sentence,
                resolution=choices.resolution or claim.resolution,
                alpha=claim.alpha,
                bias_class=claim.bias_class,
                hypotheses=rows,
                points=trial.points,
                mutants=mutants,
                erratum=erratum,
                seconds=sum(arena.seconds),
            )
        )
    return records


@dataclass(frozen=True)
class Trial:
    """One formula over all points: the claim-level verdict and the record of each point."""

    verdict: Verdict
    sentence: str
    points: tuple[Mapping[str, Any], ...]


def _try(arena: Arena, states: Prediction, claim: Limit, choices: Choices) -> Cells:
    rules = rules_of(claim, choices, len(arena.places))
    outcomes = yield from settle(arena, states, rules, range(len(arena.places)))
    points = tuple(point_record(setting, states, outcomes.get(number)) for number, setting in enumerate(arena.places))
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


def _decide_typed(
    theorem: Theorem, module: str, claim: Limit, choices: Choices, arena: Arena, states: Prediction
) -> Cells:
    """A formula the user typed, in place of the prediction."""
    trial = yield from _try(arena, states, claim, choices)
    reading = Reading(document="P", place="typed by the user", printed=str(choices.against), states=states)
    return _record(
        theorem,
        module,
        claim,
        reading,
        trial.verdict,
        trial.sentence,
        resolution=choices.resolution or claim.resolution,
        alpha=claim.alpha,
        bias_class=claim.bias_class,
        points=trial.points,
        seconds=sum(arena.seconds),
    )


def _limit_mutants(arena: Arena, truth: Prediction, claim: Limit, choices: Choices) -> Cells:
    rules = rules_of(claim, choices, len(arena.places))
    found = []
    for mutant in claim.mutants:
        found.append((yield from _limit_mutant(arena, truth, mutant, rules)))
    return tuple(found)


def _limit_mutant(arena: Arena, truth: Prediction, mutant: Mutant, rules: Rules) -> Cells:
    """A mutant is tried where it differs most; it survives only if no point rejects it."""
    offsets = [offset(truth, mutant.states, setting) for setting in arena.places]
    order = sorted(range(len(offsets)), key=lambda point: -abs(offsets[point]))
    largest = offsets[order[0]]
    if abs(largest) < rules.resolution:
        return MutantRecord(
            name=mutant.name,
            offset=largest,
            verdict="INDISTINGUISHABLE",
            d=None,
            seconds=0.0,
            sentence=f"Within the resolution {rules.resolution:g} of the claim at every point.",
        )
    candidates = [point for point in order if abs(offsets[point]) >= rules.resolution]
    for point in candidates:
        outcome = (yield from settle(arena, mutant.states, rules, (point,)))[point]
        rejected = outcome.verdict.verdict == Verdict.REFUTED
        if rejected or point == candidates[-1]:
            return _mutant_record(mutant, offsets[point], "REFUTED" if rejected else "SURVIVED", outcome)
    raise AssertionError("the largest offset is at least the resolution")


def _mutant_record(mutant: Mutant, size: float, verdict: str, outcome: PointOutcome) -> MutantRecord:
    return MutantRecord(
        name=mutant.name,
        offset=size,
        verdict=verdict,
        d=max(level.dimension for level in outcome.levels),
        seconds=outcome.seconds,
        sentence=outcome.verdict.sentence,
    )
