"""Typed access to the fields of JSON records; errors name the file, the record and the field."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard, cast
from unicodedata import normalize

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, did_you_mean
from pytest_vqamt.core.text import short_repr

MAX_ID_LENGTH = 200
"""The maximum length of a record's id, with which messages begin."""

_NO_CHARACTER = re.compile("[\0-\x08\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters but tabs and line breaks, and half surrogates."""
_NO_PLAIN_LINE = re.compile("[\t-\r\x80-\x9f\u2028-\u202e\u2066-\u2069]")
"""Line breaks, control characters, and characters that change the direction of text."""
_NUMBERS = frozenset((int, float))

_EXACT = 2**53
"""From here on floats leave whole numbers out."""

SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp"})
"""Those of photos that can be read, in lower case."""

SYNSET = re.compile(r"\S+\.[nvasr]\.[0-9]+")
"""A synset of WordNet: its lemma, part of speech and number ("dog.n.01")."""

MAX_SIDE_PX = 100_000
"""The maximum side of a picture."""

_ID_ADVICE = f"one plain line of {MAX_ID_LENGTH} characters at most"


def is_text(value: object) -> TypeGuard[str]:
    """True if it is a text, not blank, without surrogates and control characters except line breaks.

    >>> is_text("dog"), is_text(" "), is_text(chr(0)), is_text(3)
    (True, False, False, False)
    """
    if not isinstance(value, str) or not value or value.isspace():
        return False
    return value.isprintable() or not _NO_CHARACTER.search(value)


def is_short_line(text: str) -> bool:
    """True if the text can be a record's id in messages."""
    return len(text) <= MAX_ID_LENGTH and (text.isprintable() or not _NO_PLAIN_LINE.search(text))


def is_number(value: object) -> TypeGuard[float]:
    """True if it is a finite number; booleans are not."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the range of floats
        return False


def are_numbers(values: list[object]) -> TypeGuard[list[float]]:
    """A fast check that all are finite numbers; may be false if their sum is not finite."""
    if not _NUMBERS.issuperset(map(type, values)):
        return False
    try:
        return math.isfinite(sum(cast("list[float]", values)))
    except OverflowError:
        return False


def whole(value: object) -> int | None:
    """The value as a whole number, which may be written as 3.0; None if it is something else."""
    if isinstance(value, bool):  # which Python takes for 0 and 1
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None


class Repeats:
    """Notes that objects of a stream repeat a key.

    Attributes:
        any: True once an object has done so; the stream may be ahead of the record that it gives.
    """

    def __init__(self) -> None:
        self.any = False

    def mark(self, record: object) -> None:
        """Notes in ``record`` which key an object in it repeats."""
        if isinstance(record, StreamedObject):  # an inner object's fault, too: only the record's own is looked at
            record.fault = next(_faults(record), "")


class StreamedObject(dict[str, object]):
    """A JSON object that is read key by key.

    Attributes:
        fault: what is wrong with it; ``Record.of`` raises it.
    """

    __slots__ = ("_repeats", "fault")

    def __init__(self, repeats: Repeats) -> None:
        super().__init__()
        self._repeats = repeats
        self.fault = ""

    def __setitem__(self, key: str, value: object) -> None:
        if key in self:
            self._repeats.any = True
            self.fault = self.fault or repeated_key(key, self)
        dict.__setitem__(self, key, value)


def repeated_key(key: str, found: Mapping[str, object]) -> str:
    """The fault that an object has a key twice."""
    return f"Expected each key of an object once, but got {short_repr(key)} twice in {short_repr(found)}: remove one"


def _faults(value: object) -> Iterator[str]:
    if isinstance(value, StreamedObject):
        if value.fault:
            yield value.fault
        yield from _faults(list(value.values()))
    elif isinstance(value, list):
        for each in value:
            yield from _faults(each)


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON object with its location for messages. Null fields count as missing.

    >>> Record({"box": [1, 2, "wide", 4]}, "graphs.jsonl:12", "objects[3]").numbers("box")
    Traceback (most recent call last):
    pytest_vqamt.core.errors.DataError: graphs.jsonl:12: objects[3].box[2]: Expected a number, but got box[2]='wide'
    """

    row: Mapping[str, object]
    """The JSON object."""
    where: str
    """The file and the place in it ("graphs.jsonl:12")."""
    path: str = ""
    """From there to this object ("objects[3]"); "" for the whole record."""

    @classmethod
    def of(cls, value: object, where: str, path: str = "") -> Record:
        """``value`` as a record; raises DataError if it is no JSON object."""
        if isinstance(value, StreamedObject) and value.fault:
            raise DataError(f"{where}: {value.fault}")
        if isinstance(value, dict):
            return cls(value, where, path)
        label = f"{where}: {path}" if path else where
        raise DataError(f"{label}: Expected a JSON object, but got {path or 'record'}={short_repr(value)}")

    def wrong(self, field: str, expected: str, advice: str = "") -> DataError:
        """The error that ``field`` ("box", "box[2]") is not as expected."""
        name, *places = re.split(r"[\[\]]+", field.removesuffix("]"))  # "box[2]" is "box" and "2"
        value = self.row.get(name)
        for place in places:
            value = cast("list[object]", value)[int(place)]
        got = f"{field}={short_repr(value)}" if name in self.row else f"no {field!r}"
        return DataError(f"{self.label(field)}: Expected {expected}, but got {got}" + (f": {advice}" if advice else ""))

    def label(self, field: str = "") -> str:
        """The location of ``field``: "graphs.jsonl:12: objects[3].box"."""
        return f"{self.where}: {self._path_to(field)}" if field or self.path else self.where

    def has(self, field: str) -> bool:
        """A field that is neither missing nor null; pandas writes NaN for null."""
        value = self.row.get(field)
        return value is not None and not (isinstance(value, float) and math.isnan(value))

    def only(self, known: Collection[str]) -> None:
        """Raises DataError if there is a field that is not among ``known``."""
        for each in self.row:
            if each not in known:
                raise DataError(
                    f"{self.label()}: Expected known fields only, but got field={short_repr(each)}; "
                    f"{did_you_mean(str(each), known)}"  # YAML has keys that are no text
                )

    def text(self, field: str, default: str | None = None) -> str:
        """A string that is not blank; a missing one is ``default``, if given."""
        value = self.row.get(field)
        if value is None and default is not None:
            return default
        return self._text(value, field)

    def name(self, field: str, default: str | None = None) -> str:
        """The name of a thing: lower case, with single spaces."""
        return normalise_name(self.text(field, default))

    def identity(self, field: str) -> str:
        """An id: a string, or a whole number as a string."""
        return self._identity(self.row.get(field), field)

    def flag(self, field: str, default: bool | None = None) -> bool:
        value = self.row.get(field)
        if value is None and default is not None:
            return default
        if isinstance(value, bool):
            return value
        raise self.wrong(field, "true or false")

    def switch(self, field: str) -> bool:
        """0 or 1, or false or true; a missing one is off."""
        value = self.row.get(field)
        return value if isinstance(value, bool) else self.has(field) and self.whole(field, least=0, most=1) == 1

    def number(self, field: str) -> float:
        """A finite number, no boolean."""
        return self._number(self.row.get(field), field)

    def whole(self, field: str, *, least: int | None = None, most: int | None = None) -> int:
        """A whole number, which may be written as 3.0, from ``least`` to ``most``."""
        value = self.row.get(field)
        number = whole(value)
        if number is None or (least is not None and number < least) or (most is not None and number > most):
            raise self.wrong(field, f"a whole number{_span(least, most)}")
        return number

    def size(self, width: str = "width", height: str = "height") -> tuple[int, int]:
        """Width and height of a picture in pixels, each from 1 to ``MAX_SIDE_PX``."""
        return self.whole(width, least=1, most=MAX_SIDE_PX), self.whole(height, least=1, most=MAX_SIDE_PX)

    def items(self, field: str, *, required: bool = False) -> list[object]:
        """A list; empty if missing and not required."""
        value = self.row.get(field)
        if value is None and not required:
            return []
        if not isinstance(value, list):
            raise self.wrong(field, "a list")
        return cast("list[object]", value)

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of strings that are not blank; empty if missing."""
        items = self.items(field)
        if all(map(is_text, items)):  # the fast way; the other one names the wrong item
            return tuple(cast("list[str]", items))
        return tuple(self._text(value, f"{field}[{place}]") for place, value in enumerate(items))

    def names(self, field: str) -> tuple[str, ...]:
        """A list of names as ``name`` reads them, without duplicates; empty if missing."""
        return tuple(dict.fromkeys(map(normalise_name, self.texts(field))))

    def numbers(self, field: str) -> tuple[float, ...]:
        """A required list of finite numbers."""
        return self._numbers(self.items(field, required=True), field)

    def number_lists(self, field: str) -> tuple[tuple[float, ...], ...]:
        """A list of lists of finite numbers; empty if missing."""
        found = []
        for place, each in enumerate(self.items(field)):
            if not isinstance(each, list):
                raise self.wrong(f"{field}[{place}]", "a list of numbers")
            found.append(self._numbers(each, f"{field}[{place}]"))
        return tuple(found)

    def record(self, field: str) -> Record:
        """A required object within this one."""
        value = self.row.get(field)
        if not isinstance(value, dict):
            raise self.wrong(field, "a JSON object")
        return Record(value, self.where, self._path_to(field))

    def records(self, field: str) -> Iterator[Record]:
        """The objects of a list; none if it is missing."""
        for place, value in enumerate(self.items(field)):
            yield Record.of(value, self.where, self._path_to(f"{field}[{place}]"))

    def keyed(self, field: str) -> Iterator[tuple[str, Record]]:
        """The objects within an object, with their keys; none if it is missing."""
        if not self.has(field):
            return
        inner = self.record(field)
        for key, value in inner.row.items():
            if not is_text(key) or not is_short_line(key):
                raise DataError(f"{inner.label()}: Expected ids as keys, but got key={short_repr(key)}: {_ID_ADVICE}")
            yield key, Record.of(value, self.where, inner._path_to(key))

    def box(self, field: str, frame: Box) -> Box:
        """A list ``[x, y, w, h]`` as a box, clipped to ``frame``."""
        return self.within(self.box_as_given(field), frame, field)

    def box_as_given(self, field: str) -> Box:
        """A list ``[x, y, w, h]`` as a box, which may be empty or leave the picture."""
        found = self.numbers(field)
        if len(found) != 4:
            raise self.wrong(field, "a box [x, y, w, h]")
        return Box(*found)

    def item_as_box(self, field: str, place: int) -> Box:
        """A list ``[x, y, w, h]`` within a list as a box, which may be empty or leave the picture."""
        named = f"{field}[{place}]"
        found = self._numbers(cast("list[object]", self.items(field)[place]), named)
        if len(found) != 4:
            raise self.wrong(named, "a box [x, y, w, h]")
        return Box(*found)

    def box_of(self, fields: tuple[str, str, str, str]) -> Box:
        """The fields of these names for x, y, w, h as a box, which may be empty or leave the picture."""
        x, y, w, h = (self.number(field) for field in fields)
        return Box(x, y, w, h)

    def within(self, box: Box, frame: Box, field: str) -> Box:
        """``box``, read from ``field``, clipped to ``frame``.

        Raises:
            DataError: the box is empty, or entirely outside.
        """
        if box.x1 <= box.x or box.y1 <= box.y or box.area == 0:  # floating point: tiny sides vanish
            raise self.wrong(field, "a box of a width and height above 0", f"it is {_size(box)}")
        if box.x >= 0 and box.y >= 0 and box.x1 <= frame.x1 and box.y1 <= frame.y1:
            return box  # unchanged, as x1 - x may differ from w
        common = box.intersection(frame)
        if common is None or common.area == 0:
            raise self.wrong(field, f"a box within the picture of {_size(frame)} px", "all of it lies outside")
        return common

    def _path_to(self, field: str) -> str:
        return f"{self.path}.{field}" if self.path and field else self.path or field

    def _text(self, value: object, field: str) -> str:
        if is_text(value):
            return value
        if isinstance(value, str) and value.strip():
            raise self.wrong(field, "a text of whole characters", "control characters and half surrogates are none")
        raise self.wrong(field, "a text that is not blank")

    def _identity(self, value: object, field: str) -> str:
        if isinstance(value, str):
            text = self._text(value, field)
        else:
            number = whole(value)
            if number is None:
                raise self.wrong(field, "an id, a text or a whole number")
            if isinstance(value, float) and abs(value) >= _EXACT:
                # It went through a column of floats, as pandas makes them, and may have been the id of a neighbour.
                raise self.wrong(field, "an id", "a float beyond 2**53 names none exactly: write it as a whole number")
            text = str(number)
        if is_short_line(text):
            return text
        raise self.wrong(field, "an id", _ID_ADVICE)

    def _number(self, value: object, field: str) -> float:
        if is_number(value):
            return value
        raise self.wrong(field, "a number")

    def _numbers(self, items: list[object], field: str) -> tuple[float, ...]:
        if are_numbers(items):  # the fast way: outlines have hundreds of numbers
            return tuple(items)
        return tuple(self._number(value, f"{field}[{place}]") for place, value in enumerate(items))


@dataclass(slots=True)
class UniqueIds:
    """A set of ids without duplicates: ``ids.add(record.identity("id"), record, "id")``."""

    seen: dict[str, str] = field(default_factory=dict)
    """The place of each id's record, for messages."""

    def add(self, value: str, record: Record, field: str) -> str:
        """Adds and returns ``value``, read from a field of ``record``; raises DataError if another record has it."""
        first = self.seen.get(value)
        if first is not None:
            raise record.wrong(field, "an id of its own", f"{first} has the same")
        self.seen[value] = record.path or record.where
        return value


def normalise_name(name: str) -> str:
    r"""The name in lower case, with single spaces and composed letters.

    >>> normalise_name(" Teddy  Bear"), normalise_name("Cafe\u0301") == "caf\xe9"
    ('teddy bear', True)
    """
    return " ".join(normalize("NFC", name.lower()).split())


def _span(least: int | None, most: int | None) -> str:
    return (f" from {least}" if least is not None else "") + (f" to {most}" if most is not None else "")


def _size(box: Box) -> str:
    return f"{box.w:g} x {box.h:g}"
