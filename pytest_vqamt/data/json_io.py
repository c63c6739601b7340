"""Reads JSON files, streams of records, and JSON Lines; errors name the file and the place."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

import ijson  # type: ignore[import-untyped]  # it has neither types nor stubs

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import (
    JsonInput,
    NestingError,
    gunzipped,
    lines_of,
    open_input,
    parse_json,
    read_line,
    read_plain,
    unmasked,
)
from pytest_vqamt.core.text import error_reason, short_path, short_repr
from pytest_vqamt.data.records import Record, Repeats, StreamedObject, repeated_key

_AROUND = 15
"""The number of characters before and after a mistake in its message."""

_CHUNK_BYTES = 1 << 16
"""Read at once from a stream."""

_COMPRESSED = b"\x1f\x8b"
"""The first bytes of gzip."""

STANDARD_INPUT = "-"
"""The name that commands take for it."""
_MAX_LINE_BYTES = 1 << 20
"""A file without line ends is no JSON Lines."""


def read_json(path: Path) -> object:
    """The content of a JSON file: UTF-8, also with a byte order mark; gzip if its name ends in ``.gz``.

    Raises:
        DataError: it cannot be read, is no JSON, or an object repeats a key.
    """
    named = short_path(path)
    try:
        plain = read_plain(path, is_json=True)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(
            f"Expected {named} to be whole, but it cannot be decompressed ({error_reason(error)}): fetch it again"
        ) from error
    except OSError as error:
        raise DataError(
            f"Expected a JSON file, but {named} cannot be read ({error_reason(error)}): name one that can"
        ) from error
    except NestingError as error:
        raise _too_deep(named) from error
    return parse(text_of(plain, named), named)


def text_of(data: bytes, where: str) -> str:
    """Decodes UTF-8, also with a byte order mark; raises DataError, which begins with ``where``."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where}: Expected UTF-8, but got byte {error.start} wrong ({error.reason}): save it as UTF-8"
        ) from error


def parse(text: str, where: str) -> object:
    """Parses JSON; an error begins with ``where``, the file or the line of a file.

    Raises:
        DataError: it is no JSON, or an object repeats a key.
    """
    if not text.strip():
        raise DataError(f"{where}: Expected JSON, but it is empty: fetch it again")
    try:
        value = parse_json(text, partial(_each_key_once, where))
    except json.JSONDecodeError as error:
        # A list of objects over many lines, whose first line is "[" alone.
        if text.lstrip().startswith("[") and where.partition(":")[0].endswith(".jsonl"):
            raise DataError(
                f"{where}: Expected one JSON object a line, but the file is a JSON list: write each object in "
                "a line of its own"
            ) from error
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        near = text[max(0, error.pos - _AROUND) : error.pos + _AROUND]
        raise DataError(
            f"{where}: Expected JSON, but it breaks off at {place} ({error.msg}), near {short_repr(near)}: "
            "correct it there, or fetch it again"
        ) from error
    except NestingError as error:
        raise _too_deep(where) from error
    except ValueError as error:  # Python limits the digits of whole numbers
        raise DataError(
            f"{where}: Expected JSON, but got a number of too many digits to be read: correct it"
        ) from error
    return value


def _too_deep(where: str) -> DataError:
    return DataError(f"{where}: Expected a record, but got lists or objects nested too deep to read: take them out")


def _each_key_once(where: str, pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):  # json keeps the last value; which one was meant, nobody knows
        seen = Counter(key for key, _ in pairs)
        raise DataError(f"{where}: {repeated_key(next(key for key in found if seen[key] > 1), found)}")
    return found


class RecordStream:
    """Streams a JSON file, plain or gzip.

    After each record, ``progress`` is called with the number of bytes read since the last call.
    """

    def __init__(self, path: Path, progress: Callable[[int], object] = lambda _bytes: None) -> None:
        self.path = path
        self._progress = progress

    def members(self) -> Iterator[tuple[str, object]]:
        """Each key with its value of a JSON object; keys may repeat.

        Raises:
            DataError: the file is something else, or damaged.
        """
        return cast("Iterator[tuple[str, object]]", self._records("{", ijson.kvitems, ""))

    def items(self) -> Iterator[object]:
        """Each item of a JSON list; raises DataError if the file is something else, or damaged."""
        return self._records("[", ijson.items, "item")

    def listed(self, key: str) -> Iterator[object]:
        """Each item of the list under ``key`` of a JSON object; none without such a list.

        Raises:
            DataError: the file is something else, or damaged.
        """
        return self._records("{", ijson.items, f"{key}.item")

    def _records(self, bracket: str, read: Callable[..., Iterator[object]], prefix: str) -> Iterator[object]:
        with self._opened(bracket) as (on_disk, plain):
            done, repeats = 0, Repeats()
            for found in read(
                plain, prefix, use_float=True, buf_size=_CHUNK_BYTES, map_type=partial(StreamedObject, repeats)
            ):
                # ijson takes half a surrogate pair for a question mark, so JsonInput has masked it.
                record = unmasked(found) if plain.has_halves else found
                if repeats.any:
                    repeats.mark(record[1] if isinstance(record, tuple) else record)
                here = on_disk.tell()  # of the compressed file, whose size the progress bar knows
                self._progress(here - done)
                done = here
                yield record

    @contextmanager
    def _opened(self, bracket: str) -> Iterator[tuple[BufferedReader, JsonInput]]:
        try:
            file = open_input(self.path)
        except OSError as error:
            raise DataError(
                f"Expected a file that can be read, but got path={str(self.path)!r}: {error.strerror}"
            ) from error
        with file as on_disk:
            try:
                # ijson yields nothing from a list where an object is expected, and raises nothing.
                with self._plain(on_disk) as plain:
                    first = plain.read(_CHUNK_BYTES).lstrip()[:1].decode("latin-1")
                on_disk.seek(0)
                if first != bracket:
                    raise DataError(
                        f"Expected {self.path} to begin with {bracket!r}, but got first={first!r}: "
                        "it is no file of this data set"
                    )
                with self._plain(on_disk) as plain:
                    yield on_disk, JsonInput(plain)
            except NestingError as error:
                raise _too_deep(str(self.path)) from error
            except (ijson.JSONError, UnicodeDecodeError, EOFError, zlib.error, OSError) as error:
                raise DataError(
                    f"Expected {self.path} to be whole, but after {on_disk.tell()} bytes got {_first_line(error)}: "
                    "fetch it again"
                ) from error

    def _plain(self, on_disk: BufferedReader) -> AbstractContextManager[BinaryIO]:
        if self.path.suffix == ".gz":
            return cast("AbstractContextManager[BinaryIO]", gunzipped(on_disk))
        return nullcontext(on_disk)


def plain_or_gzip(path: Path) -> Path | None:
    """The file, or the one with ".gz" after its name; None without either."""
    compressed = path.with_name(f"{path.name}.gz")
    return path if path.is_file() else compressed if compressed.is_file() else None


def _first_line(error: Exception) -> str:
    message = error.args[0] if error.args else ""  # of yajl it is bytes
    text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(error)
    return (text.strip() or type(error).__name__).splitlines()[0].rstrip(".")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank."""

    offset: int
    """Of its first byte."""
    where: str
    """The file and the line number, from 1 ("units.jsonl:12")."""
    data: bytes

    def record(self) -> Record:
        """The JSON object of the line; raises DataError if the line is no JSON object."""
        return Record.of(parse(text_of(self.data.rstrip(), self.where), self.where), self.where)


class JsonLines:
    """One file.

    Attributes:
        digest: of its bytes; "" until it was read to the end.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.digest = ""

    def __iter__(self) -> Iterator[Line]:
        """The lines in order; raises DataError if the file cannot be read, or is compressed."""
        content, offset = sha256(), 0
        try:
            with open_input(self.file) as lines:
                for number, data in enumerate(lines_of(lines), start=1):
                    if number == 1 and data.startswith(_COMPRESSED):
                        raise DataError(
                            f"Expected lines of JSON, but {short_path(self.file)} is compressed: decompress it"
                        )
                    if data.strip():  # blank lines count in the numbers of lines, and are no records
                        yield Line(offset, f"{self.file.name}:{number}", data)
                    content.update(data)
                    offset += len(data)
        except OSError as error:
            raise DataError(
                f"Expected lines of JSON, but {short_path(self.file)} cannot be read ({error_reason(error)}): make it "
                "readable"
            ) from error
        self.digest = content.hexdigest()[:16]

    def at(self, offsets: list[int], where: str = "") -> Iterator[Record]:
        """The records of the lines at these offsets; ``where`` is the file's name by default.

        Raises:
            DataError: the file has changed since.
        """
        where = where or self.file.name
        try:
            with open_input(self.file) as lines:
                for offset in offsets:
                    lines.seek(offset)
                    yield Line(offset, where, read_line(lines)).record()
        except OSError as error:
            raise DataError(
                f"{where}: Expected a record, but the file cannot be read any more ({error_reason(error)}): start again"
            ) from error


def _refuse(error: DataError) -> None:
    raise error


def read_records(file: str, bad_line: Callable[[DataError], None] = _refuse) -> Iterator[Record]:
    """Yields the records of a file, or of standard input for "-"; blank lines are skipped.

    ``bad_line`` is called with the error of each line that is no JSON object. It raises it, or has the line left out.

    Raises:
        DataError: the file cannot be read, or ``bad_line`` raised.
    """
    try:
        with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else open_input(file) as lines:
            yield from iter_records(lines, display_name(file), bad_line)
    except OSError as error:
        raise DataError(
            f"Expected a file of JSON lines, but {file!r} cannot be read ({error_reason(error)})"
        ) from error


def iter_records(lines: BinaryIO, file: str, bad_line: Callable[[DataError], None] = _refuse) -> Iterator[Record]:
    """Yields the records of an open file with this name; ``bad_line`` as in ``read_records``."""
    for number, line in enumerate(iter(lambda: lines.readline(_MAX_LINE_BYTES + 1), b""), start=1):
        where = f"{file}, line {number}"
        try:
            if len(line) > _MAX_LINE_BYTES:
                raise DataError(f"{where}: Expected a JSON object, but got a line of more than {_MAX_LINE_BYTES} bytes")
            text = text_of(line, where)
            record = Record.of(parse(text, where), where) if text.strip() else None
        except DataError as error:
            bad_line(error)
            while line and not line.endswith(b"\n"):  # the rest of a line that is too long
                line = lines.readline(_MAX_LINE_BYTES)
            continue
        if record is not None:
            yield record


def display_name(file: str) -> str:
    """The name of the file in messages."""
    return "standard input" if file == STANDARD_INPUT else file


def json_line(row: Mapping[str, object]) -> str:
    """The row as one line of JSON; ASCII only if it holds surrogates, which no encoding can write.

    >>> json_line({"caption": "ein Käfig"})
    '{"caption": "ein Käfig"}'
    """
    text = json.dumps(row, ensure_ascii=False)
    return text if text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text) else json.dumps(row)
