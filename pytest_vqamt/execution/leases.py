"""Leases on queries in flight, locked folders and notes of sessions: all end with the process that holds them."""

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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock, Thread

from pytest_vqamt.core.text import shown

if sys.platform != "win32":
    import fcntl

LEASE_S = 15.0
"""A process without a heartbeat for so long counts as dead, and its leases as expired."""

LEASE_TABLES = """
create table if not exists lease_holders (id text primary key, until real not null) without rowid;
create table if not exists leases (key text primary key, holder text not null) without rowid;
"""

LOCK_FILE = "lock"
"""The file in a ``LockedFolder`` that is locked while its process lives."""

_HEARTBEAT_S = 1.5
"""Between two renewals: a tenth of ``LEASE_S``, so that a few may fail."""
_BUSY_TIMEOUT_S = 5
"""How long a heartbeat waits for another process that writes to the database."""

_RENEW = "insert or replace into lease_holders (id, until) values (?, ?)"
_HOST = platform.node()

_SQLITE = Lock()
"""Held while a heartbeat thread uses SQLite. A fork at that moment would leave SQLite locked in the child."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_SQLITE.acquire, after_in_parent=_SQLITE.release, after_in_child=_SQLITE.release)


_LOCKED_AFTER_S = 60.0
"""A folder that has had no lock file for so long is removed: a living process makes it right after the folder."""

_SESSIONS = "sessions"
"""The folder of session notes in the cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProcess:
    """A process, and the run that it is a part of."""

    id: str = field(default_factory=lambda: secrets.token_hex(6))
    """Identifies the run; it appears in no result."""
    process: str = "main"
    """Identifies the process within the run."""
    folder: Path | None = None
    """Where the processes share what lasts no longer than the run; None if there is only one process."""

    @property
    def holder_prefix(self) -> str:
        """How the names of all lease holders of this process begin."""
        return f"{self.id}.{self.process}."

    def new_holder(self) -> str:
        """A unique name of a lease holder, with its host and its process id."""
        return f"{self.holder_prefix}{secrets.token_hex(6)}@{_HOST}:{os.getpid()}"


class Leases:
    """The leases of one process in an answer database. Its methods run within a transaction of the caller.

    A heartbeat thread renews them by the clock that all processes share. A lease too far in the future does not count:
    it was made before a clock was set back. If a live process is taken for a dead one (it was suspended, or its machine
    slept), a query is sent twice, and nothing else happens.
    """

    def __init__(self, file: Path, run: RunProcess) -> None:
        self.holder = run.new_holder()
        self._file = file
        self._stop = Event()
        self._heartbeat: Thread | None = None
        weakref.finalize(self, self._stop.set)

    @property
    def was_used(self) -> bool:
        """True if this process has ever taken a lease."""
        return self._heartbeat is not None

    def take(self, db: sqlite3.Connection, keys: Sequence[str]) -> list[str]:
        """Leases the ``keys`` that no other live process leases, and returns them."""
        if self._heartbeat is None:
            # Only now: a process that finds all answers in the cache needs no thread.
            self._start(db)
        held = self.held(db, keys)
        free = [key for key in keys if key not in held]
        # Together with the leases: they count only while their holder is alive in this table.
        db.execute(_RENEW, (self.holder, time.time() + LEASE_S))
        db.executemany("insert or replace into leases values (?, ?)", [(key, self.holder) for key in free])
        return free

    def held(self, db: sqlite3.Connection, keys: Sequence[str]) -> set[str]:
        """The ``keys`` that other live processes lease."""
        marks = ",".join("?" * len(keys))
        wanted = (
            "select leases.key, leases.holder from leases join lease_holders on lease_holders.id = leases.holder "
            f"where leases.key in ({marks}) and leases.holder <> ? and lease_holders.until between ? and ?"
        )
        holders = {str(key): str(holder) for key, holder in db.execute(wanted, (*keys, self.holder, *_valid_until()))}
        # A killed process on this host is known to be dead at once, before its lease expires.
        dead = {holder for holder in set(holders.values()) if has_ended(holder)}
        return {key for key, holder in holders.items() if holder not in dead}

    def release(self, db: sqlite3.Connection, keys: Iterable[str]) -> None:
        # Without a heartbeat no lease was ever taken.
        if self._heartbeat is not None:
            db.executemany("delete from leases where key = ? and holder = ?", [(key, self.holder) for key in keys])

    def release_for_good(self, db: sqlite3.Connection) -> None:
        db.execute("delete from leases where holder = ?", (self.holder,))
        db.execute("delete from lease_holders where id = ?", (self.holder,))

    def stop(self) -> None:
        """Ends the heartbeat."""
        self._stop.set()
        if self._heartbeat is not None and self._heartbeat.is_alive():
            # A renewal after ``release_for_good`` would leave the holder in the table until it expires.
            self._heartbeat.join(timeout=_BUSY_TIMEOUT_S)

    def _start(self, db: sqlite3.Connection) -> None:
        """Removes expired leases, and starts the heartbeat."""
        db.execute("delete from lease_holders where not until between ? and ?", _valid_until())
        db.execute("delete from leases where holder not in (select id from lease_holders)")
        arguments = (self._file, self.holder, self._stop)
        self._heartbeat = Thread(target=_renew_until, args=arguments, name="vqamt-heartbeat", daemon=True)
        with suppress(RuntimeError):  # no more threads: taking a lease renews all as well
            self._heartbeat.start()


def release_all(file: Path, prefix: str) -> None:
    """Releases all leases of ended processes, whose holders' names begin with ``prefix``.

    Errors of the database are ignored: the leases expire.
    """
    if file.is_file():
        with suppress(sqlite3.Error), closing(_connect(file)) as db:
            for statement in (
                "delete from leases where substr(holder, 1, ?) = ?",
                "delete from lease_holders where substr(id, 1, ?) = ?",
            ):
                db.execute(statement, (len(prefix), prefix))


def has_ended(holder: str) -> bool:
    """True if the process of a lease holder has certainly ended, so that its lease need not expire first."""
    host, _, process = holder.rpartition("@")[2].rpartition(":")
    if os.name != "posix" or host != _HOST:
        return False
    try:
        os.kill(int(process), 0)  # sends nothing (POSIX, kill); on other systems it may end the process
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False


def _connect(file: Path) -> sqlite3.Connection:
    uri = f"{file.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None)


def _valid_until() -> tuple[float, float]:
    now = time.time()
    # Twice the lease, so that a clock set back by a few seconds voids none.
    return now, now + 2 * LEASE_S


def _renew_until(file: Path, holder: str, stop: Event) -> None:
    """Renews the lease. Database errors are ignored here; the next query reports them."""
    with suppress(sqlite3.Error):
        with _SQLITE:
            db = _connect(file)
        while not stop.wait(_HEARTBEAT_S):
            # Locked for each statement, not around the loop: a fork would wait until the session ends.
            with _SQLITE, suppress(sqlite3.Error):
                db.execute(_RENEW, (holder, time.time() + LEASE_S))
        with _SQLITE:
            db.close()


class LockedFolder:
    """A folder for this user alone, locked while this process lives.

    The folders that killed processes (SIGKILL) have left are removed when the next one of their kind is made: they are
    not locked. (Windows has no such locks: there they stay.)
    """

    def __init__(self, base: Path, prefix: str) -> None:
        """Makes the folder in ``base``; the names of all of its kind begin with ``prefix``."""
        # The only time when folders of killed processes are looked for.
        _remove_unlocked(base, prefix)
        self._lock: int | None = None
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=base))
            with suppress(FileNotFoundError):
                self._lock = _lock(self.path / LOCK_FILE)
                if sys.platform == "win32" or (self._lock is not None and (self.path / LOCK_FILE).exists()):
                    return
            # Another process has removed the folder, which was not locked yet.
            if self._lock is not None:
                os.close(self._lock)

    def remove(self) -> None:
        """Removes the folder and its files, except those that a live process holds open (Windows)."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _remove_unlocked(base: Path, prefix: str) -> None:
    if sys.platform == "win32":
        return
    for folder in sorted(base.glob(f"{prefix}*")):
        with suppress(OSError):
            # The base may be the system's folder for temporary files: nothing of another user, and no link, is
            # followed.
            if folder.is_symlink() or not folder.is_dir() or folder.lstat().st_uid != os.getuid():
                continue
            # A folder without a lock is either new or a leftover; its age tells which.
            if not (folder / LOCK_FILE).exists():
                # Its process was killed before it made the lock, or while it removed the folder.
                if time.time() - folder.lstat().st_mtime > _LOCKED_AFTER_S:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            lock = _lock(folder / LOCK_FILE, create=False)
            # The lock was free, so its process has ended.
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _lock(file: Path, *, create: bool = True) -> int | None:
    """Opens and locks the file until the process ends; None if another process holds the lock."""
    if sys.platform == "win32":
        return None
    descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if create else 0), 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


class SessionNote:
    """A file next to the answers that marks a running session; a killed process leaves it there.

    Like a locked folder, it is locked while the process lives: process ids are reused, and another host has its own.
    (Windows has no such locks: there no lost session is reported.)
    """

    def __init__(self, cache: Path, report: Path | None) -> None:
        self._file = cache / _SESSIONS / f"{secrets.token_hex(6)}.txt"
        self._lock: int | None = None
        with suppress(OSError):  # a full disk is reported where answers are stored
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self._file)
            self._file.write_text(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC\n{report or ''}\n", encoding="utf-8")

    def remove(self) -> None:
        """Removes the note: the session has ended by itself."""
        with suppress(OSError):
            # Before the lock is released: another session would take an unlocked note for a lost session.
            self._file.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def lost_sessions(cache: Path) -> Iterator[str]:
    """A line for each session that ended without its report; its note is removed."""
    for note in sorted((cache / _SESSIONS).glob("*.txt")):
        with suppress(OSError, ValueError):
            lock = _lock(note, create=False)
            # Its session still runs.
            if lock is None:
                continue
            try:
                # Two newlines: a process killed while it wrote its note has left fewer lines.
                began, report, *_ = f"{note.read_text(encoding='utf-8')}\n\n".split("\n")
                note.unlink()
            finally:
                os.close(lock)
            where = f" {shown(report)}" if report else ""
            yield (
                f"vqamt: the session of {shown(began)} ended without its report{where}: its process was killed, or a "
                "model ended it. What was answered is kept. On CI, check that report.json is there, too: such a "
                "process may end with status 0"
            )
