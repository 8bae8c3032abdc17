"""One claim as it stands before us: what is asked, whether it applies, and the form of its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from reports.records import ErratumRecord, Record
from reports.settings import Choices, check_hypotheses
from theorems.claim import Claim, Reading, Setting, Theorem, Verdict

C = TypeVar("C", bound=Claim)


@dataclass(frozen=True)
class Case(Generic[C]):
    """A claim of a theorem under the choices of the user."""

    theorem: Theorem
    module: str
    claim: C
    choices: Choices

    def record(self, reading: Reading, verdict: Verdict, sentence: str, **more: Any) -> Record:
        """The record of one reading."""
        return Record(
            id=self.claim.id,
            document=reading.document,
            part=self.claim.part,
            theorem=self.theorem.slug,
            module=self.module,
            kind=type(self.claim).__name__,
            verdict=verdict,
            sentence=sentence,
            printed=reading.printed,
            place=reading.place,
            scan=reading.scan,
            **more,
        )

    def same_for_all(self, verdict: Verdict, sentence: str, **more: Any) -> list[Record]:
        """One verdict for every reading."""
        return [self.record(reading, verdict, sentence, **more) for reading in self.claim.readings]

    def applies(self, places: Sequence[Setting]) -> tuple[tuple[Mapping[str, Any], ...], Verdict | None, str]:
        """The hypotheses in these settings; a verdict with its sentence where they do not all hold."""
        own = self.claim.hypotheses
        rows, decision = check_hypotheses(self.theorem.hypotheses if own is None else own, places)
        if decision.holds is False:
            return rows, Verdict.NOT_APPLICABLE, f"A hypothesis fails: {decision.reason}."
        if decision.holds is None:
            return rows, Verdict.INCONCLUSIVE, f"A hypothesis cannot be decided: {decision.reason}."
        return rows, None, ""


def erratum_record(reading: Reading, print_sentence: str, verdict: Verdict, sentence: str) -> ErratumRecord:
    """How the correction of a misprint fared, beside the print."""
    assert reading.erratum is not None
    return ErratumRecord(
        printed=reading.printed,
        corrected=reading.erratum.corrected,
        corrected_verdict=verdict,
        evidence=f"Print: {print_sentence} Correction: {sentence}",
    )
