"""Deciding identities, inequalities and shapes: no sampling."""

from __future__ import annotations

import sys
from collections.abc import Callable

from reports.case import Case, erratum_record
from reports.compilation import configure_jax
from reports.limits import prediction_at
from reports.records import MutantRecord, Record
from reports.settings import settings
from reports.symbolic import Outcome, decide_statements
from theorems.claim import Claim, Mutant, Prediction, Reading, Verdict


def decide_exact(case: Case[Claim], reading: Reading) -> Record:
    """The record of one reading: its statements, those of its correction, and the mutants."""
    choices = case.choices
    if "jax" in sys.modules:  # a fact may run a simulator, whose compiled programs are then kept like those of cells
        configure_jax()
    (place,) = settings(case.theorem, reading.points or ({},), choices)
    rows, verdict, sentence = case.applies((place,))
    if verdict is not None:
        return case.record(reading, verdict, sentence, hypotheses=rows)

    def attempt(states: Prediction) -> Outcome:
        return decide_statements(prediction_at(states, place, None), seed=choices.seed)

    outcome = attempt(reading.states)
    erratum = None
    if reading.erratum is not None:
        corrected = attempt(reading.erratum.states)
        erratum = erratum_record(reading, outcome.sentence, corrected.verdict, corrected.sentence)
    return case.record(
        reading,
        outcome.verdict,
        outcome.sentence,
        hypotheses=rows,
        evidence=outcome.evidence,
        mutants=tuple(_mutant(mutant, attempt) for mutant in case.claim.mutants if choices.mutants),
        erratum=erratum,
    )


def _mutant(mutant: Mutant, attempt: Callable[[Prediction], Outcome]) -> MutantRecord:
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
