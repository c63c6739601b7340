"""A folder of photos for detectors to look at, and detectors that find what a test says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.detectors.detector import DetectedObject
from pytest_vqamt.models.protocol import ModelOptions

ORIENTATION, QUARTER_TURN = 0x0112, 6


def write_shop(photos: Path) -> Path:
    """Three photos, of which one was taken upright."""
    (photos / "2024").mkdir(parents=True)
    exif = Image.Exif()
    exif[ORIENTATION] = QUARTER_TURN
    Image.new("RGB", (200, 100), "red").save(photos / "a.jpg")
    Image.new("RGB", (200, 100), "blue").save(photos / "b.jpg", exif=exif)
    Image.new("RGB", (60, 40), "green").save(photos / "2024" / "c.png")
    return photos


def options(detector: Path, **settings: str) -> ModelOptions:
    return ModelOptions(device="cpu", settings={"boxes": str(detector), **settings})


def rows(folder: Path, name: str = "graphs.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


class Finds:
    """A detector that finds what a function says; it counts how often it looks."""

    fingerprint = "finds-1"

    def __init__(self, find: Callable[[Image.Image], tuple[DetectedObject, ...]]) -> None:
        self._find = find
        self.looks = 0

    def find(self, image: Image.Image) -> tuple[DetectedObject, ...]:
        self.looks += 1
        return self._find(image)


def put(
    monkeypatch: pytest.MonkeyPatch, find: Callable[[Image.Image], tuple[DetectedObject, ...]] = lambda _image: ()
) -> Finds:
    """Has ``complete`` use a detector of ours."""
    made = Finds(find)
    monkeypatch.setattr(catalogue, "detector_of", lambda _options: made)
    return made
