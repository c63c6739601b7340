"""Writing and reading all files of a report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

from pytest_vqamt.core.atomic_write import replace_text, replacing, unwritable_folder
from pytest_vqamt.core.case_store import PLAIN_NAME
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.report_json import (
    SCHEMA,
    Row,
    baseline_from_row,
    difference_from_row,
    ranking_from_row,
    report_text,
    result_from_worker_row,
)
from pytest_vqamt.core.results import RelationResult, Report, merge_data_uses
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.reporting import cases
from pytest_vqamt.reporting.audit.results import read_audit
from pytest_vqamt.reporting.cases import REPORT_FILE
from pytest_vqamt.reporting.html.cards import select_cards
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.markdown import SUMMARY_FILE as SUMMARY
from pytest_vqamt.reporting.markdown import summary_page
from pytest_vqamt.stats.papers import coverage_tables, summaries

PAGE = "report.html"


def write_files(
    report: Report,
    folder: Path,
    *,
    source_of: Callable[[str], SceneSource | None],
    images: Images,
    cases_name: str = PLAIN_NAME,
) -> None:
    """Writes the cases, ``report.json`` and the pages into ``folder``.

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
            if written != judged:
                raise VqamtError(
                    f"Expected {judged} lines in {cases_name}, but got {written}: has another session written into "
                    f"--vqamt-report={str(folder)!r}?"
                )
            counts.write_text(report_text(report), encoding="utf-8")
            cases.remove_report(folder)
    except OSError as error:
        cases.remove_parts(folder)  # they would take the room of the next run on a full disk
        raise unwritable_folder(folder, error) from error
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

    ``source_of`` finds data by its spec; None where it is not available, whose pictures are left out.

    Raises:
        DataError: the folder holds no whole report.
        VqamtError: it cannot be written to.
    """
    from pytest_vqamt.reporting.html.page import report_html  # brings jinja2

    report = read_report(folder)
    audit = read_audit(folder)
    replace_text((out or folder) / SUMMARY, summary_page(report, audit=audit))
    shown = select_cards(report, folder, source_of, images)
    replace_text((out or folder) / PAGE, report_html(report, shown, audit=audit))


def read_report(folder: Path) -> Report:
    """Reads the report in ``folder``.

    The file has no example violations, and query counts only for each model: every relation has those of its model.

    Raises:
        DataError: there is no report, or it is incomplete or of another schema.
    """
    file = folder / REPORT_FILE
    try:
        row: object = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"Expected a folder that --vqamt-report wrote, but got {str(folder)!r}: {error}") from error
    schema = row.get("schema") if isinstance(row, dict) else None
    if schema != SCHEMA:
        raise DataError(
            f"Expected a report of schema {SCHEMA}, but got schema={schema!r} in {file}: "
            "read it with the version of pytest-vqamt that wrote it"
        )
    try:
        return _report(cast("Row", row))
    except DataError as error:
        raise DataError(f"{error}, in {file}: read it with the version of pytest-vqamt that wrote it") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"Expected a whole report, but got {file}: {error!r}") from error


def _report(row: Row) -> Report:
    models = {str(model["name"]): model for model in cast("list[Row]", row["models"])}
    data = {str(source["spec"]): source for source in cast("list[Row]", row["data"])}
    relations = tuple(
        _relation(position, relation, models, data)
        for position, relation in enumerate(cast("list[Row]", row["relations"]))
    )
    return Report(
        vqamt_version=str(row["vqamt_version"]),
        seed=int(cast("int", row["seed"])),
        sampler=str(row["sampler"]),
        max_cases=int(cast("int", row["max_cases"])),
        shard=str(row["shard"]),
        started=str(row["started"]),
        duration_s=float(cast("float", row["duration_s"])),
        models=tuple({relation.model.name: relation.model for relation in relations}.values()),
        data=merge_data_uses(relations),
        relations=relations,
        complete=row.get("complete") is not False,
        settings=tuple(sorted(cast("dict[str, str]", row.get("settings") or {}).items())),
        coverage=coverage_tables(relations),
        summaries=summaries(relations),
        baseline=baseline_from_row(row.get("baseline")),
        ranking=tuple(map(ranking_from_row, cast("list[Row]", row.get("ranking") or []))),
        differences=tuple(map(difference_from_row, cast("list[Row]", row.get("differences") or []))),
        waived=tuple(
            (str(each["case_id"]), str(each["reason"])) for each in cast("list[Row]", row.get("waived") or [])
        ),
    )


def _relation(position: int, row: Row, models: dict[str, Row], data: dict[str, Row]) -> RelationResult:
    return result_from_worker_row(
        {
            **row,
            "position": position,
            "model": models[str(row["model"])],
            "data": data[str(row["data"])],
            "error": "",
            "violation": None,
        }
    )
