"""Bad files, bad disks and rivals, met through the command line: one sentence, exit code 2, nothing harmed."""

from __future__ import annotations

import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reports.store import VERSION, Store
from reports.writers import write_reports
from theorems.claim import BadInput

HOME = Path(__file__).parent.parent
CHECK = ("check", "nt-quadratic", "--set", "rho=1/2", "--set", "B=two_point", "--no-mutants", "--json")
"""A few dozen cells in less than a second."""
PATIENCE = 180.0
"""Seconds after which a command is taken to hang."""


@dataclass(frozen=True)
class Answer:
    """How a command ended."""

    code: int
    out: str
    err: str


def start(*arguments: str | Path, prepare: str = "") -> subprocess.Popen[str]:
    """Start the command line; `prepare` is a program that takes something away from its process beforehand.

    It becomes the command line by exec. A function between fork and exec would run in a copy of this process,
    where the threads that held its locks are gone.
    """
    become = "import os, sys; os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    before = [sys.executable, "-c", f"{prepare}\n{become}"] if prepare else [sys.executable]
    command = [*before, "-m", "reports.cli", *map(str, arguments)]
    return subprocess.Popen(command, cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> Answer:
    out, err = process.communicate(timeout=PATIENCE)
    return Answer(process.returncode, out, err)


def ask(*arguments: str | Path, prepare: str = "") -> Answer:
    return end(start(*arguments, prepare=prepare))


def refusal(answer: Answer, name: Path) -> str:
    """The one sentence of a command that could do nothing; it names the file or folder."""
    assert answer.code == 2, answer
    assert answer.out == ""
    (sentence,) = answer.err.splitlines()
    assert sentence.startswith("asymptest: ")
    assert sentence.endswith(".")
    assert str(name) in sentence
    return sentence


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its name."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def verdicts(answer: Answer) -> dict[tuple[str, ...], str]:
    assert answer.code == 0, answer
    claims = json.loads(answer.out)["claims"]
    return {(claim["id"], claim["document"], claim["part"]): claim["verdict"] for claim in claims}


def rows(file: Path) -> dict[str, tuple[Any, ...]]:
    """The rows of a sound store, read past the `Store`."""
    connection = sqlite3.connect(file)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {row[0]: row for row in connection.execute("SELECT * FROM cells")}
    finally:
        connection.close()


def execute(file: Path, statement: str) -> None:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute(statement)
    connection.close()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Answer, bytes]:
    """A run on a sound store: its answer, and the file it left."""
    file = tmp_path_factory.mktemp("sound") / "cells.sqlite"
    answer = ask(*CHECK, "--store", file)
    assert set(verdicts(answer).values()) == {"PASS", "PROVED"}
    assert [other.name for other in file.parent.iterdir()] == [file.name]
    return answer, file.read_bytes()


@pytest.fixture
def store(tmp_path: Path, finished: tuple[Answer, bytes]) -> Path:
    """A copy of that file in a folder of its own."""
    file = tmp_path / "kept" / "cells.sqlite"
    file.parent.mkdir()
    file.write_bytes(finished[1])
    return file


# --- files --------------------------------------------------------------------------------------


def not_a_database(file: Path) -> None:
    file.write_text("notes on another subject\n" * 1000)


def cut_short(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def overwritten(file: Path) -> None:
    pages = bytearray(file.read_bytes())
    pages[4096:12288] = random.Random(0).randbytes(8192)
    file.write_bytes(pages)


def one_bit(file: Path) -> None:
    """Damage that SQLite does not see: a number changed in every row."""
    execute(file, "UPDATE cells SET vals = CAST(x'00' || substr(vals, 2) AS BLOB)")


def newer(file: Path) -> None:
    execute(file, f"PRAGMA user_version = {VERSION + 1}")


def foreign(file: Path) -> None:
    file.unlink()
    execute(file, "CREATE TABLE places (name TEXT)")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (not_a_database, "it is not an SQLite file"),
        (cut_short, "damaged"),
        (overwritten, "damaged"),
        (one_bit, "does not match its checksum"),
        (newer, f"a newer version of asymptest (format {VERSION + 1}"),
        (foreign, "a database of another program"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_left_as_it_is(
    store: Path, damage: Callable[[Path], None], reason: str
) -> None:
    damage(store)
    before = content(store.parent)
    assert reason in refusal(ask(*CHECK, "--store", store), store)
    assert content(store.parent) == before


def test_the_newer_store_is_whole_for_the_newer_version(store: Path, finished: tuple[Answer, bytes]) -> None:
    newer(store)
    refusal(ask(*CHECK, "--store", store), store)
    execute(store, f"PRAGMA user_version = {VERSION}")
    kept = rows(store)
    assert verdicts(ask(*CHECK, "--store", store)) == verdicts(finished[0])
    assert rows(store) == kept


def test_no_resume_refuses_a_store_that_exists(store: Path) -> None:
    before = content(store.parent)
    assert "--no-resume" in refusal(ask(*CHECK, "--store", store, "--no-resume"), store)
    assert content(store.parent) == before


def test_places_where_no_store_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    before = content(tmp_path)
    trials = {
        tmp_path: "is a folder",
        tmp_path / "file" / "cells.sqlite": f"{tmp_path / 'file'} is not a folder",
        tmp_path / "pipe": "is not a regular file",
    }
    running = {place: start(*CHECK, "--store", place) for place in trials}
    for place, process in running.items():
        assert trials[place] in refusal(end(process), place)
    assert content(tmp_path) == before


# --- disks --------------------------------------------------------------------------------------


def files_up_to(limit: int) -> str:
    """A process whose files cannot grow beyond the limit: a full disk that needs no privilege to make."""
    return f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"


@pytest.mark.parametrize("limit", [0, 65536])
def test_a_full_disk_keeps_what_is_stored(tmp_path: Path, finished: tuple[Answer, bytes], limit: int) -> None:
    file = tmp_path / "cells.sqlite"
    sentence = refusal(ask(*CHECK, "--store", file, prepare=files_up_to(limit)), file)
    assert "full" in sentence
    assert "make room and run again" in sentence
    with Store(file) as opened:  # a sound store, or an empty file that becomes one
        kept = len(opened)
    before = rows(file)
    assert len(before) == kept
    assert (kept > 0) == (limit > 0)
    # There is room again: the run goes on from what was kept.
    assert verdicts(ask(*CHECK, "--store", file)) == verdicts(finished[0])
    assert before.items() <= rows(file).items()


WITHOUT_PRIVILEGE = """
import ctypes, os
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
if os.geteuid() == 0:
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        assert ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0
"""
"""Permissions do not bind a superuser: gives up, for the program that follows, what overrides them."""


@pytest.fixture
def sealed() -> Iterator[Path]:
    """A folder with an old report in it, in which nothing may be written."""
    with tempfile.TemporaryDirectory(prefix="sealed-") as name:
        folder = Path(name)
        (folder / "results.json").write_text("{}")
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def test_a_read_only_folder_is_named_before_the_run(sealed: Path) -> None:
    before = content(sealed)
    running = [
        start("report", "--out", sealed, prepare=WITHOUT_PRIVILEGE),
        start("report", "--out", sealed / "new", prepare=WITHOUT_PRIVILEGE),
        start("calibrate", "--out", sealed, prepare=WITHOUT_PRIVILEGE),
        start(*CHECK, "--store", sealed / "cells.sqlite", prepare=WITHOUT_PRIVILEGE),
    ]
    for process, reason in zip(running, ("--out", "--out", "--out", "--store"), strict=True):
        assert f"choose another {reason}" in refusal(end(process), sealed)
    assert content(sealed) == before


def test_a_read_only_store_is_named_and_kept(store: Path) -> None:
    store.chmod(0o444)
    store.parent.chmod(0o555)
    before = content(store.parent)
    try:
        sentence = refusal(ask(*CHECK, "--store", store, prepare=WITHOUT_PRIVILEGE), store)
    finally:
        store.parent.chmod(0o755)
    assert "read-only" in sentence or "cannot be opened for writing" in sentence
    assert content(store.parent) == before


def test_a_report_cannot_go_where_a_file_is(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("mine")
    running = [start("report", "--out", place) for place in (file, file / "below")]
    for process in running:
        assert "choose another --out" in refusal(end(process), file)
    assert content(tmp_path) == {"out": b"mine"}


def test_a_report_on_a_damaged_store_leaves_the_last_report(store: Path) -> None:
    cut_short(store)
    (store.parent / "results.json").write_text("{}")
    before = content(store.parent)
    refusal(ask("report", "--out", store.parent), store)
    assert content(store.parent) == before


def test_a_full_disk_leaves_the_last_report(tmp_path: Path) -> None:
    provenance = {"alpha": 0.0, "versions": {}, "seed": 0, "profile": "quick"}
    write_reports(tmp_path, [], provenance)
    before = content(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, limits[1]))
        with pytest.raises(BadInput, match="cannot be written"):
            write_reports(tmp_path, [], provenance | {"seed": 1})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert content(tmp_path) == before
    write_reports(tmp_path, [], provenance | {"seed": 1})
    assert content(tmp_path) != before


# --- rivals -------------------------------------------------------------------------------------


def test_two_runs_share_one_new_store(tmp_path: Path, finished: tuple[Answer, bytes]) -> None:
    file = tmp_path / "new" / "cells.sqlite"
    running = [start(*CHECK, "--store", file) for _ in range(2)]
    for process in running:
        assert verdicts(end(process)) == verdicts(finished[0])
    reference = tmp_path / "reference.sqlite"
    reference.write_bytes(finished[1])
    assert rows(file).keys() == rows(reference).keys()
    with Store(file) as opened:
        assert all(opened.get(name) is not None for name in rows(file))
