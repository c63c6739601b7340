"""Which things people recognise for certain when little else is there to tell what they are."""

from __future__ import annotations

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene, Thing

LEAST_PX, LEAST_SHARE = 24, 1 / 12
"""The longer side is at least so many pixels, and such a share of the picture's longer side: what is smaller may be
overlooked by whoever sees well."""
_SLIMMEST = 1 / 3
"""The shorter side is at least such a share of the least that the longer one is."""


def least_px(frame: Box) -> float:
    """How long the longer side of what is surely seen in ``frame`` must be."""
    return max(LEAST_PX, LEAST_SHARE * max(frame.w, frame.h))


def is_large_enough(w: float, h: float, frame: Box) -> bool:
    """Whether a thing of ``w`` x ``h`` px is surely seen in ``frame``."""
    least = least_px(frame)
    return max(w, h) >= least and min(w, h) >= _SLIMMEST * least


def is_recognisable(thing: Thing, scene: Scene) -> bool:
    """Whether the thing is large enough, and shown as more than a fragment."""
    return not thing.fragmented and is_large_enough(thing.box.w, thing.box.h, scene.frame)


def is_bulky(thing: Thing, scene: Scene) -> bool:
    """Whether it is recognisable and its shorter side too is as long as the longer one must be.

    Of a slit between other things, more may be in sight beside its box.
    """
    return is_recognisable(thing, scene) and min(thing.box.w, thing.box.h) >= least_px(scene.frame)
