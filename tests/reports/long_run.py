"""A run that lasts until it is stopped: quick cells first, then one that sleeps for an hour.

Run as a program by the tests of the engines, which interrupt or kill it. Prints the process id of a
worker (0 when the engine is this process) once the quick cells are stored.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reports.cells import Cell, Package, key
from reports.confrontation import confront
from reports.engines import open_engine
from reports.store import Store
from theorems.claim import Observation

QUICK = 3


def run(path: str, workers: int) -> None:
    package = Package("toy_simulators", Path(__file__).parent)

    def cell(function: str, block: int, **arguments: Any) -> Cell:
        return Cell(Observation(f"toy_simulators.gaussian:{function}", 4, arguments, 1.0), block, 0)

    def process() -> Iterator[Any]:
        yield [cell("mean", block) for block in range(QUICK - 1)]
        where = cell("worker", 0)
        found = yield [where]
        print(int(found[key(where, package)].values[0]), flush=True)
        yield [cell("slow", block, seconds=3600.0) for block in range(4)]

    with Store(path) as store, open_engine(workers) as engine:
        confront([process()], store, engine, package=package)  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]))
