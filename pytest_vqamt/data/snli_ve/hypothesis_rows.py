"""Rows of hypotheses: of SNLI-VE, of the VEglue authors' table, and of files of units."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import LabelName
from pytest_vqamt.core.text import one_line, short_repr
from pytest_vqamt.data.records import MAX_SIDE_PX, SUFFIXES, Record
from pytest_vqamt.data.sanity import BoxChecks
from pytest_vqamt.language.english.families import is_kind_either_way
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, is_person, is_plural, lacks_singular
from pytest_vqamt.language.wordnet import wordnet

FrameOf: TypeAlias = Callable[[str], Box]
"""The frame of a photo by its name, very large for an unknown size; may raise DataError."""

_LABELS: dict[str, LabelName] = {"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"}
_NO_LABEL = "-"
"""The label of SNLI if its annotators did not agree."""
_PHOTO_FIELDS = ("Flickr30K_ID", "Flikr30kID")
"""The name of the field in the data and in the code of SNLI-VE's authors."""
_ARTICLE = re.compile(r"^(?:an?|the) (?=\S)", re.IGNORECASE)
"""An article and something after it: an object "the" stays, and is no name of a thing."""

_SEVERAL = frozenset(NUMBER_WORDS[2:]) | {"several", "many", "few", "both", "numerous", "multiple", "various", "and"}
"""Words of a noun phrase that means several things: "three dogs", "a man and a boy"."""
_PRONOUNS = frozenset(
    {
        "i", "me", "you", "he", "him", "she", "her", "it", "we", "us", "they", "them", "himself", "herself", "itself",
        "themselves", "someone", "somebody", "anyone", "anybody", "everyone", "everybody", "no one", "nobody",
        "something", "anything", "everything", "nothing", "one", "ones", "other", "others", "another", "this", "that",
        "these", "those", "who", "which", "some", "all", "each",
    }
)  # fmt: skip
"""Words that name no thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRow:
    """An object description unit of VEglue: a thing that a sentence is about, and what it says of the thing."""

    object: str
    """A noun phrase without an article ("old man")."""
    property: str
    """What the sentence says of it; "" where it only says that it is there."""
    box: Box | None
    """Its box, clipped to the photo; None where nobody has drawn one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisRow:
    """A hypothesis of a row."""

    id: str
    """The ``pairID`` of SNLI ("4705552913.jpg#2r1e"), by which rows of several files are joined."""
    photo: str
    """The name of the photo's file."""
    text: str
    """The hypothesis as one line."""
    label: LabelName
    units: tuple[UnitRow, ...] | None = None
    """In the order of the sentence; None without any."""
    caption: str = ""
    """A sentence that describes the photo, or ""."""

    @property
    def is_boxed(self) -> bool:
        """True if a unit has a box."""
        return any(unit.box for unit in self.units or ())


def official_row(record: Record) -> HypothesisRow | None:
    """A row of SNLI-VE; None if its annotators did not agree on a label.

    Raises:
        DataError: a field is missing or wrong.
    """
    if record.text("gold_label") == _NO_LABEL:
        return None
    hypothesis = record.identity("pairID")
    field = next((name for name in _PHOTO_FIELDS if record.has(name)), None)
    # Without such a field the id still begins with the photo.
    photo = record.identity(field) if field else _photo_in(hypothesis, record, "pairID")
    return HypothesisRow(
        id=hypothesis,
        photo=_photo_file(photo),
        text=one_line(record.text("sentence2")),
        label=_label(record, "gold_label"),
        caption=one_line(record.text("sentence1", "")),
    )


def table_row(record: Record, frame_of: FrameOf, checks: BoxChecks | None = None) -> HypothesisRow:
    """A row of the VEglue authors' table: units after semicolons; those without an object are left out.

    The ``checks`` take note of its boxes.

    Raises:
        DataError: a field is missing or wrong, or there are not as many properties and boxes as objects.
    """
    hypothesis = record.identity("uniq_id")
    photo = _photo_file(_photo_in(hypothesis, record, "uniq_id"))
    objects, properties, boxes = (_apart(record, field) for field in ("subject", "modifier", "bbox"))
    for field, values in (("modifier", properties), ("bbox", boxes)):
        if len(values) != len(objects):
            raise record.wrong(field, f"as many units as subject has ({len(objects)})", f"it has {len(values)}")
    frame = _frame(photo, frame_of, record, "uniq_id")
    given = [_corners(box, place, record) for place, box in enumerate(boxes, start=1)]
    _note_boxes(given, hypothesis, record.where, frame, checks)
    units = [
        UnitRow(object=_object(each), property=one_line(said), box=record.within(box, frame, "bbox") if box else None)
        for each, said, box in zip(objects, properties, given, strict=True)
    ]
    return HypothesisRow(
        id=hypothesis,
        photo=photo,
        text=one_line(record.text("sentence")),
        label=_label(record, "label"),
        units=tuple(unit for unit in units if unit.object) or None,
    )


def units_row(record: Record, frame_of: FrameOf, checks: BoxChecks | None = None) -> HypothesisRow:
    """A row of a file of units, of whose boxes ``checks`` take note.

    Raises:
        DataError: a field is missing or wrong.
    """
    photo = _photo_file(record.identity("photo"))
    frame = _frame(photo, frame_of, record, "photo")
    hypothesis = record.identity("id")
    if checks is not None:  # only on opening, as rows are read again on access
        given = [each.box_as_given("box") for each in record.records("units") if each.has("box")]
        _note_boxes(given, hypothesis, record.where, frame, checks)
    return HypothesisRow(
        id=hypothesis,
        photo=photo,
        text=one_line(record.text("hypothesis")),
        label=_label(record, "label"),
        units=_units(record, frame),
    )


def is_of_any_photo(record: Record) -> bool:
    """True if a row of a file of units is of a sentence in any photo, as ``vqamt units`` writes it."""
    return not record.has("id") and not record.has("photo")


def sentence_row(record: Record) -> tuple[str, tuple[UnitRow, ...]]:
    """The words of the sentence of such a row, and its units; raises DataError if a field is missing or wrong."""
    return words_of(record.text("hypothesis")), _units(record, None)


def photo_of(record: Record) -> str | None:
    """The photo of a row of any of the forms, or None; raises DataError if its field is wrong."""
    for field in ("photo", *_PHOTO_FIELDS):
        if record.has(field):
            return _photo_file(record.identity(field))
    own = next((name for name in ("pairID", "uniq_id") if record.has(name)), None)
    return _photo_file(_photo_in(record.identity(own), record, own)) if own else None


def words_of(text: str) -> str:
    """The letters and digits in lower case, which two spellings of a sentence share.

    >>> words_of("The man is in-between."), words_of("the man  is inbetween")
    ('themanisinbetween', 'themanisinbetween')
    """
    return "".join(character for character in text.lower() if character.isalnum())


def _units(record: Record, frame: Box | None) -> tuple[UnitRow, ...]:
    """The units of a row, with boxes within ``frame``, or without boxes."""
    record.items("units", required=True)
    found = []
    for each in record.records("units"):
        if frame is not None:  # else a row of any photo, which has no boxes
            each.only(("object", "property", "box"))
        box = each.box("box", frame) if frame is not None and each.has("box") else None
        found.append(UnitRow(object=_object(each.text("object")), property=one_line(_text(each, "property")), box=box))
    return tuple(found)


def _note_boxes(boxes: Iterable[Box | None], hypothesis: str, where: str, frame: Box, checks: BoxChecks | None) -> None:
    """Records boxes on a photo whose size is known."""
    if checks is not None and frame.w < MAX_SIDE_PX:  # the frame of an unknown size has this side
        for box in filter(None, boxes):
            checks.add(where, hypothesis, box, frame)


def _corners(text: str, place: int, record: Record) -> Box | None:
    """The box of a unit of the table, ``x0,y0,x1,y1`` in pixels, or None."""
    if not text:
        return None
    try:
        x0, y0, x1, y1 = map(float, text.split(","))
    except ValueError:
        raise record.wrong("bbox", f"x0,y0,x1,y1 of unit {place}", f"it is {short_repr(text)}") from None
    # NaN and infinite numbers compare as neither.
    if not (x0 < x1 < float("inf") and y0 < y1 < float("inf") and min(x0, y0) > float("-inf")):
        raise record.wrong("bbox", f"a box of a width and height above 0 for unit {place}", f"it is {short_repr(text)}")
    return Box.from_corners(x0, y0, x1, y1)


def _apart(record: Record, field: str) -> list[str]:
    if field not in record.row:
        raise record.wrong(field, "a text")
    # The authors' table begins each list with a semicolon.
    return [one_line(each) for each in _text(record, field).strip().removeprefix(";").split(";")]


def _text(record: Record, field: str) -> str:
    """A text that may be blank."""
    return "" if record.row.get(field) == "" else record.text(field, "")


def _label(record: Record, field: str) -> LabelName:
    found = _LABELS.get(record.text(field).strip().lower())
    if found is None:
        raise record.wrong(field, f"one of {', '.join(_LABELS)}")
    return found


def _frame(photo: str, frame_of: FrameOf, record: Record, field: str) -> Box:
    try:
        return frame_of(photo)
    except DataError as error:
        raise DataError(f"{record.label(field)}: {error}") from error


def _photo_in(hypothesis: str, record: Record, field: str) -> str:
    """The photo at the beginning of an id of SNLI such as "4705552913.jpg#2r1e"."""
    photo, mark, _ = hypothesis.partition("#")
    if not mark or not photo:
        raise record.wrong(field, "PHOTO.jpg#NUMBER, the id of a pair")
    return photo


def _photo_file(photo: str) -> str:
    return photo if Path(photo).suffix.lower() in SUFFIXES else f"{photo}.jpg"


def _object(text: str) -> str:
    return _ARTICLE.sub("", one_line(text))


def thing_name(noun_phrase: str) -> str:
    """The head noun of a unit's object; "" for several things and pronouns."""
    from pytest_vqamt.language.units import head_noun

    if is_of_several(noun_phrase) or noun_phrase.lower() in _PRONOUNS:
        return ""
    name = head_noun(noun_phrase)
    return "" if name in _PRONOUNS else name


@lru_cache(maxsize=4096)
def is_of_several(noun_phrase: str) -> bool:
    """True if a noun phrase means several things: by a number, or the plural ("scissors" are one thing).

    >>> is_of_several("two men"), is_of_several("musicians"), is_of_several("2 females"), is_of_several("three woman")
    (True, True, True, True)
    >>> is_of_several("couple of men"), is_of_several("group of friends"), is_of_several("couple")
    (True, True, False)
    >>> is_of_several("one of the men"), is_of_several("pair of glasses"), is_of_several("cup of coffee")
    (False, False, False)
    """
    from pytest_vqamt.language.units import head_noun

    words = noun_phrase.lower().split()
    how_many, of, what = " ".join(words).partition(" of ")
    # Of "couple of men" the head is the men; of "cup of coffee" it is the cup, which is read as any other phrase.
    if of and head_noun(noun_phrase) == head_noun(what):
        return how_many.split()[-1] != "one" and is_of_several(what.removeprefix("the "))
    if not _SEVERAL.isdisjoint(words) or any(word.isdecimal() and int(word) != 1 for word in words):
        return True
    text = " ".join(words)
    return is_plural(text) and not lacks_singular(text)


def may_be_called_alike(one: str, other: str) -> bool:
    """True if one thing may have both names: they are equal, synonyms, or one is a kind of the other.

    >>> may_be_called_alike("girl", "person"), may_be_called_alike("bike", "bicycle")
    (True, True)
    >>> may_be_called_alike("man", "woman"), may_be_called_alike("gizmo", "gadget")
    (False, False)
    """
    if one == other or is_kind_either_way(one, other):
        return True
    if "person" in (one, other) and is_person(one) and is_person(other):
        return True
    words = wordnet()  # last, as it takes long to load
    return words.is_kind_of(one, other) or words.is_kind_of(other, one) or other in words.synonyms(one)
