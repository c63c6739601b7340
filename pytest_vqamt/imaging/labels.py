"""Labels of boxes: what they say, and where there is room for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

from PIL import ImageDraw

from pytest_vqamt.core.edits import Colour
from pytest_vqamt.imaging.lettering import drawable, font, line_height_px, width_px
from pytest_vqamt.imaging.outlines import Outline, Shows

_SIZE_PX = 12
_PAD_PX = 3
_MOST_CHARACTERS = 28
_MANY = 4

Rect = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the image, the last two included."""


def label_words(outlines: Sequence[Outline]) -> list[str]:
    """What each label says: of many things asked about by one name, all but the first have a number alone."""
    many = Counter(each.label for each in outlines if each.shows is Shows.ASKED)
    numbers: Counter[str] = Counter()
    words = []
    for each in outlines:
        label = drawable(each.label)
        label = label if len(label) <= _MOST_CHARACTERS else f"{label[: _MOST_CHARACTERS - 3]}..."
        if each.shows is Shows.ASKED and many[each.label] > _MANY:
            numbers[each.label] += 1
            number = numbers[each.label]
            label = f"{label} 1" if number == 1 else str(number)
        words.append(label)
    return words


def label_size(words: str) -> tuple[int, int]:
    """Width and height of a label, in pixels."""
    return width_px(words, _SIZE_PX) + 2 * _PAD_PX, line_height_px(_SIZE_PX)


def label_place(
    label: tuple[int, int], rect: Rect, size: tuple[int, int], taken: Sequence[Rect], *, is_needed: bool
) -> Rect | None:
    """Where a label of this width and height goes: by the frame, else inside, where no other label is.

    One that is needed goes farther off where it must. One that is not is left off (None) where it is wider than its box
    or in the way of another.
    """
    (width, height), (left, top, right, bottom) = label, rect
    if not is_needed and width > right - left:
        return None
    rows = (top - height - 1, bottom + 2, top + 3, bottom - height - 2)
    columns = (left, right - width + 1, right + 3, left - width - 2) if is_needed else (left,)
    spots = [_at(column, row, width, height) for column, row in product(columns, rows)]
    if is_needed:
        elsewhere = sorted(range(0, size[1] - height, height), key=lambda row: abs(row - top))
        spots += [_at(left, row, width, height) for row in elsewhere]
    shown = [_into(spot, size[0]) for spot in spots if spot[1] >= 0 and spot[3] < size[1]]
    for spot in shown:
        if not any(_overlap(spot, other) for other in taken):
            return spot
    if not is_needed:
        return None
    return shown[0] if shown else _into(_at(left, 0, width, height), size[0])


def _at(left: int, top: int, width: int, height: int) -> Rect:
    return left, top, left + width - 1, top + height - 1


def _into(rect: Rect, width: int) -> Rect:
    """The rectangle moved sideways into the image; one that is too wide begins at its left."""
    left, top, right, bottom = rect
    shift = max(-left, min(0, width - 1 - right))
    return left + shift, top, right + shift, bottom


def _overlap(one: Rect, other: Rect) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def draw_label(draw: ImageDraw.ImageDraw, words: str, place: Rect, *, ink: Colour, ground: Colour) -> None:
    """The words on a ground of their own."""
    draw.rectangle(place, fill=ground)
    draw.text((place[0] + _PAD_PX, (place[1] + place[3]) / 2), words, fill=ink, font=font(_SIZE_PX), anchor="lm")
