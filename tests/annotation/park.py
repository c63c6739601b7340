"""A folder of hypotheses about photos for a grounding model to look at, and models that find what a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.detectors.detector import DetectedObject
from pytest_vqamt.core.box import Box
from pytest_vqamt.models.protocol import ModelOptions
from tests.data.made_snli_ve import official_row, write_official

GROUNDS = Callable[[Image.Image, str], Sequence[DetectedObject]]


def write_park(folder: Path) -> Path:
    """Three photos of three sizes, and hypotheses about them: two entailed about the first, one about each other."""
    write_official(
        folder,
        official_row("1.jpg#0r1e", "A man plays with a dog."),
        official_row("1.jpg#0r1c", "A cat sleeps.", gold_label="contradiction"),
        official_row("1.jpg#1r1e", "Two people sit."),
        official_row("2.jpg#0r1e", "A dog runs."),
        official_row("3.jpg#0r1e", "A woman reads a book."),
    )
    (folder / "images").mkdir()
    for name, size in (("1.jpg", (200, 100)), ("2.jpg", (100, 200)), ("3.jpg", (60, 40))):
        Image.new("RGB", size, "red").save(folder / "images" / name)
    return folder


def options(grounder: Path | str = "MODEL", **settings: str) -> ModelOptions:
    return ModelOptions(device="cpu", settings={"grounder": str(grounder), **settings})


def rows(folder: Path, name: str = "units.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def here(phrase: str, score: float = 0.9, box: Box | None = None) -> DetectedObject:
    return DetectedObject(name=phrase, box=box or Box(1, 2, 30, 20), score=score, by="grounds")


class Grounds:
    """A grounding model that finds what a function says; it counts how often it looks, and keeps what it was asked."""

    fingerprint = "grounds-1"

    def __init__(self, ground: GROUNDS) -> None:
        self._ground = ground
        self.looks = 0
        self.asked: list[tuple[str, ...]] = []

    def ground(self, image: Image.Image, phrases: Sequence[str]) -> tuple[tuple[DetectedObject, ...], ...]:
        self.looks += 1
        self.asked.append(tuple(phrases))
        return tuple(tuple(self._ground(image, phrase)) for phrase in phrases)


def put(monkeypatch: pytest.MonkeyPatch, ground: GROUNDS = lambda _image, phrase: [here(phrase)]) -> Grounds:
    """Has ``complete`` use a model of ours, whatever folder ``options`` names."""
    made = Grounds(ground)
    monkeypatch.setattr(catalogue, "grounder_of", lambda _named, _options: made)
    return made
