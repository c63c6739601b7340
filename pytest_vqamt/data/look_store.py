"""How the things of photos look, kept between runs: each takes several ms to measure, and a run needs hundreds."""

from __future__ import annotations

import os
import sqlite3
import weakref
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from threading import Lock

import msgspec

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import ThingLook
from pytest_vqamt.core.errors import cache_home
from pytest_vqamt.core.identity import digest

VERSION = 1
"""Part of each key, raised when ``imaging.thing_look`` measures the same thing otherwise."""

FILE = "looks.sqlite"
"""Its name in the folder of files that are kept between runs."""

_BUSY_TIMEOUT_S = 5.0
_TABLE = "create table if not exists looks (key text primary key, look text not null) without rowid"


class LookStore:
    """Looks in an SQLite file that threads and processes share.

    Nothing depends on it but time: where the file cannot be opened, read or written, things are measured anew, and a
    file that is damaged is made anew.
    """

    def __init__(self, of: str) -> None:
        """``of`` changes whenever a mask of the source changes."""
        self._of = of
        self._file = cache_home() / FILE
        self._lock = Lock()
        self._process = os.getpid()

    def get(self, photo: str, thing: str) -> ThingLook | None:
        """The look of a thing by its id, in the photo of this digest; None if it is not kept."""
        # As bytes: a text that is no UTF-8 would fail as a whole file that cannot be read does.
        row = self._run("select cast(look as blob) from looks where key = ?", self._key(photo, thing))
        if row is None:
            return None
        try:
            look = msgspec.json.decode(row[0], type=ThingLook)
            # Whole pixels, as measured: the box gets into recipes of pictures, whose ids hang on how it is written.
            return replace(look, box=Box(*map(int, (look.box.x, look.box.y, look.box.w, look.box.h))))
        except (ValueError, TypeError, OverflowError):  # damaged: the next measure replaces it
            return None

    def put(self, photo: str, thing: str, look: ThingLook) -> None:
        """Keeps the look of a thing."""
        written = msgspec.json.encode(look).decode()
        self._run("insert or replace into looks values (?, ?)", self._key(photo, thing), written)

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
            db.execute(_TABLE)
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
            for name in (f"{FILE}-journal", FILE):
                with suppress(OSError):
                    self._file.with_name(name).unlink()

    def _key(self, photo: str, thing: str) -> str:
        return digest(str(VERSION), self._of, photo, thing)


def _close_in(process: int, lock: Lock, db: sqlite3.Connection) -> None:
    """Closes the connection in the process that opened it, and not in a fork."""
    if os.getpid() == process:
        with lock:  # at the end of the process a thread that plans ahead may be in the midst of a statement
            db.close()
