"""In-process, spawn pool and Dask give the same numbers; stopping a run stops its workers."""

from __future__ import annotations

import builtins
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.cells import Cell, CellResult, Package, SimulatorFailed, key, run_cell
from reports.confrontation import Process, confront
from reports.engines import CONNECT_SECONDS, InProcess, WorkerDied, open_engine
from reports.store import Store
from theorems.claim import BadInput, Observation

HERE = Path(__file__).parent
TOYS = Package("toy_simulators", HERE)
LONG_RUN = HERE / "long_run.py"


@pytest.fixture(autouse=True)
def _toys_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


def cell(function: str = "mean", dimension: int = 64, block: int = 0, **arguments: Any) -> Cell:
    return Cell(Observation(f"toy_simulators.gaussian:{function}", dimension, arguments, 1.0), block, 7)


def ask(*batches: list[Cell]) -> Process[list[CellResult]]:
    """Ask for the batches one after another and return all results."""
    results: list[CellResult] = []
    for batch in batches:
        found = yield batch
        results += [found[key(asked, TOYS)] for asked in batch]
    return results


def numbers(workers: int | None = None, dask: str | None = None) -> np.ndarray:
    batches = [[cell(dimension=d, block=b) for b in range(2)] for d in (16, 64)]
    with Store() as store, open_engine(workers, dask) as engine:
        (results,) = confront([ask(*batches)], store, engine, package=TOYS)
    return np.concatenate([result.values for result in results])


# --- in process ---------------------------------------------------------------------------------


def test_in_process_runs_at_once_and_keeps_the_outcome() -> None:
    with open_engine() as engine:
        assert isinstance(engine, InProcess)
        done = engine.submit(divmod, 7, 2)
        failed = engine.submit(divmod, 7, 0)
        assert done.done()
        assert done.result() == (3, 1)
        assert isinstance(failed.exception(), ZeroDivisionError)


def test_in_process_leaves_ctrl_c_to_the_caller() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with open_engine() as engine, pytest.raises(KeyboardInterrupt):
        engine.submit(interrupted)


@pytest.mark.parametrize("options", [{"workers": -1}, {"workers": 2, "dask": "tcp://127.0.0.1:8786"}])
def test_senseless_options_get_a_sentence(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="--workers"):
        open_engine(**options)


# --- spawn --------------------------------------------------------------------------------------


def test_a_pool_gives_the_numbers_of_one_process() -> None:
    assert np.array_equal(numbers(workers=2), numbers())


def test_workers_share_the_cores_and_load_no_jax_before_they_know() -> None:
    with open_engine(os.cpu_count()) as engine:
        assert engine.submit(os.getenv, "OMP_NUM_THREADS").result() == "1"
        assert engine.submit(eval, "'jax' in __import__('sys').modules").result() is False


def test_a_failing_simulator_is_told_from_a_dying_worker() -> None:
    with open_engine(1) as engine:
        with pytest.raises(SimulatorFailed, match="1 of 16 values are not finite"):
            engine.submit(run_cell, cell("infinite"), TOYS).result()
        assert engine.submit(run_cell, cell(), TOYS).result().values.shape == (16,)


def test_a_dying_worker_is_one_sentence_and_finished_cells_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "cells.sqlite"
    sentence = r"worker ended before .*dying at d = 64 did .*finished cells are stored"
    asks = ask([cell(), cell(block=1)], [cell("dying")])
    with pytest.raises(WorkerDied, match=sentence), Store(path) as store, open_engine(1) as engine:
        confront([asks], store, engine, package=TOYS)
    with Store(path) as store:
        assert len(store) == 2
        assert store.get(key(cell(block=1), TOYS)) is not None


# --- stopping -----------------------------------------------------------------------------------


def start_long_run(path: Path, workers: int) -> tuple[subprocess.Popen[str], int]:
    """A run whose quick cells are stored and whose slow ones have begun; the id of one worker."""
    run = subprocess.Popen(
        [sys.executable, str(LONG_RUN), str(path), str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that the signal below reaches the whole group, as Ctrl-C does
    )
    assert run.stdout is not None
    return run, int(run.stdout.readline())


def wait_for_end(process: int) -> bool:
    """Whether the process is gone within the few seconds that ending takes on a busy machine."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":  # ended; an orphan's entry stays until the init process collects it
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("workers", [0, 2])
def test_ctrl_c_ends_the_run_at_once_and_leaves_a_resumable_store(tmp_path: Path, workers: int) -> None:
    path = tmp_path / "cells.sqlite"
    run, worker = start_long_run(path, workers)
    time.sleep(0.2)
    os.killpg(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=10)
    assert run.returncode != 0
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert errors.count("Traceback") == 1  # the workers are silent
    assert worker == 0 or wait_for_end(worker)
    with Store(path) as store:
        assert len(store) == 3


def test_workers_end_when_their_coordinator_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "cells.sqlite"
    run, worker = start_long_run(path, 2)
    run.kill()
    run.communicate(timeout=10)
    assert worker > 0
    assert wait_for_end(worker)
    with Store(path) as store:
        assert len(store) == 3


# --- Dask ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    from distributed import LocalCluster

    sys.path.insert(0, str(HERE))  # workers take over the import path of the process that starts them
    local = LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    )
    try:
        yield local.scheduler_address
    finally:
        local.close()
        sys.path.remove(str(HERE))


def test_dask_gives_the_numbers_of_one_process(cluster: str) -> None:
    assert np.array_equal(numbers(dask=cluster), numbers())


def test_a_failing_simulator_comes_back_from_dask(cluster: str) -> None:
    complaint = "1 of 16 values are not finite"
    with (
        Store() as store,
        pytest.raises(SimulatorFailed, match=complaint),
        open_engine(dask=cluster) as engine,
    ):
        confront([ask([cell("infinite")])], store, engine, package=TOYS)


def test_a_silent_dask_address_is_named_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    patience = CONNECT_SECONDS
    monkeypatch.setattr("reports.engines.CONNECT_SECONDS", patience / 10)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    start = time.monotonic()
    with pytest.raises(BadInput, match=f"no Dask scheduler answers at '{address}'"):
        open_engine(dask=address).__enter__()
    assert time.monotonic() - start < patience  # so the limit that was set is the one that counts


@pytest.mark.parametrize("address", ["", "nowhere", "http://[", "carrier-pigeon://home", "tls://127.0.0.1:1"])
def test_a_malformed_dask_address_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.engines.CONNECT_SECONDS", 0.5)
    with pytest.raises(BadInput, match="no Dask scheduler answers at"):
        open_engine(dask=address).__enter__()


def test_without_the_extra_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_distributed(name: str, *args: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without_distributed)
    with pytest.raises(BadInput, match=r"pip install .*asymptest\[cluster\]"):
        open_engine(dask="tcp://127.0.0.1:8786").__enter__()
