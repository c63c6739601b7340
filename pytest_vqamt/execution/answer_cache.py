"""The answer cache: every answer that a model gave, so that nothing is asked twice."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import NamedTuple

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import Answer
from pytest_vqamt.execution.leases import LEASE_TABLES as CLAIMS
from pytest_vqamt.execution.leases import Leases, RunProcess
from pytest_vqamt.models.base import LoadedModel

_AT_ONCE = 900
"""Keys in one statement: SQLite took no more than 999 variables for a long time."""

_PATIENCE_AT_END_MS = 2000
"""Whoever presses Ctrl-C does not wait for others that write."""

_MODEL = 16
"""So many characters of a key say which model it is about."""

_AHEAD = "+"
"""What follows the run in the mark of an answer that was asked ahead of its turn, and that nobody has needed yet."""

_MAY_NOT = "see to it that it can"
_TO_DO = {
    sqlite3.SQLITE_FULL: "free some space",
    sqlite3.SQLITE_BUSY: "end the process that keeps it locked",
    sqlite3.SQLITE_READONLY: _MAY_NOT,
}
"""What helps where the file is all right; else, where there is one, it is to be deleted."""


class CachedAnswers(NamedTuple):
    """Answers that were there.

    Attributes:
        answers: by query id.
        cached: how many of them are of an earlier run, and were needed by none of this run's processes before.
        ahead: how many were asked ahead of their turn in this run, and are needed for the first time now.
    """

    answers: dict[str, Answer]
    cached: int
    ahead: int


class AnswerStore:
    """Answers in an SQLite file, found by model fingerprint and query id; also the cases that people were shown.

    Several processes may use one file: it is in WAL mode and waits for its turn. A batch is written in one transaction,
    so that what was answered before a crash is there after it. Without a file it is a database that SQLite keeps in
    memory, and on disk what is too much for that; it is gone when it is closed.

    Beside each answer stands the ``run`` that asked for it, or has used it last of all that did, so that of what
    several processes find each answer counts once. (Of two runs at the same time, each takes the mark of the other.)
    """

    def __init__(self, file: Path | None, *, run: RunProcess | None = None) -> None:
        self.file = file
        self.run = run or RunProcess()
        self._open()

    def _open(self) -> None:
        self._process = os.getpid()
        self._lock = RLock()  # a model may be asked from several threads
        self._claims = Leases(self.file, self.run) if self.file is not None else None
        try:
            self._connection = open_database(self.file)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    @property
    def is_shared(self) -> bool:
        """Whether other processes may see it."""
        return self.file is not None

    @property
    def _db(self) -> sqlite3.Connection:
        if self._process != os.getpid() and self.file is not None:
            self._of_parent = self._connection  # a connection must not be used in a fork, nor be closed there
            self._open()
        return self._connection

    def get(self, fingerprint: str, query_ids: Sequence[str]) -> dict[str, Answer]:
        """The answers there are, by query id."""
        with self._reading():
            return {key[_MODEL:]: answer for key, (answer, _) in self._rows(_keys(fingerprint, query_ids)).items()}

    def use(self, fingerprint: str, query_ids: Sequence[str]) -> CachedAnswers:
        """The answers there are, which this run needs."""
        keys = _keys(fingerprint, query_ids)
        with self._reading():
            rows = self._rows(keys)
        if all(run == self.run.id for _, run in rows.values()):  # nothing to be marked, so nobody need wait
            return CachedAnswers({key[_MODEL:]: answer for key, (answer, _) in rows.items()}, 0, 0)
        with self._writing() as db:
            return self._used(db, rows)

    def claim(
        self, fingerprint: str, query_ids: Sequence[str], *, ahead: bool = False
    ) -> tuple[CachedAnswers, list[str]]:
        """What has been answered meanwhile, and which of the others this process is to ask.

        What is left is being asked by other processes. Of a store that no other process sees all is this one's. What is
        claimed ``ahead`` of its turn is not needed yet.
        """
        if self._claims is None and not ahead:
            return CachedAnswers({}, 0, 0), list(query_ids)  # whoever asks has looked them up
        keys = _keys(fingerprint, query_ids)
        answers: dict[str, Answer] = {}
        mine: list[str] = []
        cached = of_ahead = 0
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            with self._reading() if self._claims is None else self._writing() as db:
                rows = self._rows(some)
                wanted = [key for key in some if key not in rows]
                mine += wanted if self._claims is None else self._claims.take(db, wanted)
                if not ahead:
                    found = self._used(db, rows)
                    answers |= found.answers
                    cached, of_ahead = cached + found.cached, of_ahead + found.ahead
        return CachedAnswers(answers, cached, of_ahead), [key[_MODEL:] for key in mine]

    def settled(self, fingerprint: str, query_ids: Sequence[str]) -> list[str]:
        """Those that no other process is about to answer: they have been answered, or nobody asks them any more."""
        keys = _keys(fingerprint, query_ids)
        with self._reading() as db:
            held: set[str] = set()
            if self._claims is not None:
                for start in range(0, len(keys), _AT_ONCE):
                    held |= self._claims.held(db, keys[start : start + _AT_ONCE])
        return [key[_MODEL:] for key in keys if key not in held]

    def let_go(self, fingerprint: str, query_ids: Sequence[str]) -> None:
        """Ends claims to what has not been answered."""
        if self._claims is not None and self._claims.are_any and query_ids:
            with self._writing() as db:
                self._claims.drop(db, _keys(fingerprint, query_ids))

    def put(self, fingerprint: str, answers: Mapping[str, Answer], *, ahead: Collection[str] = ()) -> None:
        """Keep answers by query id, and end the claims to them; one that is there already stays.

        Those in ``ahead`` were asked ahead of their turn.
        """
        of_model = digest(fingerprint)
        rows = [
            (
                of_model + query_id,
                answer.text,
                json.dumps(answer.scores) if answer.scores else None,
                answer.truncated,
                self.run.id + _AHEAD if query_id in ahead else self.run.id,
            )
            for query_id, answer in answers.items()
        ]
        with self._writing() as db:
            db.executemany(
                "insert or ignore into answers (key, text, scores, truncated, run) values (?, ?, ?, ?, ?)", rows
            )
            if self._claims is not None:
                self._claims.drop(db, [str(row[0]) for row in rows])

    def keep_case(self, case_id: str, row: str) -> None:
        """Keep a case that people were shown, as its line of ``cases.jsonl``, so that it can be replayed."""
        with self._writing() as db:
            db.execute("insert or replace into cases values (?, ?)", (case_id, row))

    def case(self, case_id: str) -> str | None:
        """The line kept for a case, or None."""
        with self._reading() as db:
            row: tuple[str] | None = db.execute("select row from cases where id = ?", (case_id,)).fetchone()
        return row[0] if row else None

    def close(self) -> None:
        """Lets go of all claims and of the file."""
        if self._process != os.getpid():
            return
        if self._claims is not None and self._claims.are_any:
            self._claims.stop()
            with suppress(VqamtError), self._reading() as db:  # where that fails, the lease ends by itself
                db.execute(f"pragma busy_timeout = {_PATIENCE_AT_END_MS}")
                with self._writing():
                    self._claims.end(db)
        with self._lock:  # another thread may be in the midst of a statement
            self._connection.close()

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _rows(self, keys: Sequence[str]) -> dict[str, tuple[Answer, str]]:
        """The answers there are, and which run each is marked with, by key."""
        found: dict[str, tuple[Answer, str]] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            wanted = f"select key, text, scores, truncated, run from answers where key in ({_marks(some)})"
            for key, text, scores, truncated, run in self._db.execute(wanted, some):
                found[key] = Answer(text, _scores(scores), bool(truncated)), run
        return found

    def _used(self, db: sqlite3.Connection, rows: Mapping[str, tuple[Answer, str]]) -> CachedAnswers:
        """Marks what this run uses for the first time, and counts it; another process may have been quicker."""
        ahead = self.run.id + _AHEAD
        of_ahead = [key for key, (_, run) in rows.items() if run == ahead]
        of_before = [key for key, (_, run) in rows.items() if run not in (self.run.id, ahead)]
        return CachedAnswers(
            answers={key[_MODEL:]: answer for key, (answer, _) in rows.items()},
            cached=self._marked(db, of_before, "run not in (?, ?)", (self.run.id, ahead)),
            ahead=self._marked(db, of_ahead, "run = ?", (ahead,)),
        )

    def _marked(self, db: sqlite3.Connection, keys: Sequence[str], still: str, names: tuple[str, ...]) -> int:
        marked = 0
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            mark = f"update answers set run = ? where key in ({_marks(some)}) and {still}"
            marked += db.execute(mark, (self.run.id, *some, *names)).rowcount
        return marked

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except (sqlite3.Error, ValueError) as error:
                raise self._unusable(error) from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction."""
        with self._reading() as db:
            try:
                db.execute("begin immediate")
                yield db
                db.execute("commit")
            finally:
                with suppress(sqlite3.ProgrammingError):  # the connection is closed, so there is nothing to take back
                    if db.in_transaction:  # something was raised half-way, be it an interruption
                        db.rollback()

    def _unusable(self, error: Exception) -> VqamtError:
        of_sqlite = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest is detail (https://sqlite.org/rescode.html)
        to_do = _TO_DO.get(of_sqlite, "delete it" if os.path.lexists(self.file or "") else _MAY_NOT)
        return VqamtError(
            f"Expected an answer cache that can be read and written, but got file={str(self.file)!r} ({error}): "
            f"{to_do}, name another with --vqamt-cache, or do without by --vqamt-no-cache"
        )


def _keys(fingerprint: str, query_ids: Sequence[str]) -> list[str]:
    of_model = digest(fingerprint)
    return [of_model + query_id for query_id in query_ids]


def _marks(keys: Sequence[str]) -> str:
    return ",".join("?" * len(keys))


def _scores(text: str | None) -> tuple[tuple[str, float], ...] | None:
    return tuple((name, float(score)) for name, score in json.loads(text)) if text else None


_WAIT_S = 60
"""How long to wait for another process that is writing."""

_ADDED = {"truncated": "integer not null default 0", "run": "text not null default ''"}
"""Columns that the table did not have from the beginning."""

_TABLES = f"""
create table if not exists answers (
    key text primary key, text text not null, scores text, {", ".join(map(" ".join, _ADDED.items()))}
) without rowid;
create table if not exists cases (id text primary key, row text not null) without rowid;
{CLAIMS}
"""


def open_database(file: Path | None) -> sqlite3.Connection:
    """The database, made or brought up to date where need be; without a file one that is gone when it is closed.

    Raises:
        OSError, sqlite3.Error: it cannot be opened, or is none.
    """
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file or "", timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
    try:
        if file is None:
            db.execute("pragma journal_mode = memory")
        else:
            _write_ahead(db)
            db.execute("pragma synchronous = normal")
        db.executescript(_TABLES)
        _add_columns(db)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _add_columns(db: sqlite3.Connection) -> None:
    """Adds what the table of an older version lacks; of two processes that do so at once, one finds it done."""
    columns = {str(row[1]) for row in db.execute("pragma table_info(answers)")}
    for name, kind in _ADDED.items():
        if "key" in columns and name not in columns:
            with suppress(sqlite3.OperationalError):
                db.execute(f"alter table answers add column {name} {kind}")


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switches to WAL mode. Where two processes do so at once, SQLite lets one fail and not wait for its turn."""
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            db.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


ANSWERS_FILE = "answers.sqlite"


class AnswerStores:
    """One store that lasts, in ``cache_dir``, for models that declare what they are, and one for this run alone."""

    def __init__(self, cache_dir: Path | None, run: RunProcess | None = None) -> None:
        self._run = run or RunProcess()
        self._passing = self._run.folder and self._run.folder / ANSWERS_FILE
        self._lasting = self._passing if cache_dir is None else cache_dir / ANSWERS_FILE
        self._open: dict[Path | None, AnswerStore] = {}

    def of(self, model: LoadedModel) -> AnswerStore:
        """Where the answers of ``model`` are kept."""
        return self._at(self._lasting if model.persistent else self._passing)

    @property
    def of_shown_cases(self) -> AnswerStore:
        """Where violations that people were shown are kept, so that they can be replayed."""
        return self._at(self._lasting)

    def close(self) -> None:
        for store in self._open.values():
            store.close()

    def _at(self, file: Path | None) -> AnswerStore:
        if file not in self._open:
            self._open[file] = AnswerStore(file, run=self._run)
        return self._open[file]
