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
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Corruption, Cutout, FileForm, Fill, Tilt
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.imaging.corruptions import FACTORS
from pytest_vqamt.imaging.inpainters import TELEA_RADIUS_PX, filled
from pytest_vqamt.imaging.render import render
from tools.benchmarks.measuring import cpu_s, show

_SIZE = (640, 480)
_PHOTOS = Path(__file__).parents[2] / "../shared/data/coco/images"
_PICTURES = 60

Edited: TypeAlias = Callable[[Picture], Picture]
Values: TypeAlias = NDArray[np.uint8]

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
    "blur 1.5": (lambda picture: picture.blur(sigma=1.5), 60),
    "blur 3": (lambda picture: picture.blur((_THING,), sigma=3), 60),
    "blur 9": (lambda picture: picture.blur((_THING,), sigma=9), 60),
    "mirror": (Picture.mirror, 60),
    "brightness": (lambda picture: picture.brightness(40), 60),
    "contrast": (lambda picture: picture.contrast(1.5), 60),
    "shear": (lambda picture: picture.shear(0.1), 60),
    "re-encode": (Picture.reencode, 60),
    "tilt by 3 degrees": (lambda picture: picture.tilt(3), None),
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


def _warped(values: Values, matrix: object, size: tuple[int, int], flags: int) -> Values:
    """``matrix`` says where in the picture each pixel comes from."""
    warped = cv2.warpAffine(values, np.array(matrix, np.float64), size, flags=flags | cv2.WARP_INVERSE_MAP)
    return np.asarray(warped, np.uint8)


def _blurred(values: Values, sigma_px: float) -> Values:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma_px), np.uint8)


def _sheared(values: Values) -> Values:
    return _warped(values, ((1, -0.1, 0.1 * _SIZE[1] / 2), (0, 1, 0)), _SIZE, cv2.INTER_LINEAR)


def _tilted(values: Values) -> Values:
    turn = cv2.getRotationMatrix2D((_SIZE[0] / 2, _SIZE[1] / 2), 3, 1)
    return _warped(values, turn, Tilt(degrees=3).size(*_SIZE), cv2.INTER_CUBIC)


def _smaller(values: Values) -> Values:
    return np.asarray(cv2.resize(values, (320, 240), interpolation=cv2.INTER_AREA), np.uint8)


def _larger(values: Values) -> Values:
    return np.asarray(cv2.resize(values, (800, 600), interpolation=cv2.INTER_CUBIC), np.uint8)


def _zoomed(values: Values) -> Values:
    factors = FACTORS[1]
    total = 2 * values.astype(np.uint16)
    for factor in factors[1:]:
        left, top = (side * (1 - 1 / factor) / 2 for side in _SIZE)
        total += _warped(values, ((1 / factor, 0, left), (0, 1 / factor, top)), _SIZE, cv2.INTER_LINEAR)
    return (total // (len(factors) + 1)).astype(np.uint8)


_OPENCV: dict[str, tuple[Edited, Callable[[Values], Values]]] = {
    "blur 1.5": (lambda picture: picture.blur(sigma=1.5), partial(_blurred, sigma_px=1.5)),
    "blur 3": (lambda picture: picture.blur(sigma=3), partial(_blurred, sigma_px=3)),
    "blur 9": (lambda picture: picture.blur(sigma=9), partial(_blurred, sigma_px=9)),
    "shear": (lambda picture: picture.shear(0.1), _sheared),
    "tilt by 3 degrees": (lambda picture: picture.tilt(3), _tilted),
    "rescale to 320 x 240": (lambda picture: picture.rescale(320, 240), _smaller),
    "rescale to 800 x 600": (lambda picture: picture.rescale(800, 600), _larger),
    "zoom blur 2": (lambda picture: picture.corrupt(Corruption.ZOOM, 2), _zoomed),
}
"""Edits of which OpenCV has about the same, which may differ at the edges and in how it rounds."""


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


@dataclass(frozen=True, slots=True)
class Decoded:
    """One photo, decoded before."""

    image: Image.Image

    def photo(self, photo: Photo) -> Image.Image:
        return self.image

    def mask(self, photo: Photo, thing_id: str) -> Image.Image:
        raise NotImplementedError


def main() -> None:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        files = Files(tuple(_real()) or tuple(_made()))
        _drawing(files)
        _beside_opencv(files)
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


def _beside_opencv(files: Files) -> None:
    decoded = Decoded(files.photo(Photo(id="0", digest="0")))
    values = np.asarray(decoded.image)
    rows = []
    for name, (edited, theirs) in _OPENCV.items():
        picture = edited(_scene(0).picture)
        rows.append((name, *_in_turn(partial(render, picture, decoded), partial(theirs, values))))
    show("Beside OpenCV on one thread, ms, without decoding", ("edit", "ours", "cv2", "ratio"), rows)


def _in_turn(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[str, str, str]:
    """The medians in ms and their ratio; in turn, so that what else the machine does falls on both."""
    took = [(cpu_s(ours), cpu_s(theirs)) for _ in range(_PICTURES // 2)]
    own, other = (median(each) for each in zip(*took, strict=True))
    return f"{1000 * own:.1f}", f"{1000 * other:.1f}", f"{own / other:.2f}"


def _inpainting(files: Files) -> None:
    rows = []
    image = files.photo(Photo(id="0", digest="0"))
    values = np.asarray(image)
    for side in (40, 80, 160):
        hole = (200, 150, 200 + side, 150 + side)
        missing = np.zeros(values.shape[:2], np.uint8)
        missing[hole[1] : hole[3], hole[0] : hole[2]] = 1
        ours = partial(filled, image, hole, "telea")
        bare = partial(cv2.inpaint, values, missing, TELEA_RADIUS_PX, cv2.INPAINT_TELEA)
        rows.append((f"{side} x {side}", *_in_turn(ours, bare)))
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
