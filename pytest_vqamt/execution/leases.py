"""Who asks what: a claim on each query that is under way, which ends with the process that holds it."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import sqlite3
import sys
import tempfile
import time
import weakref
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread

LEASE_S = 15.0
"""A process that has not been heard of for so long is dead, and what it held is free."""

_HEARD_EVERY_S = 1.5
_WAIT_S = 5
"""How long a sign of life waits for another process that is writing."""

LEASE_TABLES = """
create table if not exists owners (id text primary key, until real not null) without rowid;
create table if not exists claims (key text primary key, owner text not null) without rowid;
"""
_BEATING = Lock()
"""Held by a thread of ours that is with SQLite. A process that forks then would leave SQLite locked in its child."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_BEATING.acquire, after_in_parent=_BEATING.release, after_in_child=_BEATING.release)

_ALIVE = "insert or replace into owners (id, until) values (?, ?)"


class Leases:
    """The claims of one process in the file of answers. Its methods run within a transaction of the caller.

    As long as it holds the file, a thread renews its lease every second or two, by the clock that all processes share.
    A lease that lies too far ahead does not count either: it is of before a clock was put back. Where a live process
    was taken for a dead one (it was suspended, or its machine slept), a query is asked twice, and nothing else happens.
    """

    def __init__(self, file: Path, run: RunProcess) -> None:
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
        gone = {owner for owner in set(holders.values()) if has_ended(owner)}
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


def release_all(file: Path, owner: str) -> None:
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


_HOST = platform.node()


def _fresh() -> str:
    return secrets.token_hex(6)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProcess:
    """A process, and the run that it is a part of.

    Attributes:
        id: which run; it is in no result.
        process: which of its processes.
        folder: where they keep what lasts no longer than the run does; None where there is but one process.
    """

    id: str = field(default_factory=_fresh)
    process: str = "main"
    folder: Path | None = None

    @property
    def owner(self) -> str:
        """How the names of all begin that hold something for this process."""
        return f"{self.id}.{self.process}."

    def new_owner(self) -> str:
        """A name that nothing else has, and that says on which machine it is which process."""
        return f"{self.owner}{_fresh()}@{_HOST}:{os.getpid()}"


def has_ended(owner: str) -> bool:
    """Whether it is certain that a process has ended, so that nobody need wait for its lease to end."""
    host, _, process = owner.rpartition("@")[2].rpartition(":")
    if os.name != "posix" or host != _HOST:
        return False
    try:
        os.kill(int(process), 0)  # sends nothing (POSIX, kill); on other systems it may end the process
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False


if sys.platform != "win32":
    import fcntl

LOCK_FILE = "lock"
"""The file in it that is locked as long as its process lives."""


class LockedFolder:
    """A folder for this user alone, locked as long as this process lives.

    What a process that was killed (SIGKILL) has left is taken away when the next one of its kind is made: nobody holds
    its lock. (Windows has no such locks: there it stays.)
    """

    def __init__(self, base: Path, prefix: str) -> None:
        """Makes it in ``base``; ``prefix`` is how the names of all of its kind begin."""
        _clear(base, prefix)
        self._lock: int | None = None
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=base))
            with suppress(FileNotFoundError):
                self._lock = _locked(self.path / LOCK_FILE)
                if sys.platform == "win32" or (self._lock is not None and (self.path / LOCK_FILE).exists()):
                    return
            # Another process was clearing away and took it for left behind, since it was not locked yet.
            if self._lock is not None:
                os.close(self._lock)

    def remove(self) -> None:
        """Takes the folder away, with all that is in it. A process that has not ended yet may hold a file open."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _clear(base: Path, prefix: str) -> None:
    """Takes away what is left of processes of this user that live no more."""
    if sys.platform == "win32":
        return
    for folder in sorted(base.glob(f"{prefix}*")):
        with suppress(OSError):
            if folder.is_symlink() or not folder.is_dir() or folder.lstat().st_uid != os.getuid():
                continue
            lock = _locked(folder / LOCK_FILE, create=False)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _locked(file: Path, *, create: bool = True) -> int | None:
    """The file, open and locked by this process; None where another has the lock. It ends with the process."""
    if sys.platform == "win32":
        return None
    opened = os.open(file, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if create else 0), 0o600)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        return None
    return opened
