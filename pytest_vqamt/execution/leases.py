"""Who asks what: a claim on each query that is under way, which ends with the process that holds it."""

from __future__ import annotations

import os
import sqlite3
import time
import weakref
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Lock, Thread

from pytest_vqamt.execution.owners import Run, is_gone

LEASE_S = 15.0
"""A process that has not been heard of for so long is dead, and what it held is free."""

_HEARD_EVERY_S = 1.5
_WAIT_S = 5
"""How long a sign of life waits for another process that is writing."""

TABLES = """
create table if not exists owners (id text primary key, until real not null) without rowid;
create table if not exists claims (key text primary key, owner text not null) without rowid;
"""
_BEATING = Lock()
"""Held by a thread of ours that is with SQLite. A process that forks then would leave SQLite locked in its child."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_BEATING.acquire, after_in_parent=_BEATING.release, after_in_child=_BEATING.release)

_ALIVE = "insert or replace into owners (id, until) values (?, ?)"


class Claims:
    """The claims of one process in the file of answers. Its methods run within a transaction of the caller.

    As long as it holds the file, a thread renews its lease every second or two, by the clock that all processes share.
    A lease that lies too far ahead does not count either: it is of before a clock was put back. Where a live process
    was taken for a dead one (it was suspended, or its machine slept), a query is asked twice, and nothing else happens.
    """

    def __init__(self, file: Path, run: Run) -> None:
        self.owner = run.new_owner()
        self._file = file
        self._over = Event()
        self._heart: Thread | None = None
        weakref.finalize(self, self._over.set)

    def take(self, db: sqlite3.Connection, keys: Sequence[str]) -> list[str]:
        """Claims those of ``keys`` that no other live process holds; says which they are."""
        if self._heart is None:
            self._begin(db)
        held = self.held(db, keys)
        free = [key for key in keys if key not in held]
        db.execute(_ALIVE, (self.owner, time.time() + LEASE_S))
        db.executemany("insert or replace into claims values (?, ?)", [(key, self.owner) for key in free])
        return free

    def held(self, db: sqlite3.Connection, keys: Sequence[str]) -> set[str]:
        """Those of ``keys`` that other live processes hold."""
        marks = ",".join("?" * len(keys))
        wanted = (
            "select claims.key, claims.owner from claims join owners on owners.id = claims.owner "
            f"where claims.key in ({marks}) and claims.owner <> ? and owners.until between ? and ?"
        )
        holders = {str(key): str(owner) for key, owner in db.execute(wanted, (*keys, self.owner, *_living()))}
        gone = {owner for owner in set(holders.values()) if is_gone(owner)}
        return {key for key, owner in holders.items() if owner not in gone}

    def drop(self, db: sqlite3.Connection, keys: Iterable[str]) -> None:
        """Lets go of claims."""
        if self._heart is not None:
            db.executemany("delete from claims where key = ? and owner = ?", [(key, self.owner) for key in keys])

    @property
    def are_any(self) -> bool:
        """Whether this process has claimed anything, ever."""
        return self._heart is not None

    def end(self, db: sqlite3.Connection) -> None:
        """Lets go of all, for good."""
        db.execute("delete from claims where owner = ?", (self.owner,))
        db.execute("delete from owners where id = ?", (self.owner,))

    def stop(self) -> None:
        """Ends the thread."""
        self._over.set()
        if self._heart is not None and self._heart.is_alive():
            self._heart.join(timeout=_WAIT_S)

    def _begin(self, db: sqlite3.Connection) -> None:
        """Clears away what the dead have left, and sees to it that this process is known to live."""
        db.execute("delete from owners where not until between ? and ?", _living())
        db.execute("delete from claims where owner not in (select id from owners)")
        self._heart = Thread(target=_beat, args=(self._file, self.owner, self._over), name="vqamt-claims", daemon=True)
        with suppress(RuntimeError):  # no more threads: each claim renews the lease as well
            self._heart.start()


def end_all(file: Path, owner: str) -> None:
    """Lets go of all that processes hold which have ended, by how the names of these owners begin.

    Where that cannot be done nothing is lost: their leases end.
    """
    if file.is_file():
        with suppress(sqlite3.Error), closing(_connected(file)) as db:
            for statement in (
                "delete from claims where substr(owner, 1, ?) = ?",
                "delete from owners where substr(id, 1, ?) = ?",
            ):
                db.execute(statement, (len(owner), owner))


def _connected(file: Path) -> sqlite3.Connection:
    """To a file that is there."""
    place = f"{file.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(place, uri=True, timeout=_WAIT_S, isolation_level=None)


def _living() -> tuple[float, float]:
    now = time.time()
    return now, now + 2 * LEASE_S


def _beat(file: Path, owner: str, over: Event) -> None:
    """Says every now and then that the owner lives. What hinders that is met by whoever asks, who can say so."""
    with suppress(sqlite3.Error):
        with _BEATING:
            db = _connected(file)
        while not over.wait(_HEARD_EVERY_S):
            with _BEATING, suppress(sqlite3.Error):
                db.execute(_ALIVE, (owner, time.time() + LEASE_S))
        with _BEATING:
            db.close()
