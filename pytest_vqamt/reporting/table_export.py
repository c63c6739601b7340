"""The cases of a report as a table, one row a case, and the papers' tables as CSV.

Cases are CSV for a spreadsheet, or Parquet for everything else. Both are streamed. A CSV of cases has numbered columns
for each query (``text_1``, ``answer_1``, ...), as many as the largest case needs; a Parquet file has lists. In a CSV, a
text that a spreadsheet could run as a formula, or that begins with an apostrophe, gets an apostrophe in front. Numbers
do not. Control characters and the like are escapes in a CSV.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TypeAlias, cast

from pytest_vqamt.core.atomic_write import replacing, writing
from pytest_vqamt.core.case import DEMANDS, Change
from pytest_vqamt.core.case_store import case_rows
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.text import encodable, visible
from pytest_vqamt.reporting.html.case_cards import describe_edits, picture_digest
from pytest_vqamt.reporting.paper_tables import named_paper_tables
from pytest_vqamt.reporting.view.format import ColumnHead, TableCell, ViewTable

_Texts: TypeAlias = "list[str | None]"

OF_CASE = (
    "case_id", "relation", "model", "data", "scene", "verdict", "before", "vacuous", "presumed", "waived", "expected",
    "reason", "facts", "contrast", "contrast_of", "contrast_scene", "contrast_picture", "contrast_edits",
    "contrast_expected", "contrast_answer", "contrast_reading",
)  # fmt: skip
"""Columns; ``facts`` is an object in JSON. ``contrast`` is the verdict on the contrast, and ``contrast_of`` the number
of the text, from 1 on; they are empty for a case without a contrast."""
OF_QUERY = ("text", "picture", "edits", "answer", "reading", "unread")
"""Columns of each query; ``picture`` is a digest, ``unread`` why there is no reading. A missing answer is null, or an
empty cell."""

_TRUTHS = ("vacuous", "presumed", "waived")
_ROWS_AT_ONCE = 10_000
"""The rows in memory, and in a row group of the Parquet file."""

_TO_RUN = re.compile(r"['=+\-@\t\r\n|%\uff1d\uff0b\uff0d\uff20]")
"""Begins a cell that some spreadsheet would run as a formula, or that is escaped already."""
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")

_IN_CELL = re.compile(r"[+-]?[<>]?\d[\d,]*(?:\.\d+)?")


def write_csv(folder: Path, file: Path) -> int:
    """Writes the cases of the report in ``folder`` into ``file``, and returns their number.

    UTF-8 without a byte order mark, commas, lines that end in CR LF (RFC 4180).

    Raises:
        DataError: the cases cannot be read.
        OptionError: the file cannot be written.
    """
    # A first pass, since the head of a CSV must name all columns.
    queries = max((len(cast("list[Json]", row["queries"])) for row in case_rows(folder)), default=0)
    numbered = [f"{name}_{number}" for number in range(1, queries + 1) for name in OF_QUERY]
    written = 0
    with writing(file, "--csv") as part, part.open("w", encoding="utf-8", newline="") as lines:
        table = csv.writer(lines)
        table.writerow([*OF_CASE, *numbered])
        for row in case_rows(folder):
            of_case, of_queries = _of_case(row), _of_queries(row)
            cells = [*of_case.values(), *(cell for each in zip(*of_queries.values(), strict=True) for cell in each)]
            # Cases with fewer queries have empty cells at the end.
            cells += [None] * (len(OF_CASE) + len(numbered) - len(cells))
            table.writerow(map(_cell, cells))
            written += 1
    return written


def write_parquet(folder: Path, file: Path) -> int:
    """Writes the cases of the report in ``folder`` into ``file``, and returns their number.

    Raises:
        DataError: the cases cannot be read.
        OptionError: the file cannot be written, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
        from pyarrow import parquet
    except ImportError as error:
        raise OptionError(
            f"Expected pyarrow for --parquet={str(file)!r}, but it is not installed: "
            "pip install 'pytest-vqamt[parquet]', or write --csv=FILE"
        ) from error
    # Given rather than inferred, as the first rows may have no value of a column.
    schema = pa.schema(
        [
            *((name, pa.bool_() if name in _TRUTHS else pa.string()) for name in OF_CASE),
            *((name, pa.list_(pa.string())) for name in OF_QUERY),
        ]
    )

    written = 0
    rows = ({**_of_case(row), **_of_queries(row)} for row in case_rows(folder))
    with writing(file, "--parquet") as part, parquet.ParquetWriter(part, schema) as table:
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            table.write_table(pa.Table.from_pylist(some, schema=schema))
            written += len(some)
    return written


def write_tables_csv(report: Report, folder: Path) -> int:
    """Writes each table of the papers as a CSV of its own into ``folder``, and returns their number.

    Figures are numbers, and the head of each column ends with their unit. A row that is part of the one above begins
    with that one's name.

    Raises:
        OptionError: a file cannot be written.
    """
    tables = named_paper_tables(report, joined=True)
    return write_tables(folder, ((f"{name}.csv", _csv_text(table)) for name, table in tables), "--csv-tables")


def write_tables(folder: Path, texts: Iterable[tuple[str, str]], spelt: str) -> int:
    """Writes the texts under their names into ``folder``, which the option ``spelt`` names; returns their number.

    Raises:
        OptionError: a file cannot be written.
    """
    written = 0
    try:
        for name, text in texts:
            folder.mkdir(parents=True, exist_ok=True)
            with replacing(folder / name) as part:
                # 1 for each file.
                written += part.write_bytes(text.encode()) > 0
    except OSError as error:
        raise OptionError(
            f"Expected a folder that can be written to, but got {spelt}={str(folder)!r} ({error.strerror or error}): "
            "name another"
        ) from error
    return written


def _csv_text(table: ViewTable) -> str:
    lines = StringIO(newline="")
    written = csv.writer(lines)
    written.writerow(_cell(name) for head in table.heads for name in head.of_parts)
    above = ""
    for row, texts in zip(table.rows, table.row_texts, strict=True):
        first = texts[0]
        # Indented rows are parts of the last one that is not.
        above = above if first.startswith("  ") else first
        name = f"{above} / {first.strip()}" if first.startswith("  ") else first
        numbers = (_numbers(*pair) for pair in zip(table.heads[1:], row[1:], strict=True))
        written.writerow(map(_cell, (name, *(number for cell in numbers for number in cell))))
    return lines.getvalue()


def _numbers(head: ColumnHead, cell: TableCell) -> list[str]:
    """The numbers of a cell, one for each part of its column; empty for "-"."""
    if not head.unit:
        return [cell.text]
    found = [text.replace(",", "") for text in _IN_CELL.findall(cell.text)]
    if not found:
        return [""] * len(head.parts)
    # Beyond the places that are shown ("<0.1 %"), the sort key has the number.
    return [cell.key if text.startswith(("<", ">")) else text for text in found]


def _of_case(row: Row) -> dict[str, str | bool | None]:
    before = row.get("before")
    return {
        **{name: _text(row[name]) for name in ("case_id", "relation", "model", "data", "scene", "verdict")},
        "before": None if before is None else _text(before),
        "vacuous": bool(row.get("vacuous")),
        "presumed": "presumed" in cast("list[str]", row.get("tags") or []),
        "waived": bool(row.get("waived")),
        "expected": _text(row["expected"]),
        "reason": _text(row["reason"]),
        "facts": json.dumps(row.get("facts") or {}, ensure_ascii=False),
        **_of_contrast(row),
    }


def _of_contrast(row: Row) -> dict[str, str | None]:
    contrast = cast("Row | None", row.get("contrast"))
    if contrast is None:
        return dict.fromkeys(name for name in OF_CASE if name.startswith("contrast"))
    query = cast("Row", contrast["query"])
    answer, reading, verdict = (cast("str | None", contrast.get(name)) for name in ("answer", "reading", "verdict"))
    return {
        "contrast": verdict,
        # As the columns text_1, text_2 are numbered.
        "contrast_of": str(cast("int", contrast["of"]) + 1),
        "contrast_scene": _text(contrast["scene"]),
        "contrast_picture": picture_digest(query),
        "contrast_edits": describe_edits(query),
        "contrast_expected": DEMANDS[Change(str(contrast["change"]))],
        "contrast_answer": _answer(answer),
        "contrast_reading": _answer(reading),
    }


def _of_queries(row: Row) -> dict[str, _Texts]:
    """The columns of the queries, each with a value for every query."""
    queries = cast("list[Row]", row["queries"])
    # A case without an answer has fewer readings than queries.
    readings = cast("_Texts", row["readings"])[: len(queries)]
    return {
        "text": [_text(query["text"]) for query in queries],
        "picture": [picture_digest(query) for query in queries],
        "edits": [describe_edits(query) for query in queries],
        "answer": list(map(_answer, cast("_Texts", row["answers"]))),
        "reading": [*map(_answer, readings), *[None] * (len(queries) - len(readings))],
        "unread": [each or None for each in cast("_Texts", row.get("unread") or [None] * len(queries))],
    }


def _answer(text: str | None) -> str | None:
    return None if text is None else _text(text)


def _text(value: Json) -> str:
    return encodable(str(value))


def _cell(value: str | bool | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    value = visible(value, keep="\t\r\n")
    # An apostrophe makes a spreadsheet take the rest as text; "-3.5" is a number and stays one.
    return f"'{value}" if _TO_RUN.match(value) and not _NUMBER.fullmatch(value) else value
