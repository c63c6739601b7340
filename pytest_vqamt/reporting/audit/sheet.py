"""``audit.csv``: a row for each case of a sample, with a column for the judgement and one for why."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO
from typing import TypeAlias

from pytest_vqamt.reporting.audit.sample import Sample
from pytest_vqamt.reporting.audit.shown import Asked, ShownCase

SHEET = "audit.csv"

COLUMNS = (
    "case_id", "relation", "model", "data", "scene", "verdict", "expected", "questions", "answers", "reason",
    "pictures", "judgement", "note", "of", "drawn_from",
)  # fmt: skip

Cells: TypeAlias = dict[str, str]
"""A row by its columns."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for the beginning of a formula."""


def cells(shown: ShownCase, sample: Sample) -> Cells:
    """The row of a case that nobody has judged yet."""
    drawn = shown.drawn
    told = {
        "case_id": drawn.case_id,
        "relation": drawn.item,
        "model": drawn.model,
        "data": drawn.data,
        "scene": drawn.scene,
        "verdict": shown.verdict,
        "expected": shown.expected,
        "questions": " | ".join(f"{each.place}: {each.words}{_edits(each, shown)}" for each in shown.asked),
        "answers": " | ".join(f"{each.place}: {each.answer}" for each in shown.asked if each.answer is not None),
        "reason": shown.reason,
        "pictures": " | ".join(each.file for each in shown.pictures),
        "judgement": "",
        "note": "",
        "of": sample.draw.of.value,
        "drawn_from": sample.words,
    }
    return {name: as_text(text) for name, text in told.items()}


def csv_text(rows: Iterable[Cells]) -> str:
    """The rows under a head, every cell in quotes, so that the page can write the very same file.

    It begins with a byte order mark: without one, spreadsheets take the letters for those of another alphabet.
    """
    text = StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    writer.writerows([row[name] for name in COLUMNS] for row in rows)
    return "\ufeff" + text.getvalue()


def as_text(cell: str) -> str:
    """The cell as no spreadsheet takes it for a formula: an apostrophe goes before it where one would."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def without_mark(cell: str) -> str:
    """The cell as it was before ``as_text``."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _edits(asked: Asked, shown: ShownCase) -> str:
    """How the picture of a text was edited, in brackets."""
    (picture,) = (each for each in shown.pictures if asked in each.asked)
    return f" [{picture.note}]" if picture.note else ""
