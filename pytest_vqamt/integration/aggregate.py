"""What a session hears of its items, from this process or from xdist's workers, and the report that it makes of it."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.report_json import model_from_row, result_from_worker_row
from pytest_vqamt.core.results import BaselineUse, ModelUse, RelationResult, Report, build_report, order_results
from pytest_vqamt.execution.baseline import baseline_use
from pytest_vqamt.integration.waivers import stale_waivers_note
from pytest_vqamt.reporting.atomic_write import REPORT_FILE
from pytest_vqamt.reporting.cases import remove_parts
from pytest_vqamt.reporting.files import PAGE, write_files
from pytest_vqamt.reporting.markdown import append_step_summary
from pytest_vqamt.reporting.terminal import summary
from pytest_vqamt.stats.gates import with_baseline_gates
from pytest_vqamt.stats.model_ranking import differences, rankings
from pytest_vqamt.stats.papers import coverage_tables, summaries

if TYPE_CHECKING:
    from pytest_vqamt.execution.baseline import Baseline
    from pytest_vqamt.integration.resources import Resources
    from pytest_vqamt.integration.settings import Settings


_OF_A_CRASH = "???"
"""What xdist says a report is about that it writes for a worker that died."""


@dataclass(slots=True)
class ResultCollector:
    """What test reports have told.

    Attributes:
        results: of the items that were run, as they came.
        spent: what models were asked for items that have no result.
        failed: the ids of items that could not be run.
        blessed: the ids of the blessed items that were run, or were to be.
        replayed: what came of cases that were asked again.
        waived: the ids of cases that were waived.
    """

    results: list[RelationResult] = field(default_factory=list)
    spent: list[ModelUse] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    blessed: set[str] = field(default_factory=set)
    replayed: list[str] = field(default_factory=list)
    waived: set[str] = field(default_factory=set)

    def hear(self, made: pytest.TestReport) -> None:
        """Takes what a test report carries."""
        told: dict[str, Json] = getattr(made, "vqamt", {})
        if "result" in told:
            self.results.append(result_from_worker_row(cast("dict[str, Json]", told["result"])))
        if "spent" in told:
            self.spent.append(model_from_row(cast("dict[str, Json]", told["spent"])))
        if "failed" in told or made.when == _OF_A_CRASH:
            self.failed.append(made.nodeid)
        if "blessed" in told:
            self.blessed.add(str(told["blessed"]))
        self.waived.update(cast("list[str]", told.get("waived") or []))
        if "replay" in told:
            self.replayed.append(str(told["replay"]))

    def held(self, max_drop: float) -> tuple[RelationResult, ...]:
        """The results in the order of the run, held against what was blessed."""
        return with_baseline_gates(order_results(self.results), max_drop)

    def missing(self, settings: Settings, baseline: Baseline | None) -> tuple[str, ...]:
        """The blessed items that were not run, where any was."""
        if baseline is None or not (self.results or self.failed):
            return ()
        return self._use_of(baseline, self.held(settings.max_drop), settings).missing

    def report(
        self, settings: Settings, baseline: Baseline | None, *, started: str, duration_s: float, complete: bool
    ) -> Report:
        """The report of all that was heard; not ``complete`` where an item failed, either."""
        sampling = settings.terms.sampling
        held = self.held(settings.max_drop)
        return build_report(
            self._all_but(held),
            vqamt_version=version("pytest-vqamt"),
            seed=sampling.seed,
            sampler=sampling.sampler.value,
            max_cases=sampling.max_cases,
            shard=sampling.shard,
            started=started,
            duration_s=duration_s,
            complete=complete and not self.failed,
            settings=settings.relation_settings,
            coverage=coverage_tables(held),
            summaries=summaries(held),
            baseline=None if baseline is None else self._use_of(baseline, held, settings),
            ranking=rankings(held),
            differences=differences(held),
            waived=settings.terms.waived,
            spent=self.spent,
        )

    def _use_of(self, baseline: Baseline, held: Sequence[RelationResult], settings: Settings) -> BaselineUse:
        wanted = settings.only or settings.relations  # whoever names items misses no others
        return baseline_use(baseline, held, self.blessed, wanted, settings.excluded)

    def _all_but(self, held: Sequence[RelationResult]) -> list[RelationResult]:
        """All results, as they came, the first of each item as it was held against what was blessed."""
        left = {result.position: result for result in held}
        return [left.pop(result.position, result) for result in self.results]


def missing_baseline_hint(baseline: Path, report: Path | None) -> str:
    """How a baseline is made where there is none."""
    file = _shown(baseline)
    told = f"there is no baseline yet, so nothing was held against {file}: make it with"
    if report is not None:
        return f"{told} `vqamt bless {_shown(report)} -o {file}`"
    return f"{told} --vqamt-report=DIR and `vqamt bless DIR -o {file}`"


def _shown(path: Path) -> Path:
    """The path as it can be typed in the current folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


class SessionReport:
    """Made when the session begins, which is where its time counts from."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._settings = resources.settings
        self._started = datetime.now(UTC)
        self._clock = time.monotonic()
        self._report: Report | None = None
        self._remarks: list[str] = []
        self._trouble = ""

    def finish(self, session: pytest.Session, heard: ResultCollector, *, complete: bool) -> None:
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
            whole = (folder / REPORT_FILE).is_file()  # an older one is not: it was removed before anything was asked
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
            reporter.write_line(missing_baseline_hint(settings.baseline, settings.report))
        whole = report.complete and settings.terms.sampling.is_whole and not settings.only
        if whole and (stale := stale_waivers_note(settings.terms.waived, waived)):
            reporter.write_line(stale)
        for remark in self._remarks:
            reporter.write_line(remark)


def _from_here(file: Path) -> Path:
    """The file as it is called from the current folder, where it is below it."""
    here = Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file
