"""What IoU would let be erased and what our rule does, on COCO's photos: ``python -m tests.relations.veglue.erasures``.

With a folder as its argument, it also writes there what five of the things are like that only IoU lets be erased.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from pytest_vqamt.core.edits import Fill
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.imaging.outlines import STROKES, Outline, OutlineKind, draw_outlines
from pytest_vqamt.imaging.render import render
from pytest_vqamt.relations.edits import pixel_box
from pytest_vqamt.relations.veglue_erasing import MAX_COVERED_SHARE, erasable_things, is_erasable, is_erasable_by_iou
from tests.imaging.coco_photos import CocoPhotos

_SHOWN = 5
_ALL = 0.999
_AT_LEAST_PX = 40
"""Shown are things of at least this width and height, so that there is something to see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """A thing of a photo, and the shares of what else there is that go with it, by name, the largest first."""

    scene: Scene
    thing: Thing
    taken: tuple[tuple[str, float], ...]
    by_iou: bool
    by_ours: bool

    @property
    def lost(self) -> tuple[str, ...]:
        """The names of what would be erased with it by more than our rule lets."""
        return tuple(name for name, share in self.taken if share > MAX_COVERED_SHARE)


def erasures(scenes: Iterable[Scene]) -> tuple[Erasure, ...]:
    """Every thing of every scene."""
    return tuple(_erasure(scene, thing) for scene in scenes for thing in scene.objects)


def _erasure(scene: Scene, thing: Thing) -> Erasure:
    patch = pixel_box(thing.box, scene) or thing.box
    others = [(other.name, other.box) for other in scene.objects if other.id != thing.id]
    others += [(f"{region.name} (crowd)", region.box) for region in scene.regions]
    taken = sorted(((name, box.share_inside(patch)) for name, box in others), key=lambda each: (-each[1], each[0]))
    return Erasure(
        scene=scene,
        thing=thing,
        taken=tuple(taken),
        by_iou=is_erasable_by_iou(thing, scene),
        by_ours=is_erasable(thing, scene),
    )


def report(found: tuple[Erasure, ...]) -> str:
    """The counts, line by line."""
    only_iou = [each for each in found if each.by_iou and not each.by_ours]
    whole = [each for each in only_iou if each.taken[0][1] >= _ALL]
    half = [each for each in only_iou if each.taken[0][1] > 0.5]
    rows = {
        "things": len(found),
        "erasable by IoU, the paper's rule": sum(each.by_iou for each in found),
        "erasable by ours": sum(each.by_ours for each in found),
        "of these, at most half of the picture": sum(len(erasable_things(scene)) for scene in _scenes(found)),
        "by both": sum(each.by_iou and each.by_ours for each in found),
        "by ours alone": sum(each.by_ours and not each.by_iou for each in found),
        "by IoU alone": len(only_iou),
        "of these, more than half of another thing goes": len(half),
        "of these, all of another thing goes": len(whole),
        "photos": len(_scenes(found)),
        "photos with something erasable by IoU": len(_scenes(each for each in found if each.by_iou)),
        "photos with something erasable by ours": len(_scenes(each for each in found if each.by_ours)),
    }
    return "\n".join(f"{number:5d}  {what}" for what, number in rows.items())


def examples(found: tuple[Erasure, ...]) -> tuple[Erasure, ...]:
    """Five things that only IoU lets be erased and that take most with them, of five photos and of five names."""
    shown: list[Erasure] = []
    wrong = (each for each in found if each.by_iou and not each.by_ours)
    for each in sorted(wrong, key=lambda each: (-len(each.lost), each.scene.id, each.thing.id)):
        large = min(each.thing.box.w, each.thing.box.h) >= _AT_LEAST_PX
        new = all(each.scene.id != other.scene.id and each.thing.name != other.thing.name for other in shown)
        if large and new and len(shown) < _SHOWN:
            shown.append(each)
    return tuple(shown)


def drawn(each: Erasure, photos: CocoPhotos) -> Image.Image:
    """The photo with the erased box and what goes with it outlined, and beside it what is left: RGB, uint8."""
    scene, patch = each.scene, pixel_box(each.thing.box, each.scene) or each.thing.box
    before = photos.photo(scene.photo)
    others = [other for other in scene.objects if other.id != each.thing.id]
    marks = [
        Outline(box=other.box, label=other.name, shows=OutlineKind.ASKED)
        for other in others
        if other.box.share_inside(patch) > MAX_COVERED_SHARE
    ]
    draw_outlines(
        before, [*marks, Outline(box=patch, label=f"erased {each.thing.name}", shows=OutlineKind.EDITED)], (1, 1)
    )
    after = render(scene.picture.erase(patch, Fill.INPAINT, method="telea"), photos)
    both = Image.new("RGB", (2 * scene.width, scene.height), STROKES[OutlineKind.OTHER].colour)
    both.paste(before, (0, 0))
    both.paste(after, (scene.width, 0))
    return both


def _scenes(found: Iterable[Erasure]) -> tuple[Scene, ...]:
    return tuple({each.scene.id: each.scene for each in found}.values())


def _main(folder: str | None) -> None:
    photos = CocoPhotos()
    found = erasures(photos.scenes.values())
    print(report(found))
    for number, each in enumerate(examples(found) if folder else (), start=1):
        path = Path(folder or ".") / f"erased-{number}-{each.thing.name.replace(' ', '-')}.png"
        drawn(each, photos).save(path)
        print(f"{path}: {each.scene.id}, the {each.thing.name} takes with it: {', '.join(each.lost)}")


if __name__ == "__main__":
    _main(sys.argv[1] if len(sys.argv) > 1 else None)
