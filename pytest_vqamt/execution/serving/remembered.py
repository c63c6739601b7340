"""What the model has answered since the server was started, so that it is asked nothing twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_vqamt.core.query import Answer

MOST = 2_000_000
"""So many answers are kept, some 100 to 300 bytes each on disk."""

_AT_ONCE = 900
"""Keys in one statement: SQLite took no more than 999 variables for a long time."""

_TABLE = "create table if not exists answers (key text primary key, text text not null, scores text, truncated integer)"

_FORGET = "delete from answers where rowid in (select rowid from answers order by rowid limit ?)"


class Remembered:
    """Answers by key in a file of the server's folder; the oldest go where there are more than ``most``.

    They outlive the process that put them there: a door that is started anew goes on with them. Used from one thread at
    a time.
    """

    def __init__(self, file: Path, *, most: int = MOST) -> None:
        self._most = most
        self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        # The file goes with the server, so nothing need be safe on disk should the machine stop.
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = off")
        self._db.execute(_TABLE)
        (self._count,) = self._db.execute("select count(*) from answers").fetchone()

    def __len__(self) -> int:
        return int(self._count)

    def get(self, keys: Sequence[str]) -> dict[str, Answer]:
        """The answers there are, by key."""
        found: dict[str, Answer] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            wanted = f"select key, text, scores, truncated from answers where key in ({marks})"
            for key, text, scores, truncated in self._db.execute(wanted, some):
                found[key] = Answer(text, _scores(scores), bool(truncated))
        return found

    def put(self, answers: Mapping[str, Answer]) -> None:
        """Keeps answers; one that is there already stays.

        Raises:
            sqlite3.Error: they cannot be written, as on a disk that is full; none of them is kept then.
        """
        rows = [
            (key, answer.text, None if answer.scores is None else json.dumps(answer.scores), answer.truncated)
            for key, answer in answers.items()
        ]
        count = self._count
        self._db.execute("begin")
        try:
            count += max(0, self._db.executemany("insert or ignore into answers values (?, ?, ?, ?)", rows).rowcount)
            if (over := count - self._most) > 0:
                self._db.execute(_FORGET, [over])
                count -= over
            self._db.execute("commit")
        except sqlite3.Error:
            if self._db.in_transaction:  # some errors have ended it
                self._db.execute("rollback")
            raise
        self._count = count

    def close(self) -> None:
        self._db.close()


def _scores(text: str | None) -> tuple[tuple[str, float], ...] | None:
    return None if text is None else tuple((name, score) for name, score in json.loads(text))
