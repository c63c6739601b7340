"""The region detector's regions as things: fine names, and the attributes that are sure enough."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.annotation.detectors.closed_set import NamedRegions, load
from pytest_vqamt.annotation.detectors.detector import DetectedObject
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.frcnn.detector import Detection
from tests.models.region_models.small_detector import NARROW, write_detector

if TYPE_CHECKING:
    from pytest_vqamt.models.region_models.frcnn.detector import FrcnnDetector


PICTURE = Image.new("RGB", (200, 100))

SEEN = Detection(
    boxes_px=np.array([[10, 20, 60, 80], [0, 0, 200, 50], [5, 5, 5.5, 90], [100, 40, 150, 90]], np.float32),
    features=np.zeros((4, 16), np.float32),
    names=("dog", "trees", "pole", "background"),
    scores=np.array([0.9, 0.8, 0.7, 0.6], np.float32),
    attributes=("brown", "green", "tall", "blue"),
    attribute_scores=np.array([0.75, 0.9, 0.9, 0.9], np.float32),
)


class Says:
    """A region detector that says what it is told to."""

    fingerprint = "regions-1"

    def __init__(self, seen: Detection) -> None:
        self._seen = seen

    def find(self, image: Image.Image) -> Detection:
        return self._seen


def found(seen: Detection, least_score: float = 0.4) -> tuple[DetectedObject, ...]:
    return NamedRegions(cast("FrcnnDetector", Says(seen)), least_score).find(PICTURE)


def test_a_region_is_a_thing_a_group_a_crowd_and_a_sliver_nothing() -> None:
    dog, trees = found(SEEN)
    assert (dog.name, dog.box, dog.attributes, dog.by) == ("dog", Box(10, 20, 50, 60), ("brown",), "detector")
    assert dog.score == pytest.approx(0.9)
    assert (trees.name, trees.box, trees.attributes, trees.is_crowd) == ("tree", Box(0, 0, 200, 50), (), True)


def test_what_is_not_sure_enough() -> None:
    assert [each.name for each in found(SEEN, 0.85)] == ["dog"]
    doubtful = replace(SEEN, attribute_scores=np.array([0.49, 0.9, 0.9, 0.9], np.float32))
    assert found(doubtful)[0].attributes == ()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("regions")
    write_detector(made, NARROW)
    return made


def test_a_detector_from_the_disk(folder: Path, pictures: tuple[Image.Image, ...]) -> None:
    options = ModelOptions(device="cpu", settings={"detector": str(folder)})
    everything = load(options, 0.0)
    for image in pictures[:2]:
        things = everything.find(image)
        assert things
        assert all(each.name.startswith("object ") for each in things)
        assert all(each.box.intersection(Box(0, 0, image.width, image.height)) == each.box for each in things)
    assert everything.find(pictures[0]) == everything.find(pictures[0])
    assert everything.fingerprint != load(options, 0.1).fingerprint


def test_without_names_nothing_is_known(tmp_path: Path) -> None:
    write_detector(tmp_path, NARROW)
    for file in tmp_path.glob("*_vocab.txt"):
        file.unlink()
    with pytest.raises(ModelError, match=r"Expected objects_vocab\.txt and attributes_vocab\.txt beside"):
        load(ModelOptions(device="cpu", settings={"detector": str(tmp_path)}), None)
