"""``cases.jsonl``: each item writes its own part, and the parts are joined at the end.

An item that did not finish has a part but no result, so it is in neither file. Lines are in the order of the items, and
within an item sorted by case id, which is also the order after a merge. Memory use does not grow with the cases.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import (
    FILE_NAMES,
    PLAIN_NAME,
    LineSorter,
    create_cases,
    find_cases_file,
    merge_sorted_runs,
    open_cases,
)
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.core.report_json import Row, case_line, case_row
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.reporting.atomic_write import AtomicFile, remove_leftovers, unwritable_folder

REPORT_FILES = ("report.html", "summary.md", "audit.json", "report.json", *FILE_NAMES)
"""All files of a report; each is made from those after it."""

_PARTS = ".cases"


class CasePartWriter:
    """Writes the cases of one item, a line each, as its events arrive."""

    def __init__(self, folder: Path, position: int) -> None:
        self._folder = folder
        try:
            (folder / _PARTS).mkdir(parents=True, exist_ok=True)
            self._lines = LineSorter(folder / _PARTS / _part(position))
        except OSError as error:
            raise unwritable_folder(folder, error) from error

    def __call__(self, event: Event) -> None:
        if isinstance(event, Judged):
            row = case_row(
                event.case,
                event.answers,
                event.verdict,
                model=event.model,
                data=event.data,
                waived=event.waived,
                before=event.before,
            )
            try:
                self._lines.add(f"{case_line(row)}\n".encode())
            except OSError as error:
                raise unwritable_folder(self._folder, error) from error

    def __enter__(self) -> CasePartWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._lines.close()
        except OSError as failed:
            raise unwritable_folder(self._folder, failed) from failed


def start_parts(folder: Path) -> None:
    """Removes parts and temporary files of an earlier run that did not finish.

    Raises:
        VqamtError: the folder cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in REPORT_FILES:
            remove_leftovers(folder / name)
    except OSError as error:
        raise unwritable_folder(folder, error) from error
    remove_parts(folder)


def remove_report(folder: Path) -> None:
    """Removes the report of an earlier run, so that it is not taken for that of a failed run.

    Pages go before the files they are made from, so a page is never beside the report of another run.

    Raises:
        VqamtError: a file cannot be removed.
    """
    try:
        for name in REPORT_FILES:
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise unwritable_folder(folder, error) from error


def _part(position: int) -> str:
    return f"{position:06}.jsonl"


def remove_parts(folder: Path) -> None:
    """Removes all parts."""
    shutil.rmtree(folder / _PARTS, ignore_errors=True)


def join_parts(folder: Path, positions: Collection[int], name: str = PLAIN_NAME) -> int:
    """Joins the parts of the items at ``positions`` in one step, and returns the number of lines.

    The file is compressed if its ``name`` says so.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with AtomicFile(folder / name) as cases:
            written = write_joined(folder, positions, cases)
            cases.commit()
    except OSError as error:
        raise unwritable_folder(folder, error) from error
    remove_parts(folder)
    return written


def write_joined(folder: Path, positions: Collection[int], cases: AtomicFile) -> int:
    """Writes the lines of the parts at ``positions`` into ``cases``, and returns their number.

    Each part is removed once it is written, so that the disk never holds all lines twice.

    Raises:
        OSError: a part cannot be read, or the file cannot be written.
    """
    wanted = set(map(_part, positions))
    written = 0
    with create_cases(cases.path, cases.file.name) as joined:
        for part in sorted(part for part in (folder / _PARTS).glob("*.jsonl") if part.name in wanted):
            for line in merge_sorted_runs(part):  # each begins with its case id
                joined.write(line)
                written += 1
            part.unlink()
    return written


_TEXTS = ("case_id", "relation", "model", "data", "scene", "expected", "reason")


def case_rows(folder: Path) -> Iterator[Row]:
    """The rows of the cases in ``folder``, one in memory at a time.

    Raises:
        DataError: the file cannot be read, or a line of it is broken.
    """
    with open_cases(find_cases_file(folder)) as lines:
        for number, line in enumerate(lines, start=1):
            yield parse_case(line, f"{lines.name}:{number}")


def parse_case(line: bytes, where: str) -> Row:
    """Parses and checks one line; ``where`` is its place for error messages.

    Raises:
        DataError: the line is incomplete, or not a case.
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


_ITEM_FIELDS = ("relation", "model", "data")
_REQUIRED = ("case_id", *_ITEM_FIELDS)


class LineReader(Protocol):
    """A binary stream of lines."""

    def readline(self) -> bytes: ...


class ItemCount(NamedTuple):
    """A relation variant, a model and a data source, with their number of cases."""

    item: str
    model: str
    data: str
    cases: int

    @classmethod
    def of(cls, result: RelationResult) -> ItemCount:
        return cls(result.item, result.model.name, result.data.spec, result.all_cases)


class CaseLine(NamedTuple):
    """A line of the file, which sorts by its case id; ``row`` is parsed without the queries, most of the text."""

    case_id: str
    text: bytes
    row: Row

    @property
    def whole(self) -> Row:
        """The row with its queries.

        Raises:
            DataError: the line is incomplete.
        """
        return _parsed(self.text, self.text, f"the line of case {self.case_id}")


def item_lines(lines: LineReader, item: ItemCount, where: str) -> Iterator[CaseLine]:
    """Reads the lines of one item, the next ones of the file ``where``.

    Raises:
        DataError: their number is wrong, they are not sorted by id, or one is not a case.
    """
    before = ""
    for number in range(item.cases):
        text = lines.readline()
        row = parse_without_queries(text, where)
        if tuple(str(row.get(name, "")) for name in _ITEM_FIELDS) != item[:3]:
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


def check_ended(lines: LineReader, where: str) -> None:
    """Checks that no lines are left.

    Raises:
        DataError: there are more lines.
    """
    if text := lines.readline():
        row = parse_without_queries(text, where)
        raise DataError(
            f"Expected no more cases than the report counts, but got case_id={row['case_id']!r} of {row['relation']} "
            f"in {where}: the two files are not of one run"
        )


def parse_without_queries(text: bytes, where: str) -> Row:
    """Parses a line without its queries; empty at the end of the file.

    Raises:
        DataError: the line is not a case.
    """
    return _parsed(_without_queries(text), text, where) if text else {}


def _without_queries(text: bytes) -> bytes:
    """Cuts the queries out of a line; the markers cannot occur in texts, whose quotes are escaped."""
    begin, end = text.find(b',"queries":['), text.rfind(b'],"answers":[')
    return text[:begin] + text[end + 1 :] if 0 <= begin < end else text


def _parsed(part: bytes, text: bytes, where: str) -> Row:
    try:
        row: Row = json.loads(part)
        if missing := [name for name in (*_REQUIRED, "scene", "verdict") if name not in row]:
            raise KeyError(*missing)
        Outcome(str(row["verdict"]))
        return row
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected one case a line, but got {text[:80]!r} in {where}: {error!r}") from error
