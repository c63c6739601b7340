"""``report.json``, written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_vqamt.core.report_json import report_row
from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.atomic_write import Beside, unusable

FILE = "report.json"


def write_report(report: Report, folder: Path) -> Path:
    """Writes ``report.json`` into ``folder``; an older one is replaced in one step.

    Raises:
        VqamtError: the folder cannot be written to.
    """
    return replace_file(folder / FILE, report_text(report))


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
        with Beside(file) as new:
            new.path.write_text(text, encoding="utf-8")
            new.put()
    except OSError as error:
        raise unusable(file.parent, error) from error
    return file
