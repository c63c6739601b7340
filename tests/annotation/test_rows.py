"""Rows of detections read back as what was detected."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import pytest_vqamt.data
from pytest_vqamt.annotation.detectors.detector import DetectedObject
from pytest_vqamt.annotation.line_writer import rounded
from pytest_vqamt.annotation.photos import row_of, usable
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Region
from pytest_vqamt.data.graphs import scene_of_row
from tests.rows import each_row

VALIDATOR = Draft202012Validator(
    json.loads((Path(pytest_vqamt.data.__file__).parent / "graph.schema.json").read_text(encoding="utf-8"))
)
SIZE = (64, 48)

DOG = DetectedObject(
    name="dog",
    box=Box(3.04, 5, 20, 30.5),
    score=0.9,
    by="masks",
    attributes=("brown", "wet"),
    polygons=((3.0, 5.0, 23.0, 5.0, 23.0, 35.5, 3.0, 35.5),),
)
TREES = DetectedObject(name="tree", box=Box(0, 0, 64, 20), score=0.8, by="masks", is_crowd=True)
WOMAN = DetectedObject(
    name="Woman ", box=Box(40, 2, 24, 46), score=0.7, by="detector", attributes=("RED", "white", "red")
)


def row(*findings: DetectedObject) -> dict[str, Any]:
    return row_of(usable(findings, SIZE), scene_id="market/1.jpg", file="market/1.jpg", size=SIZE)


def test_a_row_in_full() -> None:
    assert row(DOG, TREES, WOMAN) == {
        "id": "market/1.jpg",
        "photo": "market/1.jpg",
        "width": 64,
        "height": 48,
        "objects": [
            {
                "id": "1",
                "name": "dog",
                "box": [3, 5, 20, 30.5],
                "attributes": ["brown", "wet"],
                # The colours of animals and people are not asked about: a zebra is annotated with one of them.
                "multi_coloured": True,
                "mask": [[3, 5, 23, 5, 23, 35.5, 3, 35.5]],
            },
            {
                "id": "2",
                "name": "woman",
                "box": [40, 2, 24, 46],
                "attributes": ["red", "white"],
                "multi_coloured": True,
            },
        ],
        "regions": [{"name": "tree", "box": [0, 0, 64, 20]}],
    }


def test_nothing_found_is_a_row_too() -> None:
    assert row() == {"id": "market/1.jpg", "photo": "market/1.jpg", "width": 64, "height": 48}


def test_it_reads_back() -> None:
    scene = scene_of_row(row(DOG, TREES, WOMAN), "graphs.jsonl:1")
    assert [(thing.id, thing.name, thing.has_mask) for thing in scene.objects] == [
        ("1", "dog", True),
        ("2", "woman", False),
    ]
    assert scene.regions == (Region(name="tree", box=Box(0, 0, 64, 20)),)
    assert scene.exhaustive == frozenset()
    assert (scene.relationships, scene.setting) == ((), "")


@each_row(
    "box, expected",
    [
        (Box(0, 0, 64, 48), Box(0, 0, 64, 48)),
        (Box(-3, -1.5, 10, 10), Box(0, 0, 7, 8.5)),
        (Box(60.26, 40.11, 100, 100), Box(60.3, 40.1, 3.7, 7.9)),
        (Box(1.01, 2.02, 1.99, 30), Box(1, 2, 2, 30)),
        (Box(1, 2, 1.9, 30), None),
        (Box(1, 2, 30, 1), None),
        (Box(63, 10, 5, 5), None),
    ],
)
def test_boxes_are_cut_off_and_rounded_and_slivers_left_out(box: Box, expected: Box | None) -> None:
    assert rounded(box, SIZE) == expected
    assert len(usable([replace(DOG, box=box)], SIZE)) == (expected is not None)


def test_a_name_without_letters_is_left_out() -> None:
    assert usable([replace(DOG, name="?!")], SIZE) == ()


numbers = st.floats(-100, 200, allow_nan=False, width=32)
sides = st.floats(0, 300, allow_nan=False, width=32)
found = st.builds(
    lambda name, box, attributes, is_crowd: replace(
        WOMAN, name=name, box=Box(*box), attributes=attributes, is_crowd=is_crowd
    ),
    st.text(max_size=12),
    st.tuples(numbers, numbers, sides, sides),
    st.lists(st.text(max_size=8), max_size=3).map(tuple),
    st.booleans(),
)


@given(findings=st.lists(found, max_size=5), width=st.integers(1, 300), height=st.integers(1, 300))
def test_every_row_is_of_the_schema_and_reads_back(findings: list[DetectedObject], width: int, height: int) -> None:
    kept = usable(findings, (width, height))
    made = row_of(kept, scene_id="a", file="a.jpg", size=(width, height))
    assert VALIDATOR.is_valid(made)
    scene = scene_of_row(json.loads(json.dumps(made)), "graphs.jsonl:1")
    assert [(thing.name, thing.box) for thing in scene.objects] == [
        (each.name, each.box) for each in kept if not each.is_crowd
    ]
    assert all(thing.box.x1 <= width + 1e-6 and thing.box.y1 <= height + 1e-6 for thing in scene.objects)


def test_a_name_of_two_lines_is_told_of_on_one() -> None:
    with pytest.raises(DataError, match=r"^'a\\nb\.png': id: Expected an id, but got "):
        row_of((), scene_id="a\nb.png", file="a\nb.png", size=SIZE)
