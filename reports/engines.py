"""Where cells are computed: in this process, in a pool of processes, or on a Dask cluster.

An engine is any `concurrent.futures.Executor`. The numbers do not depend on the choice, because a
replicate's random key does not (see `reports/cells.py`).
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from theorems.claim import BadInput

CONNECT_SECONDS = 5.0
"""How long to try to reach a Dask scheduler: a present one answers in milliseconds."""


class WorkerDied(BadInput):
    """A worker ended before its cell did; not what a person typed, but theirs to act on."""


class InProcess(Executor):
    """Runs each call at once, in the thread that submits it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        # Only an Exception is the call's outcome: Ctrl-C belongs to the caller.
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def open_engine(workers: int | None = None, dask: str | None = None) -> AbstractContextManager[Executor]:
    """The engine for `--workers` and `--dask`: in this process unless one of them is given.

    Leaving the context normally waits for what was submitted; leaving it by an exception (Ctrl-C is
    one) drops what waits and stops the workers of a pool.
    """
    if dask is not None:
        if workers:
            raise BadInput("--workers and --dask exclude each other; give one of them.")
        return _cluster(dask)
    if workers is not None and workers < 0:
        raise BadInput(f"--workers is a number of processes, 0 or more, not {workers}.")
    return _pool(workers) if workers else InProcess()


@contextmanager
def _pool(workers: int) -> Iterator[Executor]:
    # Spawn, not fork: JAX is multithreaded, and a forked copy of it may hang.
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_prepare_worker,
        initargs=(max(1, (os.cpu_count() or 1) // workers),),
    )
    try:
        yield pool
    except BaseException:
        # A running cell cannot be cancelled, and waiting for it would make Ctrl-C useless. The executor
        # has no public way to end its workers before Python 3.14.
        running = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.terminate()
        raise
    pool.shutdown()


def _prepare_worker(threads: int) -> None:
    """In a fresh worker, before JAX is imported: its share of the cores, and when to end."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    os.environ["NPROC"] = str(threads)  # the size of XLA's own thread pool on the CPU
    if threads == 1:
        flags = os.environ.get("XLA_FLAGS", "")
        os.environ["XLA_FLAGS"] = f"{flags} --xla_cpu_multi_thread_eigen=false".strip()
    # Ctrl-C reaches every process of the terminal; the coordinator alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose coordinator was killed would wait for its next cell forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError as error:
        raise BadInput('--dask needs the cluster extra: pip install "asymptest[cluster]".') from error
    for name in ("distributed", "distributed.client"):
        # A connection that is lost is told in one sentence of ours, not in tracebacks of theirs.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        # Knocked first, because a Client that fails to connect may hang while it is taken down.
        asyncio.run(_knock(address))
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # nobody there; malformed; TLS without certificates
        raise BadInput(
            f"no Dask scheduler answers at {address!r}; give --dask an address such as tcp://127.0.0.1:8786."
        ) from error
    with client:
        executor = client.get_executor(pure=False)
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False)
            raise
        executor.shutdown()


async def _knock(address: str) -> None:
    """Connect as a client would, and leave."""
    from distributed.comm.core import connect
    from distributed.security import Security

    door = await connect(address, timeout=CONNECT_SECONDS, **Security().get_connection_args("client"))
    await door.close()
