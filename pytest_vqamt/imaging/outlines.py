"""The boxes of a finished picture, by kind: edited, asked about, and everything else; and how to draw them.

Geometry alone: no pixels are read. Boxes are in pixels of the finished picture and lie inside its frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

from PIL import Image, ImageDraw

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Colour, Edit
from pytest_vqamt.core.meaning import Meaning, groups_of, members
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.imaging.lettering import drawable, font, line_height_px, width_px

_MARK = "mark-"
"""The prefix of the ids of marks among the things of a scene; an edit may add things with ids of its own."""

_LEAST_PX = 7
"""A smaller box is drawn this large, to be visible."""

_DASH_PX, _GAP_PX = 9, 6
"""The lengths of a dash and of the gap after it."""
_APART_PX = 5
"""Two frames that are nearer on all sides hide each other."""
_RIM: Colour = (255, 255, 255)
"""The light line below each line, and the ink of strong labels."""
_QUIET: Colour = (240, 240, 240)
"""The ground of labels of things that no text is about."""
_QUIET_INK: Colour = (40, 40, 40)

_SIZE_PX = 12
"""The size of labels."""
_PAD_PX = 3
_MOST_CHARACTERS = 28
"""Of a label."""
_MANY = 4
"""Of more things of one name, all but the first are labelled by number alone: a crowd of names hides the picture."""

Rect = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the image, the last two included."""


class OutlineKind(StrEnum):
    """The reason why a box is outlined; also the text of a legend."""

    OTHER = "everything else"
    ASKED = "asked about"
    EDITED = "edited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A box of the finished picture with a short label."""

    box: Box
    label: str
    """The name of a thing, or what an edit did there ("erased")."""
    shows: OutlineKind
    """Why it is outlined."""


def outlines(picture: Picture, meaning: Meaning, photographed: Scene) -> tuple[Outline, ...]:
    """All boxes of ``picture``, the less important first, in the order of drawing.

    ``photographed`` is the scene of the photo before any edit. Inserted things are not listed a second time.
    """
    scene = picture.scene
    about = asked(scene, meaning)
    there_before = {thing.id for thing in photographed.objects}
    others = [thing for thing in scene.objects if thing.id in there_before and thing.id not in about]
    found = (
        *(Outline(box=region.box, label=f"{region.name} (crowd)", shows=OutlineKind.OTHER) for region in scene.regions),
        *(Outline(box=thing.box, label=thing.name, shows=OutlineKind.OTHER) for thing in others),
        *about.values(),
    )
    return (*_inside(found, scene.frame), *edited(picture, photographed))


def asked(scene: Scene, meaning: Meaning) -> dict[str, Outline]:
    """The things of the groups of ``meaning`` by their ids, with the attributes of the groups."""
    found: dict[str, Outline] = {}
    for group in groups_of(meaning):
        for thing in members(group, scene):
            label = " ".join((*group.attributes, thing.name))
            found.setdefault(thing.id, Outline(box=thing.box, label=label, shows=OutlineKind.ASKED))
    return found


def edited(picture: Picture, photographed: Scene) -> tuple[Outline, ...]:
    """The visible place of each edit of a part, carried through the edits that followed.

    Edits of the whole picture have no box. A box without anything visible is dropped; one with a visible part is the
    smallest around it. Things pasted over it by their mask leave it unchanged.
    """
    # Marks are things of a scene of their own, which the edits move as they move any thing.
    seen = replace(photographed, objects=(), regions=(), relationships=())
    labels: list[str] = []
    for edit in picture.edits:
        seen = _after(edit, seen)
        marks = [part for box in edit.places if (part := box.intersection(seen.frame))]
        new = (Thing(id=f"{_MARK}{number}", name="", box=box) for number, box in enumerate(marks, start=len(labels)))
        seen = replace(seen, objects=(*seen.objects, *new))
        labels.extend([edit.place_label] * len(marks))
    parts: dict[str, list[Box]] = {}
    for piece in seen.objects:
        parts.setdefault(piece.id, []).append(piece.box)
    return tuple(
        Outline(box=Box.enclosing(boxes), label=labels[int(mark.removeprefix(_MARK))], shows=OutlineKind.EDITED)
        for mark, boxes in parts.items()
    )


def _after(edit: Edit, seen: Scene) -> Scene:
    """The marks after one more edit, which moves them as it moves things.

    A mark that is partly covered becomes several pieces, things with one id.
    """
    pieces = [(mark, edit.visible(mark.box)) for mark in seen.objects]
    # Erase and Mask cover: ``after`` would drop a mark that is mostly covered, though a part can be seen.
    if all(boxes is None for _, boxes in pieces):
        moved = edit.after(seen)
        # What the edit added is no mark: an inserted thing, or those of a second picture.
        return replace(moved, objects=tuple(thing for thing in moved.objects if thing.id.startswith(_MARK)), regions=())
    return replace(seen, objects=tuple(replace(mark, box=box) for mark, boxes in pieces for box in boxes or ()))


def _inside(found: Iterable[Outline], frame: Box) -> Iterator[Outline]:
    for each in found:
        if box := each.box.intersection(frame):
            yield replace(each, box=box)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """How the boxes of one kind are drawn."""

    colour: Colour
    width: int
    """Of the line in pixels, without its rim."""
    dashed: bool
    """So that edits can be distinguished without colours, too."""

    @property
    def rim_width(self) -> int:
        """Of the light line below the line itself."""
        return self.width + min(self.width, 2)


# The two strong colours are distinguishable for people who see no red, no green or no blue; a light rim keeps each line
# visible on a dark picture.
STROKES: dict[OutlineKind, Stroke] = {
    OutlineKind.OTHER: Stroke(colour=(90, 90, 90), width=1, dashed=False),
    OutlineKind.ASKED: Stroke(colour=(0, 98, 168), width=3, dashed=False),
    OutlineKind.EDITED: Stroke(colour=(190, 78, 0), width=3, dashed=True),
}


def draw_outlines(image: Image.Image, outlines: Sequence[Outline], scale: tuple[float, float]) -> None:
    """Draws ``outlines`` into ``image`` (RGB, uint8, in place), with boxes times ``scale`` (x, y)."""
    draw = ImageDraw.Draw(image)
    framed = [(each, _around(each.box, STROKES[each.shows], scale, image.size)) for each in outlines]
    edited = [rect for each, rect in framed if each.shows is OutlineKind.EDITED]
    for each, rect in framed:
        draw_box(
            draw,
            _drawn_apart(rect, edited, image.size) if each.shows is OutlineKind.ASKED else rect,
            STROKES[each.shows],
        )
    # Labels after all frames, so that no frame crosses one; important ones choose their places first.
    taken: list[Rect] = []
    weight = list(OutlineKind).index
    labelled = zip(label_words(outlines), framed, strict=True)
    for words, (each, rect) in sorted(labelled, key=lambda one: weight(one[1][0].shows), reverse=True):
        is_other = each.shows is OutlineKind.OTHER
        place = label_place(label_size(words), rect, image.size, taken, is_needed=not is_other)
        if words and place:
            taken.append(place)
            ink, ground = (_QUIET_INK, _QUIET) if is_other else (_RIM, STROKES[each.shows].colour)
            draw_label(draw, words, place, ink=ink, ground=ground)


def draw_box(draw: ImageDraw.ImageDraw, rect: Rect, stroke: Stroke) -> None:
    """A frame along ``rect``, with a light rim."""
    left, top, right, bottom = rect
    # The whole rim first: of a dashed line it shows in the gaps.
    for row in (top, bottom):
        draw.line((left, row, right, row), fill=_RIM, width=stroke.rim_width)
    for column in (left, right):
        draw.line((column, top, column, bottom), fill=_RIM, width=stroke.rim_width)
    length = _DASH_PX if stroke.dashed else max(right - left, bottom - top) + 1
    for start in range(left, right + 1, length + _GAP_PX):
        for row in (top, bottom):
            draw.line((start, row, min(start + length - 1, right), row), fill=stroke.colour, width=stroke.width)
    for start in range(top, bottom + 1, length + _GAP_PX):
        for column in (left, right):
            draw.line((column, start, column, min(start + length - 1, bottom)), fill=stroke.colour, width=stroke.width)


def _around(box: Box, stroke: Stroke, scale: tuple[float, float], size: tuple[int, int]) -> Rect:
    """The frame around the edge of a box, within the image, which hides nothing of its content."""
    border = stroke.rim_width // 2 + 1
    left, right = _span(box.x * scale[0], box.x1 * scale[0], border, size[0])
    top, bottom = _span(box.y * scale[1], box.y1 * scale[1], border, size[1])
    return left, top, right, bottom


def _span(start: float, stop: float, border: int, within: int) -> tuple[int, int]:
    """The first and last pixel of a span inside the image, at least ``_LEAST_PX`` long."""
    first = max(1, min(round(start) - border, within - _LEAST_PX - 1))
    return first, min(within - 2, max(round(stop) - 1 + border, first + _LEAST_PX - 1))


def _drawn_apart(rect: Rect, edited: Sequence[Rect], size: tuple[int, int]) -> Rect:
    """Moves the frame of a thing outwards if the frame of an edit would hide it."""
    left, top, right, bottom = rect
    if not any(all(abs(a - b) < _APART_PX for a, b in zip(rect, over, strict=True)) for over in edited):
        return rect
    return (
        max(1, left - _APART_PX),
        max(1, top - _APART_PX),
        min(size[0] - 2, right + _APART_PX),
        min(size[1] - 2, bottom + _APART_PX),
    )


def label_words(outlines: Sequence[Outline]) -> list[str]:
    """The labels; of more than ``_MANY`` things of one name that a text is about, all but the first are numbers."""
    many = Counter(each.label for each in outlines if each.shows is OutlineKind.ASKED)
    numbers: Counter[str] = Counter()
    words = []
    for each in outlines:
        label = drawable(each.label)
        label = label if len(label) <= _MOST_CHARACTERS else f"{label[: _MOST_CHARACTERS - 3]}..."
        if each.shows is OutlineKind.ASKED and many[each.label] > _MANY:
            numbers[each.label] += 1
            number = numbers[each.label]
            label = f"{label} 1" if number == 1 else str(number)
        words.append(label)
    return words


def label_size(words: str) -> tuple[int, int]:
    """Width and height of a label in pixels."""
    return width_px(words, _SIZE_PX) + 2 * _PAD_PX, line_height_px(_SIZE_PX)


def label_place(
    label: tuple[int, int], rect: Rect, size: tuple[int, int], taken: Sequence[Rect], *, is_needed: bool
) -> Rect | None:
    """The place of a label: by the frame, else inside, where no other label is.

    One that is needed goes farther off if it must. One that is not is dropped (None) if it is wider than its box or in
    the way of another.
    """
    (width, height), (left, top, right, bottom) = label, rect
    if not is_needed and width > right - left:
        return None
    rows = (top - height - 1, bottom + 2, top + 3, bottom - height - 2)  # above, below, and inside at either edge
    columns = (left, right - width + 1, right + 3, left - width - 2) if is_needed else (left,)
    spots = [_at(column, row, width, height) for column, row in product(columns, rows)]
    if is_needed:
        elsewhere = sorted(range(0, size[1] - height, height), key=lambda row: abs(row - top))
        spots += [_at(left, row, width, height) for row in elsewhere]
    # Rows that leave the image are no choice; columns are moved into it.
    shown = [_into(spot, size[0]) for spot in spots if spot[1] >= 0 and spot[3] < size[1]]
    for spot in shown:
        if not any(_overlap(spot, other) for other in taken):
            return spot
    if not is_needed:
        return None
    # Every place is taken: over another label rather than nowhere.
    return shown[0] if shown else _into(_at(left, 0, width, height), size[0])


def _at(left: int, top: int, width: int, height: int) -> Rect:
    return left, top, left + width - 1, top + height - 1


def _into(rect: Rect, width: int) -> Rect:
    """Moves the rectangle sideways into the image; one that is too wide begins at its left."""
    left, top, right, bottom = rect
    shift = max(-left, min(0, width - 1 - right))
    return left + shift, top, right + shift, bottom


def _overlap(one: Rect, other: Rect) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def draw_label(draw: ImageDraw.ImageDraw, words: str, place: Rect, *, ink: Colour, ground: Colour) -> None:
    """Draws the words on a ground of their own."""
    draw.rectangle(place, fill=ground)
    draw.text((place[0] + _PAD_PX, (place[1] + place[3]) / 2), words, fill=ink, font=font(_SIZE_PX), anchor="lm")
