"""Salient things, which are large enough to be seen for certain: overlooking a speck is no mistake."""

from __future__ import annotations

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene, Thing

MIN_SALIENT_PX, MIN_SALIENT_SHARE = 24, 1 / 12
"""The longer side of a salient thing has at least so many pixels, and such a share of the picture's longer side."""
_MIN_SHORTER_SHARE = 1 / 3
"""The least shorter side, as a share of the least longer side."""

_CUT_OFF = 2
"""How much larger a thing must be that the frame may cut off: half of it, say, need not show what it is."""


def min_salient_px(frame: Box) -> float:
    """The least longer side, in pixels, of a salient thing in ``frame``."""
    return max(MIN_SALIENT_PX, MIN_SALIENT_SHARE * max(frame.w, frame.h))


def is_salient_size(w: float, h: float, frame: Box) -> bool:
    """True if a thing of ``w`` x ``h`` px is too large in ``frame`` to be overlooked."""
    least = min_salient_px(frame)
    return max(w, h) >= least and min(w, h) >= _MIN_SHORTER_SHARE * least


def is_salient(thing: Thing, scene: Scene) -> bool:
    """True if the thing is large enough to be seen for certain, and not a fragment.

    At the edge of the picture, where a part of it may be cut off, it must be twice as large.
    """
    if thing.fragmented:  # its box is large, and little of it is seen
        return False
    box, frame = thing.box, scene.frame
    # Less than a pixel from the edge: boxes of annotators do not always reach it.
    at_edge = min(box.x - frame.x, box.y - frame.y, frame.x1 - box.x1, frame.y1 - box.y1) < 1
    by = 1 / _CUT_OFF if at_edge else 1
    return is_salient_size(box.w * by, box.h * by, frame)
