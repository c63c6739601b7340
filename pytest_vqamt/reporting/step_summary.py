"""The summary of a run in that of a CI job: GitHub shows what a step has written into the file it names."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.markdown import code
from pytest_vqamt.reporting.summary_page import BYTES_AT_MOST, summary_page

VARIABLE = "GITHUB_STEP_SUMMARY"


def append_step_summary(report: Report, folder: Path | None) -> str:
    """Appends the summary to the file that ``GITHUB_STEP_SUMMARY`` names; does nothing where the variable is not set.

    To be called once a run, by the one process that has the whole report, with or without a ``folder`` that the report
    was written to. Gives what went wrong, in a line, "" where nothing did: a run is not worse for it.
    """
    named = os.environ.get(VARIABLE, "")
    if not named:
        return ""
    file = Path(named)
    try:
        before = file.stat().st_size if file.exists() else 0
        room = BYTES_AT_MOST - before - 1
        text = summary_page(report, whole=_where(folder), room=room)
        if not text:
            return f"the summary was not added to {VARIABLE}={named!r}: it is full"
        with file.open("a", encoding="utf-8") as summaries:
            summaries.write(f"\n{text}" if before else text)
    except OSError as error:
        return f"the summary was not added to {VARIABLE}={named!r}: {error}"
    return ""


def _where(folder: Path | None) -> str:
    if folder is None:
        return "No report was written: with `--vqamt-report=DIR` there is one, with each violation and its pictures."
    return (
        "The whole report, with each violation and its pictures, is `report.html` in the folder "
        f"{code(folder.name)} of `--vqamt-report`: keep it as an artifact of this job to look at it."
    )
