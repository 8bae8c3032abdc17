"""The coordinator: decision processes ask for cells, and each gets them when all are there.

A decision process is a generator. It yields the cells it needs next, receives {key: result}, and at
last returns its conclusion. It is resumed only when its whole batch is present, so what it decides
depends on its own numbers and never on the number of workers, on timing, or on the other processes.
A cell that several of them ask for is computed once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import TypeVar

from reports.cells import BLOCK, SIMULATE, Cell, CellResult, Package, SimulatorFailed, key, run_cells
from reports.engines import WorkerDied
from reports.store import Store
from theorems.claim import BadInput

T = TypeVar("T")
Process = Generator[Sequence[Cell], Mapping[str, CellResult], T]
OnCell = Callable[[Cell, CellResult, bool], object]
"""Told of each cell once: the cell, its result, and whether it came from the store."""


def confront(
    processes: Sequence[Process[T]],
    store: Store,
    executor: Executor,
    *,
    on_cell: OnCell | None = None,
    package: Package = SIMULATE,
) -> list[T]:
    """Run the processes to their ends and return their values, in order.

    Results are stored as they finish. A stored result carries the seconds it once cost, so a budget
    counts a resumed run like an undisturbed one. If a cell fails, the `SimulatorFailed` (or `BadInput`)
    is thrown into each process that asked for it, once the rest of its batch is there; a process that
    does not catch it ends the confrontation. However that ends, cells that still wait are cancelled.
    """
    desk = _Desk(store, executor, on_cell, package)
    values: dict[int, T] = {}
    batches: dict[int, list[str]] = {}
    ready = deque(range(len(processes)))
    try:
        while len(values) < len(processes):
            while ready:
                index = ready.popleft()
                try:
                    batch = _resume(processes[index], batches.get(index), desk.outcomes)
                except StopIteration as end:
                    values[index] = end.value
                    batches.pop(index, None)
                    continue
                batches[index] = desk.request(batch)
                if desk.has(batches[index]):
                    ready.appendleft(index)
            if batches:
                desk.receive(block=True)
                ready.extend(index for index, keys in sorted(batches.items()) if desk.has(keys))
        return [values[index] for index in range(len(processes))]
    finally:
        desk.cancel()
        for process in processes:
            process.close()


def _resume(
    process: Process[T], keys: list[str] | None, outcomes: Mapping[str, CellResult | Exception]
) -> Sequence[Cell]:
    if keys is None:
        return next(process)
    batch: dict[str, CellResult] = {}
    for name in keys:
        outcome = outcomes[name]
        if isinstance(outcome, Exception):
            return process.throw(outcome)
        batch[name] = outcome
    return process.send(batch)


GROUP = 16
"""Cheap cells handed out together. One size only: JAX compiles anew for each number of replicates."""
CHEAP = 4e8
"""Flops up to which a group is handed out as one: a tenth of a second, lost at most if a run is killed."""


def groups(missing: Mapping[str, Cell]) -> Iterator[list[str]]:
    """The cells of one observation in groups of GROUP where they are cheap, the others one by one."""
    together: dict[tuple[int, int], list[str]] = {}
    for name, cell in missing.items():
        together.setdefault((id(cell.observation), cell.seed), []).append(name)
    for names in together.values():
        cost = missing[names[0]].observation.cost * BLOCK * GROUP
        whole = len(names) // GROUP * GROUP if cost <= CHEAP else 0
        yield from (names[start : start + GROUP] for start in range(0, whole, GROUP))
        yield from ([name] for name in names[whole:])


@dataclass(eq=False)
class _Desk:
    """The coordinator's books: what is known, what is being computed."""

    store: Store
    executor: Executor
    on_cell: OnCell | None
    package: Package
    outcomes: dict[str, CellResult | Exception] = field(default_factory=dict)
    flying: dict[str, tuple[Cell, Future[list[CellResult]]]] = field(default_factory=dict)
    finished: SimpleQueue[tuple[tuple[str, ...], Future[list[CellResult]]]] = field(default_factory=SimpleQueue)

    def has(self, keys: Sequence[str]) -> bool:
        return all(name in self.outcomes for name in keys)

    def request(self, cells: Sequence[Cell]) -> list[str]:
        """Look the cells up, submit those that are neither stored nor on their way; their keys."""
        keys = [key(cell, self.package) for cell in cells]
        missing: dict[str, Cell] = {}
        for name, cell in zip(keys, cells, strict=True):
            if name in self.outcomes or name in self.flying or name in missing:
                continue
            stored = self.store.get(name)
            if stored is not None:
                self._learn(name, cell, stored, from_store=True)
            else:
                missing[name] = cell
        for names in groups(missing):
            self._submit(names, [missing[name] for name in names])
            self.receive(block=False)
        return keys

    def _submit(self, names: Sequence[str], cells: Sequence[Cell]) -> None:
        # A plain dict travels to other processes; not every Mapping does.
        seen = replace(cells[0].observation, arguments=dict(cells[0].observation.arguments))
        plain = [replace(cell, observation=seen) for cell in cells]
        try:
            future = self.executor.submit(run_cells, plain, self.package, list(names))
        except Exception as error:
            self.receive(block=False)
            raise _died(cells[0], error) from error
        self.flying |= {name: (cell, future) for name, cell in zip(names, cells, strict=True)}
        future.add_done_callback(lambda done: self.finished.put((tuple(names), done)))

    def receive(self, *, block: bool) -> None:
        """Take in what has finished; with `block`, wait until something has."""
        while True:
            try:
                names, future = self.finished.get(block=block)
            except Empty:
                return
            block = False
            cells = [self.flying.pop(name)[0] for name in names]
            try:
                results = future.result()
            except (SimulatorFailed, BadInput) as error:
                self.outcomes |= dict.fromkeys(names, error)
            except Exception as error:
                # run_cells turns whatever a simulator raises into the above: this is the engine's.
                raise _died(cells[0], error) from error
            else:
                for name, cell, result in zip(names, cells, results, strict=True):
                    self.store.put(name, cell, result)
                    self._learn(name, cell, result, from_store=False)

    def _learn(self, name: str, cell: Cell, result: CellResult, *, from_store: bool) -> None:
        self.outcomes[name] = result
        if self.on_cell is not None:
            self.on_cell(cell, result, from_store)

    def cancel(self) -> None:
        for _, future in self.flying.values():
            future.cancel()


def _died(cell: Cell, error: BaseException) -> WorkerDied:
    seen = cell.observation
    reason = f"{type(error).__name__}: {error}".replace("\n", " ").partition(". ")[0].rstrip(".: ")
    return WorkerDied(
        f"a worker ended before {seen.simulator} at d = {seen.dimension} did ({reason}); "
        "finished cells are stored: run again, with fewer workers if memory ran out."
    )
