"""A run that is killed and started again is the undisturbed run: same report, no stored cell computed twice."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reports.confrontation import GROUP

HOME = Path(__file__).parent.parent
PROGRAM = Path(__file__).with_name("resumable_run.py")
RUN = ("check", "nt-quadratic", "--set", "rho=1/2", "--set", "B=two_point", "--resolution", "0.003", "--seed", "5")
"""Some four hundred cells of d = 32 to 512 in a few seconds: groups and single cells, five mutants, a proof."""
PATIENCE = 180.0
"""Seconds after which a run that should have come to something is taken to hang."""

Rows = dict[str, tuple[Any, ...]]
Journal = list[list[str]]


def same(left: Any, right: Any) -> bool:
    """Equal but for times and provenance, floats to 1e-9: what two runs with one seed must be."""
    if isinstance(left, float) and isinstance(right, float):
        return left == right or abs(left - right) <= 1e-9 * max(1.0, abs(left))
    if isinstance(left, dict) and isinstance(right, dict):
        ignored = {"seconds", "provenance"}
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left.keys() - ignored)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


@dataclass(frozen=True)
class Place:
    """Where a run keeps its store, and where the journals of its lives are."""

    folder: Path
    workers: int = 0

    @property
    def store(self) -> Path:
        return self.folder / "cells.sqlite"

    def start(self, life: int) -> tuple[subprocess.Popen[str], Path]:
        """The command line in a session of its own, so that a kill reaches its workers too."""
        journal = self.folder / f"journal-{life}"
        engine = ("--workers", str(self.workers)) if self.workers else ()
        # -P: the folders beside the program are named like the packages it imports.
        program = [sys.executable, "-P", str(PROGRAM), str(journal)]
        command = [*program, *RUN, *engine, "--store", str(self.store), "--json"]
        run = subprocess.Popen(
            command, cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        return run, journal

    def rows(self) -> Rows:
        """Every row of a sound file, read past the `Store`; none where a kill came before the table was made."""
        if not self.store.exists():
            return {}
        connection = sqlite3.connect(self.store)
        try:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return {}
            return {row[0]: row for row in connection.execute("SELECT * FROM cells")}
        finally:
            connection.close()


def read(journal: Path) -> Journal:
    return [line.split() for line in journal.read_text().splitlines()] if journal.exists() else []


def keys(journal: Journal, *kinds: str) -> list[str]:
    return [name for kind, *names in journal if kind in kinds for name in names]


def wait_for_cells(run: subprocess.Popen[str], journal: Path, count: int) -> bool:
    """Wait until the run has stored so many cells of its own; False if it ends before."""
    deadline = time.monotonic() + PATIENCE
    while len(keys(read(journal), "stored")) < count:
        if run.poll() is not None:
            return False
        assert time.monotonic() < deadline, "the run computes nothing"
        time.sleep(0.002)
    return True


def assert_only_flights_are_lost(before: Rows, journal: Journal, after: Rows, workers: int) -> None:
    """One life of a run: what it found, what it computed, and what it left."""
    assert before.items() <= after.items()  # nothing lost, nothing rewritten, to the last column
    found, stored, submitted = keys(journal, "found"), keys(journal, "stored"), keys(journal, "submit")
    # Whatever it asked for and was there came from the store; only the rest was computed.
    assert set(found) <= before.keys()
    assert before.keys().isdisjoint(submitted)
    assert len(submitted) == len(set(submitted))
    # What the journal calls stored is there, and all that is new is what was handed out.
    assert set(stored) <= after.keys()
    assert after.keys() - before.keys() <= set(submitted)
    if not workers:
        # In process, a handful of cells is computed and stored before the next is begun.
        flights = [names for kind, *names in journal if kind == "submit"]
        assert all(len(names) <= GROUP for names in flights)
        assert set(submitted) - after.keys() <= set(flights[-1] if flights else ())


@pytest.fixture(scope="module", autouse=True)
def _private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kills may cut compiled programs short: not those of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASYMPTEST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Rows]:
    """The report of a run that nobody killed, and its cells."""
    place = Place(tmp_path_factory.mktemp("undisturbed"))
    run, journal = place.start(0)
    report, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, errors
    rows = place.rows()
    assert set(keys(read(journal), "stored")) == rows.keys()
    return json.loads(report), rows


def numbers(rows: Rows) -> dict[str, Any]:
    """Key -> simulator, dimension and description: all that must not depend on when it was computed."""
    return {name: row[4:7] for name, row in rows.items()}


@pytest.mark.parametrize(("workers", "kills"), [(0, 17), (2, 3)])
def test_twenty_kills_change_nothing(tmp_path: Path, undisturbed: tuple[Any, Rows], workers: int, kills: int) -> None:
    report, rows = undisturbed
    moments = random.Random(20 + workers)
    killed = sampling = campaign = 0
    while killed < kills:
        # A run that finished before the last kill was due is judged, and another is begun on a new store.
        place = Place(tmp_path / str(campaign), workers)
        place.folder.mkdir()
        campaign += 1
        life, before = 0, Rows()
        while True:
            run, journal = place.start(life)
            ended = killed == kills
            if not ended and moments.random() < 0.2:
                time.sleep(moments.uniform(0.2, 1.5))  # anywhere in the start
            elif not ended:
                ended = not wait_for_cells(run, journal, moments.randint(1, 12))
                time.sleep(moments.uniform(0.0, 0.04))
            if not ended and run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
            output, errors = run.communicate(timeout=PATIENCE)
            after = place.rows()
            assert_only_flights_are_lost(before, read(journal), after, workers)
            life, before, grown = life + 1, after, len(after) - len(before)
            if run.returncode == 0:
                break
            assert run.returncode == -signal.SIGKILL, errors
            killed += 1
            sampling += grown > 0
        assert same(json.loads(output), report)
        assert numbers(before) == numbers(rows)
    assert sampling >= kills // 2  # most kills fell while cells were being computed


def test_the_comparison_sees_a_difference(undisturbed: tuple[Any, Rows]) -> None:
    report, _ = undisturbed
    other = json.loads(json.dumps(report))
    assert same(other, report)
    point = other["claims"][0]["points"][0]
    point["ladder"][0]["mean"] *= 1 + 1e-6
    assert not same(other, report)
    other["claims"][0]["points"] = []
    assert not same(other, report)


@pytest.mark.parametrize("workers", [0, 2])
def test_ctrl_c_is_one_sentence_and_the_run_resumes(
    tmp_path: Path, undisturbed: tuple[Any, Rows], workers: int
) -> None:
    report, _ = undisturbed
    place = Place(tmp_path, workers)
    run, journal = place.start(0)
    assert wait_for_cells(run, journal, 20)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to the workers as well
    output, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130, errors
    assert output == ""
    *progress, sentence = filter(None, errors.splitlines())  # a blank line ends the terminal's "^C"
    assert re.fullmatch(r"asymptest: interrupted; [^.]+\.", sentence)
    assert all(is_progress(line) for line in progress), errors
    kept = place.rows()
    assert len(kept) >= 20
    run, journal = place.start(1)
    output, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, errors
    assert_only_flights_are_lost(kept, read(journal), place.rows(), workers)
    assert set(keys(read(journal), "found")) == kept.keys()
    assert same(json.loads(output), report)


def is_progress(line: str) -> bool:
    return bool(re.match(r"\[\d+/\d+\] LT-|\w+ d=\d+: \d+ cells, ", line))
