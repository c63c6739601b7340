"""Files of a report that appear whole or not at all."""

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
    """A temporary file at ``path`` that ``commit`` moves to ``file`` in one step; removed if it was not committed."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.path = _temporary_path(file, str(os.getpid()))

    def commit(self) -> None:
        """Replaces the file.

        Raises:
            OSError: the file cannot be replaced, and is unchanged.
        """
        self.path.replace(self.file)

    def __enter__(self) -> AtomicFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.path.unlink(missing_ok=True)


def remove_leftovers(file: Path) -> None:
    """Removes temporary files of ``file`` that killed processes left.

    Raises:
        OSError: one cannot be removed.
    """
    for left in file.parent.glob(_temporary_path(file, "*").name):
        left.unlink(missing_ok=True)


def unwritable_folder(folder: Path, error: OSError) -> VqamtError:
    """The error of a report folder that cannot be written to."""
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
    """Replaces ``file`` by ``text`` in one step: readers see the old text or the new one.

    Raises:
        VqamtError: the folder cannot be written to.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with AtomicFile(file) as new:
            new.path.write_text(text, encoding="utf-8")
            new.commit()
    except OSError as error:
        raise unwritable_folder(file.parent, error) from error
    return file
