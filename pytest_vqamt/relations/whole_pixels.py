"""Boxes as edits see them: in whole pixels, rounded outwards, so that nothing of a thing is left beside its box."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene, Thing


def outwards(box: Box) -> Box:
    """The smallest box of whole pixels that holds ``box``.

    >>> outwards(Box(1.5, 2, 3, 4.25))
    Box(x=1, y=2, w=4, h=5)
    """
    return Box.between(floor(box.x), floor(box.y), ceil(box.x1), ceil(box.y1))


def taken(scene: Scene, *, but: Iterable[Thing] = ()) -> tuple[Box, ...]:
    """The boxes of all things and crowds, rounded outwards, without those of the things ``but``."""
    left_out = {thing.id for thing in but}
    things = (thing.box for thing in scene.objects if thing.id not in left_out)
    return tuple(map(outwards, (*things, *(region.box for region in scene.regions))))
