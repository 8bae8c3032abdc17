"""What can be checked, read from the syntax trees of the theorem modules.

Slug, title, source, ids, parameters and symbols are literals in each module's `THEOREM = Theorem(...)`,
so the list is made without importing SymPy or JAX; a test compares it with the import.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import theorems
from theorems.claim import BadInput, Claim, Theorem

_HOME = Path(theorems.__file__).parent
_LITERALS = ("slug", "title", "source", "parameters", "symbols", "activation", "takes_activation", "uses")


@dataclass(frozen=True)
class Entry:
    """One theorem as its module's syntax tree tells it."""

    slug: str
    title: str
    source: str
    ids: tuple[str, ...]
    module: str
    path: Path
    parameters: Mapping[str, Any]
    symbols: tuple[str, ...]
    activation: str | None
    takes_activation: bool
    uses: tuple[str, ...]


@dataclass(frozen=True)
class LedgerRow:
    """One id of the ledger: where it is printed and what it says there."""

    id: str
    section: str
    documents: tuple[str, ...]
    place: str
    statement: str


def read_entry(path: Path, module: str) -> Entry | None:
    """The entry of a theorem module, None for a module that states no theorem."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError) as error:
        raise BadInput(f"The theorem module {path.name} cannot be read: {error}; mend it or move it away.") from None
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if "THEOREM" in names:
                return _entry(node.value, path, module)
    return None


def _entry(call: ast.Call, path: Path, module: str) -> Entry:
    values: dict[str, Any] = {
        "parameters": {},
        "symbols": (),
        "activation": None,
        "takes_activation": False,
        "uses": (),
    }
    for keyword in call.keywords:
        if keyword.arg in _LITERALS:
            try:
                values[keyword.arg] = ast.literal_eval(keyword.value)
            except ValueError:
                raise _unreadable(path, keyword.arg) from None
    ids = (
        str(keyword.value.value)
        for node in ast.walk(call)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "id" and isinstance(keyword.value, ast.Constant)
    )
    found = tuple(dict.fromkeys(ids))
    missing = [name for name in ("slug", "title", "source") if name not in values] + ([] if found else ["id"])
    if missing:
        raise _unreadable(path, missing[0])
    return Entry(ids=found, module=module, path=path, **values)


def _unreadable(path: Path, name: str) -> BadInput:
    return BadInput(f"{path.name} cannot be listed: write {name}= as a literal inside its Theorem(...).")


@cache
def catalogue() -> tuple[Entry, ...]:
    """Every theorem module under theorems/, in the order of the ledger."""
    entries = []
    for path in sorted(_HOME.glob("*/*.py")):
        module = ".".join(("theorems", *path.relative_to(_HOME).with_suffix("").parts))
        entry = read_entry(path, module)
        if entry is not None:
            entries.append(entry)
    order = {row.id: place for place, row in enumerate(ledger())}
    return tuple(sorted(entries, key=lambda entry: min(order.get(i, len(order)) for i in entry.ids)))


@cache
def ledger() -> tuple[LedgerRow, ...]:
    """Every id the suite must answer for."""
    rows = json.loads((_HOME / "ledger.json").read_text(encoding="utf-8"))
    return tuple(LedgerRow(**{**row, "documents": tuple(row["documents"])}) for row in rows)


def load(entry: Entry) -> Theorem:
    """The theorem itself; this imports SymPy."""
    return importlib.import_module(entry.module).THEOREM


@dataclass(frozen=True)
class Selection:
    """A theorem, which of its ids were asked for whole, and which single parts, as (id, part), beside them."""

    entry: Entry
    ids: tuple[str, ...]
    parts: tuple[tuple[str, str], ...] = ()

    def has(self, claim: Claim) -> bool:
        """Whether the claim was asked for."""
        return claim.id in self.ids or (claim.id, claim.part) in self.parts


def select(names: Iterable[str]) -> tuple[Selection, ...]:
    """Theorems by slug, ledger id or ID.PART (such as TL-RIDGE.variance); all of them when no name is given."""
    wanted = tuple(dict.fromkeys(names))
    entries = catalogue()
    if not wanted:
        return tuple(Selection(entry, entry.ids) for entry in entries)
    chosen: dict[str, list[str]] = {}
    parts: dict[str, list[tuple[str, str]]] = {}
    for name in wanted:
        by_slug = [entry for entry in entries if entry.slug == name]
        by_id = [entry for entry in entries if name in entry.ids]
        by_part = [] if by_slug or by_id else _with_part(*name.partition(".")[::2])
        if not by_slug and not by_id and not by_part:
            raise BadInput(_unknown(name))
        for entry in by_slug:
            chosen.setdefault(entry.slug, []).extend(entry.ids)
        for entry in by_id:
            chosen.setdefault(entry.slug, []).append(name)
        for entry, key in by_part:
            parts.setdefault(entry.slug, []).append(key)
    return tuple(
        Selection(
            entry, tuple(i for i in entry.ids if i in chosen.get(entry.slug, ())), tuple(parts.get(entry.slug, ()))
        )
        for entry in entries
        if entry.slug in chosen or entry.slug in parts
    )


def with_parameters(
    selections: Sequence[Selection], parameters: Collection[str], names: Collection[str]
) -> tuple[Selection, ...]:
    """The theorems that have these parameters, and those that were asked for and have no such theorem beside them.

    Several theorems may share an id (a limit and the derivation of its formula), and not all depend on a parameter. A
    theorem that was named itself or by a part, or is the only one of its id, stays: the parameter is refused there.
    """
    taking = [chosen for chosen in selections if set(parameters) <= set(chosen.entry.parameters)]
    if not names and not taking:
        raise BadInput(f"No theorem has the parameters {', '.join(parameters)}; see `asymptest list --json`.")
    beside = {claim_id for chosen in taking for claim_id in chosen.entry.ids}
    return tuple(
        chosen
        for chosen in selections
        if chosen in taking or (names and (chosen.entry.slug in names or chosen.parts or not set(chosen.ids) <= beside))
    )


def _with_part(claim_id: str, part: str) -> list[tuple[Entry, tuple[str, str]]]:
    """The theorems with this part of an id, empty if there is no such id; parts are read from the modules."""
    entries = [entry for entry in catalogue() if claim_id in entry.ids]
    parts = {entry.slug: [claim.part for claim in load(entry).claims if claim.id == claim_id] for entry in entries}
    found = [(entry, (claim_id, part)) for entry in entries if part in parts[entry.slug]]
    if entries and not found:
        known = ", ".join(f"{claim_id}.{name}" for names in parts.values() for name in dict.fromkeys(names))
        raise BadInput(f"{claim_id} has no part {part[:40]!r}; its parts are: {known}.")
    return found


def _unknown(name: str) -> str:
    if any(row.id == name for row in ledger()):
        return f"{name} is in the ledger but no module decides it yet; `asymptest list` shows what can be checked."
    return f"{name[:60]!r} is neither a theorem nor a ledger id; `asymptest list` shows what can be checked."
