"""``report.json``, written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.result_rows import report_row
from pytest_vqamt.core.results import Report

FILE = "report.json"


def write_report(report: Report, folder: Path) -> Path:
    """Writes ``report.json`` into ``folder``; an older one is replaced in one step.

    Raises:
        VqamtError: the folder cannot be written to.
    """
    text = json.dumps(report_row(report), ensure_ascii=False, indent=1) + "\n"
    return replace_file(folder / FILE, text)


def replace_file(file: Path, text: str) -> Path:
    """Writes ``text`` beside ``file`` and puts it in its place, so that a reader sees the old one or the new one."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
    except OSError as error:
        raise VqamtError(
            f"Expected a folder that can be written to, but got --vqamt-report={str(file.parent)!r}: {error}"
        ) from error
    return file
