"""The pixels of everything on a photo, for sources whose every thing has a mask."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from pycocotools import mask as coco_mask  # type: ignore[import-untyped]  # it has neither types nor stubs

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.picture_world.source import PictureWorld
from tests.soundness import kinds_of_things, parts_seen
from tests.soundness.look_alikes import IN_COCO, IN_PICTURE_WORLD, alike
from tests.soundness.pixels import Bitmap, Outlined

_KEPT = 128


class OfPictureWorld:
    """By the label maps: each pixel shows one thing, and a garment is part of who wears it."""

    kinds = kinds_of_things.IN_PICTURE_WORLD

    def __init__(self, source: PictureWorld) -> None:
        self._source = source
        self._found = lru_cache(_KEPT)(self._find)

    def scene(self, photo: Photo) -> Scene:
        return self._source.scene(self._source.place(photo.id))

    def of(self, photo: Photo) -> Sequence[Outlined]:
        return self._found(photo)

    def alike(self, one: str, other: str) -> bool:
        return alike(one, other, IN_PICTURE_WORLD)

    def parts(self, picture: Picture, thing: Thing, part: str) -> int | None:
        return parts_seen.seen(picture, thing.id, part, self._source)

    def _find(self, photo: Photo) -> tuple[Outlined, ...]:
        labels = np.asarray(self._source.label_map(self._source.place(photo.id)))
        scene = self.scene(photo)
        worn: dict[str, list[str]] = {}
        for each in scene.relationships:
            if each.predicate == "wearing":
                worn.setdefault(each.subject, []).append(each.object)
        own = {thing.id: labels == place for place, thing in enumerate(scene.objects, start=1)}
        return tuple(
            Outlined(
                thing=thing,
                crowd=False,
                whole=np.logical_or.reduce([own[each] for each in (thing.id, *worn.get(thing.id, ()))]),
                own=own[thing.id],
            )
            for thing in scene.objects
        )


class OfCoco:
    """By the segmentations of an instances file, which is read here on its own, by COCO's own tool."""

    kinds = kinds_of_things.IN_COCO

    def __init__(self, source: SceneSource, instances: Path) -> None:
        self._source = source
        records = json.loads(instances.read_text(encoding="utf-8"))
        self._names = {each["id"]: each["name"] for each in records["categories"]}
        self._images = {each["file_name"]: each for each in records["images"]}
        self._annotations = records["annotations"]
        self._found = lru_cache(_KEPT)(self._find)

    def scene(self, photo: Photo) -> Scene:
        return self._source.scene(self._source.place(photo.id))

    def of(self, photo: Photo) -> Sequence[Outlined]:
        return self._found(photo)

    def alike(self, one: str, other: str) -> bool:
        return alike(one, other, IN_COCO)

    def parts(self, picture: Picture, thing: Thing, part: str) -> int | None:
        return None

    def _find(self, photo: Photo) -> tuple[Outlined, ...]:
        image = self._images[photo.id]
        own = [each for each in self._annotations if each["image_id"] == image["id"]]
        pixels = [_decoded(each["segmentation"], image["height"], image["width"]) for each in own]
        return tuple(
            Outlined(
                thing=Thing(id=str(each["id"]), name=self._names[each["category_id"]], box=Box(*each["bbox"])),
                crowd=bool(each["iscrowd"]),
                whole=whole,
                own=_without_smaller(whole, pixels),
            )
            for each, whole in zip(own, pixels, strict=True)
        )


def _without_smaller(whole: Bitmap, others: Sequence[Bitmap]) -> Bitmap:
    """The pixels that no smaller thing shows: the outline of a table takes in what stands on it."""
    own = whole
    for other in others:
        if np.count_nonzero(other) < np.count_nonzero(whole) and (own & other).any():
            own = own & ~other
    return own


def _decoded(segmentation: object, height: int, width: int) -> Bitmap:
    runs = coco_mask.frPyObjects(segmentation, height, width)
    merged = coco_mask.merge(runs) if isinstance(runs, list) else runs
    with warnings.catch_warnings():
        # pycocotools 2.0.11 under NumPy 2: its arrays do not take `copy` yet.
        warnings.simplefilter("ignore", DeprecationWarning)
        return np.asarray(coco_mask.decode(merged), np.bool_)
