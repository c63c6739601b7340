"""Boxes in whole pixels, rounded outwards, as far as they lie in the frame."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.relations.edits import covered, taken
from tests.making import scene_of, thing_of


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (Box(10, 20, 5, 5), Box(10, 20, 5, 5)),
        (Box(10.9, 20.1, 5, 5), Box(10, 20, 6, 6)),
        (Box(-3.5, 95, 10, 10), Box(0, 95, 7, 5)),
        (Box(0.1, 0.2, 9.9, 9.8), Box(0, 0, 10, 10)),  # 0.1 + 9.9 is a little more than 10
        (Box(300, 0, 10, 10), None),
    ],
)
def test_a_box_covers_every_pixel_that_it_touches(box: Box, expected: Box | None) -> None:
    assert covered(box, scene_of()) == expected


def test_what_is_taken_is_under_things_and_crowds() -> None:
    dog, cat = thing_of("dog", id="d", box=Box(0.5, 0, 9, 9)), thing_of("cat", id="c", box=Box(50, 0, 10, 10))
    scene = scene_of(dog, cat, crowds=("person",))
    assert taken(scene) == (Box(0, 0, 10, 9), Box(50, 0, 10, 10), Box(0, 50, 50, 50))
