"""What is kept of a picture when its background is obscured, and what that leaves half seen."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.whole_pixels import covered

LEAST_PX = 32
"""A smaller patch is not reliably recognised by people (Jimenez et al., footnote 3, after Torralba et al., 2008)."""


def foreground(things: Iterable[Thing], scene: Scene) -> tuple[Box, ...]:
    """The boxes of ``things`` in whole pixels, each grown to at least 32 x 32 within the frame."""
    boxes = (covered(thing.box, scene) for thing in things)
    return tuple(dict.fromkeys(grown(box, scene) for box in boxes if box))


def grown(box: Box, scene: Scene) -> Box:
    """``box``, of whole pixels, grown evenly on both sides, or where the frame ends, on the other one.

    A picture that is itself narrower than 32 pixels is kept in all its width.
    """
    x0, x1 = _span(int(box.x), int(box.x1), scene.width)
    y0, y1 = _span(int(box.y), int(box.y1), scene.height)
    return Box.between(x0, y0, x1, y1)


def half_seen(scene: Scene, keep: Iterable[Box], *, hidden_elsewhere: bool) -> frozenset[str]:
    """The names of things and crowds that are seen, but not whole and sharp: those that no one box of ``keep`` holds.

    Where all else is hidden, what none of the boxes touches is not seen at all; where it is blurred, it is half seen.
    """
    return half_seen_of(boxes_of(scene), keep, hidden_elsewhere=hidden_elsewhere)


def boxes_of(scene: Scene) -> tuple[tuple[str, Box], ...]:
    """The name and the box, in whole pixels, of each thing and crowd, as far as it lies in the frame."""
    named = [(thing.name, thing.box) for thing in scene.objects]
    named += [(region.name, region.box) for region in scene.regions]
    return tuple((name, pixels) for name, box in named if (pixels := covered(box, scene)))


def half_seen_of(boxes: Iterable[tuple[str, Box]], keep: Iterable[Box], *, hidden_elsewhere: bool) -> frozenset[str]:
    """``half_seen`` of what ``boxes_of`` gives for a scene."""
    kept = tuple(keep)
    return frozenset(
        name
        for name, box in boxes
        if not any(_holds(patch, box) for patch in kept)
        and not (hidden_elsewhere and not any(patch.overlaps(box) for patch in kept))
    )


def _holds(patch: Box, box: Box) -> bool:
    return patch.x <= box.x and patch.y <= box.y and box.x1 <= patch.x1 and box.y1 <= patch.y1


def _span(start: int, stop: int, limit: int) -> tuple[int, int]:
    length = max(stop - start, min(LEAST_PX, limit))
    first = max(0, min(start - (length - (stop - start)) // 2, limit - length))
    return first, first + length
