"""``vqamt label-errors``: lists captions of a data set that lack what two others of the same picture name."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import BinaryIO, NamedTuple

import ijson  # type: ignore[import-untyped]  # it has neither types nor stubs

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import JsonInput, NestingError, open_input
from pytest_vqamt.core.text import error_reason
from pytest_vqamt.data.json_io import STANDARD_INPUT, display_name, iter_records, json_line
from pytest_vqamt.data.records import Record
from pytest_vqamt.language.captions.verdicts import (
    SuperCategories,
    incomplete_captions,
    super_categories,
    super_category_names,
)

_HEAD_BYTES = 4096
"""Enough of a file to detect its layout."""
_COCO = re.compile(rb'\s*\{\s*(?:"(?:info|images|annotations|licenses|categories|type)"|$)')
"""Matches the beginning of an object in COCO's layout."""
_LAYOUTS = 'COCO\'s layout ("annotations" with image_id, id and caption), or lines {"image": ..., "captions": [...]}'

Id = int | str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "The super-categories of COCO (person, animal, vehicle, ...) that two captions of a picture share must be in "
        "every other caption of it. Printed is one JSON object a line, most often broken first: "
        '"image_id", "caption_id", "caption", "missing", the super-categories that it lacks, and "times", for how many '
        "pairs of other captions. The exit status is 0 whatever is found: these are captions to look at."
    )
    parser.add_argument(
        "file",
        metavar="CAPTIONS.json",
        help='captions in COCO\'s layout, or JSON lines {"image": ..., "captions": [...]}; - for standard input',
    )


def run(arguments: argparse.Namespace) -> int:
    """Reads all captions, and prints those that violate the relation."""
    captions = _Captions()
    for caption in read_captions(arguments.file):
        captions.add(caption)
    for row in captions.rows():
        print(json_line(row))
    return ExitStatus.OK


class _Captions:
    """The captions of a data set, stored compactly: texts end to end as bytes, numbers in arrays."""

    def __init__(self) -> None:
        self._texts = bytearray()
        self._ends = array("Q", [0])
        self._ids: list[Id] = []
        self._named, self._perhaps, self._image = array("H"), array("H"), array("L")
        self._images: dict[Id, int] = {}

    def add(self, caption: DatasetCaption) -> None:
        named, perhaps = super_categories(caption.text)
        # surrogatepass: JSON can hold unpaired surrogates.
        self._texts += caption.text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._texts))
        self._ids.append(caption.id)
        self._named.append(named)
        self._perhaps.append(perhaps)
        # Images by number, which an array holds compactly: COCO has 600,000 captions.
        self._image.append(self._images.setdefault(caption.image, len(self._images)))

    def rows(self) -> Iterator[dict[str, object]]:
        """Yields the violations, the most frequent first, then in the order of the file."""
        found = array("L")
        missing, times = array("H"), array("L")
        for _, group in groupby(
            sorted(range(len(self._ids)), key=self._image.__getitem__), key=self._image.__getitem__
        ):
            numbers = list(group)
            for lack in incomplete_captions([SuperCategories(self._named[at], self._perhaps[at]) for at in numbers]):
                found.append(numbers[lack.place])
                missing.append(lack.missing)
                times.append(lack.times)
        images = list(self._images)
        # The position last, so that equal counts come in the order of the file.
        for at in sorted(range(len(found)), key=lambda at: (-times[at], found[at])):
            number = found[at]
            yield {
                "image_id": images[self._image[number]],
                "caption_id": self._ids[number],
                "caption": self._text(number),
                "missing": list(super_category_names(missing[at])),
                "times": times[at],
            }

    def _text(self, number: int) -> str:
        return self._texts[self._ends[number] : self._ends[number + 1]].decode("utf-8", "surrogatepass")


class DatasetCaption(NamedTuple):
    """A caption of a data set."""

    image: Id
    """The id of its image."""
    id: Id
    """Its own id; in JSON Lines its position in the list."""
    text: str
    """The caption."""


def read_captions(file: str) -> Iterator[DatasetCaption]:
    """Yields the captions of a file, or of standard input for "-"; in JSON Lines their ids are their positions, from 0.

    Raises:
        DataError: the file cannot be read or is in another layout, or a record of it is wrong.
    """
    try:
        with _opened(file) as data:
            name = display_name(file)
            head = data.read(_HEAD_BYTES)
            # The head is part of what is parsed.
            data.seek(0)
            # A byte order mark, as Windows editors write it, is no error.
            if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
                raise DataError(f"{name}: Expected {_LAYOUTS}, but got {head[:20].decode('utf-8', 'replace')!r}")
            yield from _of_coco(data, name) if _COCO.match(head) else _of_lines(data, name)
    except OSError as error:
        raise DataError(f"Expected a file of captions, but {file!r} cannot be read ({error_reason(error)})") from error


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """Opens the file; standard input is copied to a temporary file, since its layout is detected before it is read."""
    if file != STANDARD_INPUT:
        with open_input(file) as data:
            yield data
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.seek(0)
        yield copy


def _of_coco(data: BinaryIO, file: str) -> Iterator[DatasetCaption]:
    number = -1
    try:
        for number, row in enumerate(ijson.items(JsonInput(data), "annotations.item", use_float=True)):
            record = Record.of(row, file, f"annotations[{number}]")
            yield DatasetCaption(_id(record, "image_id"), _id(record, "id"), _text(record, "caption"))
    except NestingError as error:
        raise DataError(f"{file}: Expected {_LAYOUTS}, but {error}: take them out") from error
    except (ijson.JSONError, UnicodeDecodeError) as error:
        place = "before the first annotation" if number < 0 else f"after annotations[{number}]"
        raise DataError(
            f"{file}: Expected whole JSON, but it breaks off {place} ({error_reason(error)}): fetch it again"
        ) from error
    # A JSON object without "annotations" yields nothing, and is some other file.
    if number < 0:
        raise DataError(f"{file}: Expected {_LAYOUTS}, but got no annotations")


def _of_lines(data: BinaryIO, file: str) -> Iterator[DatasetCaption]:
    for record in iter_records(data, file):
        image = _id(record, "image")
        captions = record.row.get("captions")
        if not isinstance(captions, list) or not all(isinstance(each, str) for each in captions):
            raise record.wrong("captions", "a list of texts", f"a file of captions is {_LAYOUTS}")
        for number, caption in enumerate(captions):
            yield DatasetCaption(image, number, caption)


def _id(record: Record, field: str) -> Id:
    value = record.row.get(field)
    # True is an int for Python, and no id.
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise record.wrong(field, "a number or a text", f"a file of captions is {_LAYOUTS}")
    return value


def _text(record: Record, field: str) -> str:
    value = record.row.get(field)
    if not isinstance(value, str):
        raise record.wrong(field, "a text", f"a file of captions is {_LAYOUTS}")
    return value
