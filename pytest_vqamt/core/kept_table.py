"""Tables of what took long to compute, kept between runs in SQLite files that threads and processes share."""

from __future__ import annotations

import os
import sqlite3
import weakref
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import Lock

_BUSY_TIMEOUT_S = 5.0


class KeptTable:
    """Texts by key, in a file of one table.

    Nothing depends on it but time: where the file cannot be opened, read or written, nothing is found or kept, and a
    file that is damaged is removed, so that the next run makes it anew.
    """

    def __init__(self, file: Path, table: str, column: str) -> None:
        """``table`` and ``column`` are names of ours, never of a user's."""
        self._file, self._table, self._column = file, table, column
        self._lock = Lock()
        self._process = os.getpid()

    def get(self, key: str) -> bytes | None:
        """The text of this key in UTF-8, or what damage has made of it; None if there is none."""
        # As bytes: a text that is no UTF-8 would fail as a whole file that cannot be read does.
        row = self._run(f"select cast({self._column} as blob) from {self._table} where key = ?", key)
        return None if row is None else row[0]

    def put(self, key: str, text: str) -> None:
        """Keeps a text, in place of any other of this key."""
        self._run(f"insert or replace into {self._table} values (?, ?)", key, text)

    def _run(self, statement: str, *values: str) -> tuple[bytes] | None:
        """The first row of what the statement finds; None as well where the file fails."""
        db = self._db  # once: another thread may give it up
        if db is None:
            return None
        try:
            with self._lock:
                row: tuple[bytes] | None = db.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        return row

    @cached_property
    def _connection(self) -> sqlite3.Connection | None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self._file, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
            # Python 3.13 warns of a connection that is collected while open.
            weakref.finalize(self, _close_in, self._process, self._lock, db)
            # After a power failure it may be broken, which costs its content and nothing else.
            db.execute("pragma synchronous = off")
            db.execute(
                f"create table if not exists {self._table} "
                f"(key text primary key, {self._column} text not null) without rowid"
            )
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)
            return None
        return db

    @property
    def _db(self) -> sqlite3.Connection | None:
        # SQLite forbids a fork to use the connection of its parent.
        return self._connection if os.getpid() == self._process else None

    def _give_up(self, error: Exception) -> None:
        """Does without the file for the rest of the run; a damaged one is removed, so that the next run makes it."""
        self.__dict__["_connection"] = None
        # A folder that cannot be written, a full disk or a lock says nothing of the file.
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            # The journal first: SQLite would roll it back into the next file of this name.
            for name in (f"{self._file.name}-journal", self._file.name):
                with suppress(OSError):
                    self._file.with_name(name).unlink()


def _close_in(process: int, lock: Lock, db: sqlite3.Connection) -> None:
    """Closes the connection in the process that opened it, and not in a fork."""
    if os.getpid() == process:
        with lock:  # at the end of the process a thread that plans ahead may be in the midst of a statement
            db.close()
