"""Lines of ``cases.jsonl`` made by hand."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from pytest_vqamt.core.atomic_write import replace_text, replacing
from pytest_vqamt.core.case_store import PLAIN_NAME
from pytest_vqamt.core.codec import encode
from pytest_vqamt.core.meaning import Exists
from pytest_vqamt.core.report_json import case_line, report_text
from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.case_writer import remove_parts, write_joined
from tests.making import group_of

Row = dict[str, Any]


def row_of(case_id: str, verdict: str = "violated", *, item: str = "ours.test", **fields: Any) -> Row:
    """A row on one question about a photo without edits."""
    row: Row = {
        "case_id": case_id.ljust(16, "f"),
        "relation": item,
        "model": "m",
        "data": "pictures:20",
        "scene": "pictures-0-3",
        "queries": [query_of("Is there a dog?")],
        "answers": ["yes"],
        "expected": "as the test says",
        "verdict": verdict,
        "reason": "" if verdict == "holds" else "for no reason",
        "vacuous": False,
        "readings": ["yes"],
        "facts": {},
    }
    return {**row, **fields}


def query_of(text: str, *, photo: str = "pictures-0-3", digest: str = "d", edits: Iterable[Any] = ()) -> Row:
    """A question about a dog."""
    return {
        "id": text,
        "task": "vqa",
        "picture": {"photo": photo, "digest": digest, "edits": list(edits)},
        "text": text,
        "meaning": encode(Exists(group=group_of("dog"))),
    }


def report_in(folder: Path) -> Row:
    """``report.json`` as it is."""
    report: Row = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


def cases_in(folder: Path) -> list[Row]:
    """The rows of ``cases.jsonl``."""
    return [json.loads(line) for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()]


def write_rows(folder: Path, rows: Iterable[Row]) -> None:
    """Writes the rows as a run does."""
    text = "".join(f"{case_line(row)}\n" for row in rows)
    (folder / "cases.jsonl").write_text(text, encoding="utf-8")


def join_parts(folder: Path, positions: Collection[int], name: str = PLAIN_NAME) -> int:
    """Joins the parts of the items, as a run does in the end; the number of lines."""
    with replacing(folder / name) as cases:
        written = write_joined(folder, positions, cases, name)
    remove_parts(folder)
    return written


def write_report(report: Report, folder: Path) -> None:
    """Writes ``report.json`` alone."""
    replace_text(folder / "report.json", report_text(report))
