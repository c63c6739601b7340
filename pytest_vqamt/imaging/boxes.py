"""Outlines drawn onto an image: what was edited thick and dashed, what is asked about thick, all else thin.

The two strong colours are told apart by people who see no red, no green or no blue; a light rim keeps each line
visible on a dark picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from PIL import Image, ImageDraw

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.imaging.lettering import drawable, font, line_height_px, width_px
from pytest_vqamt.imaging.outline import Outline, Shows

_LABEL_PX = 12
_LABEL_CHARACTERS = 28
_LEAST_PX = 7
"""A smaller box is drawn this large, or nobody would see it."""
_DASH_PX, _GAP_PX = 9, 6
_RIM: Colour = (255, 255, 255)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """How the boxes of one kind are drawn."""

    colour: Colour
    width: int
    dashed: bool


STROKES: dict[Shows, Stroke] = {
    Shows.OTHER: Stroke(colour=(90, 90, 90), width=1, dashed=False),
    Shows.ASKED: Stroke(colour=(0, 98, 168), width=3, dashed=False),
    Shows.EDITED: Stroke(colour=(190, 78, 0), width=3, dashed=True),
}

_Rect = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the image, the last two included."""


def draw_outlines(image: Image.Image, outlines: Sequence[Outline], scale: tuple[float, float]) -> None:
    """Draws ``outlines`` into ``image`` (RGB, uint8, changed in place), their boxes multiplied by ``scale`` (x, y)."""
    draw = ImageDraw.Draw(image)
    rects = [_rect(each.box, scale, image.size) for each in outlines]
    for each, rect in zip(outlines, rects, strict=True):
        draw_box(draw, _drawn_apart(each, rect, outlines, rects), STROKES[each.shows])
    taken: list[_Rect] = []
    for each, rect in reversed(list(zip(outlines, rects, strict=True))):
        if place := _place(each, rect, image.size, taken):
            taken.append(place)
            _draw_label(draw, each, place)


def draw_box(draw: ImageDraw.ImageDraw, rect: _Rect, stroke: Stroke) -> None:
    """A frame along ``rect``, with a light rim."""
    left, top, right, bottom = rect
    for row in (top, bottom):
        draw.line((left, row, right, row), fill=_RIM, width=stroke.width + 2)
    for column in (left, right):
        draw.line((column, top, column, bottom), fill=_RIM, width=stroke.width + 2)
    length = _DASH_PX if stroke.dashed else max(right - left, bottom - top) + 1
    for start in range(left, right + 1, length + _GAP_PX):
        for row in (top, bottom):
            draw.line((start, row, min(start + length - 1, right), row), fill=stroke.colour, width=stroke.width)
    for start in range(top, bottom + 1, length + _GAP_PX):
        for column in (left, right):
            draw.line((column, start, column, min(start + length - 1, bottom)), fill=stroke.colour, width=stroke.width)


def _rect(box: Box, scale: tuple[float, float], size: tuple[int, int]) -> _Rect:
    left, right = _span(box.x * scale[0], box.x1 * scale[0], size[0])
    top, bottom = _span(box.y * scale[1], box.y1 * scale[1], size[1])
    return left, top, right, bottom


def _span(start: float, stop: float, within: int) -> tuple[int, int]:
    """The first and last pixel of a span, at least so many that it can be seen, inside the image."""
    first = max(0, min(round(start), within - _LEAST_PX))
    return first, min(within - 1, max(round(stop) - 1, first + _LEAST_PX - 1))


def _drawn_apart(outline: Outline, rect: _Rect, outlines: Sequence[Outline], rects: Sequence[_Rect]) -> _Rect:
    """Moves what is asked about inwards where it would hide under the frame of what was edited."""
    left, top, right, bottom = rect
    step = 5
    hidden = outline.shows is Shows.ASKED and any(
        other.shows is Shows.EDITED and all(abs(a - b) < step for a, b in zip(rect, over, strict=True))
        for other, over in zip(outlines, rects, strict=True)
    )
    if not hidden or right - left < 4 * step or bottom - top < 4 * step:
        return rect
    return left + step, top + step, right - step, bottom - step


def _place(outline: Outline, rect: _Rect, size: tuple[int, int], taken: Sequence[_Rect]) -> _Rect | None:
    """Where the label goes: outside the box, else inside, where no other label is; None where it is better left off."""
    width, height = width_px(_label(outline), _LABEL_PX) + 6, line_height_px(_LABEL_PX)
    left, top, right, bottom = rect
    is_other = outline.shows is Shows.OTHER
    if is_other and width > right - left:
        return None
    rows = (top + 1, bottom - height) if is_other else (top - height - 1, bottom + 3, top + 3, bottom - height - 2)
    columns = (left + 1,) if is_other else (left, right - width + 1)
    spots = [_at(column, row, width, height) for row, column in product(rows, columns)]
    shown = [spot for spot in spots if spot[1] >= 0 and spot[3] < size[1]]
    for spot in shown:
        moved = _into(spot, size[0])
        if not any(_overlap(moved, other) for other in taken):
            return moved
    if is_other:
        return None
    return _into((shown or [_at(left, max(0, min(top, size[1] - height)), width, height)])[0], size[0])


def _at(left: int, top: int, width: int, height: int) -> _Rect:
    return left, top, left + width - 1, top + height - 1


def _into(rect: _Rect, width: int) -> _Rect:
    """The rectangle moved sideways into the image; one that is too wide begins at its left."""
    left, top, right, bottom = rect
    shift = max(-left, min(0, width - 1 - right))
    return left + shift, top, right + shift, bottom


def _overlap(one: _Rect, other: _Rect) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def _draw_label(draw: ImageDraw.ImageDraw, outline: Outline, place: _Rect) -> None:
    colour = STROKES[outline.shows].colour
    is_other = outline.shows is Shows.OTHER
    draw.rectangle(place, fill=(240, 240, 240) if is_other else colour)
    at = (place[0] + 3, (place[1] + place[3]) / 2)
    draw.text(at, _label(outline), fill=(40, 40, 40) if is_other else _RIM, font=font(_LABEL_PX), anchor="lm")


def _label(outline: Outline) -> str:
    label = drawable(outline.label)
    return label if len(label) <= _LABEL_CHARACTERS else f"{label[: _LABEL_CHARACTERS - 3]}..."
