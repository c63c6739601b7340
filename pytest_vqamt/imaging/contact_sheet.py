"""A contact sheet: strips of pictures with outlined boxes, texts and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging.lettering import FAINT, INK, PAPER, Line, font, line_height_px, width_px, wrapped, write
from pytest_vqamt.imaging.outlines import STROKES, Outline, OutlineKind, draw_box, draw_outlines, outlines

WIDTH_PX = 1200
_MOST_HEIGHT_PX = 60_000
"""JPEG has room for 65,535."""
_MARGIN_PX = 20
_ROOM_PX = WIDTH_PX - 2 * _MARGIN_PX
"""The width for pictures and texts."""
_TITLE_PX, _NOTE_PX, _LEGEND_PX = 18, 13, 14
_TEXT_PX, _ANSWER_PX, _PANEL_NOTE_PX, _GAP_PX = 14, 16, 13, 4
"""Sizes of letters; the last is the free space between two texts of a panel."""
_BAND: Colour = (233, 238, 243)
"""The ground of a title."""
_LEGEND = {
    OutlineKind.EDITED: "edited, or kept by an edit",
    OutlineKind.ASKED: "asked about",
    OutlineKind.OTHER: "everything else that is annotated",
}

SPACE_PX = 16
"""Between pictures, and between rows of them."""
_HEIGHTS_PX = range(340, 219, -20)
"""The heights to try for pictures, until all of a strip fit in one row."""
_WRAPPED_HEIGHT_PX = 260
"""The height where a strip takes several rows."""
_SMALL_HEIGHTS_PX = range(150, 149, -1)
"""The one height of small strips."""
_CAPTION_WIDTH_PX = 210
"""The width of a caption, if its picture is narrower."""
_BLOCKY_FROM = 4
"""From this enlargement on pixels stay squares: a smoothed picture would look like a blurred one."""
_EDGE: Colour = (200, 200, 200)
"""The line around a picture, without which a white one has no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """Pictures, such as those of one case, under a title and lines of notes."""

    title: str
    """Wrapped where it is longer than a line."""
    notes: tuple[str, ...]
    """Lines below the title."""
    panels: tuple[Panel, ...]
    """From left to right, then in further rows."""
    small: bool = False
    """Draws pictures 150 px high, so that many fit in a row."""


def sheet(strips: Iterable[Strip]) -> Image.Image:
    """The strips below each other under a legend: RGB, uint8, ``WIDTH_PX`` wide.

    Each strip is rendered, and its pictures released, before the next is iterated.

    Raises:
        RenderError: the sheet would be too high.
    """
    drawn = [_legend()]
    for each in map(_drawn, strips):
        drawn.append(each)
        # After each strip: all of a large report would be drawn for nothing.
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
    rows = list(in_rows(strip.panels, _ROOM_PX, _SMALL_HEIGHTS_PX if strip.small else _HEIGHTS_PX))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture with its texts and answers."""

    image: Image.Image
    """RGB, uint8, of any size; not changed."""
    outlines: tuple[Outline, ...] = ()
    """In pixels of ``image``, drawn in their order."""
    note: str = ""
    """What the picture is."""
    said: tuple[tuple[str, str], ...] = ()
    """Each text with its answer."""


@dataclass(frozen=True, slots=True)
class _Sized:
    """A panel at the size at which it is drawn."""

    panel: Panel
    size: tuple[int, int]
    """Width and height of the picture in pixels."""
    caption: tuple[Line, ...]
    """The lines below the picture, wrapped to its width."""

    @property
    def width(self) -> int:
        # A caption is wider than a narrow picture.
        return max([self.size[0], *(width_px(words, size) for words, size, _ in self.caption)])


def in_rows(panels: tuple[Panel, ...], room: int, heights: range = _HEIGHTS_PX) -> Iterator[Image.Image]:
    """The panels in rows of at most ``room`` pixels: in one row if they fit at one of ``heights``."""
    return map(_row, _shared_out(panels, room, heights))


def _shared_out(panels: tuple[Panel, ...], room: int, heights: range) -> Iterator[list[_Sized]]:
    for height in heights:
        sized = [_sized(panel, height, room) for panel in panels]
        if panels and _row_width(sized) <= room:
            yield sized
            return
    row: list[_Sized] = []
    # In several rows, each filled before the next; ``heights`` of small strips begin below the usual height.
    for each in (_sized(panel, min(_WRAPPED_HEIGHT_PX, heights.start), room) for panel in panels):
        if row and _row_width([*row, each]) > room:
            yield row
            row = []
        row.append(each)
    if row:
        yield row


def _row_width(row: list[_Sized]) -> int:
    return sum(each.width for each in row) + SPACE_PX * (len(row) - 1)


def _sized(panel: Panel, height: int, room: int) -> _Sized:
    widest = (room - SPACE_PX) // 2  # of a panorama: a source and its follow-up still stand in one row
    scale = min(height / panel.image.height, widest / panel.image.width)
    size = (max(1, round(panel.image.width * scale)), max(1, round(panel.image.height * scale)))
    return _Sized(panel, size, tuple(_caption(panel, max(size[0], _CAPTION_WIDTH_PX))))


def _row(row: list[_Sized]) -> Image.Image:
    highest = max(each.size[1] for each in row)  # pictures end on one line, and captions begin on one
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


def case_strip(
    case: Case,
    answers: Sequence[str],
    *,
    title: str,
    notes: tuple[str, ...],
    image_of: Callable[[Picture], Image.Image],
    scene_of: Callable[[str], Scene],
) -> Strip:
    """The pictures of ``case`` and of its contrast, with the answers to its numbered texts.

    Texts about the same boxes of the same picture share a panel. ``scene_of`` finds a scene by the id of its photo.
    """
    panels: dict[tuple[str, tuple[Outline, ...]], tuple[Picture, list[tuple[str, str]]]] = {}
    for number, (query, answer) in enumerate(zip(case.asked, answers, strict=True), start=1):
        # A conversation stands below the first of its pictures, and names the others.
        for place, picture in enumerate(dict.fromkeys(query.pictures)):
            boxes = outlines(picture, query.meaning, scene_of(picture.photo.id))
            _, said = panels.setdefault((picture.digest, boxes), (picture, []))
            if place == 0:
                said.append((f"{number}. {_asked(query)}", answer))
    return Strip(
        title=title,
        notes=notes,
        panels=tuple(
            Panel(image=image_of(picture), outlines=boxes, note=_made(picture, case), said=tuple(said))
            for (_, boxes), (picture, said) in panels.items()
        ),
    )


def _made(picture: Picture, case: Case) -> str:
    edits = ", ".join(edit.words for edit in picture.edits) or "the photo as it is"
    shown = [each for query in case.queries for each in query.pictures]
    named = f"{picture.photo.id}: {edits}" if len({each.photo.id for each in shown}) > 1 else edits
    # A contrast asks about a picture that no query of the case has.
    is_contrast = picture.digest not in {each.digest for each in shown}
    return f"contrast: {named}" if is_contrast else named


def _asked(query: Query) -> str:
    if query.turns:
        return query.words
    text = query.text or f"({query.task.value})"
    return f"{text} ({query.manner})" if query.manner else text
