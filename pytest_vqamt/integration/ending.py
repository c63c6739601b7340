"""How a session ends: its report put together, written, and shown below the tests."""

from __future__ import annotations

import time
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.results import Report
from pytest_vqamt.integration.aggregate import Heard
from pytest_vqamt.integration.baseline_wording import none_yet
from pytest_vqamt.integration.waivers import of_no_case
from pytest_vqamt.reporting.atomic_write import FILE
from pytest_vqamt.reporting.cases import remove_parts
from pytest_vqamt.reporting.files import PAGE, write_files
from pytest_vqamt.reporting.markdown import append_step_summary
from pytest_vqamt.reporting.terminal import summary

if TYPE_CHECKING:
    from pytest_vqamt.integration.resources import Resources


class Ending:
    """Made when the session begins, which is where its time counts from."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._settings = resources.settings
        self._started = datetime.now(UTC)
        self._clock = time.monotonic()
        self._report: Report | None = None
        self._remarks: list[str] = []
        self._trouble = ""

    def finish(self, session: pytest.Session, heard: Heard, *, complete: bool) -> None:
        """Puts the report together and writes it where it is wanted; ``complete`` as far as the session can tell."""
        try:
            self._report = heard.report(
                self._settings,
                self._resources.baseline,
                started=self._started.isoformat(timespec="seconds"),
                duration_s=time.monotonic() - self._clock,
                complete=complete,
            )
        except VqamtError as error:
            self._fail(session, f"no report was made. {error}")
            if self._settings.report:
                remove_parts(self._settings.report)
            return
        if self._settings.report:
            self._write(self._report, self._settings.report, session)
        if left_out := append_step_summary(self._report, self._settings.report):
            self._remarks.append(left_out)

    def _write(self, report: Report, folder: Path, session: pytest.Session) -> None:
        try:
            write_files(
                report,
                folder,
                source_of=self._resources.source_of,
                images=self._settings.report_images,
                cases_name=self._settings.cases_name,
            )
            self._remarks.append(f"report: {_from_here(folder / PAGE)}")
        except VqamtError as error:
            whole = (folder / FILE).is_file()  # an older one is not: it was removed before anything was asked
            self._fail(session, f"{'' if whole else 'no report was written. '}{error}")

    def _fail(self, session: pytest.Session, trouble: str) -> None:
        self._trouble = f"ERROR: {trouble}"
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def show(self, reporter: pytest.TerminalReporter, waived: Collection[str], *, in_full: bool) -> None:
        """The summary, where there is a report; ``waived`` are the ids of the cases of this run that were waived."""
        if self._report is None and not self._trouble:
            return
        reporter.section("vqamt: consistency")
        if self._report is not None:
            self._show(reporter, self._report, waived, in_full=in_full)
        if self._trouble:
            reporter.write_line(self._trouble, red=True)

    def _show(
        self, reporter: pytest.TerminalReporter, report: Report, waived: Collection[str], *, in_full: bool
    ) -> None:
        settings = self._settings
        for line in summary(report, settings.again, in_full=in_full):
            reporter.write_line(line)
        if settings.baseline and not report.baseline:
            reporter.write_line(none_yet(settings.baseline, settings.report))
        whole = report.complete and settings.terms.sampling.is_whole and not settings.only
        if whole and (stale := of_no_case(settings.terms.waived, waived)):
            reporter.write_line(stale)
        for remark in self._remarks:
            reporter.write_line(remark)


def _from_here(file: Path) -> Path:
    """The file as it is called from the current folder, where it is below it."""
    here = Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file
