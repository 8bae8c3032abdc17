"""What a person sees: progress while cells are computed, then tables.

Progress goes to standard error (rich on a terminal, plain lines otherwise), results to standard output.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from reports.cells import Cell, CellResult
from reports.records import Record
from theorems.claim import Verdict

STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.PASS: "green",
    Verdict.REFUTED: "bold red",
    Verdict.FAIL: "bold white on red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NOT_APPLICABLE: "dim",
}


class ProgressWatcher:
    """Tells how a run goes; use it as a context manager."""

    def __init__(self, claims: int, quiet: bool = False) -> None:
        self._console = Console(stderr=True, quiet=quiet)
        self._claims = claims
        self._decided = 0
        self._cells = self._stored = 0
        self._last_line = time.monotonic()
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total} claims"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal or quiet,
        )
        self._task = self._bar.add_task("starting", total=claims)

    def __enter__(self) -> ProgressWatcher:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def on_cell(self, cell: Cell, result: CellResult, from_store: bool) -> None:
        """A cell is there."""
        self._cells += 1
        self._stored += from_store
        name = cell.observation.simulator.rpartition(":")[2]
        text = f"{name} d={cell.observation.dimension}: {self._cells} cells, {self._stored} from the store"
        self._bar.update(self._task, description=text)
        if not self._console.is_terminal and time.monotonic() - self._last_line > 10:
            self._last_line = time.monotonic()
            self._console.print(text, highlight=False)

    def on_records(self, records: Sequence[Record]) -> None:
        """A claim is decided."""
        self._decided += 1
        self._bar.update(self._task, completed=self._decided)
        if not self._console.is_terminal:
            for record in records:
                line = f"[{self._decided}/{self._claims}] {record.id} {record.document} {record.part}: "
                self._console.print(line + record.verdict, highlight=False, markup=False, soft_wrap=True)


def verdict_table(records: Sequence[Record]) -> Table:
    """Verdicts, one row a record."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("doc", no_wrap=True)
    table.add_column("part", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("mutants", no_wrap=True, justify="right")
    table.add_column("sentence", overflow="fold")
    for record in records:
        judged = [mutant for mutant in record.mutants if mutant.verdict != "INDISTINGUISHABLE"]
        rejected = sum(mutant.verdict == "REFUTED" for mutant in judged)
        style = STYLES[record.verdict]
        if record.erratum is not None and record.verdict == Verdict.REFUTED:
            style = "magenta"
        table.add_row(
            record.id,
            record.document,
            record.part,
            f"[{style}]{record.verdict}[/]",
            f"{rejected}/{len(judged)}" if judged else "",
            _escape(record.sentence),
        )
    return table


def errata_lines(records: Sequence[Record]) -> list[str]:
    """What is wrong in print, and what is right."""
    lines = []
    for record in records:
        if record.erratum is not None and record.verdict == Verdict.REFUTED:
            lines.append(
                f"[magenta]erratum[/] {record.id} ({record.document}, {_escape(record.place)}): "
                f"{_escape(record.erratum.corrected)} [{STYLES[record.erratum.corrected_verdict]}]"
                f"{record.erratum.corrected_verdict}[/]"
            )
    return lines


def formula_lines(records: Sequence[Record], left_out: Sequence[str]) -> list[str]:
    """What a typed formula was compared with, and with what it was not."""
    lines = [f"[bold]formula[/] {record.id} {record.part}: {_escape(record.place)}" for record in records]
    if left_out:
        lines.append(f"[bold]not compared[/] with {', '.join(left_out)}: name one instead to confront it")
    return lines


def plain_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[str] = ()) -> Table:
    """A table without a box."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_escape(str(value)) for value in row))
    return table


def ball_text(value: Mapping[str, str]) -> str:
    """A certified number as people write it."""
    return value["value"] if value["radius"] == "0" else f"{value['value']} +/- {value['radius']}"


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(text)
