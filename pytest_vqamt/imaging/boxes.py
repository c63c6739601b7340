"""Outlines drawn onto an image: what was edited thick and dashed, what is asked about thick, all else thin.

The two strong colours are told apart by people who see no red, no green or no blue; a light rim keeps each line
visible on a dark picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.imaging.labels import Rect, draw_label, label_place, label_size, label_words
from pytest_vqamt.imaging.outlines import Outline, Shows

_LEAST_PX = 7
"""A smaller box is drawn this large, or nobody would see it."""
_DASH_PX, _GAP_PX = 9, 6
_APART_PX = 5
_RIM: Colour = (255, 255, 255)
_QUIET: Colour = (240, 240, 240)
_QUIET_INK: Colour = (40, 40, 40)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """How the boxes of one kind are drawn."""

    colour: Colour
    width: int
    dashed: bool

    @property
    def rim_width(self) -> int:
        """Of the light line below the line itself."""
        return self.width + min(self.width, 2)


STROKES: dict[Shows, Stroke] = {
    Shows.OTHER: Stroke(colour=(90, 90, 90), width=1, dashed=False),
    Shows.ASKED: Stroke(colour=(0, 98, 168), width=3, dashed=False),
    Shows.EDITED: Stroke(colour=(190, 78, 0), width=3, dashed=True),
}


def draw_outlines(image: Image.Image, outlines: Sequence[Outline], scale: tuple[float, float]) -> None:
    """Draws ``outlines`` into ``image`` (RGB, uint8, changed in place), their boxes multiplied by ``scale`` (x, y)."""
    draw = ImageDraw.Draw(image)
    framed = [(each, _around(each.box, STROKES[each.shows], scale, image.size)) for each in outlines]
    edited = [rect for each, rect in framed if each.shows is Shows.EDITED]
    for each, rect in framed:
        draw_box(
            draw, _drawn_apart(rect, edited, image.size) if each.shows is Shows.ASKED else rect, STROKES[each.shows]
        )
    taken: list[Rect] = []
    weight = list(Shows).index
    labelled = zip(label_words(outlines), framed, strict=True)
    for words, (each, rect) in sorted(labelled, key=lambda one: weight(one[1][0].shows), reverse=True):
        is_other = each.shows is Shows.OTHER
        place = label_place(label_size(words), rect, image.size, taken, is_needed=not is_other)
        if words and place:
            taken.append(place)
            ink, ground = (_QUIET_INK, _QUIET) if is_other else (_RIM, STROKES[each.shows].colour)
            draw_label(draw, words, place, ink=ink, ground=ground)


def draw_box(draw: ImageDraw.ImageDraw, rect: Rect, stroke: Stroke) -> None:
    """A frame along ``rect``, with a light rim."""
    left, top, right, bottom = rect
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
    """Where the frame of a box runs: about its edge, so that it hides nothing of what is inside, within the image."""
    border = stroke.rim_width // 2 + 1
    left, right = _span(box.x * scale[0], box.x1 * scale[0], border, size[0])
    top, bottom = _span(box.y * scale[1], box.y1 * scale[1], border, size[1])
    return left, top, right, bottom


def _span(start: float, stop: float, border: int, within: int) -> tuple[int, int]:
    """The first and last pixel of a span, at least so many that it can be seen, just inside the image."""
    first = max(1, min(round(start) - border, within - _LEAST_PX - 1))
    return first, min(within - 2, max(round(stop) - 1 + border, first + _LEAST_PX - 1))


def _drawn_apart(rect: Rect, edited: Sequence[Rect], size: tuple[int, int]) -> Rect:
    """Moves the frame of what is asked about outwards where it would hide under one of what was edited."""
    left, top, right, bottom = rect
    if not any(all(abs(a - b) < _APART_PX for a, b in zip(rect, over, strict=True)) for over in edited):
        return rect
    return (
        max(1, left - _APART_PX),
        max(1, top - _APART_PX),
        min(size[0] - 2, right + _APART_PX),
        min(size[1] - 2, bottom + _APART_PX),
    )
