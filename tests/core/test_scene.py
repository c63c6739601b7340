"""Scenes: what they tell of themselves."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene


def test_a_thing_is_found_by_its_id(yard: Scene) -> None:
    assert yard.thing("c1").name == "cat"
    with pytest.raises(KeyError, match="nobody"):
        yard.thing("nobody")


def test_things_are_counted_by_their_exact_name(yard: Scene) -> None:
    assert (yard.count("dog"), yard.count("cat"), yard.count("dogs"), yard.count("cow")) == (3, 1, 0, 0)


def test_the_picture_of_a_scene_is_its_photo_without_an_edit(yard: Scene) -> None:
    picture = yard.picture
    assert (picture.photo, picture.edits, picture.scene) == (yard.photo, (), yard)


def test_the_frame_is_the_whole_picture(yard: Scene) -> None:
    assert yard.frame == Box(0, 0, 200, 100)
