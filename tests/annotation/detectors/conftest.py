"""Small checkpoints, each made once, and pictures to look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import skimage.data
from PIL import Image

from tests.annotation.detectors import small_detectors

PHOTOS = ("astronaut.png", "chelsea.png")
MORE_PHOTOS = (
    "coffee.png",
    "motorcycle_left.png",
    "rocket.jpg",
    "retina.jpg",
    "ihc.png",
    "hubble_deep_field.jpg",
    "motorcycle_right.png",
    "camera.png",
)
"""Photos that come with scikit-image."""

FAMILIES: dict[str, Callable[[Path], Path]] = {
    "detr": small_detectors.detr,
    "rt_detr": small_detectors.rt_detr,
    "mask2former": small_detectors.mask2former,
    "owlv2": small_detectors.owlv2,
    "owlvit": small_detectors.owlvit,
    "grounding_dino": small_detectors.grounding_dino,
}


class Checkpoints(dict[str, Path]):
    """A folder of each family, made when it is first asked for; not to be changed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __missing__(self, family: str) -> Path:
        self[family] = FAMILIES[family](self._root / family)
        return self[family]


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return Checkpoints(tmp_path_factory.mktemp("detectors"))


@pytest.fixture(scope="session")
def pictures() -> tuple[Image.Image, ...]:
    """A landscape, a portrait and a small picture, drawn, and some photos at a third of their size."""
    drawn = []
    for size, colour in (((120, 80), "red"), ((70, 110), "blue"), ((9, 7), "green")):
        image = Image.new("RGB", size, "white")
        image.paste(colour, (size[0] // 4, size[1] // 4, size[0] // 2, size[1]))
        drawn.append(image)
    return (*drawn, *photos_of(PHOTOS))


@pytest.fixture(scope="session")
def more_pictures(pictures: tuple[Image.Image, ...]) -> tuple[Image.Image, ...]:
    """The pictures and more photos, for what finds few things on each."""
    return (*pictures, *photos_of(MORE_PHOTOS))


def photos_of(names: tuple[str, ...]) -> list[Image.Image]:
    folder = Path(skimage.data.__file__).parent
    return [Image.open(folder / name).convert("RGB").reduce(3) for name in names]
