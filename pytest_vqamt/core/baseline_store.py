"""The file of a baseline: gzip members of JSON lines, one for the head and one for the cases of each item."""

from __future__ import annotations

import errno
import gzip
import zlib
from collections.abc import Iterator
from functools import cached_property
from hashlib import file_digest
from io import BufferedReader, BytesIO
from pathlib import Path
from shutil import copyfileobj
from typing import IO, BinaryIO, cast

from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import CaseLine, check_lists, gzip_member
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import (
    MAX_BYTES,
    InputError,
    check_id,
    describe_broken,
    lines_of,
    open_input,
    parse_json,
)
from pytest_vqamt.core.report_json import BASELINE_SCHEMA, Row, case_line, head_from_row, head_row
from pytest_vqamt.core.results import BaselineEntry, BaselineHead
from pytest_vqamt.core.text import count_noun

_REPAIR = "`vqamt bless` a report anew, or get the file as it was written"
_CHUNK_BYTES = 1 << 16
_NOT_GZIP = (OSError, EOFError, zlib.error)


class BaselineFile:
    """A file that ``vqamt bless`` wrote. Its head is in memory, and at most one item.

    Raises:
        DataError: the file cannot be read, or is no baseline.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        with _opened(file) as packed:
            first, starts_at = _first_member(packed, file)
            self.head = _head(first, file)
            ends_at = packed.seek(0, 2)
        self._places: dict[BaselineEntry, tuple[int, int]] = {}
        line, place = 2, starts_at
        for each in self.head.items:
            self._places[each] = place, line
            line += each.tally.cases
            place += each.size_bytes
        if place != ends_at:
            raise DataError(
                f"Expected a baseline of {place} bytes, as its first line says, but {file} has {ends_at}: {_REPAIR}"
            )

    @cached_property
    def digest(self) -> str:
        """The digest of the whole file."""
        with _opened(self.file) as packed:
            return file_digest(packed, "sha256").hexdigest()[:16]

    def check(self) -> None:
        """Reads the whole file, so that a broken line is reported before the run.

        Raises:
            DataError: a line is broken.
        """
        for item in self.head.items:
            for _ in self.lines(item):
                pass

    def lines(self, item: BaselineEntry) -> Iterator[tuple[str, CaseLine]]:
        """The place and the content of each line of an item, sorted by case id.

        Raises:
            DataError: a line is broken.
        """
        place, line = self._places[item]
        previous = ""
        with _opened(self.file) as packed:
            packed.seek(place)
            member = packed.read(item.size_bytes)
        try:
            with gzip.open(BytesIO(member)) as lines:
                count = 0
                for count, text in enumerate(lines_of(lines), start=1):
                    where = f"{self.file}, line {line + count - 1}"
                    row = _row(text, item, previous, where)
                    previous = str(row["case_id"])
                    yield where, CaseLine(previous, text, row)
        except _NOT_GZIP as error:
            raise DataError(
                f"Expected a whole baseline, but the cases of {item.id} cannot be unpacked from line {line} of "
                f"{self.file} on ({error}): {_REPAIR}"
            ) from error
        if count != item.tally.cases:
            raise DataError(
                f"Expected {count_noun(item.tally.cases, 'case')} of {item.id} from line {line} of {self.file} on, "
                f"but got {count}: {_REPAIR}"
            )


def write_baseline(file: Path, head: BaselineHead, members: IO[bytes]) -> int:
    """Writes the head and the items' ``members`` into ``file`` in one step, and returns its size in bytes.

    Raises:
        OSError: the file cannot be written.
    """
    members.seek(0)
    with replacing(file) as part, part.open("wb") as whole:
        with gzip_member(whole) as first:
            first.write(f"{case_line(head_row(head))}\n".encode())
        copyfileobj(members, whole)
        return whole.tell()


def _opened(file: Path) -> BufferedReader:
    try:
        return open_input(file)
    except OSError as error:
        raise DataError(
            f"Expected a baseline that can be read, but got {str(file)!r} ({error.strerror or error}): name the file "
            "that `vqamt bless` wrote"
        ) from error


def _first_member(packed: BinaryIO, file: Path) -> tuple[bytes, int]:
    """The first gzip member of the file, unpacked, and its end in the file."""
    unpack = zlib.decompressobj(wbits=31)  # gzip
    first = bytearray()
    try:
        while not unpack.eof and (chunk := packed.read(_CHUNK_BYTES)):
            first += unpack.decompress(chunk, MAX_BYTES + 1 - len(first))
            if len(first) > MAX_BYTES:
                raise InputError(errno.EFBIG, f"a line of more than {MAX_BYTES >> 20} MiB")
    except _NOT_GZIP as error:
        what = "it is none" if isinstance(error, zlib.error) else describe_broken(error)
        raise DataError(
            f"{file}, line 1: Expected a file that `vqamt bless` wrote, which is gzip, but {what}: {_REPAIR}"
        ) from error
    if not unpack.eof:
        raise DataError(f"{file}, line 1: Expected a file that `vqamt bless` wrote, but it was cut off: {_REPAIR}")
    return bytes(first), packed.tell() - len(unpack.unused_data)


def _head(text: bytes, file: Path) -> BaselineHead:
    try:
        row = parse_json(text)
        if not isinstance(row, dict) or "baseline" not in row:
            raise ValueError(f"it is {text[:40]!r}")
        if row["baseline"] != BASELINE_SCHEMA:
            raise DataError(
                f"{file}, line 1: Expected a baseline of schema {BASELINE_SCHEMA}, but got "
                f"baseline={row['baseline']!r}: {_REPAIR}"
            )
        head = head_from_row(row)
        if not head.models or len({each.id for each in head.items}) < len(head.items):
            raise ValueError("it names no model, or an item twice")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{file}, line 1: Expected what `vqamt bless` writes first, but {_reason(error)}: {_REPAIR}"
        ) from error
    return head


def _row(text: bytes, item: BaselineEntry, previous: str, where: str) -> Row:
    """Parses a line of an item, whose case id comes after ``previous``."""
    try:
        row = cast("Row", parse_json(text))
        key = str(row["relation"]), str(row["model"]), str(row["data"])
        queries, answers = cast("list[Row]", row["queries"]), cast("list[Json]", row["answers"])
        Outcome(str(row["verdict"]))
        if key != (item.item, item.model, item.data):
            raise ValueError(f"it is a case of {'-'.join(key)} among those of {item.id}")
        if not queries or len(queries) != len(answers):
            raise ValueError(
                f"it has {count_noun(len(answers), 'answer')} to {count_noun(len(queries), 'query', 'queries')}"
            )
        if not all(isinstance(each, str | None) for each in answers):
            raise ValueError(f"it has answers that are no texts: {answers!r}")
        if check_id(row["case_id"]) <= previous:
            raise ValueError(f"case_id={row['case_id']!r} comes after {previous!r}")
        check_lists(row)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{where}: Expected a blessed case, but {_reason(error)}: {_REPAIR}") from error
    return row


def _reason(error: Exception) -> str:
    return f"it lacks {error}" if isinstance(error, KeyError) else describe_broken(error)
