"""Which things can be erased with nothing else touched.

Yuan et al., CVPR 2021, section 4.2.2: only a thing whose box overlaps no other.
"""

from __future__ import annotations

from pytest_vqamt.core.edits import GONE_SHARE
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.whole_pixels import covered


def removable(scene: Scene) -> tuple[Thing, ...]:
    """The things whose boxes, rounded outwards to whole pixels, overlap no box of another thing or of a crowd.

    A thing that lies mostly outside the frame is none of them, nor is one that fills it: nothing would be left to see.
    """
    patches = [(covered(thing.box, scene), thing) for thing in scene.objects]
    crowds = [(covered(region.box, scene), None) for region in scene.regions]
    seen = [(patch, owner) for patch, owner in (*patches, *crowds) if patch]
    return tuple(
        thing
        for patch, thing in patches
        if patch
        and patch.area < scene.frame.area
        and thing.box.share_inside(scene.frame) > GONE_SHARE
        and not any(owner is not thing and patch.overlaps(other) for other, owner in seen)
    )
