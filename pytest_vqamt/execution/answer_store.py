"""The answer cache: every answer that a model gave, so that nothing is asked twice."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.hashing import digest
from pytest_vqamt.core.query import Answer

_WAIT_S = 60
"""How long to wait for another process that is writing."""

_AT_ONCE = 900
"""Keys in one statement: SQLite took no more than 999 variables for a long time."""

_TABLES = """
create table if not exists answers (
    key text primary key, text text not null, scores text, truncated integer not null default 0
) without rowid;
create table if not exists cases (id text primary key, row text not null) without rowid;
"""


class AnswerStore:
    """Answers in an SQLite file, found by model fingerprint and query id; also the cases that people were shown.

    Several processes may use one file: it is in WAL mode and waits for its turn. A batch is written in one transaction,
    so that what was answered before a crash is there after it. Without a file it is a database that SQLite keeps in
    memory, and on disk what is too much for that; it is gone when it is closed.
    """

    def __init__(self, file: Path | None) -> None:
        self.file = file
        try:
            self._db = _opened(file)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def get(self, fingerprint: str, query_ids: Sequence[str]) -> dict[str, Answer]:
        """The answers there are, by query id."""
        of_model = digest(fingerprint)
        found: dict[str, Answer] = {}
        try:
            for start in range(0, len(query_ids), _AT_ONCE):
                keys = [of_model + query_id for query_id in query_ids[start : start + _AT_ONCE]]
                marks = ",".join("?" * len(keys))
                wanted = f"select key, text, scores, truncated from answers where key in ({marks})"
                for key, text, scores, truncated in self._db.execute(wanted, keys):
                    found[key.removeprefix(of_model)] = Answer(text, _scores(scores), bool(truncated))
        except (sqlite3.Error, ValueError) as error:
            raise self._unusable(error) from error
        return found

    def put(self, fingerprint: str, answers: Mapping[str, Answer]) -> None:
        """Keep answers by query id; one that is there already stays."""
        of_model = digest(fingerprint)
        rows = [
            (of_model + query_id, answer.text, json.dumps(answer.scores) if answer.scores else None, answer.truncated)
            for query_id, answer in answers.items()
        ]
        self._write("insert or ignore into answers (key, text, scores, truncated) values (?, ?, ?, ?)", rows)

    def keep_case(self, case_id: str, row: str) -> None:
        """Keep a case that people were shown, as its line of ``cases.jsonl``, so that it can be replayed."""
        self._write("insert or replace into cases values (?, ?)", [(case_id, row)])

    def case(self, case_id: str) -> str | None:
        """The line kept for a case, or None."""
        try:
            row: tuple[str] | None = self._db.execute("select row from cases where id = ?", (case_id,)).fetchone()
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return row[0] if row else None

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, statement: str, rows: Iterable[tuple[str | bool | None, ...]]) -> None:
        try:
            self._db.execute("begin immediate")
            self._db.executemany(statement, rows)
            self._db.execute("commit")
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        finally:
            with suppress(sqlite3.ProgrammingError):  # the connection is closed, so there is nothing to take back
                if self._db.in_transaction:  # something was raised half-way, be it an interruption
                    self._db.rollback()

    def _unusable(self, error: Exception) -> VqamtError:
        to_do = "free some space" if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL else "delete it"
        return VqamtError(
            f"Expected an answer cache that can be read and written, but got file={str(self.file)!r} ({error}): "
            f"{to_do}, name another with --vqamt-cache, or do without by --vqamt-no-cache"
        )


def _opened(file: Path | None) -> sqlite3.Connection:
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
    if "key" in columns and "truncated" not in columns:
        with suppress(sqlite3.OperationalError):
            db.execute("alter table answers add column truncated integer not null default 0")


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


def _scores(text: str | None) -> tuple[tuple[str, float], ...] | None:
    return tuple((name, float(score)) for name, score in json.loads(text)) if text else None
