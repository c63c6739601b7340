"""JSON Lines that a command reads: each line a record with the words that say where it stands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.json_io import parse, text_of
from pytest_vqamt.data.messages import reason
from pytest_vqamt.data.records import Record

STANDARD_INPUT = "-"
_LONGEST_LINE = 1 << 20
"""Bytes. A file without line ends is no JSON Lines."""


def records(file: str) -> Iterator[Record]:
    """The records of a file, of standard input where it is "-", one after the other; blank lines are passed over.

    Raises:
        DataError: the file cannot be read, or a line of it is no JSON object.
    """
    try:
        with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else Path(file).open("rb") as lines:
            yield from records_of(lines, shown_name(file))
    except OSError as error:
        raise DataError(f"Expected a file of JSON lines, but {file!r} cannot be read ({reason(error)})") from error


def records_of(lines: BinaryIO, file: str) -> Iterator[Record]:
    """The records of an open file of this name.

    Raises:
        DataError: a line is no JSON object.
    """
    for number, line in enumerate(iter(lambda: lines.readline(_LONGEST_LINE + 1), b""), start=1):
        where = f"{file}, line {number}"
        if len(line) > _LONGEST_LINE:
            raise DataError(f"{where}: Expected a JSON object, but got a line of more than {_LONGEST_LINE} bytes")
        text = text_of(line, where)
        if text.strip():
            yield Record.of(parse(text, where), where)


def shown_name(file: str) -> str:
    """The file as messages name it."""
    return "standard input" if file == STANDARD_INPUT else file


def json_line(row: Mapping[str, object]) -> str:
    """The row as it is printed: letters as they are, unless they are halves of letters, which no encoding has.

    >>> json_line({"caption": "ein Käfig"})
    '{"caption": "ein Käfig"}'
    """
    text = json.dumps(row, ensure_ascii=False)
    return text if text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text) else json.dumps(row)
