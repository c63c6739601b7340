"""Sessions that ended without their report: a model ended the process (``os._exit``), or it was killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pytest_vqamt.core.plain_text import shown

_FOLDER = "sessions"


def begin_session(cache: Path | None, report: Path | None) -> Path | None:
    """Notes beside the answers that this process runs a session; returns the note, which its end removes."""
    if cache is None:
        return None
    note = cache / _FOLDER / str(os.getpid())
    with suppress(OSError):  # a full disk is told where answers are stored
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC\n{report or ''}\n", encoding="utf-8")
    return note


def lost_sessions(cache: Path | None) -> Iterator[str]:
    """A line for each session whose process is gone and whose note is there; the notes are removed."""
    for note in sorted((cache / _FOLDER).glob("[0-9]*")) if cache else ():
        with suppress(OSError, ValueError):
            if _runs(int(note.name)):
                continue
            began, report, *_ = f"{note.read_text(encoding='utf-8')}\n\n".split("\n")
            note.unlink()
            where = f" {shown(report)}" if report else ""
            yield (
                f"vqamt: the session of {shown(began)} ended without its report{where}: its process was killed, or a "
                "model ended it. What was answered is kept. On CI, check that report.json is there, too: such a "
                "process may end with status 0"
            )


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
