"""What people recognise for certain, by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.soundness import is_bulky, is_large_enough, is_recognisable
from tests.making import scene_of, thing_of


def picture(width: int, height: int) -> Scene:
    return replace(scene_of(), width=width, height=height)


def dog(w: float, h: float) -> Thing:
    return thing_of("dog", box=Box(5, 5, w, h))


@pytest.mark.parametrize(
    ("w", "h", "large"),
    [
        # Of 640 pixels, a twelfth is 53.3, and a third of that 17.8.
        (54, 18, True),
        (18, 54, True),
        (53, 53, False),
        (120, 17, False),
    ],
)
def test_a_twelfth_of_the_picture_on_the_longer_side_and_a_third_of_that_on_the_shorter(
    w: float, h: float, large: bool
) -> None:
    assert is_large_enough(w, h, Box(0, 0, 640, 480)) is large


@pytest.mark.parametrize(("w", "h", "large"), [(24, 8, True), (23, 23, False), (24, 7, False)])
def test_in_a_small_picture_24_pixels(w: float, h: float, large: bool) -> None:
    assert is_large_enough(w, h, Box(0, 0, 224, 224)) is large


def test_a_fragment_is_not_recognised_however_large() -> None:
    scene = picture(640, 480)
    assert is_recognisable(dog(200, 200), scene)
    assert not is_recognisable(replace(dog(200, 200), fragmented=True), scene)


def test_bulky_is_what_is_not_slim_either() -> None:
    scene = picture(640, 480)
    assert is_bulky(dog(54, 54), scene)
    assert is_recognisable(dog(154, 29), scene)
    assert not is_bulky(dog(154, 29), scene)
