"""Collects the results of items, from this process or xdist's workers, and makes the report of the session."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import VqamtError, from_here
from pytest_vqamt.core.report_json import REPORT_FILE
from pytest_vqamt.core.results import ModelUse, RelationResult, Report, ViolationPreview
from pytest_vqamt.core.text import count_noun, shown
from pytest_vqamt.execution.answer_cache import ANSWERS_FILE
from pytest_vqamt.integration.waivers import stale_waivers_note
from pytest_vqamt.reporting.case_writer import remove_parts
from pytest_vqamt.reporting.item_messages import replay_command
from pytest_vqamt.reporting.terminal import (
    LINES,
    SummaryLength,
    SummaryLine,
    brief_summary,
    paper_lines,
    short_summary,
    summary,
)
from pytest_vqamt.reporting.view.headline import LONGEST_FAILURE, ungated_line, untested_line

if TYPE_CHECKING:
    from pytest_vqamt.execution.resources import Resources
    from pytest_vqamt.integration.settings import Settings


CRASH_PHASE = "???"
"""The ``when`` of the test report that xdist makes for a worker that crashed."""


REPORT_ATTRIBUTE = "vqamt"
"""The attribute of a test report that holds its ``ItemOutcome``; a JSON object while the report is serialised."""

_MARKUP: Mapping[str, dict[str, bool]] = {
    "": {},
    "met": {"green": True},
    "missed": {"red": True, "bold": True},
    "warning": {"yellow": True},
}

_SHORT_ID = 8
"""The characters of an id in commands: ``vqamt replay`` takes the beginning of one."""

_DEPTH = 2
"""How many folders below the current one ``vqamt replay`` looks for reports."""


@dataclass(slots=True)
class ItemOutcome:
    """The data that an item attaches to its test report."""

    result: RelationResult | None = None
    """None for an item that ended in an error, and for a replay."""
    spent: ModelUse | None = None
    """The model use of an item without a result."""
    failed: bool = False
    """True if the item could not be run."""
    failure: str = ""
    """Why it could not, in one line, where that is known."""
    baseline: str = ""
    """The id of the baseline's item."""
    waived: list[str] = field(default_factory=list)
    """The ids of waived cases."""
    replay: str = ""
    """The output of a replayed case."""
    placement: str = ""
    """The model, and where it computes."""


@dataclass(slots=True)
class ResultCollector:
    """Collects what test reports carry."""

    results: list[RelationResult] = field(default_factory=list)
    """The results of items, in order of arrival."""
    spent: list[ModelUse] = field(default_factory=list)
    """The model use of items without a result."""
    failed: dict[str, str] = field(default_factory=dict)
    """Why items could not be run, "" where that is not known, by their ids."""
    in_baseline: set[str] = field(default_factory=set)
    """The ids of the baseline's items that were run, or failed to."""
    replayed: list[str] = field(default_factory=list)
    """The output of replayed cases."""
    waived: set[str] = field(default_factory=set)
    """The ids of waived cases."""
    failures: dict[int, pytest.TestReport] = field(default_factory=dict)
    """The first test report of each item that failed, by the position of its result."""
    _positions: dict[str, int] = field(default_factory=dict)
    """The positions of results, by the ids of the tests that ran them."""

    def add(self, test_report: pytest.TestReport) -> None:
        outcome: ItemOutcome = getattr(test_report, REPORT_ATTRIBUTE, None) or ItemOutcome()
        if outcome.result is not None:
            self.results.append(outcome.result)
            self._positions[test_report.nodeid] = outcome.result.position
        # The result comes with the setup, and a missed gate with the call after it.
        if test_report.failed and test_report.nodeid in self._positions:
            self.failures.setdefault(self._positions[test_report.nodeid], test_report)
        if outcome.spent is not None:
            self.spent.append(outcome.spent)
        # A worker that crashed sends no outcome: xdist reports the test in its place.
        if outcome.failed or (test_report.when == CRASH_PHASE and test_report.failed):
            self.failed[test_report.nodeid] = outcome.failure
        if outcome.baseline:
            self.in_baseline.add(outcome.baseline)
        self.waived.update(outcome.waived)
        if outcome.replay:
            self.replayed.append(outcome.replay)


def missing_baseline_hint(baseline: Path, report: Path | None) -> str:
    """The hint on how to make a baseline that does not exist yet."""
    file = from_here(baseline)
    hint = f"there is no baseline {file} yet, so no relation can fail by it: make it with"
    if report is not None:
        return f"{hint} `vqamt bless {from_here(report)} -o {file}`"
    return f"{hint} --vqamt-report=DIR and `vqamt bless DIR -o {file}`"


def awaiting_baseline_hint(names: Sequence[str], report: Path | None) -> str:
    """The hint on options that do nothing without a baseline.

    >>> awaiting_baseline_hint(["vqamt_max_drop"], Path("out"))
    'vqamt_max_drop has no baseline to compare with yet: make one with `vqamt bless out`, and name it as vqamt_baseline'
    """
    have, folder = "has" if len(names) == 1 else "have", from_here(report) if report else "DIR"
    first = "" if report else "--vqamt-report=DIR and "
    return (
        f"{' and '.join(names)} {have} no baseline to compare with yet: make one with {first}`vqamt bless {folder}`, "
        "and name it as vqamt_baseline"
    )


def is_on_ci() -> bool:
    """True if this is a CI server, by the variables that pytest goes by."""
    return any(os.environ.get(name) for name in ("CI", "BUILD_NUMBER"))


class SessionReport:
    """Writes the report of a session and prints its summary."""

    def __init__(self, settings: Settings, resources: Resources) -> None:
        self._settings = settings
        self._resources = resources
        self._report: Report | None = None
        self._notes: list[str] = []
        self._untested = ""
        self._error = ""

    def finish(self, session: pytest.Session, collected: ResultCollector, *, complete: bool) -> None:
        """Builds and writes the report; ``complete`` is True if the session ran to its end."""
        try:
            report = self._resources.report(
                collected.results,
                collected.in_baseline,
                spent=collected.spent,
                complete=complete and not collected.failed,
            )
        except VqamtError as error:
            # As with a baseline that was deleted while the session ran.
            self._fail(session, f"no report was made. {error}")
            if self._settings.report:
                remove_parts(self._settings.report)
            return
        # The first failure, which the headline shows.
        self._report = replace(report, failure=next(filter(None, collected.failed.values()), ""))
        self._check_tested(self._report, collected, session)
        if self._settings.report:
            self._write(self._report, self._settings.report, session)
        # A job of GitHub Actions: the summary appears on its page.
        if os.environ.get("GITHUB_STEP_SUMMARY"):
            from pytest_vqamt.reporting.markdown import append_step_summary

            if left_out := append_step_summary(self._report, self._settings.report):
                self._notes.append(left_out)

    def _check_tested(self, report: Report, collected: ResultCollector, session: pytest.Session) -> None:
        """Fails a session in which no case was judged, if it has a gate or runs on CI; a shard may be empty."""
        terms = self._settings.terms
        # These tests fail the session by themselves: only the line is missing.
        if collected.failed and not any(each.total.judged for each in report.relations):
            first = f", the first: {shown(report.failure, LONGEST_FAILURE)}" if report.failure else ""
            self._untested = f"NO CASE WAS JUDGED: {count_noun(len(collected.failed), 'test')} ended in an error{first}"
            return
        # What was not run yet may still be judged.
        if not (terms.sampling.is_whole and report.complete):
            return
        self._untested = untested_line(report)
        gates = (terms.thresholds, terms.grounded_thresholds, self._settings.baseline)
        is_gated = any(gates) or any(result.gates for result in report.relations)
        if self._untested and (is_gated or is_on_ci()):
            self._untested += f"; the session fails, since {'a gate is set' if is_gated else 'it runs on CI'}"
            # A worse status, as of an internal error, stays.
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
        patterns = tuple(dict.fromkeys(each.pattern for each in (*terms.thresholds, *terms.grounded_thresholds)))
        if not self._untested and (ungated := ungated_line(report, patterns)):
            self._untested = f"{ungated}; the session fails"
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def _write(self, report: Report, folder: Path, session: pytest.Session) -> None:
        from pytest_vqamt.reporting.files import PAGE, write_files

        try:
            undrawn = write_files(
                report,
                folder,
                source_of=self._resources.source_of,
                images=self._settings.report_images,
                cases_name=self._settings.cases_name,
            )
            self._notes.append(f"report: {from_here(folder / PAGE)}")
            if undrawn:
                self._fail(session, undrawn)
        except VqamtError as error:
            whole = (folder / REPORT_FILE).is_file()  # an older report was removed before the run
            self._fail(session, f"{'' if whole else 'no report was written. '}{error}")

    def _fail(self, session: pytest.Session, error: str) -> None:
        self._error = f"ERROR: {error}"
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def print_summary(self, reporter: pytest.TerminalReporter, waived: Collection[str], *, verbosity: int) -> None:
        """Prints the summary if there is a report; ``waived`` are the ids of the waived cases of this run.

        Without ``--vqamt-summary``, ``-q`` prints the figures and the gates alone, and ``-v`` all. With a preset of a
        paper its tables follow.
        """
        length = self._settings.summary or (SummaryLength.FULL if verbosity > 0 else SummaryLength.SHORT)
        if not (self._error or self._untested) and (self._report is None or length is SummaryLength.NONE):
            return
        reporter.write_sep("=", "vqamt: consistency")  # unlike section, leaves no empty line below
        if self._untested:
            reporter.write_line(self._untested, red=True, bold=True)
        settings, missing = self._settings, self._settings.missing_baseline
        hint = missing_baseline_hint(missing, settings.report) if missing else ""
        if settings.awaiting_baseline:
            hint = awaiting_baseline_hint(settings.awaiting_baseline, settings.report)
        if hint:
            reporter.write_line(hint, yellow=True)
        if self._report is not None and length is not SummaryLength.NONE:
            notes = list(self._all_notes(self._report, waived))
            if length is SummaryLength.FULL:
                lines = self._full(self._report, verbosity)
            elif verbosity < 0 and self._settings.summary is None:
                lines = brief_summary(self._report, awaits_baseline=bool(missing))
            else:
                # The whole summary, with its heading and notes, has at most LINES lines.
                room = LINES - 1 - len(notes) - bool(self._untested) - bool(hint)
                lines = short_summary(self._report, self._replay_command, room=room, awaits_baseline=bool(missing))
            for line in lines:
                reporter.write_line(line.text, **_MARKUP[line.state])
            if length is SummaryLength.SHORT and verbosity >= 0 and self._settings.is_of_a_paper:
                for text in paper_lines(self._report):
                    reporter.write_line(text)
            for note in notes:
                reporter.write_line(note)
        if self._error:
            reporter.write_line(self._error, red=True)

    def _full(self, report: Report, verbosity: int) -> Iterator[SummaryLine]:
        for text in summary(report, self._settings.rerun_command, in_full=verbosity > 0):
            yield SummaryLine(text=text)

    def _replay_command(self, result: RelationResult, violation: ViolationPreview) -> str:
        """The command that replays a violation: ``vqamt replay`` where it finds the case without more options."""
        from pytest_vqamt.integration.replaying import shown_cases_files

        cache, report = self._settings.cache, self._settings.report
        here = from_here(report) if report else None
        # `vqamt replay` finds it without more options.
        if here and not here.is_absolute() and len(here.parts) <= _DEPTH:
            return f"vqamt replay {violation.id[:_SHORT_ID]}"
        if cache and (cache / ANSWERS_FILE).resolve() in [file.resolve() for file in shown_cases_files()]:
            return f"vqamt replay {violation.id[:_SHORT_ID]}"
        return replay_command(result, violation, self._settings.rerun_command)

    def _all_notes(self, report: Report, waived: Collection[str]) -> Iterator[str]:
        settings = self._settings
        # A part of a run may lack waived cases that are in the other parts.
        whole = report.complete and settings.terms.sampling.is_whole and not settings.only
        if whole and (stale := stale_waivers_note(settings.terms.waived, waived)):
            yield stale
        yield from self._notes
        if settings.report is None and report.relations:
            yield "for a page with each violation and its pictures: --vqamt-report=DIR"
