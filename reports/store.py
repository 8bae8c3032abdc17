"""The store: finished cells in one SQLite file.

Each cell is committed as it finishes, so a run that is killed loses only the cells in flight. The
file is in WAL mode with synchronous=NORMAL: a killed process never leaves it inconsistent, several
processes may use it at once, and a commit costs no wait for the disk. A row carries a checksum of its
content. A file that is not a sound store of ours is never written to, renamed or deleted.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
import time
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from reports.cells import BLOCK, Cell, CellResult, describe
from theorems.claim import BadInput

VERSION = 1
"""Version of the tables below (`PRAGMA user_version`)."""

APPLICATION = int.from_bytes(b"Asym", "big")
"""Marks the file as ours (`PRAGMA application_id`)."""

PATIENCE = 30.0
"""Seconds to wait for another process's lock; a commit of ours holds it for about a millisecond."""

_TABLE = """
CREATE TABLE cells (
    key TEXT PRIMARY KEY,
    vals BLOB NOT NULL,
    seconds REAL NOT NULL,
    checksum BLOB NOT NULL,
    simulator TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    description TEXT NOT NULL,
    created TEXT NOT NULL
) WITHOUT ROWID
"""

_MAGIC = b"SQLite format 3\x00"


class Store:
    """Cells by key, in the file `path`, or in memory when it is None.

    Whatever goes wrong with the file is a `BadInput` whose sentence names it.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._name = "the store in memory" if self.path is None else f"the store {self.path}"
        if self.path is not None:
            self._prepare(self.path)
        try:
            # Autocommit: each statement is a transaction of its own unless we say BEGIN.
            self._connection = sqlite3.connect(
                ":memory:" if self.path is None else self.path, timeout=PATIENCE, isolation_level=None
            )
        except sqlite3.Error as error:
            raise self._sentence(error) from error
        try:
            self._open()
        except sqlite3.Error as error:
            self._connection.close()
            raise self._sentence(error) from error
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise BadInput(f"{self._name} is a folder; give --store the name of a file.")
            if path.exists():
                if not path.is_file():  # reading a pipe would wait for a writer, a device keeps nothing
                    raise BadInput(f"{self._name} is not a regular file; choose another --store.")
                with path.open("rb") as file:
                    start = file.read(len(_MAGIC))
                if start and start != _MAGIC:
                    raise self._unsound("it is not an SQLite file")
        except OSError as error:
            # What mkdir says of a file where a folder should be, "File exists", would be read as praise.
            clash = isinstance(error, FileExistsError)
            reason = f"{path.parent} is not a folder" if clash else error.strerror or type(error).__name__
            raise BadInput(f"{self._name} cannot be used: {reason}; choose another --store.") from error

    def _open(self) -> None:
        """Look before writing: a file is changed only when it is known to be sound and ours."""
        complaints = [row[0] for row in self._connection.execute("PRAGMA quick_check(1)")]
        if complaints != ["ok"]:
            raise self._unsound(complaints[0].replace("\n", " "))
        self._recognise()
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                # SQLite does not wait by itself while two processes make a new file at once.
                if _primary(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        self._connection.execute("PRAGMA synchronous = NORMAL")
        # Taking the write lock finds a read-only file now rather than after the first computation.
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            if not self._recognise():  # asked again under the lock: another process may have been first
                self._connection.execute(_TABLE)
                self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
                self._connection.execute(f"PRAGMA user_version = {VERSION}")
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk may have rolled it back already
                self._connection.execute("ROLLBACK")
            raise

    def _recognise(self) -> bool:
        """True for a store of ours, False for an empty file; anything else is refused."""
        version, application, tables = (
            self._connection.execute(question).fetchone()[0]
            for question in (
                "PRAGMA user_version",
                "PRAGMA application_id",
                "SELECT count(*) FROM sqlite_master",
            )
        )
        if tables == 0 and application == 0:
            return False
        if application != APPLICATION:
            raise BadInput(f"{self._name} is a database of another program; choose another --store.")
        if version != VERSION:
            age = "a newer" if version > VERSION else "an older"
            raise BadInput(
                f"{self._name} was written by {age} version of asymptest (format {version}, this one uses "
                f"{VERSION}); use that version or choose another --store."
            )
        return True

    def get(self, key: str) -> CellResult | None:
        """The stored cell, or None."""
        try:
            row = self._connection.execute("SELECT vals, seconds, checksum FROM cells WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._sentence(error) from error
        if row is None:
            return None
        content, seconds, checksum = row
        try:
            sound = len(content) == 8 * BLOCK and checksum == _checksum(key, content, seconds)
        except (TypeError, struct.error):  # a damaged row may hold values of another type
            sound = False
        if not sound:
            raise self._unsound(f"the row {key[:12]} does not match its checksum")
        return CellResult(np.frombuffer(content, "<f8").astype(np.float64), seconds)

    def put(self, key: str, cell: Cell, result: CellResult) -> None:
        """Commit one finished cell; what is already there stays."""
        content = result.values.astype("<f8").tobytes()
        row = (
            key,
            content,
            result.seconds,
            _checksum(key, content, result.seconds),
            cell.observation.simulator,
            cell.observation.dimension,
            describe(cell),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        try:
            self._connection.execute("INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise self._sentence(error) from error

    def __len__(self) -> int:
        try:
            return self._connection.execute("SELECT count(*) FROM cells").fetchone()[0]
        except sqlite3.Error as error:
            raise self._sentence(error) from error

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _unsound(self, reason: str) -> BadInput:
        return BadInput(
            f"{self._name} is damaged or not a store ({reason}); it was left as it is: "
            "move it away or choose another --store."
        )

    def _sentence(self, error: sqlite3.Error) -> BadInput:
        """The sentence for an error of SQLite, by its primary result code."""
        match _primary(error):
            case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
                return self._unsound(str(error))
            case sqlite3.SQLITE_FULL:
                trouble = "the disk is full; the cells stored so far are kept: make room and run again"
            case sqlite3.SQLITE_IOERR:
                trouble = (
                    f"the disk refused ({error}), it may be full; the cells stored so far are kept: "
                    "make room and run again"
                )
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                trouble = "it is read-only; make it writable or choose another --store"
            case sqlite3.SQLITE_CANTOPEN:
                trouble = "the file or its folder cannot be opened for writing; choose another --store"
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                trouble = "another process keeps it locked; wait for that one or choose another --store"
            case _:
                trouble = f"SQLite says {error}; choose another --store"
        return BadInput(f"{self._name} cannot be used: {trouble}.")


def _primary(error: sqlite3.Error) -> int:
    """SQLite's result code without the details in its higher bits (0 if the error is Python's own)."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _checksum(key: str, content: bytes, seconds: float) -> bytes:
    return hashlib.sha256(key.encode() + content + struct.pack("<d", seconds)).digest()
