"""Boxes as edits see them: in whole pixels, rounded outwards, as far as they lie in the frame."""

from __future__ import annotations

from functools import lru_cache

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging.pixel_boxes import outwards


def covered(box: Box, scene: Scene) -> Box | None:
    """The smallest box of whole pixels that holds what of ``box`` lies in the frame; None where nothing does."""
    return _covered(box, scene.width, scene.height)


@lru_cache(maxsize=65536)
def _covered(box: Box, width: int, height: int) -> Box | None:
    pixels = outwards(box, (width, height))
    return Box.between(*pixels) if pixels else None


def taken(scene: Scene) -> tuple[Box, ...]:
    """The boxes of all things and crowds, in whole pixels."""
    boxes = (*(thing.box for thing in scene.objects), *(region.box for region in scene.regions))
    return tuple(pixels for box in boxes if (pixels := covered(box, scene)))
