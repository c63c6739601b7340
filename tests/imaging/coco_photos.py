"""Real photos with their boxes, as tests of pictures need them: a few records, read whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Photo, Region, Scene, Thing

FOLDER = Path(__file__).parents[2] / "../shared/data/coco"

needs_coco = pytest.mark.skipif(not FOLDER.is_dir(), reason="the photos of COCO are not here")


class CocoPhotos:
    """Scenes and photos of the records; the mask of a thing is the oval in its box."""

    def __init__(self) -> None:
        records = json.loads((FOLDER / "instances.json").read_text(encoding="utf-8"))
        names = {each["id"]: each["name"] for each in records["categories"]}
        self.scenes: dict[str, Scene] = {}
        for image in records["images"]:
            photo = Photo(id=image["file_name"], digest=f"digest of {image['file_name']}")
            own = [each for each in records["annotations"] if each["image_id"] == image["id"]]
            self.scenes[photo.id] = Scene(
                id=photo.id,
                photo=photo,
                width=image["width"],
                height=image["height"],
                objects=tuple(
                    Thing(id=str(each["id"]), name=names[each["category_id"]], box=Box(*each["bbox"]), has_mask=True)
                    for each in own
                    if not each["iscrowd"]
                ),
                regions=tuple(
                    Region(name=names[each["category_id"]], box=Box(*each["bbox"])) for each in own if each["iscrowd"]
                ),
            )

    def photo(self, photo: Photo) -> Image.Image:
        with Image.open(FOLDER / "images" / photo.id) as image:
            return image.convert("RGB")

    def mask(self, photo: Photo, thing_id: str) -> Image.Image:
        scene = self.scenes[photo.id]
        box = scene.thing(thing_id).box
        mask = Image.new("L", (scene.width, scene.height))
        ImageDraw.Draw(mask).ellipse((box.x, box.y, box.x1, box.y1), fill=255)
        return mask
