"""The segmentations of COCO: polygons, and runs of pixels in two writings."""

from __future__ import annotations

from array import array
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from pytest_vqamt.data.polygons import Polygons, Runs, Segmentation
from pytest_vqamt.data.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray


_FIELD = "segmentation"
_MOST_BITS = 35
"""Of a compressed length, in whole groups of five."""


def read_segmentation(annotation: Record, width: int, height: int) -> Segmentation | None:
    """The segmentation of an annotation on a picture of ``width`` x ``height`` px; None where it has none.

    All is checked that would make pycocotools guess, or read and write where it must not.

    Raises:
        DataError: it is broken; the text names annotation and field.
    """
    value = annotation.row.get(_FIELD)
    if value is None or value == []:
        return None
    if isinstance(value, dict):
        return _runs(annotation.record(_FIELD), width, height)
    if isinstance(value, list):
        return Polygons(tuple(_outline(annotation, place, max(width, height)) for place in range(len(value))))
    raise annotation.wrong(_FIELD, "a list of polygons, or runs as {'counts': ..., 'size': [height, width]}")


def pixels(segmentation: Segmentation, width: int, height: int) -> NDArray[np.uint8]:
    """Which pixels are shown: uint8, HW of ``height`` x ``width``, 1 where they are, else 0."""
    lengths = _drawn(segmentation, width, height) if isinstance(segmentation, Polygons) else segmentation.lengths
    shown = np.repeat((np.arange(len(lengths)) % 2).astype(np.uint8), lengths)
    return shown.reshape((height, width), order="F")


def mask_image(segmentation: Segmentation, width: int, height: int) -> Image.Image | None:
    """The same as an image, mode L, 255 where pixels are shown; None where none is."""
    shown = pixels(segmentation, width, height)
    return Image.fromarray(shown * 255) if shown.any() else None


def _drawn(polygons: Polygons, width: int, height: int) -> array[int]:
    """The runs that the polygons cover.

    They are read from what pycocotools writes, since what it decodes them with warns of NumPy's future at every call.
    """
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
    # Annotators draw a little over the edge; what is farther off is no outline, and would cost memory without bound.
    if min(outline) < -side or max(outline) > 2 * side:
        far = min(outline) if min(outline) < -side else max(outline)
        raise annotation.wrong(field, "a polygon about the picture", f"{far:g} is far outside")
    return outline


def _runs(runs: Record, width: int, height: int) -> Runs:
    if runs.has("size") and tuple(runs.numbers("size")) != (height, width):
        raise runs.wrong("size", f"[height, width] of the picture, [{height}, {width}]")
    lengths = _lengths(runs)
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
    """The lengths that ``text`` stands for.

    Each length is written in groups of five bits, the lowest first, with a sixth bit for "more follows"; the
    highest bit of the last group is the sign. From the fourth on, it is the difference to the length two before.

    Raises:
        ValueError: it is cut off, or holds other characters.

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
