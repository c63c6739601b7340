"""Every edit, alone and in pairs, is the same picture after each way through files, and each output can show it."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from random import Random

import numpy as np
import pytest

from pytest_vqamt.core.codec import registered_types
from pytest_vqamt.core.edits import Edit
from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.recipes import picture_from_recipe, picture_recipe
from pytest_vqamt.data.scene_source import SceneSource, scenes_by_photo
from pytest_vqamt.imaging.outlines import edited as edited_places
from pytest_vqamt.imaging.outlines import outlines
from pytest_vqamt.imaging.render import render
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.imaging.every_edit import ALONE, EXAMPLES, PAIRS, edited
from tests.reporting.running import world
from tests.rows import each_row


def test_there_is_an_example_of_every_edit() -> None:
    assert set(EXAMPLES) == {kind for kind in registered_types(Edit) if kind.__module__.startswith("pytest_vqamt.")}


def drawn() -> SceneSource:
    return world("pictures:20")


def example(kinds: tuple[type[Edit], ...]) -> Picture:
    """The first of the source's scenes to which these edits apply, edited."""
    source = drawn()
    for number in range(len(source)):
        choose = RandomChooser(Random(f"{number} {[kind.__name__ for kind in kinds]}"))
        picture = edited(source.scene(number), source.scene((number + 1) % len(source)), kinds, choose)
        if picture is not None:
            return picture
    raise AssertionError(f"no scene can be edited by {kinds}")


def through_a_file(picture: Picture) -> Picture:
    return picture_from_recipe(json.loads(json.dumps(picture_recipe(picture))), scenes_by_photo(drawn()))


def assert_same(one: object, other: object, where: str = "") -> None:
    """Equal, and of the same types all the way down; a whole number may stand for a number such as 3.0."""
    if isinstance(one, float) or isinstance(other, float):
        assert {type(one), type(other)} <= {int, float}, where
        assert one == other, where
        return
    assert type(one) is type(other), where
    if isinstance(one, tuple) and isinstance(other, tuple):
        assert len(one) == len(other), where
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            assert_same(first, second, f"{where}[{number}]")
    elif is_dataclass(one):
        for each in fields(one):
            assert_same(getattr(one, each.name), getattr(other, each.name), f"{where}.{each.name}")
    else:
        assert one == other, where


@each_row("kinds", [*ALONE, *PAIRS])
def test_a_recipe_in_a_file_gives_the_same_edits_words_and_scene(kinds: tuple[type[Edit], ...]) -> None:
    picture = example(kinds)
    again = through_a_file(picture)
    assert_same(again.edits, picture.edits)
    assert again.digest == picture.digest
    assert [edit.words for edit in again.edits] == [edit.words for edit in picture.edits]
    assert again.scene == picture.scene


@pytest.mark.parametrize("kinds", [ALONE, pytest.param(PAIRS, marks=pytest.mark.full)], ids=["alone", "in pairs"])
def test_recipes_in_a_file_give_the_same_pixels(kinds: list[tuple[type[Edit], ...]]) -> None:
    for some in kinds:
        assert_same_pixels(some)


def assert_same_pixels(kinds: tuple[type[Edit], ...]) -> None:
    picture = example(kinds)
    image, reread = (render(each, drawn()) for each in (picture, through_a_file(picture)))
    assert (np.asarray(image) == np.asarray(reread)).all()
    assert image.info == reread.info
    assert image.size == (picture.scene.width, picture.scene.height)


@each_row("kinds", [*ALONE, *PAIRS])
def test_the_places_of_edits_can_be_outlined(kinds: tuple[type[Edit], ...]) -> None:
    picture = example(kinds)
    photographed = scenes_by_photo(drawn())(picture.photo.id)
    for place in edited_places(picture, photographed):
        assert place.box.intersection(picture.scene.frame)
    assert len(edited_places(picture, photographed)) <= sum(len(edit.places) for edit in picture.edits)
    outlines(picture, Exists(group=Group(name=photographed.objects[0].name)), photographed)
