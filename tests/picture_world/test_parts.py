"""Things drawn anew with another number of their parts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from pytest_vqamt.core.edits import Redraw
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Parts, Scene
from pytest_vqamt.imaging.render import render
from pytest_vqamt.picture_world.looks import PARTS
from pytest_vqamt.picture_world.source import PictureWorld
from tests.rows import each_row
from tests.soundness.parts_seen import seen


@cache
def world() -> PictureWorld:
    return PictureWorld(1_000)


def redrawn(scenes: range) -> Iterator[tuple[Picture, Parts]]:
    """Every picture of these scenes with each number of parts that can be drawn."""
    for scene in map(world().scene, scenes):
        for parts in scene.parts:
            for number in parts.drawable:
                yield scene.picture.redraw(parts.thing, parts.name, number), parts


@pytest.mark.parametrize("scenes", [range(60), pytest.param(range(1_000), marks=pytest.mark.full)], ids=len)
def test_the_pixels_show_as_many_as_the_scene_says(scenes: range) -> None:
    names = set()
    for picture, parts in redrawn(scenes):
        names.add(picture.scene.thing(parts.thing).name)
        [said] = [each.number for each in picture.scene.parts if each.thing == parts.thing]
        assert seen(picture, parts.thing, parts.name, world()) == said, picture
    assert names <= set(PARTS)
    assert len(names) > len(PARTS) - 3  # some are rare


@pytest.mark.parametrize("scenes", [range(30), pytest.param(range(300), marks=pytest.mark.full)], ids=len)
def test_nothing_else_changes_and_the_box_stays(scenes: range) -> None:
    for picture, parts in redrawn(scenes):
        box = picture.scene.thing(parts.thing).box
        before, after = (np.asarray(render(each, world())) for each in (world_picture(picture), picture))
        rows, columns = np.nonzero((before != after).any(axis=2))
        if not len(rows):
            assert Redraw(thing=parts.thing, part=parts.name, number=parts.usual) in picture.edits  # they were apart
            continue
        # Its soft edge may lie outside of its box.
        assert box.x - 2 <= columns.min() <= columns.max() < box.x1 + 2
        assert box.y - 2 <= rows.min() <= rows.max() < box.y1 + 2


def world_picture(picture: Picture) -> Picture:
    return world().scene(world().place(picture.photo.id)).picture


def scene_with_parts() -> tuple[Scene, Parts]:
    return next((scene, scene.parts[0]) for scene in map(world().scene, range(100)) if scene.parts)


@each_row(
    "change",
    [{"number": 9}, {"thing": "99"}, {"thing": "a dog"}, {"part": "antler"}],
)
def test_what_cannot_be_drawn_is_told_of(change: dict[str, object]) -> None:
    scene, parts = scene_with_parts()
    fields = {"thing": parts.thing, "part": parts.name, "number": parts.usual} | change
    picture = scene.picture.edit(Redraw(**fields))  # type: ignore[arg-type]  # of mixed types
    with pytest.raises(DataError, match=rf"parts of {scene.id} that can be drawn"):
        render(picture, world())


def test_it_is_the_first_edit_of_what_is_drawn() -> None:
    scene, parts = scene_with_parts()
    with pytest.raises(RenderError, match="Redraw as the first edit"):
        render(scene.picture.mirror().redraw(parts.thing, parts.name, parts.usual), world())


def test_after_it_other_edits_may_follow() -> None:
    scene, parts = scene_with_parts()
    plain = scene.picture.redraw(parts.thing, parts.name, parts.usual)
    assert np.array_equal(np.asarray(render(plain.mirror(), world())), np.asarray(render(plain, world()))[:, ::-1])


def test_the_scene_says_the_number_and_no_longer_has_the_mask_and_the_captions() -> None:
    scene, parts = scene_with_parts()
    after = scene.picture.redraw(parts.thing, parts.name, parts.usual + 1).scene
    assert [each.number for each in after.parts if each.thing == parts.thing] == [parts.usual + 1]
    assert not after.thing(parts.thing).has_mask
    assert after.captions == ()
    assert [thing.box for thing in after.objects] == [thing.box for thing in scene.objects]
