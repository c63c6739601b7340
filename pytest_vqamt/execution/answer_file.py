"""The file in which answers are kept: how it is opened, and what is in it."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from pytest_vqamt.execution.leases import TABLES as CLAIMS

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


def opened(file: Path | None) -> sqlite3.Connection:
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
