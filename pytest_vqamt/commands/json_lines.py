"""Reads and writes the JSON Lines of commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from typing import BinaryIO

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import open_input
from pytest_vqamt.core.text import error_reason
from pytest_vqamt.data.json_io import parse, text_of
from pytest_vqamt.data.records import Record

STANDARD_INPUT = "-"
_MAX_LINE_BYTES = 1 << 20
"""A file without line ends is no JSON Lines."""


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
