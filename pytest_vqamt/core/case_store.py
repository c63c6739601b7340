"""The cases of a report or a baseline: one JSON object a line, plain or compressed, the lines of an item in a row."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, cast

from pytest_vqamt.core.case import RIGHT_SOURCE, Change, Outcome, own_question
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import (
    InputError,
    LineReader,
    check_id,
    describe_broken,
    gunzipped,
    lines_of,
    open_input,
    parse_json,
    read_line,
)
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.core.text import count_noun

PLAIN_NAME = "cases.jsonl"
GZIP_NAME = "cases.jsonl.gz"
FILE_NAMES = (PLAIN_NAME, GZIP_NAME)
SIMPLIFIED_NAME = "simplified.jsonl"
"""Violations that were made simpler, to be shown; they are no cases of the run."""

BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)

_GZIP_MAGIC = b"\x1f\x8b"
_LEVEL = 6


def find_cases_file(folder: Path) -> Path:
    """The file of cases in the folder of a report.

    Raises:
        DataError: there is no such file, or both of them.
    """
    found = [folder / name for name in FILE_NAMES if (folder / name).is_file()]
    if not found:
        raise DataError(
            f"Expected a folder that --vqamt-report wrote, but got {str(folder)!r}: "
            f"it has no {PLAIN_NAME} and no {GZIP_NAME}"
        )
    if len(found) > 1:
        raise DataError(
            f"Expected one file of cases, but got both {PLAIN_NAME} and {GZIP_NAME} in {str(folder)!r}: remove one"
        )
    return found[0]


@contextmanager
def open_cases(file: Path) -> Iterator[BinaryIO]:
    """Opens a file of cases to read it, with seeks; its content decides whether it is decompressed.

    Raises:
        DataError: the file cannot be opened, or is found broken while it is read.
    """
    try:
        packed = open_input(file)
    except OSError as error:
        raise DataError(
            f"Expected a file of cases that can be read, but got {str(file)!r}: {error.strerror or error}"
        ) from error
    with packed:
        try:
            is_gzip = packed.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC)
            with cast("BinaryIO", gunzipped(packed)) if is_gzip else packed as plain:
                yield plain
        except (InputError, *BROKEN_GZIP) as error:
            raise DataError(
                f"Expected a file of cases that is whole, but {file} cannot be read to its end ({error}): get it as "
                "it was written, or make the report anew"
            ) from error


@contextmanager
def create_cases(file: Path, name: str) -> Iterator[IO[bytes]]:
    """Opens ``file`` to write cases; ``name``, its final name, decides whether they are compressed.

    Raises:
        OSError: it cannot be written.
    """
    with file.open("wb") as packed:
        if name != GZIP_NAME:
            yield packed
            return
        with gzip_member(packed, level=_LEVEL) as member:
            yield cast("IO[bytes]", member)


def gzip_member(packed: IO[bytes], *, level: int = 9) -> gzip.GzipFile:
    """Begins a gzip member without a name and a time: equal runs write equal bytes. ``packed`` is left open."""
    return gzip.GzipFile("", "wb", level, packed, mtime=0)


def sorted_lines(file: Path) -> Iterator[bytes]:
    """The lines of a plain file of cases in the order of their case ids, with which each begins.

    Only ids and positions are in memory, some 150 bytes of each line.

    Raises:
        OSError: it cannot be read.
    """
    with open_input(file) as lines:
        found: list[tuple[bytes, int]] = []
        place = 0
        for line in lines_of(lines):
            found.append((line[:_ID_ENDS], place))
            place += len(line)
        for _, place in sorted(found):
            lines.seek(place)
            yield read_line(lines)


_ID_ENDS = len('{"case_id":"0123456789abcdef"')
_TEXTS = ("case_id", "relation", "model", "data", "scene", "expected", "reason")


def case_rows(folder: Path) -> Iterator[Row]:
    """The rows of the cases in ``folder``, one in memory at a time.

    Raises:
        DataError: the file cannot be read, or a line of it is broken.
    """
    return (row for _, row in numbered_rows(find_cases_file(folder)))


def numbered_rows(file: Path) -> Iterator[tuple[int, Row]]:
    """As ``case_rows``, with the numbers of the lines from 1 on."""
    with open_cases(file) as lines:
        for number, line in enumerate(lines_of(lines), start=1):
            yield number, parse_case(line, f"{file}:{number}")


def lines_of_case(file: Path, beginning: str) -> Iterator[tuple[str, bytes]]:
    """The places and the lines of the cases whose id begins with ``beginning``.

    Raises:
        DataError: the file cannot be read, or has an empty line.
    """
    typed = re.escape(beginning.encode("utf-8", "surrogateescape"))
    start = re.compile(rb'\{\s*"case_id"\s*:\s*"' + typed)  # another program may have written the line again
    with open_cases(file) as lines:
        for number, line in enumerate(lines_of(lines), start=1):
            if line == b"\n":
                raise DataError(f"{file}:{number}: Expected a case, but got an empty line: make the report anew")
            if start.match(line):
                yield f"{file}:{number}", line


def parse_case(line: bytes, where: str) -> Row:
    """Parses and checks one line; ``where`` is its place for error messages.

    Raises:
        DataError: the line is incomplete, or not a case.
    """
    try:
        row = parse_json(line)
        if not isinstance(row, dict):
            raise TypeError("expected an object")
        _check(row)
    except (KeyError, TypeError, ValueError) as error:
        raise _no_whole_line(line, where, error) from error
    return cast("Row", row)


def _no_whole_line(line: bytes, where: str, error: Exception) -> DataError:
    text = repr(line[:60].decode("utf-8", "replace").rstrip("\n"))
    what = f"it lacks {error}" if isinstance(error, KeyError) else describe_broken(error)
    return DataError(
        f"{where}: Expected a whole line of a report, but got {text}{'...' if len(line) > 60 else ''} ({what}): "
        "make the report anew"
    )


def _check(row: dict[str, object]) -> None:
    check_id(row["case_id"])
    for name in _TEXTS:
        if not isinstance(row[name], str):
            raise TypeError(f"expected {name} to be a text")
    Outcome(str(row["verdict"]))
    queries, answers, readings = row["queries"], row["answers"], row["readings"]
    if not (isinstance(queries, list) and isinstance(answers, list) and isinstance(readings, list)):
        raise TypeError("expected lists of queries, answers and readings")
    if len(queries) != len(answers):
        raise ValueError(f"{count_noun(len(answers), 'answer')} to {count_noun(len(queries), 'query', 'queries')}")
    for query in queries:
        _check_query(query)
    if not isinstance(row.get("facts") or {}, dict):
        raise TypeError("expected facts to be an object")
    check_lists(cast("Row", row))


def _check_query(query: Any) -> None:
    if not isinstance(query["text"], str) or not isinstance(query["picture"]["digest"], str):
        raise TypeError("expected a text and a picture's digest")


def check_lists(row: Row) -> None:
    """Checks the values of a case that are counted; raises TypeError or ValueError."""
    for name, kind in (("answers", str | None), ("readings", str), ("tags", str)):
        values = row.get(name) or []
        if not isinstance(values, list) or not all(isinstance(each, kind) for each in values):
            raise TypeError(f"expected texts as {name}")
    for name in ("vacuous", "waived"):
        if not isinstance(row.get(name, False), bool):
            raise TypeError(f"expected {name} to be true or false")
    if row.get("before") is not None:
        Outcome(str(row["before"]))
    for name in ("figures", "figures_before"):
        figures = row.get(name) or {}
        if not isinstance(figures, dict) or not all(isinstance(each, int | float) for each in figures.values()):
            raise TypeError(f"expected numbers as {name}")
    if row.get("contrast") is not None:
        _check_contrast(row["contrast"], cast("list[Json]", row.get("answers") or []))


def _check_contrast(contrast: Json, answers: Sequence[Json]) -> None:
    """Checks a case's contrast: all that is counted, shown or replayed."""
    if not isinstance(contrast, dict):
        raise TypeError("expected contrast to be an object")
    of, names = contrast["of"], contrast.get("names") or []
    if isinstance(of, bool) or not isinstance(of, int) or not 0 <= of < len(answers):
        raise ValueError(f"expected the contrast to be of one of {len(answers)} queries, but got of={of!r}")
    _check_query(contrast["query"])
    Change(str(contrast["change"]))
    if not isinstance(contrast["scene"], str) or not isinstance(contrast.get("presumed", False), bool):
        raise TypeError("expected a contrast with the id of a scene, and presumed as true or false")
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise TypeError("expected texts as names of the contrast")
    for name in ("verdict", "before"):
        if contrast.get(name) is not None:
            Outcome(str(contrast[name]))
    if contrast.get("verdict") is not None:
        texts = (contrast["reason"], contrast["reading"], "" if contrast["answer"] is None else contrast["answer"])
        if not all(isinstance(each, str) for each in texts):
            raise TypeError("expected texts as reason, reading and answer of the contrast")


_REQUIRED = ("case_id", "relation", "model", "data", "scene", "verdict")


class ItemCount(NamedTuple):
    """A relation variant, a model and a data source, with their number of cases."""

    item: str
    model: str
    data: str
    cases: int

    @classmethod
    def of(cls, result: RelationResult) -> ItemCount:
        return cls(result.item, result.model.name, result.data.name, result.all_cases)


class RightAnswer(NamedTuple):
    """The answer to a question that came with answers, and that in the baseline; the question as ``own_question``."""

    question: str
    right: bool
    before: bool | None


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

    @property
    def right_answer(self) -> RightAnswer | None:
        """Whether the answer to the source question is right; None if none came with it, or it is not asked as it is.

        Raises:
            DataError: the line is incomplete.
        """
        now, before = (cast("dict[str, float]", self.row.get(name) or {}) for name in ("figures", "figures_before"))
        if RIGHT_SOURCE not in now or self.row.get("waived"):
            return None
        (source, *_), then = cast("list[Row]", self.whole["queries"]), before.get(RIGHT_SOURCE)
        picture, meaning = cast("Row", source["picture"]), cast("Row", source["meaning"])
        shown = str(source["id"] if source.get("turns") else picture["digest"])
        question = own_question(shown, bool(picture["edits"]), str(source["text"]), str(meaning.get("question", "")))
        if not question:
            return None
        return RightAnswer(question, now[RIGHT_SOURCE] > 0, None if then is None else then > 0)


def item_lines(lines: LineReader, item: ItemCount, where: str) -> Iterator[CaseLine]:
    """Reads the lines of one item, the next ones of the file ``where``.

    Raises:
        DataError: their number is wrong, they are not sorted by id, or one is not a case.
    """
    before = ""
    for number in range(item.cases):
        text = read_line(lines)
        row = _parse_without_queries(text, where)
        if (row.get("relation"), row.get("model"), row.get("data")) != item[:3]:
            raise DataError(
                f"Expected {count_noun(item.cases, 'case')} of {item.item}, as the report counts, but got {number} in "
                f"{where}: the two files are not of one run"
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
    if text := read_line(lines):
        row = _parse_without_queries(text, where)
        raise DataError(
            f"Expected no more cases than the report counts, but got case_id={row['case_id']!r} of {row['relation']} "
            f"in {where}: the two files are not of one run"
        )


@contextmanager
def open_items(folder: Path, items: Iterable[ItemCount]) -> Iterator[Callable[[ItemCount], Iterator[CaseLine]]]:
    """Yields a function that reads the lines of one of ``items``, all those of the report in ``folder``, in its order.

    Items in the order of the file are read in one pass.

    Raises:
        DataError: the file cannot be read, or has another number of cases.
    """
    file = find_cases_file(folder)
    with open_cases(file) as lines:
        places: dict[ItemCount, int] = {}
        place = 0
        for item in items:
            places[item] = place
            place += sum(map(len, islice(iter(lambda: read_line(lines), b""), item.cases)))
        check_ended(lines, str(file))

        def read(item: ItemCount) -> Iterator[CaseLine]:
            lines.seek(places[item])
            yield from item_lines(lines, item, str(file))

        yield read


def _parse_without_queries(text: bytes, where: str) -> Row:
    """Parses a line without its queries; empty at the end of the file."""
    if not text:
        return {}
    begin, end = text.find(b',"queries":['), text.rfind(b'],"answers":[')
    # The markers cannot occur in texts, whose quotes are escaped.
    return _parsed(text[:begin] + text[end + 1 :] if 0 <= begin < end else text, text, where)


def _parsed(part: bytes, text: bytes, where: str) -> Row:
    try:
        row = cast("Row", parse_json(part))
        if not isinstance(row, dict):
            raise TypeError("expected an object")
        if missing := [name for name in _REQUIRED if not isinstance(row.get(name), str)]:
            raise TypeError(f"expected texts as {', '.join(missing)}")
        check_id(row["case_id"])
        Outcome(str(row["verdict"]))
        check_lists(row)
        return row
    except (KeyError, TypeError, ValueError) as error:
        raise _no_whole_line(text, where, error) from error
