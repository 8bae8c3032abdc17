"""What is reported about one reading of one claim: the versioned contract of results.json.

Numbers that are certified are decimal strings with their radius; sampled numbers are floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from theorems.claim import Verdict

SCHEMA_VERSION = 1

GOOD = (Verdict.PROVED, Verdict.PASS)


@dataclass(frozen=True, kw_only=True)
class MutantRecord:
    """How a wrong version of the claim fared: REFUTED, SURVIVED, INDISTINGUISHABLE, or UNDECIDED (it has no number)."""

    name: str
    offset: float | None
    verdict: str
    d: int | None
    seconds: float
    sentence: str = ""


@dataclass(frozen=True, kw_only=True)
class ErratumRecord:
    """A misprint: what is printed, what is right, and how the correction fared."""

    printed: str
    corrected: str
    corrected_verdict: Verdict
    evidence: str


@dataclass(frozen=True, kw_only=True)
class Record:
    """One reading (id, document, part) and what we conclude about it."""

    id: str
    document: str
    part: str
    theorem: str
    module: str | None
    kind: str
    verdict: Verdict
    sentence: str
    printed: str = ""
    place: str = ""
    scan: str | None = None
    resolution: float | None = None
    alpha: float | None = None
    bias_class: str | None = None
    hypotheses: tuple[Mapping[str, Any], ...] = ()
    points: tuple[Mapping[str, Any], ...] = ()
    evidence: Mapping[str, Any] | None = None
    mutants: tuple[MutantRecord, ...] = ()
    erratum: ErratumRecord | None = None
    seconds: float = 0.0

    def json(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return asdict(self)


def is_as_it_should_be(record: Record, *, strict_errata: bool = True) -> bool:
    """False for a FAIL, a new refutation, or an erratum that does not hold both ways.

    Errata speak about the parameters in the module: with parameters or an activation of the user's own
    (`strict_errata` False) a misprint may well agree with the truth.
    """
    if record.verdict == Verdict.FAIL:
        return False
    if record.verdict == Verdict.NOT_APPLICABLE:
        return True
    if record.erratum is None:
        return record.verdict != Verdict.REFUTED
    if not strict_errata and record.verdict != Verdict.REFUTED:
        return True
    return record.verdict == Verdict.REFUTED and record.erratum.corrected_verdict in GOOD


def key_of(record: Record) -> tuple[str, str, str]:
    """What identifies a record in a report."""
    return (record.id, record.document, record.part)
