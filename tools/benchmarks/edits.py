"""How fast pictures are drawn. Aim: 60 a second and core for each edit, 25 for zoom blur, 150 for the simplest.

An edit whose result is larger than the photo has more to draw: its megapixels a second are beside the rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import TypeAlias

import cv2
import numpy as np
from PIL import Image, ImageDraw

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Corruption, Cutout, FileForm, Fill
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.imaging.inpainters import TELEA_RADIUS_PX, filled
from pytest_vqamt.imaging.render import render
from tools.benchmarks.measuring import cpu_s, show

_SIZE = (640, 480)
_PHOTOS = Path(__file__).parents[2] / "../shared/data/coco/images"
_PICTURES = 60

Edited: TypeAlias = Callable[[Picture], Picture]

_THING = Box(220.4, 140.7, 160, 120)


def _scene(place: int) -> Scene:
    photo = Photo(id=str(place), digest=str(place))
    return Scene(id=photo.id, photo=photo, width=_SIZE[0], height=_SIZE[1])


_MEAN = (120, 115, 108)
_CUTOUT = Cutout(photo=Photo(id="0", digest="0"), thing=Thing(id="0", name="cup", box=_THING, has_mask=True))
_EDITS: dict[str, tuple[Edited, int | None]] = {
    "none: decoding alone": (lambda picture: picture, None),
    "cut": (lambda picture: picture.cut(100, 400), 150),
    "crop": (lambda picture: picture.crop(Box(100, 50, 300, 250)), 150),
    "erase, white": (lambda picture: picture.erase(_THING), 150),
    "erase, mean colour": (lambda picture: picture.erase(_THING, Fill.MEAN, _MEAN), 150),
    "mask": (lambda picture: picture.mask((_THING, Box(10, 10, 60, 60)), _MEAN), 150),
    "insert, two photos decoded": (lambda picture: picture.insert(_CUTOUT, at=(30, 200), size=(200, 150)), 60),
    "blur 3": (lambda picture: picture.blur((_THING,), sigma=3), 60),
    "blur 9": (lambda picture: picture.blur((_THING,), sigma=9), 60),
    "mirror": (Picture.mirror, 60),
    "brightness": (lambda picture: picture.brightness(40), 60),
    "contrast": (lambda picture: picture.contrast(1.5), 60),
    "shear": (lambda picture: picture.shear(0.1), 60),
    "re-encode": (Picture.reencode, 60),
    "impulse noise 5": (lambda picture: picture.corrupt(Corruption.IMPULSE, 5), 60),
    "zoom blur 2, of most layers": (lambda picture: picture.corrupt(Corruption.ZOOM, 2), 25),
    "snow 5": (lambda picture: picture.corrupt(Corruption.SNOW, 5), 60),
    "low contrast 5": (lambda picture: picture.corrupt(Corruption.CONTRAST, 5), 60),
    "shift": (lambda picture: picture.shift(5, -3), 150),
    "pad to a square": (lambda picture: picture.pad(top=80, bottom=80), 150),
    "rescale to 320 x 240": (lambda picture: picture.rescale(320, 240), 150),
    "rescale to 800 x 600": (lambda picture: picture.rescale(800, 600), 150),
    "JPEG 50": (lambda picture: picture.jpeg(50), 150),
    "rotate by 90 degrees": (lambda picture: picture.rotate(90), 150),
    "beside, two photos decoded": (lambda picture: picture.beside(_scene(1), gap=30), 150),
    "text on a card": (lambda picture: picture.write("NO DOGS", Box(200, 200, 240, 60)), 150),
    "recolour": (lambda picture: picture.recolour("0", "red", "blue", 240), 150),
    "palette": (lambda picture: picture.store(FileForm.PALETTE), None),
    "erase, telea": (lambda picture: picture.erase(_THING, Fill.INPAINT, method="telea"), None),
    "erase, biharmonic": (lambda picture: picture.erase(_THING, Fill.INPAINT, method="biharmonic"), None),
}


@dataclass(frozen=True, slots=True)
class Files:
    """Photos that are decoded each time they are asked for; every thing is an ellipse."""

    files: tuple[bytes, ...]

    def photo(self, photo: Photo) -> Image.Image:
        with Image.open(BytesIO(self.files[int(photo.id)])) as image:
            return image.convert("RGB")

    def mask(self, photo: Photo, thing_id: str) -> Image.Image:
        mask = Image.new("L", _SIZE)
        ImageDraw.Draw(mask).ellipse((_THING.x, _THING.y, _THING.x1, _THING.y1), fill=255)
        return mask

    @property
    def pictures(self) -> Iterable[Picture]:
        """Without end."""
        return cycle([_scene(place).picture for place in range(len(self.files))])


def main() -> None:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        files = Files(tuple(_real()) or tuple(_made()))
        _drawing(files)
        _inpainting(files)
    finally:
        cv2.setNumThreads(threads)


def _drawing(files: Files) -> None:
    rows = []
    for name, (edited, aim) in _EDITS.items():
        pictures = [edited(picture) for picture in islice(files.pictures, _PICTURES)]
        render(pictures[0], files)  # what is imported once is not the edit's
        took = median(cpu_s(partial(render, picture, files)) for picture in pictures)
        drawn = pictures[0].scene
        megapixels = drawn.width * drawn.height / 1e6
        rows.append((name, f"{1000 * took:.1f}", f"{1 / took:.0f}", str(aim or ""), f"{megapixels / took:.0f}"))
    show(
        f"Pictures of {_SIZE[0]} x {_SIZE[1]}, decoding included; medians of {_PICTURES}, processor time",
        ("edit", "ms", "pictures/s", "aim", "megapixels/s"),
        rows,
    )


def _inpainting(files: Files) -> None:
    rows = []
    image = files.photo(Photo(id="0", digest="0"))
    values = np.asarray(image)
    for side in (40, 80, 160):
        hole = (200, 150, 200 + side, 150 + side)
        missing = np.zeros(values.shape[:2], np.uint8)
        missing[hole[1] : hole[3], hole[0] : hole[2]] = 1
        ours, bare = [], []
        for _ in range(_PICTURES // 2):  # in turn, so that what else the machine does falls on both
            ours.append(cpu_s(partial(filled, image, hole, "telea")))
            bare.append(cpu_s(partial(cv2.inpaint, values, missing, TELEA_RADIUS_PX, cv2.INPAINT_TELEA)))
        ratio = median(ours) / median(bare)
        rows.append((f"{side} x {side}", f"{1000 * median(ours):.1f}", f"{1000 * median(bare):.1f}", f"{ratio:.2f}"))
    show("Inpainting by telea, ms; aim: a ratio under 1.3", ("hole", "ours", "cv2.inpaint", "ratio"), rows)


def _real() -> Iterable[bytes]:
    """The photos of COCO of this size, where they are at hand."""
    for path in sorted(_PHOTOS.glob("*.jpg")):
        with Image.open(path) as image:
            fits = image.size == _SIZE
        if fits:
            yield path.read_bytes()


def _made() -> Iterable[bytes]:
    """JPEGs of about the size of a photo's file."""
    for seed in range(8):
        noise = np.random.default_rng(seed).integers(0, 256, (_SIZE[1] // 4, _SIZE[0] // 4, 3), dtype=np.uint8)
        file = BytesIO()
        Image.fromarray(noise).resize(_SIZE, Image.Resampling.BICUBIC).save(file, format="JPEG", quality=90)
        yield file.getvalue()
