"""A report read back from ``report.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.report_json import SCHEMA, Row, baseline_of, difference_of, ranking_of, taken_over
from pytest_vqamt.core.results import RelationResult, Report, data_used
from pytest_vqamt.reporting.json_file import FILE
from pytest_vqamt.stats.papers import coverage, summaries


def read_report(folder: Path) -> Report:
    """The report in ``folder``, as far as the file tells it.

    Violations that people were shown are not in it, and how much was asked is known of each model only: every relation
    has the numbers of its whole model.

    Raises:
        DataError: there is none, or it is not whole, or of another schema.
    """
    file = folder / FILE
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
        data=data_used(relations),
        relations=relations,
        complete=row.get("complete") is not False,
        settings=tuple(sorted(cast("dict[str, str]", row.get("settings") or {}).items())),
        coverage=coverage(relations),
        summaries=summaries(relations),
        baseline=baseline_of(row.get("baseline")),
        ranking=tuple(map(ranking_of, cast("list[Row]", row.get("ranking") or []))),
        differences=tuple(map(difference_of, cast("list[Row]", row.get("differences") or []))),
        waived=tuple(
            (str(each["case_id"]), str(each["reason"])) for each in cast("list[Row]", row.get("waived") or [])
        ),
    )


def _relation(position: int, row: Row, models: dict[str, Row], data: dict[str, Row]) -> RelationResult:
    return taken_over(
        {
            **row,
            "position": position,
            "model": models[str(row["model"])],
            "data": data[str(row["data"])],
            "error": "",
            "violation": None,
        }
    )
