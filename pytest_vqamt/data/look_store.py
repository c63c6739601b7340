"""How the things of photos look, kept between runs: each takes several ms to measure, and a run needs hundreds."""

from __future__ import annotations

import os
import sqlite3
import warnings
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

    Nothing depends on it but time: where the file cannot be opened, read or written, things are measured anew.
    """

    def __init__(self, of: str) -> None:
        """``of`` changes whenever a mask of the source changes."""
        self._of = of
        self._file = cache_home() / FILE
        self._lock = Lock()
        self._process = os.getpid()

    def get(self, photo: str, thing: str) -> ThingLook | None:
        """The look of a thing by its id, in the photo of this digest; None if it is not kept."""
        if self._db is None:
            return None
        try:
            with self._lock:
                row = self._db.execute("select look from looks where key = ?", (self._key(photo, thing),)).fetchone()
            if row is None:
                return None
            look = msgspec.json.decode(row[0], type=ThingLook)
        except (sqlite3.Error, msgspec.MsgspecError, TypeError) as error:
            self._give_up(error)
            return None
        # Whole pixels, as measured: the box gets into recipes of pictures, whose ids hang on how it is written.
        return replace(look, box=Box(*map(int, (look.box.x, look.box.y, look.box.w, look.box.h))))

    def put(self, photo: str, thing: str, look: ThingLook) -> None:
        """Keeps the look of a thing."""
        if self._db is None:
            return
        row = self._key(photo, thing), msgspec.json.encode(look).decode()
        try:
            with self._lock:
                self._db.execute("insert or replace into looks values (?, ?)", row)
        except sqlite3.Error as error:
            self._give_up(error)

    @cached_property
    def _connection(self) -> sqlite3.Connection | None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self._file, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
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
        self.__dict__["_connection"] = None
        # A folder that cannot be written is usual in containers, and costs seconds; a broken file is to be deleted.
        if not isinstance(error, (OSError, sqlite3.OperationalError)):
            warnings.warn(
                f"Expected a file of looks that can be read, but got {self._file} ({error}): things of photos are "
                "measured anew; delete it",
                stacklevel=2,
            )

    def _key(self, photo: str, thing: str) -> str:
        return digest(str(VERSION), self._of, photo, thing)
