"""MetaIC's rules of size and place, checked on pixels: with masks of boxes, and with none of the package's arithmetic.

A box's mask is HW, True in every pixel that some part of the box lies in.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, e, floor

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Insert
from pytest_vqamt.core.scene import Scene

_FUZZ = 1e-6
INTERVALS = {"0": (None, 0.0), "15": (0.0, 0.15), "30": (0.15, 0.30), "45": (0.30, 0.45)}


def broken(scene: Scene, edit: Insert, level: str) -> Iterator[str]:
    """The rules that an insertion into ``scene`` breaks, in words."""
    box, own = edit.box, edit.cutout.thing.box
    if any(edge != int(edge) for edge in (box.x, box.y, box.w, box.h)):
        yield f"{box} is not of whole pixels"
        return
    if min(box.x, box.y) < 0 or box.x + box.w > scene.width or box.y + box.h > scene.height:
        yield f"{box} is not all in the picture"
        return
    yield from _of_size(scene, box)
    if abs(box.w * own.h - box.h * own.w) > 0.5 * (own.w + own.h) + _FUZZ:
        yield f"{own} has another aspect ratio than {box}"
    if box.w > 2 * own.w + 0.5 or box.h > 2 * own.h + 0.5:
        yield f"{own} is enlarged more than twice to {box}"
    boxes = _boxes(scene)
    largest = int(np.argmax([each.w * each.h for each in boxes]))
    lower, upper = INTERVALS[level]
    for name, shares in (("pixels", shares_of_pixels(scene, box)), ("boxes", shares_of_boxes(boxes, box))):
        if not (shares[largest] == 0 if lower is None else lower < shares[largest] <= upper):
            yield f"R1: {shares[largest]} of the largest ({name}) at level {level}"
        if max(shares) > upper:
            yield f"R2: {max(shares)} of another ({name}) at level {level}"


def shares_of_pixels(scene: Scene, inserted: Box) -> list[float]:
    """Of the pixels of each thing and crowd, the share that lies in ``inserted``."""
    rows, columns = slice(int(inserted.y), int(inserted.y1)), slice(int(inserted.x), int(inserted.x1))
    shares = []
    for box in _boxes(scene):
        pixels = _mask(box, scene)
        shares.append(int(np.count_nonzero(pixels[rows, columns])) / int(np.count_nonzero(pixels)))
    return shares


def shares_of_boxes(boxes: list[Box], inserted: Box) -> list[float]:
    """Of the area of each box, the share that lies in ``inserted``."""
    ends = np.array([(box.x, box.y, box.x + box.w, box.y + box.h) for box in boxes])
    low = np.maximum(ends[:, :2], (inserted.x, inserted.y))
    high = np.minimum(ends[:, 2:], (inserted.x + inserted.w, inserted.y + inserted.h))
    common = np.clip(high - low, 0, None).prod(axis=1)
    return [float(share) for share in common / (ends[:, 2:] - ends[:, :2]).prod(axis=1)]


def _boxes(scene: Scene) -> list[Box]:
    return [*(thing.box for thing in scene.objects), *(region.box for region in scene.regions)]


def _mask(box: Box, scene: Scene) -> NDArray[np.bool_]:
    pixels = np.zeros((scene.height, scene.width), np.bool_)
    rows = slice(max(0, floor(box.y + _FUZZ)), ceil(box.y + box.h - _FUZZ))
    columns = slice(max(0, floor(box.x + _FUZZ)), ceil(box.x + box.w - _FUZZ))
    pixels[rows, columns] = True
    return pixels


def _of_size(scene: Scene, inserted: Box) -> Iterator[str]:
    picture = scene.width * scene.height
    areas = [box.w * box.h for box in _boxes(scene)]
    weights = [e ** (area / picture) for area in areas]
    salient = sum(area * weight / sum(weights) for area, weight in zip(areas, weights, strict=True))
    low, high = (0.8, 1.3) if salient / picture < 0.4 else (0.1, 0.37)
    area = inserted.w * inserted.h
    if not low * salient - _FUZZ <= area <= high * salient + _FUZZ:
        yield f"an area of {area} beside a salient one of {salient}"
    if salient / picture > 0.7 or max(areas) / picture < 0.03:
        yield f"a scene that does not apply: salient {salient}, largest {max(areas)} of {picture}"
