"""The labels of published checkpoints become names as the other data sources have them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_vqamt.annotation.detectors.detector import ClassLabel, class_labels, parse_label
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from tests.rows import each_row

VOCABULARY = Path(__file__).parents[3] / "../shared/data/vocab/vg_objects_vocab.txt"


def checkpoint(folder: Path, id2label: object) -> Checkpoint:
    (folder / "config.json").write_text(json.dumps({"id2label": id2label}))
    return Checkpoint(folder=folder, name="mine")


def read(folder: Path, *texts: str) -> Mapping[int, ClassLabel]:
    return class_labels(checkpoint(folder, {str(number): text for number, text in enumerate(texts)}))


def test_the_classes_of_coco_keep_their_names() -> None:
    assert {name: parse_label(name) for name in COCO_CLASSES} == {name: ClassLabel(name=name) for name in COCO_CLASSES}


@each_row(
    "text, name",
    [
        ("Motorbike", "motorcycle"),
        ("tvmonitor", "tv"),
        ("pottedplant", "potted plant"),
        ("traffic_light", "traffic light"),
        ("monitor_(computer_equipment) computer_monitor", "monitor computer monitor"),
        ("painting, picture", "painting"),
        ("Cabinet/shelf", "cabinet"),
        (" window ", "window"),
        ("t-shirt", "t-shirt"),
        ("scissors", "scissors"),
        ("grass", "grass"),
    ],
)
def test_spellings(text: str, name: str) -> None:
    assert parse_label(text) == ClassLabel(name=name)


@each_row("text", ["N/A", "background", "", "no-object", "no object", "--", "outside"])
def test_what_stands_for_nothing(text: str) -> None:
    assert parse_label(text) is None


def test_a_plural_is_a_group_that_nobody_told_apart() -> None:
    assert parse_label("people") == ClassLabel(name="person", is_crowd=True)
    assert parse_label("donuts,doughnuts") == ClassLabel(name="donut", is_crowd=True)


def test_gaps_are_left_out_and_numbers_kept(tmp_path: Path) -> None:
    assert read(tmp_path, "N/A", "person", "N/A", "dog") == {1: ClassLabel(name="person"), 3: ClassLabel(name="dog")}


def test_amounts_of_coco_are_crowds(tmp_path: Path) -> None:
    # The 53 of panoptic_coco_categories.json, with two things before them.
    stuff = """banner blanket bridge cardboard counter curtain door-stuff floor-wood flower fruit gravel house light
    mirror-stuff net pillow platform playingfield railroad river road roof sand sea shelf snow stairs tent towel
    wall-brick wall-stone wall-tile wall-wood water-other window-blind window-other tree-merged fence-merged
    ceiling-merged sky-other-merged cabinet-merged table-merged floor-other-merged pavement-merged mountain-merged
    grass-merged dirt-merged paper-merged food-other-merged building-other-merged rock-merged wall-other-merged
    rug-merged"""
    found = read(tmp_path, "person", "dog", *stuff.split())
    assert len(found) == 55
    assert [label for label in found.values() if not label.is_crowd] == [
        ClassLabel(name="person"),
        ClassLabel(name="dog"),
    ]
    assert found[2 + stuff.split().index("sky-other-merged")] == ClassLabel(name="sky", is_crowd=True)
    assert found[2 + stuff.split().index("wall-brick")] == ClassLabel(name="wall", is_crowd=True)
    assert found[2 + stuff.split().index("playingfield")] == ClassLabel(name="playing field", is_crowd=True)


def test_the_same_words_are_things_where_a_checkpoint_knows_things_alone(tmp_path: Path) -> None:
    assert read(tmp_path, "pillow", "curtain", "wall-clock") == {
        0: ClassLabel(name="pillow"),
        1: ClassLabel(name="curtain"),
        2: ClassLabel(name="wall-clock"),
    }


@each_row(
    "id2label, got",
    [
        ({"0": "LABEL_0", "1": "LABEL_1"}, "'LABEL_0', which transformers makes up"),
        ({"0": "person", "1": "label_1"}, "'label_1', which transformers makes up"),
        (None, "no id2label"),
        ({}, "no id2label"),
    ],
)
def test_classes_that_nobody_has_named(tmp_path: Path, id2label: object, got: str) -> None:
    with pytest.raises(ModelError, match=r"Expected the names of the classes in .*config\.json, but got ") as caught:
        class_labels(checkpoint(tmp_path, id2label))
    assert got in str(caught.value)


@pytest.mark.skipif(not VOCABULARY.is_file(), reason="the shared data are not here")
def test_the_vocabulary_of_the_region_detector() -> None:
    lines = VOCABULARY.read_text().splitlines()
    labels = [parse_label(line) for line in lines]
    nothing = {line for line, label in zip(lines, labels, strict=True) if label is None}
    assert nothing == {
        "area", "back", "background", "bottom", "front", "group", "inside", "items", "object", "objects",
        "outside", "she",
    }  # fmt: skip
    assert parse_label("trees") == ClassLabel(name="tree", is_crowd=True)
    assert all(label.name == label.name.lower().strip() != "" for label in labels if label is not None)
