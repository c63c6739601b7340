"""Pictures with noise, blur, snow or a loss of contrast, all over or only where certain things are.

The baseline FIP of Chang et al., VEglue, sections 4.5 and 6.3, with the corruptions of Hendrycks and Dietterich (2019),
one of each sort.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from pytest_vqamt.core.case import Setting
from pytest_vqamt.core.edits import Corruption
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.whole_pixels import covered

SEVERITY = Setting(
    name="severity",
    values=("1", "2", "3", "4", "5"),
    default="3",
    meaning="how strong a corruption is, as Hendrycks and Dietterich (2019) grade it",
)

VARIANTS: tuple[str, ...] = tuple(f"{kind}-{where}" for kind, where in product(Corruption, ("object", "global")))
"""Each corruption in the boxes of things ("object"), and all over the picture ("global")."""


def is_global(variant: str) -> bool:
    """Whether all of the picture is corrupted."""
    return variant.endswith("-global")


def corrupted(scene: Scene, variant: str, severity: str, things: Iterable[Thing]) -> Picture:
    """The scene's picture, corrupted all over or in the boxes of ``things``, as far as they lie in it."""
    boxes = tuple(dict.fromkeys(box for thing in things if (box := covered(thing.box, scene))))
    kind = Corruption(variant.partition("-")[0])
    return scene.picture.corrupt(kind, int(severity), () if is_global(variant) else boxes)
