"""A contact sheet: pictures side by side with their boxes outlined and what was said about them, strip below strip."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from PIL import Image, ImageDraw

from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.boxes import STROKES, draw_box, draw_outlines
from pytest_vqamt.imaging.lettering import font, line_height_px, width_px, wrapped
from pytest_vqamt.imaging.outline import Outline, Shows

WIDTH_PX = 1200
_MOST_HEIGHT_PX = 60_000
_MARGIN_PX, _SPACE_PX = 20, 16
_HEIGHTS_PX = range(340, 219, -20)
"""How high pictures may be: the first at which all of a strip stand in one row."""
_WRAPPED_HEIGHT_PX = 260
_CAPTION_WIDTH_PX = 210
"""A picture that is narrower still has this much room for its caption."""
_BLOCKY_FROM = 4
"""From this enlargement on pixels stay squares: a smoothed picture would look like a blurred one."""

_PAPER: Colour = (255, 255, 255)
_BAND: Colour = (233, 238, 243)
_INK: Colour = (25, 25, 25)
_FAINT: Colour = (95, 95, 95)
_TITLE_PX, _TEXT_PX, _ANSWER_PX, _NOTE_PX = 18, 14, 16, 13


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture and what was said about it.

    Attributes:
        image: RGB, uint8, of any size; it is left as it is.
        outlines: in pixels of ``image``, drawn in their order.
        note: what the picture is.
        said: each text with its answer.
    """

    image: Image.Image
    outlines: tuple[Outline, ...] = ()
    note: str = ""
    said: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """Pictures that belong together, under a title and lines of notes."""

    title: str
    notes: tuple[str, ...]
    panels: tuple[Panel, ...]


def sheet(strips: Iterable[Strip], width: int = WIDTH_PX) -> Image.Image:
    """The strips below each other under a legend: RGB, uint8, ``width`` pixels wide.

    A strip is drawn, and its pictures let go, before the next is asked for.

    Raises:
        RenderError: the sheet would be higher than image files can be.
    """
    drawn = [_legend(width)]
    for strip in strips:
        drawn.append(_drawn(strip, width))
        if sum(each.height for each in drawn) > _MOST_HEIGHT_PX:
            raise RenderError(
                f"Expected a sheet of at most {_MOST_HEIGHT_PX} pixels in height, but got more with the strip "
                f"{strip.title!r}, number {len(drawn) - 1}: show fewer cases at once"
            )
    whole = Image.new("RGB", (width, sum(each.height for each in drawn)), _PAPER)
    top = 0
    for each in drawn:
        whole.paste(each, (0, top))
        top += each.height
    return whole


def _legend(width: int) -> Image.Image:
    image = Image.new("RGB", (width, 40), _PAPER)
    draw = ImageDraw.Draw(image)
    left = _MARGIN_PX
    for shows in reversed(Shows):
        draw_box(draw, (left, 12, left + 38, 28), STROKES[shows])
        draw.text((left + 48, 20), shows.value, fill=_INK, font=font(_TEXT_PX), anchor="lm")
        left += 48 + width_px(shows.value, _TEXT_PX) + 2 * _SPACE_PX
    return image


def _drawn(strip: Strip, width: int) -> Image.Image:
    head = _head(strip, width)
    rows = [_row(row, width) for row in _in_rows(strip.panels, width - 2 * _MARGIN_PX)]
    height = head.height + sum(row.height + _SPACE_PX for row in rows) + _SPACE_PX
    image = Image.new("RGB", (width, height), _PAPER)
    top = 0
    for part in (head, *rows):
        image.paste(part, (0, top))
        top += part.height + _SPACE_PX
    return image


def _head(strip: Strip, width: int) -> Image.Image:
    room = width - 2 * _MARGIN_PX
    lines = [
        *((line, _TITLE_PX, _INK) for line in wrapped(strip.title, room, _TITLE_PX)),
        *((line, _NOTE_PX, _INK) for note in strip.notes for line in wrapped(note, room, _NOTE_PX)),
    ]
    image = Image.new("RGB", (width, sum(line_height_px(size) for _, size, _ in lines) + 16), _BAND)
    _write(image, lines, _MARGIN_PX, 8)
    return image


@dataclass(frozen=True, slots=True)
class _Sized:
    """A panel with the size at which its picture is shown."""

    panel: Panel
    size: tuple[int, int]

    @property
    def width(self) -> int:
        return max(self.size[0], _CAPTION_WIDTH_PX)


def _in_rows(panels: tuple[Panel, ...], room: int) -> Iterator[list[_Sized]]:
    """The panels of a strip in rows, all in one where that leaves them large enough."""
    for height in _HEIGHTS_PX:
        sized = [_sized(panel, height, room) for panel in panels]
        if _row_width(sized) <= room:
            yield sized
            return
    row: list[_Sized] = []
    for each in (_sized(panel, _WRAPPED_HEIGHT_PX, room) for panel in panels):
        if row and _row_width([*row, each]) > room:
            yield row
            row = []
        row.append(each)
    if row:
        yield row


def _row_width(row: list[_Sized]) -> int:
    return sum(each.width for each in row) + _SPACE_PX * (len(row) - 1)


def _sized(panel: Panel, height: int, room: int) -> _Sized:
    scale = min(height / panel.image.height, room / panel.image.width)
    return _Sized(panel, (max(1, round(panel.image.width * scale)), max(1, round(panel.image.height * scale))))


def _row(row: list[_Sized], width: int) -> Image.Image:
    captions = [_caption(each) for each in row]
    highest = max(each.size[1] for each in row)
    heights = [sum(line_height_px(size) for _, size, _ in caption) for caption in captions]
    image = Image.new("RGB", (width, highest + 6 + max(heights)), _PAPER)
    left = _MARGIN_PX
    for each, caption in zip(row, captions, strict=True):
        image.paste(_picture(each), (left, highest - each.size[1]))
        _write(image, caption, left, highest + 6)
        left += each.width + _SPACE_PX
    return image


def _picture(sized: _Sized) -> Image.Image:
    """The picture of a panel at its size, with its outlines."""
    image, size = sized.panel.image, sized.size
    scale = (size[0] / image.width, size[1] / image.height)
    smooth = Image.Resampling.NEAREST if min(scale) >= _BLOCKY_FROM else Image.Resampling.LANCZOS
    shown = image.convert("RGB").resize(size, smooth)
    draw_outlines(shown, sized.panel.outlines, scale)
    ImageDraw.Draw(shown).rectangle((0, 0, size[0] - 1, size[1] - 1), outline=(200, 200, 200))
    return shown


_Line = tuple[str, int, Colour]
"""Words, their size in pixels, and their colour."""


def _caption(sized: _Sized) -> list[_Line]:
    panel = sized.panel
    lines: list[_Line] = [(line, _NOTE_PX, _FAINT) for line in wrapped(panel.note, sized.width, _NOTE_PX, 3)]
    for text, answer in panel.said:
        lines.extend((line, _TEXT_PX, _INK) for line in wrapped(text, sized.width, _TEXT_PX))
        lines.extend((line, _ANSWER_PX, _INK) for line in wrapped(f"-> {answer}", sized.width, _ANSWER_PX))
    return lines


def _write(image: Image.Image, lines: Iterable[_Line], left: int, top: int) -> None:
    draw = ImageDraw.Draw(image)
    for words, size, colour in lines:
        draw.text((left, top), words, fill=colour, font=font(size))
        top += line_height_px(size)
