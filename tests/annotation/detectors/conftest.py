"""Small checkpoints, each made once, and pictures to look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tests.annotation.detectors import small_detectors

COCO = Path(__file__).parents[3] / "../shared/data/coco/images"

FAMILIES: dict[str, Callable[[Path], Path]] = {
    "detr": small_detectors.detr,
    "rt_detr": small_detectors.rt_detr,
    "mask2former": small_detectors.mask2former,
    "owlv2": small_detectors.owlv2,
    "owlvit": small_detectors.owlvit,
    "grounding_dino": small_detectors.grounding_dino,
}


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder of each family, not to be changed."""
    root = tmp_path_factory.mktemp("detectors")
    return {name: make(root / name) for name, make in FAMILIES.items()}


@pytest.fixture(scope="session")
def pictures() -> tuple[Image.Image, ...]:
    """A landscape, a portrait and a small picture, drawn, and three photos at half their size, where there are any."""
    drawn = []
    for size, colour in (((120, 80), "red"), ((70, 110), "blue"), ((9, 7), "green")):
        image = Image.new("RGB", size, "white")
        image.paste(colour, (size[0] // 4, size[1] // 4, size[0] // 2, size[1]))
        drawn.append(image)
    photos = [Image.open(file).convert("RGB").reduce(2) for file in sorted(COCO.glob("*.jpg"))[:3]]
    return (*drawn, *photos)
