"""Lines of scene graphs with several photos: films, and photos that belong together.

Each photo of such a line is read as a line of its own: ``rows_of_series`` writes these lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.text import count_noun, short_name, short_repr
from pytest_vqamt.data.records import Record
from pytest_vqamt.data.sanity import Oddity

LEAST_FRAMES, MOST_FRAMES = 4, 64
"""The frames of a film: fewer hardly show how something moves."""
_LEAST_PHOTOS = 2
"""Of photos that belong together."""

FRAMES, PHOTOS = "frames", "photos"
"""The fields that a line of several photos has in place of ``photo``."""

_FILM_FIELDS = (
    "id", FRAMES, "width", "height", "objects", "regions", "relationships", "setting", "exhaustive", "presumed",
)  # fmt: skip
_OF_ONE_PHOTO = ("captions", "questions")
"""Fields that tell of one photo, and so not of a film."""
_GROUP_FIELDS = ("id", PHOTOS)
_PHOTO_FIELDS = (
    "photo", "width", "height", "objects", "regions", "relationships", "setting", "captions", "exhaustive",
    "questions", "presumed",
)  # fmt: skip

_JUMP = 0.5
"""The share of the width by which nothing moves between two frames, unless frames are missing."""
_DIGITS = re.compile(r"(\d+)")


def names_of(row: Mapping[str, object]) -> tuple[str, ...]:
    """The files of photos that a line names, of whatever form; values of other types are left out.

    >>> names_of({"id": "a", "frames": ["1.png", "2.png"]}), names_of({"id": "b", "photos": [{"photo": "3.png"}]})
    (('1.png', '2.png'), ('3.png',))
    """
    frames, photos = row.get(FRAMES), row.get(PHOTOS)
    found = [row.get("photo"), *(frames if isinstance(frames, list) else ())]
    found += [each.get("photo") for each in (photos if isinstance(photos, list) else ()) if isinstance(each, dict)]
    return tuple(name for name in found if isinstance(name, str))


def ids_of(row: Mapping[str, object]) -> tuple[str, ...]:
    """The id of a line, and those of its photos, as ``rows_of_series`` numbers them."""
    line_id = str(row.get("id"))
    several = row.get(FRAMES) or row.get(PHOTOS)
    count = len(several) if isinstance(several, list) else 0
    return (line_id, *(part_id(line_id, place) for place in range(count)))


def part_id(line_id: str, place: int) -> str:
    """The id of a photo of a line of several, counted from 1.

    >>> part_id("f1", 0)
    'f1/1'
    """
    return f"{line_id}/{place + 1}"


def is_film(record: Record) -> bool:
    """True if the line has frames."""
    return record.has(FRAMES)


def is_series(record: Record) -> bool:
    """True if the line has several photos."""
    return record.has(FRAMES) or record.has(PHOTOS)


def rows_of_series(record: Record) -> tuple[Record, ...]:
    """The lines of the photos of ``record``, which is a series, in their order.

    Raises:
        DataError: what lines of one photo do not have is wrong. The rest is checked where these lines are read.
    """
    for other in ("photo", PHOTOS if is_film(record) else ""):
        if other and record.has(other):
            named = FRAMES if is_film(record) else PHOTOS
            raise record.wrong(other, f"one of photo, {FRAMES} and {PHOTOS}", f"the line has {named}")
    return tuple(_frame_rows(record) if is_film(record) else _photo_rows(record))


def whole_film(record: Record) -> Record:
    """A film's line as that of one photo with all things, each at its first place: errors name their places in it."""
    things = _things(record, len(record.texts(FRAMES)))
    row = {name: value for name, value in record.row.items() if name != FRAMES}
    return Record(
        {**row, "photo": record.texts(FRAMES)[0], "objects": [each.row_at(each.first) for each in things]},
        record.where,
        record.path,
    )


def _photo_rows(record: Record) -> Iterator[Record]:
    line_id = record.identity("id")
    record.only(_GROUP_FIELDS)
    photos = list(record.records(PHOTOS))
    if len(photos) < _LEAST_PHOTOS:
        raise record.wrong(PHOTOS, f"{_LEAST_PHOTOS} photos or more", "write a single photo in a line of its own")
    places: dict[str, int] = {}
    for place, each in enumerate(photos):
        each.only(_PHOTO_FIELDS)
        first = places.setdefault(each.text("photo"), place)
        if first != place:
            raise each.wrong("photo", "another photo than those before", f"{PHOTOS}[{first}] has the same")
        yield Record({"id": part_id(line_id, place), **each.row}, each.where, each.path)


def _frame_rows(record: Record) -> Iterator[Record]:
    line_id = record.identity("id")
    for name in _OF_ONE_PHOTO:
        if record.has(name):
            raise record.wrong(name, f"no {name} of a film", "they tell of one photo: give them with a photo")
    record.only(_FILM_FIELDS)
    frames = record.texts(FRAMES)
    if not LEAST_FRAMES <= len(frames) <= MOST_FRAMES:
        raise DataError(
            f"{record.label(FRAMES)}: Expected {LEAST_FRAMES} to {MOST_FRAMES} frames, but got {len(frames)}: take "
            "some of them, evenly"
        )
    things = _things(record, len(frames))
    _check_repeated(record, frames, things)
    for place, file in enumerate(frames):
        seen = [thing.row_at(place) for thing in things if thing.boxes[place] is not None]
        row = {
            **{name: value for name, value in record.row.items() if name != FRAMES},
            "id": part_id(line_id, place),
            "photo": file,
            "objects": seen,
            "relationships": _held(record, {thing.id for thing in things if thing.boxes[place] is None}),
        }
        yield Record(row, record.where, record.path)


def _check_repeated(record: Record, frames: Sequence[str], things: Sequence[_Thing]) -> None:
    """Checks that nothing moves between two frames of one file, which show the same."""
    first: dict[str, int] = {}
    for place, file in enumerate(frames):
        before = first.setdefault(file, place)
        moved = next((thing for thing in things if thing.boxes[place] != thing.boxes[before]), None)
        if moved:
            raise DataError(
                f"{record.label(FRAMES)}: Expected a file of its own for each frame in which something moves, but got "
                f"{short_repr(file)} for frames[{before}] and frames[{place}], between which object "
                f"{short_name(moved.id)} moves"
            )


def _things(record: Record, frames: int) -> list[_Thing]:
    frame = Box(0, 0, *record.size())
    return [_Thing.of(each, frames, frame) for each in record.records("objects")]


@dataclass(frozen=True, slots=True)
class _Thing:
    """A thing of a film."""

    id: str
    row: Mapping[str, object]
    """All that is the same in each frame."""
    boxes: tuple[object, ...]
    """One for each frame; None where the thing is not in it."""

    @classmethod
    def of(cls, record: Record, frames: int, frame: Box) -> _Thing:
        if not record.has("boxes"):
            record.box_as_given("box")
            return cls(record.identity("id"), record.row, (record.row["box"],) * frames)
        if record.has("box"):
            raise record.wrong("boxes", "box or boxes", "give box if the thing stays at its place, else boxes")
        if record.has("mask"):
            raise record.wrong("mask", "no mask of a thing with boxes", "it would be of one frame: leave it out")
        boxes = record.items("boxes")
        if len(boxes) != frames:
            raise DataError(
                f"{record.label('boxes')}: Expected a box or null for each of {frames} frames, but got {len(boxes)}"
            )
        if all(box is None for box in boxes):
            raise record.wrong("boxes", "a box in one frame or more", "leave the object out")
        for place, box in enumerate(boxes):
            if box is not None:
                _check_box(record, place, frame)
        row = {name: value for name, value in record.row.items() if name != "boxes"}
        return cls(record.identity("id"), row, tuple(boxes))

    @property
    def first(self) -> int:
        """The first frame that it is in."""
        return next(place for place, box in enumerate(self.boxes) if box is not None)

    def row_at(self, place: int) -> Mapping[str, object]:
        return {**self.row, "box": self.boxes[place]}


def _check_box(record: Record, place: int, frame: Box) -> None:
    named = f"boxes[{place}]"
    if not isinstance(record.items("boxes")[place], list):
        raise record.wrong(named, "a box [x, y, w, h], or null where the thing is not in the frame")
    box = record.item_as_box("boxes", place)
    record.within(box, frame, named)


def _held(record: Record, hidden: set[str]) -> list[object]:
    """The relationships between things of the frame; a broken one is kept, so that its reader reports it."""
    found: list[object] = []
    for place, value in enumerate(record.items("relationships")):
        if isinstance(value, dict) and hidden:
            each = Record.of(value, record.where, f"relationships[{place}]")
            if not hidden.isdisjoint({each.identity("subject"), each.identity("object")}):
                continue
        found.append(value)
    return found


@dataclass(slots=True)
class FilmChecks:
    """What is odd in the films of a file: things that jump, frames out of order, frames listed twice."""

    file: str
    jumps: Oddity = field(default_factory=Oddity)
    unordered: Oddity = field(default_factory=Oddity)
    twice: Oddity = field(default_factory=Oddity)

    def add(self, record: Record, boxes: Mapping[str, Sequence[Box | None]]) -> None:
        """Takes note of a film: its line, and the boxes of each thing by frame."""
        frames, where = record.texts(FRAMES), record.where
        again = next((name for place, name in enumerate(frames) if name in frames[:place]), None)
        if again is not None:
            self.twice.add(f"{where}: {short_name(again)}")
        else:
            wrong = next((pair for pair in pairwise(frames) if _counted(pair[0]) > _counted(pair[1])), None)
            if wrong:
                self.unordered.add(f"{where}: {short_repr(wrong[0])} before {short_repr(wrong[1])}")
        width, _ = record.size()
        for thing_id, shown in boxes.items():
            for place, (before, after) in enumerate(pairwise(shown)):
                if before and after and abs(before.x + before.w / 2 - after.x - after.w / 2) > _JUMP * width:
                    self.jumps.add(f"{where}: object {short_name(thing_id)} from frames[{place}] to the next")
                    break

    def lines(self) -> tuple[str, ...]:
        """A line for each oddity."""
        found = []
        if self.jumps.count:
            found.append(
                f"{count_noun(self.jumps.count, 'thing')} of films of {self.file} "
                f"{'jumps' if self.jumps.count == 1 else 'jump'} by more than half of the width ({self.jumps.first}): "
                "is it another thing, or are frames missing or out of order?"
            )
        if self.unordered.count:
            found.append(
                f"the frames of {count_noun(self.unordered.count, 'film')} of {self.file} are not in the order of "
                f"their names ({self.unordered.first}): list them in the order in which they were taken"
            )
        if self.twice.count:
            found.append(
                f"{count_noun(self.twice.count, 'film')} of {self.file} "
                f"{'lists' if self.twice.count == 1 else 'list'} a frame twice ({self.twice.first}): take one of the "
                "two out, unless nothing moves there"
            )
        return tuple(found)


def _counted(name: str) -> list[tuple[int, str]]:
    """The order in which people count: 2.png stands before 10.png."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name) if part]
