"""Masks of things: polygons, and COCO's runs of pixels in two writings."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.data.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SLIVER = 0.3
"""A mask that covers less of its box hardly identifies the thing."""

_FIELD = "segmentation"
"""The name of the field in COCO's annotations."""
_MOST_BITS = 35
"""The bits of a compressed length, in whole groups of five."""


def is_fragmented(segmentation: Segmentation, box: Box) -> bool:
    """True if a mask is in several pieces, or covers little of its box."""
    if isinstance(segmentation, Polygons):
        return len(segmentation.outlines) > 1 or sum(map(_area, segmentation.outlines)) < _SLIVER * box.area
    return sum(segmentation.lengths[1::2]) < _SLIVER * box.area


def _area(outline: array[float]) -> float:
    """The area inside an outline, by the shoelace formula."""
    xs, ys = outline[0::2], outline[1::2]
    ahead = zip(xs, ys, [*xs[1:], xs[0]], [*ys[1:], ys[0]], strict=True)
    return abs(sum(x * next_y - next_x * y for x, y, next_x, next_y in ahead)) / 2


def polygon_mask(polygons: Iterable[Sequence[float]], width: int, height: int) -> Image.Image:
    """A mask of the pixels whose centres lie in any of the polygons: mode L, 255 inside, else 0.

    A polygon is ``x0, y0, x1, y1, ...``; the centre of the first pixel is (0.5, 0.5). A polygon that overlaps itself
    has a hole. Pillow's own polygons include the outline, half a pixel on every side.
    """
    covered = np.zeros((height, width), dtype=np.uint8)
    for polygon in polygons:
        covered |= _inside(polygon, width, height)
    return Image.fromarray(covered * np.uint8(255))


def _inside(polygon: Sequence[float], width: int, height: int) -> NDArray[np.uint8]:
    """1 at pixels that an odd number of edges separates from the left side, else 0."""
    toggles = np.zeros((height, width + 1), dtype=np.uint8)
    corners = list(zip(polygon[::2], polygon[1::2], strict=True))
    for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
        (x0, y0), (x1, y1) = sorted((one, other), key=lambda corner: corner[1])
        # The upper end counts, the lower does not: a corner that two edges share is crossed once.
        rows = np.arange(max(0, ceil(y0 - 0.5)), min(height, ceil(y1 - 0.5)))
        if rows.size:
            crossings = x0 + (rows + 0.5 - y0) * (x1 - x0) / (y1 - y0)
            toggles[rows, np.clip(np.ceil(crossings - 0.5), 0, width).astype(np.intp)] ^= 1
    return np.bitwise_xor.accumulate(toggles[:, :width], axis=1)


@dataclass(frozen=True, slots=True)
class Polygons:
    """Outlines ``x0, y0, x1, y1, ...`` in pixels; the mask is their union."""

    outlines: tuple[array[float], ...]
    """Each of three points or more."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Lengths of runs of pixels, down the columns from the left: outside, inside, outside, ..."""

    lengths: array[int]
    """In pixels; they add up to width x height, and 0 is allowed."""


Segmentation: TypeAlias = Polygons | Runs


def read_segmentation(annotation: Record, width: int, height: int) -> Segmentation | None:
    """The segmentation of an annotation on a picture of ``width`` x ``height`` px; None without one.

    It is checked in full, as pycocotools guesses at broken ones, or reads and writes beyond its memory.

    Raises:
        DataError: it is broken.
    """
    value = annotation.row.get(_FIELD)
    if value in (None, [], ""):
        return None
    if isinstance(value, dict):
        return _runs(annotation.record(_FIELD), width, height)
    if isinstance(value, list):
        drawn = [place for place, each in enumerate(value) if each != []]  # exports write [[]] for no outline
        return Polygons(tuple(_outline(annotation, place, max(width, height)) for place in drawn)) if drawn else None
    raise annotation.wrong(_FIELD, "a list of polygons, or runs as {'counts': ..., 'size': [height, width]}")


def pixels(segmentation: Segmentation, width: int, height: int) -> NDArray[np.uint8]:
    """The mask as uint8, HW of ``height`` x ``width``, 1 inside, else 0."""
    lengths = _drawn(segmentation, width, height) if isinstance(segmentation, Polygons) else segmentation.lengths
    shown = np.repeat((np.arange(len(lengths)) % 2).astype(np.uint8), lengths)
    return shown.reshape((height, width), order="F")


def mask_image(segmentation: Segmentation, width: int, height: int) -> Image.Image | None:
    """The mask as an image, mode L, 255 inside; None for an empty one."""
    shown = pixels(segmentation, width, height)
    return Image.fromarray(shown * 255) if shown.any() else None


@dataclass(frozen=True, slots=True)
class Extent:
    """The place and size of a mask."""

    box: Box
    """The smallest box around it."""
    area: float = 0.0
    """Its pixels; 0 where no caller needs them."""


def extent(segmentation: Segmentation, height: int) -> Extent | None:
    """Where a mask lies, found without drawing most of them; None for an empty one.

    The area of overlapping outlines counts twice.
    """
    if isinstance(segmentation, Polygons):
        xs = [x for outline in segmentation.outlines for x in outline[0::2]]
        ys = [y for outline in segmentation.outlines for y in outline[1::2]]
        area = sum(map(_area, segmentation.outlines))
        if not area:  # a line, or an outline that crosses itself, whose parts cancel: 8 as a bow tie
            return extent(Runs(_drawn(segmentation, ceil(max(xs)) + 1, height)), height)
        return Extent(box=Box.from_corners(min(xs), min(ys), max(xs), max(ys)), area=area)
    ends = np.cumsum(np.asarray(segmentation.lengths))
    starts, ends = ends[0:-1:2], ends[1::2]  # of the runs inside: each begins where the run before it ends
    shown = ends > starts
    if not shown.any():
        return None
    starts, ends = starts[shown], ends[shown] - 1  # of the first and the last pixel of each run
    columns = int(starts[0]) // height, int(ends[-1]) // height
    whole = ((starts // height) != (ends // height)).any()  # a run that goes on in the next column reaches both edges
    rows = (0, height - 1) if whole else (int((starts % height).min()), int((ends % height).max()))
    box = Box.from_corners(columns[0], rows[0], columns[1] + 1, rows[1] + 1)
    return Extent(box=box, area=float((ends - starts + 1).sum()))


def _drawn(polygons: Polygons, width: int, height: int) -> array[int]:
    """The runs of the polygons. The decoder of pycocotools is not used: it warns of NumPy's future at every call."""
    from pycocotools import mask as coco_mask  # type: ignore[import-untyped]  # it has neither types nor stubs

    drawn = coco_mask.merge(coco_mask.frPyObjects(list(polygons.outlines), height, width))
    return array("q", _decompressed(drawn["counts"].decode()))


def _outline(annotation: Record, place: int, side: int) -> array[float]:
    field = f"{_FIELD}[{place}]"
    value = annotation.items(_FIELD)[place]
    if not isinstance(value, list):
        raise annotation.wrong(field, "a polygon [x0, y0, x1, y1, ...]")
    try:
        outline = array("d", value)
    except (TypeError, OverflowError):
        raise annotation.wrong(field, "a polygon of numbers") from None
    if len(outline) % 2:
        raise annotation.wrong(field, "an even count of coordinates", f"it has {len(outline)}")
    if len(outline) < 6:
        raise annotation.wrong(field, "a polygon of three points or more", f"it has {len(outline) // 2}")
    if not isfinite(sum(outline)):
        raise annotation.wrong(field, "a polygon of finite numbers")
    # Annotators draw a little over the edge; an outline farther off would cost memory without bound.
    if min(outline) < -side or max(outline) > 2 * side:
        far = min(outline) if min(outline) < -side else max(outline)
        raise annotation.wrong(field, "a polygon about the picture", f"{far:g} is far outside")
    return outline


def _runs(runs: Record, width: int, height: int) -> Runs:
    if runs.has("size") and tuple(runs.numbers("size")) != (height, width):
        raise runs.wrong("size", f"[height, width] of the picture, [{height}, {width}]")
    lengths = _lengths(runs)
    # Others could not be laid out in columns of the picture.
    covered = sum(lengths)
    if covered != width * height or min(lengths) < 0:
        expected = f"runs of 0 px or more that cover the picture's {width} x {height} = {width * height} px"
        raise runs.wrong("counts", expected, f"they cover {covered}, and the least is {min(lengths, default=0)}")
    return Runs(lengths)


def _lengths(runs: Record) -> array[int]:
    value = runs.row.get("counts")
    if isinstance(value, str):
        try:
            return array("q", _decompressed(value))
        except ValueError:
            raise runs.wrong("counts", "runs in COCO's compression") from None
    try:
        return array("q", runs.items("counts", required=True))  # type: ignore[arg-type]  # array refuses all but int
    except (TypeError, OverflowError):
        raise runs.wrong("counts", "a list of whole numbers, or a text") from None


def _decompressed(text: str) -> list[int]:
    """The lengths of a compressed text; raises ValueError if it is cut off, or has other characters.

    A length is written in groups of five bits, the lowest first, with a sixth bit for "more follows"; the highest bit
    of the last group is the sign. From the fourth on, it is the difference to the length two before.

    >>> _decompressed("1210")
    [1, 2, 1, 2]
    """
    lengths: list[int] = []
    value = shift = 0
    for character in text:
        bits = ord(character) - 48
        if not 0 <= bits < 64 or shift == _MOST_BITS:
            raise ValueError(text)
        value |= (bits & 31) << shift
        shift += 5
        if bits & 32:
            continue
        if bits & 16:
            value -= 1 << shift
        lengths.append(value + lengths[-2] if len(lengths) > 2 else value)
        value = shift = 0
    if shift:
        raise ValueError(text)
    return lengths
