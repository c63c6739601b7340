"""Pictures in rows, each with its boxes outlined and a caption below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image, ImageDraw

from pytest_vqamt.core.edits import Colour
from pytest_vqamt.imaging.boxes import draw_outlines
from pytest_vqamt.imaging.lettering import FAINT, INK, PAPER, Line, line_height_px, width_px, wrapped, write
from pytest_vqamt.imaging.outlines import Outline

SPACE_PX = 16
_HEIGHTS_PX = range(340, 219, -20)
"""How high pictures may be: the first at which all of a strip stand in one row."""
_WRAPPED_HEIGHT_PX = 260
_CAPTION_WIDTH_PX = 210
"""So much room has a caption that needs it, also where its picture is narrower."""
_BLOCKY_FROM = 4
"""From this enlargement on pixels stay squares: a smoothed picture would look like a blurred one."""
_EDGE: Colour = (200, 200, 200)
_TEXT_PX, _ANSWER_PX, _PANEL_NOTE_PX, _GAP_PX = 14, 16, 13, 4


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


@dataclass(frozen=True, slots=True)
class _Sized:
    """A panel with the size at which its picture is shown, and its caption."""

    panel: Panel
    size: tuple[int, int]
    caption: tuple[Line, ...]

    @property
    def width(self) -> int:
        return max([self.size[0], *(width_px(words, size) for words, size, _ in self.caption)])


def in_rows(panels: tuple[Panel, ...], room: int) -> Iterator[Image.Image]:
    """The panels as rows of at most ``room`` pixels, all in one where that leaves them large enough."""
    return map(_row, _shared_out(panels, room))


def _shared_out(panels: tuple[Panel, ...], room: int) -> Iterator[list[_Sized]]:
    for height in _HEIGHTS_PX:
        sized = [_sized(panel, height, room) for panel in panels]
        if panels and _row_width(sized) <= room:
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
    return sum(each.width for each in row) + SPACE_PX * (len(row) - 1)


def _sized(panel: Panel, height: int, room: int) -> _Sized:
    widest = (room - SPACE_PX) // 2
    scale = min(height / panel.image.height, widest / panel.image.width)
    size = (max(1, round(panel.image.width * scale)), max(1, round(panel.image.height * scale)))
    return _Sized(panel, size, tuple(_caption(panel, max(size[0], _CAPTION_WIDTH_PX))))


def _row(row: list[_Sized]) -> Image.Image:
    highest = max(each.size[1] for each in row)
    heights = [sum(line_height_px(size) for _, size, _ in each.caption) for each in row]
    image = Image.new("RGB", (_row_width(row) + 2, highest + 8 + max(heights)), PAPER)
    draw = ImageDraw.Draw(image)
    left = 1
    for each in row:
        (width, height), top = each.size, highest + 1 - each.size[1]
        draw.rectangle((left - 1, top - 1, left + width, top + height), outline=_EDGE)
        image.paste(_picture(each), (left, top))
        write(image, each.caption, left, highest + 8)
        left += each.width + SPACE_PX
    return image


def _picture(sized: _Sized) -> Image.Image:
    """The picture of a panel at its size, with its outlines."""
    image, size = sized.panel.image, sized.size
    scale = (size[0] / image.width, size[1] / image.height)
    smooth = Image.Resampling.NEAREST if min(scale) >= _BLOCKY_FROM else Image.Resampling.LANCZOS
    shown = image.convert("RGB").resize(size, smooth)
    draw_outlines(shown, sized.panel.outlines, scale)
    return shown


def _caption(panel: Panel, width: int) -> Iterator[Line]:
    yield from ((line, _PANEL_NOTE_PX, FAINT) for line in wrapped(panel.note, width, _PANEL_NOTE_PX, 3))
    for text, answer in panel.said:
        yield "", _GAP_PX, INK
        yield from ((line, _TEXT_PX, INK) for line in wrapped(text, width, _TEXT_PX))
        yield from ((line, _ANSWER_PX, INK) for line in wrapped(f"-> {answer}", width, _ANSWER_PX))
