"""What is stored stays readable, through kills, rivals and bad disks; each trouble is one sentence."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import numpy as np
import pytest

from reports.cells import BLOCK, Cell, CellResult
from reports.store import VERSION, Store
from theorems.claim import BadInput, Observation

WRITER = Path(__file__).with_name("store_writer.py")


def number(i: int) -> tuple[str, Cell, CellResult]:
    seen = Observation("simulate.none:none", 2, {"number": i}, cost=1.0)
    return f"{i:064d}", Cell(seen, i, 0), CellResult(np.arange(BLOCK) + float(i), i / 8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with five cells, closed."""
    file = tmp_path / "cells.sqlite"
    with Store(file) as store:
        for i in range(5):
            store.put(*number(i))
    return file


def readable(path: Path, count: int) -> bool:
    with Store(path) as store:
        return len(store) == count and all(
            (found := store.get(number(i)[0])) is not None
            and np.array_equal(found.values, number(i)[2].values)
            and found.seconds == number(i)[2].seconds
            for i in range(count)
        )


def refusal(path: Path) -> str:
    """The sentence with which opening is refused."""
    with pytest.raises(BadInput) as trouble:
        Store(path)
    sentence = str(trouble.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


# --- keeping ------------------------------------------------------------------------------------


def test_cells_come_back_bit_for_bit(tmp_path: Path) -> None:
    values = np.array([0.1, -0.0, 5e-324, 1.7976931348623157e308] * 4)
    file = tmp_path / "new" / "folder" / "cells.sqlite"
    name, cell, _ = number(0)
    with Store(file) as store:
        assert store.get(name) is None
        store.put(name, cell, CellResult(values, 0.1))
    with Store(file) as store:
        found = store.get(name)
    assert found is not None
    assert found.values.tobytes() == values.tobytes()
    assert found.seconds == 0.1


def test_the_first_result_stays(path: Path) -> None:
    name, cell, _ = number(0)
    with Store(path) as store:
        store.put(name, cell, CellResult(np.zeros(BLOCK), 99.0))
    assert readable(path, 5)


def test_without_a_path_it_lives_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store() as store:
        store.put(*number(3))
        assert len(store) == 1
    with Store() as store:
        assert len(store) == 0
    assert not list(tmp_path.iterdir())


def test_closing_leaves_one_file(path: Path) -> None:
    assert [file.name for file in path.parent.iterdir()] == [path.name]


# --- files that cannot be used ------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"x", b"hello, this is not a database\n" * 500, bytes(8192)])
def test_a_foreign_file_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    assert "move it away or choose another --store" in refusal(file)
    assert file.read_bytes() == content
    assert [other.name for other in tmp_path.iterdir()] == ["notes.txt"]


def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "places.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE cells (key TEXT)")
    connection.commit()
    connection.close()
    before = file.read_bytes()
    assert "another program" in refusal(file)
    assert file.read_bytes() == before


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    file = tmp_path / "empty.sqlite"
    file.touch()
    with Store(file) as store:
        store.put(*number(0))
    assert readable(file, 1)


@pytest.mark.parametrize("damage", ["truncated", "overwritten"])
def test_a_damaged_store_is_left_as_it_is(path: Path, damage: str) -> None:
    with Store(path) as store:
        for i in range(5, 200):
            store.put(*number(i))
    content = bytearray(path.read_bytes())
    if damage == "truncated":
        del content[len(content) // 2 :]
    else:
        content[4096:12288] = random.Random(1).randbytes(8192)
    path.write_bytes(content)
    assert "damaged" in refusal(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "change",
    [
        "vals = zeroblob(128)",
        "vals = substr(vals, 1, 120)",
        "seconds = seconds + 1",
        "checksum = zeroblob(32)",
        "vals = 'text', seconds = 'text'",
    ],
)
def test_a_row_that_does_not_match_its_checksum_is_not_believed(path: Path, change: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE cells SET {change} WHERE key = ?", (number(2)[0],))
    connection.commit()
    connection.close()
    with Store(path) as store:
        assert store.get(number(1)[0]) is not None
        with pytest.raises(BadInput, match="does not match its checksum"):
            store.get(number(2)[0])


def test_a_store_from_a_newer_version_is_left_as_it_is(path: Path) -> None:
    def set_version(version: int) -> None:
        connection = sqlite3.connect(path)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.close()

    set_version(VERSION + 1)
    before = path.read_bytes()
    assert f"a newer version of asymptest (format {VERSION + 1}" in refusal(path)
    assert path.read_bytes() == before
    set_version(VERSION)
    assert readable(path, 5)


def test_places_where_no_file_can_be_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "is a folder" in refusal(tmp_path)
    assert "choose another --store" in refusal(tmp_path / "file" / "cells.sqlite")
    assert "choose another --store" in refusal(Path("/proc/asymptest/cells.sqlite"))
    assert "choose another --store" in refusal(Path("/proc/cells.sqlite"))


def test_a_store_that_turns_read_only_keeps_its_cells(path: Path) -> None:
    # Permissions do not bind a superuser, so SQLite itself is told to refuse.
    with Store(path) as store:
        store._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(BadInput, match="it is read-only"):
            store.put(*number(5))
        assert store.get(number(4)[0]) is not None
    assert readable(path, 5)


def test_a_full_disk_keeps_what_is_stored(path: Path) -> None:
    with Store(path) as store:
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(BadInput, match="the disk is full; the cells stored so far are kept"):
            deque(store.put(*number(i)) for i in range(5, 1000))
        kept = len(store)
        assert store.get(number(kept - 1)[0]) is not None
    assert kept >= 5
    assert readable(path, kept)


def test_a_lock_that_is_never_released_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.store.PATIENCE", 0.05)
    rival = sqlite3.connect(path, isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    assert "another process keeps it locked" in refusal(path)
    rival.execute("ROLLBACK")
    rival.close()
    assert readable(path, 5)


# --- several processes, and kills ---------------------------------------------------------------


def start_writer(path: Path, first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def rows(path: Path) -> list[tuple[str, int]]:
    """Integrity of the file, then key and number of every row, read past the Store."""
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute("SELECT key, json_extract(description, '$.block') FROM cells ORDER BY 2").fetchall()
    finally:
        connection.close()


def assert_intact(path: Path) -> list[int]:
    with Store(path) as store:  # a kill may have come before the table was made: opening mends that
        found = rows(path)
        for name, i in found:
            result = store.get(name)
            assert result is not None
            assert np.array_equal(result.values, np.arange(BLOCK) + float(i))
    return [i for _, i in found]


def test_two_processes_write_one_new_store_at_once(tmp_path: Path) -> None:
    file = tmp_path / "shared.sqlite"
    # Half of what each writes the other writes too.
    writers = [start_writer(file, first, 600) for first in (0, 300)]
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert assert_intact(file) == list(range(900))


def test_a_store_survives_kills_at_random_moments(tmp_path: Path) -> None:
    file = tmp_path / "killed.sqlite"
    moments = random.Random(0)
    kept = 0
    for _ in range(10):
        with start_writer(file, kept, 100_000) as writer:
            assert writer.stdout is not None
            # Every other time the kill may fall on the opening itself.
            if moments.random() < 0.5:
                writer.stdout.readline()
                time.sleep(moments.uniform(0, 0.03))
            else:
                time.sleep(moments.uniform(0.1, 0.5))
            writer.send_signal(signal.SIGKILL)
        found = assert_intact(file)
        assert len(found) >= kept
        assert found == list(range(len(found)))  # commits in order, none lost once reported
        kept = len(found)
    assert kept > 0
