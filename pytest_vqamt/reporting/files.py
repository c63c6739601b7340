"""All files of a report."""

from __future__ import annotations

from pathlib import Path

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.cases_file import join_parts
from pytest_vqamt.reporting.json_file import write_report


def write_files(report: Report, folder: Path) -> None:
    """Writes ``cases.jsonl`` and ``report.json`` into ``folder``, each in one step, and both of the same items.

    Raises:
        VqamtError: the folder cannot be written to, or another session has written into it at the same time.
    """
    written = join_parts(folder, [result.position for result in report.relations])
    judged = sum(result.all_cases for result in report.relations)
    if written != judged:
        raise VqamtError(
            f"Expected {judged} lines in cases.jsonl, but got {written}: has another session written into "
            f"--vqamt-report={str(folder)!r}?"
        )
    write_report(report, folder)
