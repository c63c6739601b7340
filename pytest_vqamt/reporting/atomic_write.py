"""A file in the making, beside the one whose place it takes: a reader finds the old one or the new one, never half."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from types import TracebackType

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.report_json import report_row
from pytest_vqamt.core.results import Report

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class AtomicFile:
    """Written at ``path``, and put in the place of ``file`` in one step; removed where it was not put there."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.path = _temporary_path(file, str(os.getpid()))

    def put(self) -> None:
        """Puts it in the place of the file.

        Raises:
            OSError: it cannot be done; the file is as it was.
        """
        self.path.replace(self.file)

    def __enter__(self) -> AtomicFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.path.unlink(missing_ok=True)


def remove_leftovers(file: Path) -> None:
    """Removes what processes that were killed had begun to write in the place of ``file``.

    Raises:
        OSError: it cannot be removed.
    """
    for left in file.parent.glob(_temporary_path(file, "*").name):
        left.unlink(missing_ok=True)


def unwritable_folder(folder: Path, error: OSError) -> VqamtError:
    """What to say where a file of a report cannot be written into ``folder``."""
    hint = "; free some space and run again: no answer that was kept is asked for again" if error.errno in _FULL else ""
    return VqamtError(
        f"Expected a folder that can be written to, but got --vqamt-report={str(folder)!r}: {error}{hint}"
    )


def _temporary_path(file: Path, process: str) -> Path:
    return file.with_name(f".{file.name}.{process}")


REPORT_FILE = "report.json"


def write_report(report: Report, folder: Path) -> Path:
    """Writes ``report.json`` into ``folder``; an older one is replaced in one step.

    Raises:
        VqamtError: the folder cannot be written to.
    """
    return replace_file(folder / REPORT_FILE, report_text(report))


def report_text(report: Report) -> str:
    """The whole of ``report.json``."""
    return json.dumps(report_row(report), ensure_ascii=False, indent=1) + "\n"


def replace_file(file: Path, text: str) -> Path:
    """Writes ``text`` beside ``file`` and puts it in its place, so that a reader sees the old one or the new one.

    Raises:
        VqamtError: the folder cannot be written to.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with AtomicFile(file) as new:
            new.path.write_text(text, encoding="utf-8")
            new.put()
    except OSError as error:
        raise unwritable_folder(file.parent, error) from error
    return file
