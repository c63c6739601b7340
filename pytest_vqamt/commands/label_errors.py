"""``vqamt label-errors``: captions of a data set that lack what two others of the same picture name."""

from __future__ import annotations

import argparse
from array import array
from collections.abc import Iterator
from itertools import groupby

from pytest_vqamt.commands._shared import Id, SetCaption, captions_in, json_line
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.language.captions.verdicts import (
    SuperCategories,
    incomplete_captions,
    super_categories,
    super_category_names,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
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
    """Reads all captions, and prints those that break the relation.

    Raises:
        VqamtError: the file or a record of it cannot be used.
    """
    captions = _Captions()
    for caption in captions_in(arguments.file):
        captions.add(caption)
    for row in captions.rows():
        print(json_line(row))
    return ExitStatus.OK


class _Captions:
    """The captions of a data set in little room: texts end to end as bytes, numbers in arrays."""

    def __init__(self) -> None:
        self._texts = bytearray()
        self._ends = array("Q", [0])
        self._ids: list[Id] = []
        self._named, self._perhaps, self._image = array("H"), array("H"), array("L")
        self._images: dict[Id, int] = {}

    def add(self, caption: SetCaption) -> None:
        named, perhaps = super_categories(caption.text)
        # An encoding that takes halves of letters, too, which JSON can hold.
        self._texts += caption.text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._texts))
        self._ids.append(caption.id)
        self._named.append(named)
        self._perhaps.append(perhaps)
        self._image.append(self._images.setdefault(caption.image, len(self._images)))

    def rows(self) -> Iterator[dict[str, object]]:
        """The captions that break the relation, most often broken first, then in the order of the file."""
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
