"""A contact sheet: pictures side by side with their boxes outlined and what was said about them, strip below strip."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PIL import Image, ImageDraw

from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.boxes import STROKES, draw_box
from pytest_vqamt.imaging.lettering import INK, PAPER, font, line_height_px, width_px, wrapped, write
from pytest_vqamt.imaging.outlines import Shows
from pytest_vqamt.imaging.panels import SPACE_PX, Panel, in_rows

WIDTH_PX = 1200
_MOST_HEIGHT_PX = 60_000
_MARGIN_PX = 20
_ROOM_PX = WIDTH_PX - 2 * _MARGIN_PX
_TITLE_PX, _NOTE_PX, _LEGEND_PX = 18, 13, 14
_BAND: Colour = (233, 238, 243)
_LEGEND = {
    Shows.EDITED: "edited, or kept by an edit",
    Shows.ASKED: "asked about",
    Shows.OTHER: "everything else that is annotated",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """Pictures that belong together, under a title and lines of notes."""

    title: str
    notes: tuple[str, ...]
    panels: tuple[Panel, ...]


def sheet(strips: Iterable[Strip]) -> Image.Image:
    """The strips below each other under a legend: RGB, uint8, ``WIDTH_PX`` wide.

    A strip is drawn, and its pictures let go, before the next is asked for.

    Raises:
        RenderError: the sheet would be too high to be looked at.
    """
    drawn = [_legend()]
    for each in map(_drawn, strips):
        drawn.append(each)
        if sum(each.height for each in drawn) > _MOST_HEIGHT_PX:
            raise RenderError(
                f"Expected a sheet of at most {_MOST_HEIGHT_PX} pixels in height, but got more with case number "
                f"{len(drawn) - 1}: show fewer cases at once"
            )
    whole = Image.new("RGB", (WIDTH_PX, sum(each.height for each in drawn)), PAPER)
    top = 0
    for each in drawn:
        whole.paste(each, (0, top))
        top += each.height
    return whole


def _legend() -> Image.Image:
    image = Image.new("RGB", (WIDTH_PX, 40), PAPER)
    draw = ImageDraw.Draw(image)
    left = _MARGIN_PX
    for shows in _LEGEND:
        draw_box(draw, (left, 12, left + 38, 28), STROKES[shows])
        draw.text((left + 48, 20), _LEGEND[shows], fill=INK, font=font(_LEGEND_PX), anchor="lm")
        left += 48 + width_px(_LEGEND[shows], _LEGEND_PX) + 2 * SPACE_PX
    return image


def _drawn(strip: Strip) -> Image.Image:
    head = _head(strip)
    rows = list(in_rows(strip.panels, _ROOM_PX))
    height = head.height + sum(row.height + SPACE_PX for row in rows) + SPACE_PX
    image = Image.new("RGB", (WIDTH_PX, height), PAPER)
    image.paste(head)
    top = head.height + SPACE_PX
    for row in rows:
        image.paste(row, (_MARGIN_PX, top))
        top += row.height + SPACE_PX
    return image


def _head(strip: Strip) -> Image.Image:
    lines = [
        *((line, _TITLE_PX, INK) for line in wrapped(strip.title, _ROOM_PX, _TITLE_PX)),
        *((line, _NOTE_PX, INK) for note in strip.notes for line in wrapped(note, _ROOM_PX, _NOTE_PX)),
    ]
    image = Image.new("RGB", (WIDTH_PX, sum(line_height_px(size) for _, size, _ in lines) + 16), _BAND)
    write(image, lines, _MARGIN_PX, 8)
    return image
