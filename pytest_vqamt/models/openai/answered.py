"""What the server has answered and the run has not kept yet, so that none of it is asked for twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import digest

_WAIT_S = 60
"""How long to wait for another process that is writing."""

_AT_ONCE = 900
"""Names in one statement: SQLite took no more than 999 variables for a long time."""

_TABLE = "create table if not exists answered (name text primary key, text text not null) without rowid"


class Answered:
    """Texts by query id, of one model. A run keeps whole batches: this holds the answers until theirs is complete.

    With a file, they outlive the process, and any other process finds them there. It is nearly empty between runs.
    """

    def __init__(self, file: Path | None, fingerprint: str) -> None:
        self._file = file
        self._model = digest(fingerprint)
        self._lock = Lock()
        try:
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                file or ":memory:", timeout=_WAIT_S, isolation_level=None, check_same_thread=False
            )
            # A power cut may cost it; that costs no more than the few answers that are in here.
            self._db.execute("pragma synchronous = off")
            with self._db:
                self._db.execute("begin immediate")  # or two that find no table at once would both make it
                self._db.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def get(self, query_ids: Sequence[str]) -> dict[str, str]:
        """The texts there are."""
        found: dict[str, str] = {}
        try:
            for start in range(0, len(query_ids), _AT_ONCE):
                names = [self._model + query_id for query_id in query_ids[start : start + _AT_ONCE]]
                marks = ",".join("?" * len(names))
                with self._lock:
                    rows = self._db.execute(f"select * from answered where name in ({marks})", names).fetchall()
                found.update((str(name).removeprefix(self._model), str(text)) for name, text in rows)
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return found

    def add(self, query_id: str, text: str) -> None:
        """Keeps an answer. Several threads may do so at once."""
        self._write("insert or replace into answered values (?, ?)", [(self._model + query_id, text)])

    def drop(self, query_ids: Iterable[str]) -> None:
        """Forgets what the run has kept itself."""
        self._write("delete from answered where name = ?", [(self._model + query_id,) for query_id in query_ids])

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _write(self, statement: str, rows: Sequence[tuple[str, ...]]) -> None:
        if not rows:
            return
        try:
            with self._lock, self._db:  # which ends the transaction, whatever happens
                self._db.execute("begin immediate")
                self._db.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> ModelError:
        return ModelError(
            f"Expected a file that can be read and written, but got file={str(self._file)!r} ({error}): delete it, "
            "name another folder with --vqamt-cache, or do without by --vqamt-no-cache"
        )
