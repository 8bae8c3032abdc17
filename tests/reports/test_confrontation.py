"""Processes see their own numbers only: whatever the order of completion, the outcome is the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from reports.cells import Cell, CellResult, Package, SimulatorFailed, key
from reports.confrontation import Process, confront
from reports.engines import InProcess, WorkerDied
from reports.store import Store
from theorems.claim import BadInput, Observation

HERE = Path(__file__).parent
TOYS = Package("toy_simulators", HERE)


@pytest.fixture(autouse=True)
def _toys_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


def cell(function: str = "mean", dimension: int = 8, block: int = 0, **arguments: Any) -> Cell:
    return Cell(Observation(f"toy_simulators.gaussian:{function}", dimension, arguments, 1.0), block, 7)


def walk(start: int, steps: int) -> Process[tuple[list[int], float]]:
    """A process whose next request depends on what it saw: its path shows if anything was mixed up."""
    path, total, dimension = [], 0.0, start
    for step in range(steps):
        path.append(dimension)
        batch = [cell(dimension=dimension, block=b) for b in range(1 + step % 2)]
        found = yield batch
        total += sum(float(found[key(asked, TOYS)].values.sum()) for asked in batch)
        dimension = 4 + int(abs(total) * 1000) % 5
    return path, total


class Shuffled(Executor):
    """Completes calls one at a time, in an order of its own: whenever the next is submitted or awaited."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._waiting: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.submitted = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((future, lambda: fn(*args, **kwargs)))
        self.submitted += 1
        return future

    def complete_one(self) -> None:
        future, call = self._waiting.pop(self._random.randrange(len(self._waiting)))
        try:
            future.set_result(call())
        except Exception as error:
            future.set_exception(error)


@pytest.fixture
def shuffled(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Shuffled]:
    """An executor that works exactly when the coordinator waits."""
    from reports.confrontation import _Desk

    receive = _Desk.receive

    def working(desk: Any, *, block: bool) -> None:
        if block and isinstance(desk.executor, Shuffled):
            desk.executor.complete_one()
        receive(desk, block=block)

    monkeypatch.setattr(_Desk, "receive", working)
    return Shuffled


def test_values_come_back_in_order_for_any_order_of_completion(
    shuffled: Callable[[int], Shuffled],
) -> None:
    def outcome(engine: Executor) -> list[tuple[list[int], float]]:
        with Store() as store:
            return confront([walk(d, 4) for d in (4, 5, 6, 5)], store, engine, package=TOYS)

    reference = outcome(InProcess())
    assert len({tuple(path) for path, _ in reference}) > 1
    for seed in range(5):
        assert outcome(shuffled(seed)) == reference


def test_a_cell_asked_for_twice_is_computed_once(shuffled: Callable[[int], Shuffled]) -> None:
    seen: list[tuple[int, bool]] = []
    engine = shuffled(0)
    with Store() as store:
        first, second = confront(
            [walk(5, 3), walk(5, 3)],
            store,
            engine,
            package=TOYS,
            on_cell=lambda asked, _, from_store: seen.append((asked.observation.dimension, from_store)),
        )
        assert first == second
        assert engine.submitted == len(store) == len(seen)
    assert not any(from_store for _, from_store in seen)


def test_a_second_run_computes_nothing_and_counts_the_same_seconds(tmp_path: Path) -> None:
    def run() -> tuple[list[Any], list[tuple[float, bool]]]:
        told: list[tuple[float, bool]] = []
        with Store(tmp_path / "cells.sqlite") as store:
            values = confront(
                [walk(4, 4), walk(6, 4)],
                store,
                InProcess(),
                package=TOYS,
                on_cell=lambda _, result, from_store: told.append((result.seconds, from_store)),
            )
        return values, told

    values, told = run()
    assert told
    assert not any(from_store for _, from_store in told)
    assert run() == (values, [(seconds, True) for seconds, _ in told])


def test_an_interrupted_run_resumes_with_what_was_finished(tmp_path: Path) -> None:
    path = tmp_path / "cells.sqlite"
    fresh: list[bool] = []

    def stop_after_three(_: Cell, __: CellResult, from_store: bool) -> None:
        fresh.append(not from_store)
        if len(fresh) == 3:
            raise KeyboardInterrupt

    with Store(path) as store, pytest.raises(KeyboardInterrupt):
        confront([walk(4, 4)], store, InProcess(), package=TOYS, on_cell=stop_after_three)
    fresh.clear()
    with Store(path) as store, Store() as undisturbed:
        assert len(store) == 3
        resumed = confront(
            [walk(4, 4)],
            store,
            InProcess(),
            package=TOYS,
            on_cell=lambda _, __, from_store: fresh.append(not from_store),
        )
        assert resumed == confront([walk(4, 4)], undisturbed, InProcess(), package=TOYS)
        assert fresh[:3] == [False] * 3
        assert sum(fresh) == len(undisturbed) - 3


def test_in_process_serves_the_processes_in_order() -> None:
    order: list[int] = []
    with Store() as store:
        confront(
            [walk(20 + i, 1) for i in range(4)],
            store,
            InProcess(),
            package=TOYS,
            on_cell=lambda asked, _, __: order.append(asked.observation.dimension),
        )
    assert order == [20, 21, 22, 23]


def test_each_cell_is_stored_before_the_next_is_computed() -> None:
    stored: list[int] = []
    with Store() as store:

        def process() -> Process[None]:
            yield [cell(block=b) for b in range(3)]

        confront([process()], store, InProcess(), package=TOYS, on_cell=lambda *_: stored.append(len(store)))
    assert stored == [1, 2, 3]


def test_processes_may_ask_for_nothing() -> None:
    def idle() -> Process[str]:
        found = yield []
        assert found == {}
        return "rested"

    def immediate() -> Process[str]:
        return "done"
        yield []

    with Store() as store:
        assert confront([idle(), immediate()], store, InProcess()) == ["rested", "done"]
        assert confront([], store, InProcess()) == []


def test_arguments_may_be_any_mapping() -> None:
    seen = Observation("toy_simulators.gaussian:mean", 8, MappingProxyType({"shift": 1.0}), 1.0)

    def process() -> Process[np.ndarray]:
        asked = Cell(seen, 0, 7)
        found = yield [asked]
        return found[key(asked, TOYS)].values

    with Store() as store:
        (values,) = confront([process()], store, InProcess(), package=TOYS)
    assert values.mean() > 0


# --- failures -----------------------------------------------------------------------------------


def test_a_failed_cell_is_thrown_into_those_who_asked_and_stops_no_other(
    shuffled: Callable[[int], Shuffled],
) -> None:
    def careful() -> Process[str]:
        try:
            yield [cell("raising"), cell("infinite"), cell()]
        except SimulatorFailed as failure:
            return str(failure)
        return "unreachable"

    outcomes = set()
    for seed in range(6):
        with Store() as store:
            told, path, again = confront([careful(), walk(5, 2), careful()], store, shuffled(seed), package=TOYS)
            assert told == again
            outcomes.add((told, str(path)))
            assert store.get(key(cell("infinite"), TOYS)) is None
            assert store.get(key(cell(), TOYS)) is not None
    # The first failure of the batch, whichever happened first.
    ((told, _),) = outcomes
    assert isinstance(told, str)
    assert "raising" in told


def test_a_failure_nobody_catches_ends_everything() -> None:
    closed: list[str] = []

    def bystander() -> Process[None]:
        try:
            yield [cell("slow", seconds=0.0)]
            yield [cell(block=5)]
        finally:
            closed.append("bystander")

    def careless() -> Process[None]:
        yield [cell("raising")]

    class Lazy(InProcess):
        """Never completes what the bystander asks for."""

        pending: Future[Any] | None = None

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            if "slow" in args[0][0].observation.simulator:
                self.pending = Future()
                return self.pending
            return super().submit(fn, *args, **kwargs)

    engine = Lazy()
    with Store() as store, pytest.raises(SimulatorFailed, match="no such dimension"):
        confront([bystander(), careless()], store, engine, package=TOYS)
    assert closed == ["bystander"]
    assert engine.pending is not None
    assert engine.pending.cancelled()


def test_an_engine_that_breaks_is_one_sentence() -> None:
    class Broken(Executor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            raise RuntimeError("cannot schedule\nnew futures")

    with Store() as store, pytest.raises(WorkerDied) as trouble:
        confront([walk(5, 1)], store, Broken(), package=TOYS)
    assert "\n" not in str(trouble.value)
    assert "cannot schedule new futures" in str(trouble.value)


def test_a_store_that_fails_stops_the_run_with_its_sentence() -> None:
    with Store() as store:
        store._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(BadInput, match="read-only"):
            confront([walk(5, 1)], store, InProcess(), package=TOYS)
