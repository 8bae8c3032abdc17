"""Running a selection of claims to their records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Protocol

from reports.catalogue import Entry, Selection, catalogue, ledger, load
from reports.cells import Cell, CellResult
from reports.confrontation import confront
from reports.decide import decide
from reports.formula import formula
from reports.limits import Cells
from reports.records import Record
from reports.settings import Choices
from reports.store import Store
from theorems.claim import BadInput, Claim, Limit, Theorem, Verdict


class Watcher(Protocol):
    """Who is told how the run goes."""

    def on_cell(self, cell: Cell, result: CellResult, from_store: bool) -> None: ...

    def on_records(self, records: Sequence[Record]) -> None: ...


def run(
    selections: Sequence[Selection],
    choices: Choices,
    store: Store,
    executor: Executor,
    watcher: Watcher | None = None,
) -> list[Record]:
    """The records of every selected claim, in the order of the selection."""
    work = _work(selections, choices)
    if choices.against is not None and not work:
        raise BadInput("Nothing selected is a limit, so there is no simulator to confront the formula with.")
    sampled = sum(isinstance(claim, Limit) for _, _, claim in work)
    if choices.budget is not None and sampled:
        choices = replace(choices, budget=choices.budget / sampled)
    told: Callable[[Sequence[Record]], None] = watcher.on_records if watcher else lambda records: None
    processes = [_announced(decide(theorem, module, claim, choices), told) for theorem, module, claim in work]
    results = confront(processes, store, executor, on_cell=watcher.on_cell if watcher else None)
    return [record for records in results for record in records]


def run_claim(entry: Entry, number: int, choices: Choices, store: Store, executor: Executor) -> list[Record]:
    """The records of one claim of a theorem, by its place in the module."""
    theorem = load(entry)
    process = decide(theorem, entry.module, theorem.claims[number], choices)
    (records,) = confront([process], store, executor)
    return records


def _work(selections: Sequence[Selection], choices: Choices) -> list[tuple[Theorem, str, Claim]]:
    work = [
        (theorem, selection.entry.module, claim)
        for selection in selections
        for theorem in (load(selection.entry),)
        for claim in _asked_for([claim for claim in theorem.claims if selection.has(claim)], choices)
    ]
    return work if choices.against is None else _readable(work, choices.against)


def _readable(work: list[tuple[Theorem, str, Claim]], text: str) -> list[tuple[Theorem, str, Claim]]:
    """Of several theorems, those whose symbols the formula is written in; what none can read is bad input."""
    found, complaint = [], None
    for row in work:
        try:
            formula(text, row[0])
        except BadInput as error:
            complaint = complaint or error
        else:
            found.append(row)
    if complaint is not None and not found:
        raise complaint
    return found


def count_claims(selections: Sequence[Selection], choices: Choices) -> int:
    """How many claims a run will decide."""
    return len(_work(selections, choices))


def _asked_for(claims: Sequence[Claim], choices: Choices) -> list[Claim]:
    """A user's activation is not about parts on particular ones; a typed formula is about limits, main ones first."""
    if choices.activation is not None:
        claims = [claim for claim in claims if not (isinstance(claim, Limit) and claim.own_activations)]
    if choices.against is None:
        return list(claims)
    limits = [claim for claim in claims if isinstance(claim, Limit)]
    return [claim for claim in limits if claim.part == "main"] or list(limits)


def limits_left_out(selections: Sequence[Selection], choices: Choices) -> list[str]:
    """The limits that were named with the others but are not confronted with the typed formula, as ID.PART."""
    tried = {id(claim) for _, _, claim in _work(selections, choices)}
    return [
        f"{claim.id}.{claim.part}"
        for selection in selections
        for claim in load(selection.entry).claims
        if selection.has(claim) and isinstance(claim, Limit) and id(claim) not in tried
    ]


def _announced(process: Cells, told: Callable[[Sequence[Record]], None]) -> Cells:
    records = yield from process
    told(records)
    return records


def not_implemented() -> list[Record]:
    """A record for every id of the ledger that no module decides yet, one a document."""
    covered = {claim_id for entry in catalogue() for claim_id in entry.ids}
    return [
        Record(
            id=row.id,
            document=document,
            part="main",
            theorem="",
            module=None,
            kind="",
            verdict=Verdict.INCONCLUSIVE,
            sentence="Not implemented: no module decides this id yet.",
            printed=row.statement,
            place=row.place,
        )
        for row in ledger()
        if row.id not in covered
        for document in row.documents
    ]
