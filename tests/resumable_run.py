"""`asymptest` with a journal: every cell handed out, found in the store or newly stored is one line.

Run as a program by the tests that kill and restart it: `python resumable_run.py JOURNAL check ...`. Lines are

    submit KEY ...     handed to the engine together; the in-process engine computes them at once
    stored KEY         computed, and committed to the store
    found KEY          taken from the store

A line is one write to the kernel, so it outlives the process that wrote it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

import reports.console
import reports.engines
from reports.cells import Cell, CellResult, key

Note = Callable[[str], None]


class Journalled(Executor):
    """Another engine, with a note of what it is given."""

    def __init__(self, engine: Executor, note: Note) -> None:
        self._engine = engine
        self._note = note

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        _, _, keys = args
        self._note(" ".join(("submit", *keys)))
        return self._engine.submit(fn, *args, **kwargs)


def keep_journal(note: Note) -> None:
    """Make the command line's watcher and engines write the journal too."""
    watcher, open_engine = reports.console.ProgressWatcher, reports.engines.open_engine

    class Watcher(watcher):
        def on_cell(self, cell: Cell, result: CellResult, from_store: bool) -> None:
            note(f"{'found' if from_store else 'stored'} {key(cell)}")
            super().on_cell(cell, result, from_store)

    @contextmanager
    def open_journalled(workers: int | None = None, dask: str | None = None) -> Iterator[Executor]:
        with open_engine(workers, dask) as engine:
            yield Journalled(engine, note)

    reports.console.ProgressWatcher = Watcher
    reports.engines.open_engine = open_journalled


def main(journal: str, arguments: Sequence[str]) -> None:
    from reports.cli import main as asymptest

    descriptor = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    keep_journal(lambda line: (os.write(descriptor, line.encode() + b"\n"), None)[1])
    asymptest(list(arguments), prog_name="asymptest")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
