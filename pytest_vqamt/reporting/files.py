"""All files of a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytest_vqamt.core.case_store import PLAIN
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.results import Report
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.reporting import cases, json_file
from pytest_vqamt.reporting.atomic_write import Beside, unusable
from pytest_vqamt.reporting.audit.results import read_audit
from pytest_vqamt.reporting.images import Images
from pytest_vqamt.reporting.page_cases import page_cases
from pytest_vqamt.reporting.read_report import read_report
from pytest_vqamt.reporting.summary_page import FILE as SUMMARY
from pytest_vqamt.reporting.summary_page import summary_page

PAGE = "report.html"


def write_files(
    report: Report,
    folder: Path,
    *,
    source_of: Callable[[str], SceneSource | None],
    images: Images,
    cases_name: str = PLAIN,
) -> None:
    """Writes the cases and ``report.json`` into ``folder``, both of the same items, and the pages made of them.

    The cases have ``cases_name``, and are compressed where it says so.

    Each is put in place in one step. Whenever the process dies, every file that is there is whole, and all are of one
    run: those of an earlier report, or as many of this one as were done.

    Raises:
        VqamtError: the folder cannot be written to, or another session has written into it at the same time.
    """
    judged = sum(result.all_cases for result in report.relations)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with Beside(folder / cases_name) as all_cases, Beside(folder / json_file.FILE) as counts:
            written = cases.write_joined(folder, [result.position for result in report.relations], all_cases)
            if written != judged:
                raise VqamtError(
                    f"Expected {judged} lines in {cases_name}, but got {written}: has another session written into "
                    f"--vqamt-report={str(folder)!r}?"
                )
            counts.path.write_text(json_file.report_text(report), encoding="utf-8")
            cases.remove_report(folder)
            all_cases.put()
            counts.put()
    except OSError as error:
        cases.remove_parts(folder)  # on a full disk they are in the way of the next run
        raise unusable(folder, error) from error
    cases.remove_parts(folder)
    try:
        write_pages(folder, source_of=source_of, images=images)
    except VqamtError as error:
        raise VqamtError(
            f"report.json and {cases_name} are written, but not all pages made of them. {error}"
        ) from error


def write_pages(
    folder: Path, *, source_of: Callable[[str], SceneSource | None], images: Images, out: Path | None = None
) -> None:
    """Writes ``report.html`` and ``summary.md`` from the other files of ``folder`` alone, into it or into ``out``.

    A session, a merge and ``vqamt report`` write the same. ``source_of`` finds the data by its spec, None where it is
    not at hand: then there are no pictures of it.

    Raises:
        DataError: the folder holds no whole report.
        VqamtError: it cannot be written to.
    """
    from pytest_vqamt.reporting.html.page import page_html  # brings jinja2

    report = read_report(folder)
    audit = read_audit(folder)
    json_file.replace_file((out or folder) / SUMMARY, summary_page(report, audit=audit))
    shown = page_cases(report, folder, source_of, images)
    json_file.replace_file((out or folder) / PAGE, page_html(report, shown, audit=audit))
