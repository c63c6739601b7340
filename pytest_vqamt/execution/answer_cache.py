"""The answer cache: stores every answer of a model, so that no query is sent twice."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import NamedTuple

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import Answer, is_of_adapter
from pytest_vqamt.core.spelling import option
from pytest_vqamt.execution.leases import LEASE_TABLES, Leases, RunProcess
from pytest_vqamt.models.wrapped import LoadedModel

ANSWERS_FILE = "answers.sqlite"
"""The file of the answer cache in its folder."""

_CHUNK = 900
"""Keys in one statement: SQLite took no more than 999 variables for a long time."""

_MOST_ITEMS = 2000
"""Items whose results are kept, of some ten kB each with their cases."""

_BUSY_TIMEOUT_S = 60
"""How long to wait for another process that is writing."""

_BUSY_TIMEOUT_AT_END_MS = 2000
"""The same when the store is closed, as after Ctrl-C."""

_MODEL_DIGITS = 16
"""The length of the part of a key that identifies the model."""

_CHECK_ACCESS = "check its permissions"
_ADVICE = {
    sqlite3.SQLITE_FULL: "free some space",
    sqlite3.SQLITE_BUSY: "end the process that keeps it locked",
    sqlite3.SQLITE_READONLY: _CHECK_ACCESS,
}
"""What to do by SQLite's error code, if the file itself is not at fault."""

_TABLES = f"""
create table if not exists answers (
    key text primary key,
    text text not null,
    scores text,
    truncated integer not null,
    run text not null,
    declined text not null, -- the reason and the unknown words as JSON, or nothing
    tokens_in real,
    tokens_out real,
    cost real
) without rowid;
create table if not exists cases (id text primary key, row text not null) without rowid;
create table if not exists items (key text primary key, item blob not null, cases blob);
{LEASE_TABLES}
"""


class CachedAnswers(NamedTuple):
    """Answers that the store had."""

    answers: dict[str, Answer]
    """By query id."""
    cached: int
    """How many of them are of an earlier run and needed for the first time in this run."""


class AnswerStore:
    """Answers in an SQLite file, by model fingerprint and query id, and the cases that reports preview.

    Several processes may use one file, which is in WAL mode. A batch is written in one transaction, so that a crash
    loses no complete batch. Without a file the database is temporary: in memory, and on disk where it grows too large.

    Each answer is marked with the ``run`` that used it last, so that it counts once over all processes of a run. (Two
    runs at the same time overwrite each other's marks.)
    """

    def __init__(self, file: Path | None, *, run: RunProcess | None = None) -> None:
        self.file = file
        self.run = run or RunProcess()
        self._open()

    def _open(self) -> None:
        self._process = os.getpid()
        self._lock = RLock()  # models may run on several threads
        self._leases = Leases(self.file, self.run) if self.file is not None else None
        try:
            self._connection = open_database(self.file)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error
        weakref.finalize(self, _close_in, self._process, self._connection)

    @property
    def is_shared(self) -> bool:
        """True if other processes may use it."""
        return self.file is not None

    @property
    def _db(self) -> sqlite3.Connection:
        # A fork, as of a model that starts processes, has its parent's store. A temporary database cannot be opened
        # twice.
        if self._process != os.getpid() and self.file is not None:
            # SQLite forbids both using and closing a connection in a fork; the reference prevents its closing.
            self._of_parent = self._connection
            self._open()
        return self._connection

    def get(self, fingerprint: str, query_ids: Sequence[str]) -> dict[str, Answer]:
        """The stored answers, by query id."""
        with self._reading():
            return {
                key[_MODEL_DIGITS:]: answer for key, (answer, _) in self._rows(_keys(fingerprint, query_ids)).items()
            }

    def count(self) -> int:
        """The number of stored answers."""
        with self._reading() as db:
            return int(db.execute("select count(*) from answers").fetchone()[0])

    def use(self, fingerprint: str, query_ids: Sequence[str]) -> CachedAnswers:
        """The stored answers, which this run needs now."""
        keys = _keys(fingerprint, query_ids)
        with self._reading():
            rows = self._rows(keys)
        if all(run == self.run.id for _, run in rows.values()):  # nothing to mark, so no write lock
            return CachedAnswers({key[_MODEL_DIGITS:]: answer for key, (answer, _) in rows.items()}, 0)
        with self._writing() as db:
            return self._used(db, rows)

    def lease(self, fingerprint: str, query_ids: Sequence[str]) -> tuple[CachedAnswers, list[str]]:
        """Looks queries up again, and leases those without an answer: returns the answers, and the ids leased.

        Other processes hold the remaining ones; a store that is not shared leases all.
        """
        if self._leases is None:
            return CachedAnswers({}, 0), list(query_ids)  # the caller has looked them up
        keys = _keys(fingerprint, query_ids)
        answers: dict[str, Answer] = {}
        leased: list[str] = []
        cached = 0
        # In chunks of one transaction each: other processes can write between them.
        for start in range(0, len(keys), _CHUNK):
            some = keys[start : start + _CHUNK]
            with self._writing() as db:
                rows = self._rows(some)
                leased += self._leases.take(db, [key for key in some if key not in rows])
                found = self._used(db, rows)
                answers |= found.answers
                cached += found.cached
        return CachedAnswers(answers, cached), [key[_MODEL_DIGITS:] for key in leased]

    def released(self, fingerprint: str, query_ids: Sequence[str]) -> list[str]:
        """The queries that no other live process leases: they were answered, or their leases ended."""
        keys = _keys(fingerprint, query_ids)
        with self._reading() as db:
            held: set[str] = set()
            if self._leases is not None:
                for start in range(0, len(keys), _CHUNK):
                    held |= self._leases.held(db, keys[start : start + _CHUNK])
        return [key[_MODEL_DIGITS:] for key in keys if key not in held]

    def release(self, fingerprint: str, query_ids: Sequence[str]) -> None:
        """Releases the leases of queries without an answer."""
        if self._leases is not None and self._leases.was_used and query_ids:
            with self._writing() as db:
                self._leases.release(db, _keys(fingerprint, query_ids))

    def put(self, fingerprint: str, answers: Mapping[str, Answer]) -> None:
        """Stores answers by query id, and releases their leases; a stored answer is not replaced."""
        of_model = digest(fingerprint)
        rows = [
            (
                of_model + query_id,
                answer.text,
                json.dumps(answer.scores) if answer.scores else None,
                answer.truncated,
                self.run.id,
                json.dumps([answer.declined, *answer.unknown_words]) if answer.declined else "",
                answer.tokens_in,
                answer.tokens_out,
                answer.cost,
            )
            for query_id, answer in answers.items()
        ]
        with self._writing() as db:
            columns = "key, text, scores, truncated, run, declined, tokens_in, tokens_out, cost"
            # That comes of an adapter or an older server, not of the model: after an update the query is sent
            # again.
            kept = [row for row, answer in zip(rows, answers.values(), strict=True) if not is_of_adapter(answer)]
            db.executemany(f"insert or ignore into answers ({columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)", kept)
            if self._leases is not None:
                self._leases.release(db, [str(row[0]) for row in rows])

    def keep_case(self, case_id: str, row: str) -> None:
        """Stores a case that reports preview, as its line of ``cases.jsonl``, so that it can be replayed."""
        with self._writing() as db:
            db.execute("insert or replace into cases values (?, ?)", (case_id, row))

    def keep_item(self, key: str, item: bytes, cases: bytes | None) -> None:
        """Stores what an item found, and the lines of its cases if they were written."""
        with self._writing() as db:
            db.execute("insert or replace into items values (?, ?, ?)", (key, item, cases))
            # A change of the code or of an option leaves rows behind that no run takes again: the oldest go.
            db.execute("delete from items where rowid <= (select max(rowid) from items) - ?", (_MOST_ITEMS,))

    def item(self, key: str) -> tuple[bytes | None, bytes | None]:
        """What ``keep_item`` stored; None twice for another key."""
        with self._reading() as db:
            found = db.execute("select item, cases from items where key = ?", (key,)).fetchone()
        return found or (None, None)

    def recall(self, fingerprint: str, query_ids: Sequence[str]) -> int | None:
        """Marks the answers to distinct queries as ``use`` does, and returns how many this run uses for the first time.

        None, and no mark, if an answer is missing.
        """
        keys = _keys(fingerprint, query_ids)
        runs: dict[str, str] = {}
        with self._reading() as db:
            for start in range(0, len(keys), _CHUNK):
                some = keys[start : start + _CHUNK]
                runs |= dict(db.execute(f"select key, run from answers where key in ({_marks(some)})", some))
        if len(runs) < len(keys):
            return None
        of_earlier = [key for key, run in runs.items() if run != self.run.id]
        if not of_earlier:  # nothing to mark, so no write lock
            return 0
        with self._writing() as db:
            return self._marked(db, of_earlier)

    def cases(self, beginning: str) -> dict[str, str]:
        """The stored lines of the cases whose ids begin so, by id."""
        found = "select id, row from cases where substr(id, 1, ?) = ? order by id"
        with self._reading() as db:
            return dict(db.execute(found, (len(beginning), beginning)).fetchall())

    def close(self) -> None:
        """Releases all leases and closes the file."""
        if self._process != os.getpid():
            # A fork: the leases and the connection are those of its parent, which still runs.
            return
        if self._leases is not None and self._leases.was_used:
            self._leases.stop()
            with suppress(VqamtError), self._reading() as db:  # if this fails, the leases expire
                db.execute(f"pragma busy_timeout = {_BUSY_TIMEOUT_AT_END_MS}")
                with self._writing():
                    self._leases.release_for_good(db)
        with self._lock:  # another thread may be in the midst of a statement
            self._connection.close()

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _rows(self, keys: Sequence[str]) -> dict[str, tuple[Answer, str]]:
        """The stored answers and the runs they are marked with, by key."""
        found: dict[str, tuple[Answer, str]] = {}
        for start in range(0, len(keys), _CHUNK):
            some = keys[start : start + _CHUNK]
            columns = "key, run, text, scores, truncated, declined, tokens_in, tokens_out, cost"
            wanted = f"select {columns} from answers where key in ({_marks(some)})"
            for key, run, text, scores, truncated, declined, *taken in self._db.execute(wanted, some):
                reason, *words = json.loads(declined) if declined else ("",)
                found[key] = Answer(text, _scores(scores), bool(truncated), reason, tuple(words), *taken), run
        return found

    def _used(self, db: sqlite3.Connection, rows: Mapping[str, tuple[Answer, str]]) -> CachedAnswers:
        """Marks and counts the answers that this run uses for the first time; another process may have been quicker."""
        marked = self._marked(db, [key for key, (_, run) in rows.items() if run != self.run.id])
        return CachedAnswers({key[_MODEL_DIGITS:]: answer for key, (answer, _) in rows.items()}, marked)

    def _marked(self, db: sqlite3.Connection, of_earlier: Sequence[str]) -> int:
        """Marks answers as used by this run, and returns how many it is the first to mark."""
        marked = 0
        for start in range(0, len(of_earlier), _CHUNK):
            some = of_earlier[start : start + _CHUNK]
            # `run != ?` again, in the transaction: of two processes that read the same rows, one counts them.
            mark = f"update answers set run = ? where key in ({_marks(some)}) and run != ?"
            marked += db.execute(mark, (self.run.id, *some, self.run.id)).rowcount
        return marked

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                # ValueError: a text in the file that is no JSON or no number.
                yield self._db
            except (sqlite3.Error, ValueError) as error:
                raise self._unusable(error) from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as db:
            try:
                db.execute("begin immediate")
                yield db
                db.execute("commit")
            finally:
                with suppress(sqlite3.ProgrammingError):  # the connection is closed: nothing to roll back
                    if db.in_transaction:  # an exception, or an interruption
                        db.rollback()

    def _unusable(self, error: Exception) -> VqamtError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest is detail (https://sqlite.org/rescode.html)
        advice = _ADVICE.get(code, "delete it" if os.path.lexists(self.file or "") else _CHECK_ACCESS)
        return VqamtError(
            f"Expected an answer cache that can be read and written, but got file={str(self.file)!r} ({error}): "
            f"{advice}, name another with {option('cache')}, or do without by {option('no-cache')}"
        )


def _keys(fingerprint: str, query_ids: Sequence[str]) -> list[str]:
    of_model = digest(fingerprint)
    return [of_model + query_id for query_id in query_ids]


def _marks(keys: Sequence[str]) -> str:
    return ",".join("?" * len(keys))


def _scores(text: str | None) -> tuple[tuple[str, float], ...] | None:
    return tuple((name, float(score)) for name, score in json.loads(text)) if text else None


def _close_in(process: int, db: sqlite3.Connection) -> None:
    """Closes the connection of a store that nobody has closed, in the process that opened it and not in a fork."""
    if os.getpid() == process:
        db.close()


def open_database(file: Path | None) -> sqlite3.Connection:
    """Opens the database, and creates its tables; without a file it is temporary.

    Raises:
        OSError, sqlite3.Error: the file cannot be opened, or is no database.
    """
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file or "", timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    try:
        # Nobody else reads a temporary database, and it need not survive a crash: no journal on disk.
        if file is None:
            db.execute("pragma journal_mode = memory")
        else:
            _write_ahead(db)
            # In WAL mode this is safe against crashes of the process; only a power failure loses the last batches.
            db.execute("pragma synchronous = normal")
        db.executescript(_TABLES)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switches to WAL mode. Of two processes that do so at once, SQLite lets one fail without waiting."""
    deadline = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            db.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


class AnswerStores:
    """A persistent store in ``cache_dir`` for models that declare a fingerprint, and one that lasts for this run."""

    def __init__(self, cache_dir: Path | None, run: RunProcess | None = None) -> None:
        self._run = run or RunProcess()
        self._temporary = self._run.folder and self._run.folder / ANSWERS_FILE
        # Without a cache, a run of several processes still shares its answers, in the folder of the run.
        self._persistent = self._temporary if cache_dir is None else cache_dir / ANSWERS_FILE
        self._keeps = cache_dir is not None
        self._open: dict[Path | None, AnswerStore] = {}

    def of(self, model: LoadedModel) -> AnswerStore:
        """The store of the answers of ``model``."""
        return self._at(self._persistent if model.persistent else self._temporary)

    def kept(self, model: LoadedModel) -> AnswerStore | None:
        """The store that also keeps what items found; None where answers last no longer than the run."""
        return self.of(model) if self._keeps and model.persistent else None

    @property
    def of_shown_cases(self) -> AnswerStore:
        """The store of the cases that reports preview."""
        return self._at(self._persistent)

    def close(self) -> None:
        for store in self._open.values():
            store.close()

    def _at(self, file: Path | None) -> AnswerStore:
        if file not in self._open:
            self._open[file] = AnswerStore(file, run=self._run)
        return self._open[file]
