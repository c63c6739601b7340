"""Writing and reading all files of a report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pytest_vqamt.core.atomic_write import replace_text, replacing, unwritable_folder
from pytest_vqamt.core.case_store import PLAIN_NAME, SIMPLIFIED_NAME
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.report_json import REPORT_FILE, not_whole, read_report_row, report_from_row, report_text
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.reporting import case_writer as cases
from pytest_vqamt.reporting.audit.audit_results import read_audit
from pytest_vqamt.reporting.html.case_cards import select_cards
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.markdown import SUMMARY_FILE as SUMMARY
from pytest_vqamt.reporting.markdown import badge, case_lines, comment_page
from pytest_vqamt.stats.model_tables import summaries
from pytest_vqamt.stats.papers import coverage_tables

PAGE = "report.html"
BADGE = "badge.json"


def write_files(
    report: Report,
    folder: Path,
    *,
    source_of: Callable[[str], SceneSource | None],
    images: Images,
    cases_name: str = PLAIN_NAME,
) -> str:
    """Writes the cases, ``report.json`` and the pages into ``folder``, as ``write_data`` and ``write_pages`` do.

    Returns what ``write_pages`` returns.

    Raises:
        VqamtError: the folder cannot be written to, or another session has written into it at the same time.
    """
    write_data(report, folder, cases_name=cases_name)
    try:
        return write_pages(folder, source_of=source_of, images=images)
    except VqamtError as error:
        raise VqamtError(
            f"report.json and {cases_name} are written, but not all pages made of them. {error}"
        ) from error


def write_data(report: Report, folder: Path, *, cases_name: str = PLAIN_NAME) -> None:
    """Joins the parts of the cases in ``folder`` and writes ``report.json`` beside them.

    The cases are compressed if ``cases_name`` says so. Each file is replaced in one step: if the process dies, all
    files are complete and of one run.

    Raises:
        VqamtError: the folder cannot be written to, or another session has written into it at the same time.
    """
    judged = sum(result.all_cases for result in report.relations)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The cases replace the old ones before the report does.
        with replacing(folder / REPORT_FILE) as counts, replacing(folder / cases_name) as all_cases:
            positions = [result.position for result in report.relations]
            written = cases.write_joined(folder, positions, all_cases, cases_name)
            # Two sessions write parts of one name into one folder: the counts differ.
            if written != judged:
                raise VqamtError(
                    f"Expected {count_noun(judged, 'line')} in {cases_name}, but got {written}: has another session "
                    f"written into {option('report')}={str(folder)!r}?"
                )
            counts.write_text(report_text(report), encoding="utf-8")
            simplified = cases.simplified_lines(folder, positions)
            # Before the new files are put in place, so that no old page is beside them.
            cases.remove_report(folder)
            if simplified:
                replace_text(folder / SIMPLIFIED_NAME, simplified)
    except OSError as error:
        cases.remove_parts(folder)  # they would take the room of the next run on a full disk
        raise unwritable_folder(folder, error) from error
    cases.remove_parts(folder)


def write_pages(
    folder: Path, *, source_of: Callable[[str], SceneSource | None], images: Images, out: Path | None = None
) -> str:
    """Writes the pages and the badge from the other files of ``folder`` alone, into it or into ``out``.

    ``source_of`` finds data by its spec; None where it is not available, whose pictures are left out. A case whose card
    cannot be drawn has one that says why, and the page has all others. Returns a line about such cards, and those that
    lack a picture, or "".

    Raises:
        DataError: the folder holds no whole report.
        VqamtError: it cannot be written to.
    """
    from pytest_vqamt.reporting.html.page import report_html  # brings jinja2

    report = read_report(folder)
    # From the files, as `vqamt report` does later: both make the same pages.
    audit = read_audit(folder)
    replace_text((out or folder) / SUMMARY, comment_page(report, audit=audit, cases=case_lines(report, folder)))
    replace_text((out or folder) / BADGE, f"{json.dumps(badge(report), ensure_ascii=False)}\n")
    shown = select_cards(report, folder, source_of, images)
    replace_text((out or folder) / PAGE, report_html(report, shown, audit=audit))
    if not shown.undrawn:
        return ""
    return (
        f"{count_noun(len(shown.undrawn), 'card')} of {PAGE} could not be drawn; the first: {shown.undrawn[0]}; "
        "unless the cases or the data are broken or others, pytest-vqamt is at fault, which is worth an issue"
    )


def read_report(folder: Path) -> Report:
    """Reads the report in ``folder``.

    Raises:
        DataError: there is no report, or it is incomplete or of another schema.
    """
    file, row = folder / REPORT_FILE, read_report_row(folder)
    try:
        report = report_from_row(row)
    except ValueError as error:
        raise not_whole(file, error) from error
    return replace(report, coverage=coverage_tables(report.relations), summaries=summaries(report.relations))
