"""A line of ``cases.jsonl`` read back as the row that it was written of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import cases_in, opened
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.report_json import Row

_TEXTS = ("case_id", "relation", "model", "data", "scene", "expected", "reason")


def case_rows(folder: Path) -> Iterator[Row]:
    """The rows of the cases in ``folder``, one in memory at a time.

    Raises:
        DataError: the file cannot be read, or a line of it is broken.
    """
    with opened(cases_in(folder)) as lines:
        for number, line in enumerate(lines, start=1):
            yield case_of_line(line, f"{lines.name}:{number}")


def case_of_line(line: bytes, where: str) -> Row:
    """The row of one line, with all that a reader of ours relies on; ``where`` it stands is for messages.

    Raises:
        DataError: the line is not whole, or not one of ours.
    """
    try:
        row: object = json.loads(line)
        if not isinstance(row, dict):
            raise TypeError("expected an object")
        _check(row)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise DataError(
            f"{where}: Expected a whole line of a report, but got {_begun(line)} ({error!r}): make the report anew"
        ) from error
    return cast("Row", row)


def _check(row: dict[str, object]) -> None:
    for name in _TEXTS:
        if not isinstance(row[name], str):
            raise TypeError(f"expected {name} to be a text")
    Outcome(str(row["verdict"]))
    queries, answers, readings = row["queries"], row["answers"], row["readings"]
    if not (isinstance(queries, list) and isinstance(answers, list) and isinstance(readings, list)):
        raise TypeError("expected lists of queries, answers and readings")
    if len(queries) != len(answers):
        raise ValueError(f"{len(answers)} answers to {len(queries)} queries")
    for query in queries:
        if not isinstance(query["text"], str) or not isinstance(query["picture"]["digest"], str):
            raise TypeError("expected a text and a picture's digest")


def _begun(line: bytes) -> str:
    text = line[:60].decode("utf-8", "replace").rstrip("\n")
    return repr(text if len(line) <= 60 else f"{text}...")
