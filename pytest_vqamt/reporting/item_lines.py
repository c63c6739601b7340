"""The lines of a file of cases, item by item: as many as are counted of each, in the order of their ids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.results import RelationResult

_OF_AN_ITEM = ("relation", "model", "data")
_TOLD = ("case_id", *_OF_AN_ITEM)


class Lines(Protocol):
    """What lines are read from."""

    def readline(self) -> bytes: ...


class CountedItem(NamedTuple):
    """A relation variant, a model and a data source, and how many lines there are of them."""

    item: str
    model: str
    data: str
    cases: int

    @classmethod
    def of(cls, result: RelationResult) -> CountedItem:
        """Those of a report."""
        return cls(result.item, result.model.name, result.data.spec, result.all_cases)


class CaseLine(NamedTuple):
    """A line; its id comes first, so that lines sort by it. In its ``row`` are no queries, which are most of it."""

    case_id: str
    text: bytes
    row: Row

    @property
    def whole(self) -> Row:
        """What the line says, with its queries.

        Raises:
            DataError: they are not whole.
        """
        return _parsed(self.text, self.text, f"the line of case {self.case_id}")


def item_lines(lines: Lines, item: CountedItem, where: str) -> Iterator[CaseLine]:
    """The lines of one item, which are the next ones of the file ``where``.

    Raises:
        DataError: they are not as many as are counted, or not in the order of their ids, or one is none of ours.
    """
    before = ""
    for number in range(item.cases):
        text = lines.readline()
        row = row_of(text, where)
        if tuple(str(row.get(name, "")) for name in _OF_AN_ITEM) != item[:3]:
            raise DataError(
                f"Expected {item.cases} cases of {item.item}, as the report counts, but got {number} in {where}: the "
                "two files are not of one run"
            )
        case_id = str(row["case_id"])
        if case_id <= before:
            raise DataError(
                f"Expected the cases of {item.item} in the order of their ids, but got case_id={case_id!r} after "
                f"{before!r} in {where}: take the file as it was written"
            )
        before = case_id
        yield CaseLine(case_id, text, row)


def check_ended(lines: Lines, where: str) -> None:
    """Whether there are no lines left.

    Raises:
        DataError: there are.
    """
    if text := lines.readline():
        row = row_of(text, where)
        raise DataError(
            f"Expected no more cases than the report counts, but got case_id={row['case_id']!r} of {row['relation']} "
            f"in {where}: the two files are not of one run"
        )


def row_of(text: bytes, where: str) -> Row:
    """What a line says but for its queries; nothing at the end of the file.

    Raises:
        DataError: it is no line of ours.
    """
    return _parsed(_without_queries(text), text, where) if text else {}


def _without_queries(text: bytes) -> bytes:
    """What is left of a line of ours; within a text every quote has a backslash before it, so that neither is found."""
    begin, end = text.find(b',"queries":['), text.rfind(b'],"answers":[')
    return text[:begin] + text[end + 1 :] if 0 <= begin < end else text


def _parsed(part: bytes, text: bytes, where: str) -> Row:
    try:
        row: Row = json.loads(part)
        if missing := [name for name in (*_TOLD, "scene", "verdict") if name not in row]:
            raise KeyError(*missing)
        Outcome(str(row["verdict"]))
        return row
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected one case a line, but got {text[:80]!r} in {where}: {error!r}") from error
