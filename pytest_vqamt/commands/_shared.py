"""JSON Lines that a command reads: each line a record with the words that say where it stands."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, NamedTuple

import ijson  # type: ignore[import-untyped]  # it has neither types nor stubs

from pytest_vqamt.annotation import annotate
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.json_io import parse, text_of
from pytest_vqamt.data.messages import error_reason
from pytest_vqamt.data.records import Record
from pytest_vqamt.models.catalogue import ModelCatalogue

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
        raise DataError(
            f"Expected a file of JSON lines, but {file!r} cannot be read ({error_reason(error)})"
        ) from error


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


_HEAD_BYTES = 4096
_COCO = re.compile(rb'\s*\{\s*(?:"(?:info|images|annotations|licenses|categories|type)"|$)')
"""How an object in COCO's layout begins."""
_LAYOUTS = 'COCO\'s layout ("annotations" with image_id, id and caption), or lines {"image": ..., "captions": [...]}'

Id = int | str


class SetCaption(NamedTuple):
    """A caption of a data set."""

    image: Id
    id: Id
    text: str


def captions_in(file: str) -> Iterator[SetCaption]:
    """The captions of a file, of standard input where it is "-"; in JSON Lines their ids are their places, from 0.

    Raises:
        DataError: the file cannot be read or is in another layout, or a record of it is wrong.
    """
    try:
        with _opened(file) as data:
            name = shown_name(file)
            head = data.read(_HEAD_BYTES)
            data.seek(0)
            if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
                raise DataError(f"{name}: Expected {_LAYOUTS}, but got {head[:20].decode('utf-8', 'replace')!r}")
            yield from _of_coco(data, name) if _COCO.match(head) else _of_lines(data, name)
    except OSError as error:
        raise DataError(f"Expected a file of captions, but {file!r} cannot be read ({error_reason(error)})") from error


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """The file from its start; standard input is put aside first, for its layout is looked at before it is read."""
    if file != STANDARD_INPUT:
        with Path(file).open("rb") as data:
            yield data
        return
    with tempfile.TemporaryFile() as aside:
        shutil.copyfileobj(sys.stdin.buffer, aside)
        aside.seek(0)
        yield aside


def _of_coco(data: BinaryIO, file: str) -> Iterator[SetCaption]:
    number = -1
    try:
        for number, row in enumerate(ijson.items(data, "annotations.item", use_float=True)):
            record = Record.of(row, file, f"annotations[{number}]")
            yield SetCaption(_id(record, "image_id"), _id(record, "id"), _text(record, "caption"))
    except ijson.JSONError as error:
        place = "before the first annotation" if number < 0 else f"after annotations[{number}]"
        raise DataError(
            f"{file}: Expected whole JSON, but it breaks off {place} ({error_reason(error)}): fetch it again"
        ) from error
    if number < 0:
        raise DataError(f"{file}: Expected {_LAYOUTS}, but got no annotations")


def _of_lines(data: BinaryIO, file: str) -> Iterator[SetCaption]:
    for record in records_of(data, file):
        image = _id(record, "image")
        captions = record.row.get("captions")
        if not isinstance(captions, list) or not all(isinstance(each, str) for each in captions):
            raise record.wrong("captions", "a list of texts", f"a file of captions is {_LAYOUTS}")
        for number, caption in enumerate(captions):
            yield SetCaption(image, number, caption)


def _id(record: Record, field: str) -> Id:
    value = record.row.get(field)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise record.wrong(field, "a number or a text", f"a file of captions is {_LAYOUTS}")
    return value


def _text(record: Record, field: str) -> str:
    value = record.row.get(field)
    if not isinstance(value, str):
        raise record.wrong(field, "a text", f"a file of captions is {_LAYOUTS}")
    return value


def settings_in_words(name: str) -> tuple[str, ...] | None:
    """What a kind of model, or of data that can be set, is; None where there is none of this name."""
    for kind in ModelCatalogue().kinds:
        if kind.name == name:
            taken = "any" if kind.settings is None else ", ".join(kind.settings) or "none"
            return _told(f"--vqamt-model={kind.form}", kind.description, taken, kind.extra)
    if taken := ", ".join(annotate.settings(name)):
        return _told("--vqamt-data", dict(sources.describe())[name], taken, annotate.EXTRA)
    return None


def _told(typed: str, description: str, settings: str, extra: str) -> tuple[str, ...]:
    needs = (f'needs     pip install "pytest-vqamt[{extra}]"',) if extra else ()
    return (typed, description, "", *needs, f"settings  {settings}", "page      docs/models.md")
