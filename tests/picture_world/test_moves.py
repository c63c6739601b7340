"""Things that are drawn elsewhere: the pixels, and the scene."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from pytest_vqamt.core.edits import Move, things_moved_with
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging.render import render
from pytest_vqamt.picture_world.source import PictureWorld
from tests.soundness.colour_coded import ColourCoded

WORLD = PictureWorld(60)


def scenes() -> Iterator[Scene]:
    return map(WORLD.scene, range(WORLD.count))


def test_things_that_others_hold_wear_or_bear_move_with_them() -> None:
    moved = 0
    for scene in scenes():
        held = {each.object for each in scene.relationships if each.predicate in ("holding", "wearing")}
        stands = {each.subject for each in scene.relationships if each.predicate in ("on", "under")}
        assert set(scene.movable) == {thing.id for thing in scene.objects} - held - stands
        together = [things_moved_with(scene, thing) for thing in scene.movable]
        assert sorted(each for ids in together for each in ids) == sorted(thing.id for thing in scene.objects)
        moved += sum(len(ids) > 1 for ids in together)
    assert moved > 10


def test_nothing_changes_but_where_the_thing_was_and_is() -> None:
    for scene in scenes():
        thing = scene.movable[0]
        ids = things_moved_with(scene, thing)
        before = np.asarray(render(scene.picture, WORLD)).astype(int)
        after = np.asarray(render(scene.picture.move(thing, 30, -20), WORLD)).astype(int)
        changed = (before != after).any(axis=2)
        for each in scene.objects:
            if each.id in ids:
                box = each.box
                for dx, dy in ((0, 0), (30, -20)):
                    # What it casts a pixel beyond its box is its own.
                    rows = slice(max(0, round(box.y + dy) - 4), max(0, round(box.y1 + dy) + 4))
                    columns = slice(max(0, round(box.x + dx) - 4), round(box.x1 + dx) + 4)
                    changed[rows, columns] = False
        assert not changed.any(), scene.id


def test_the_photo_is_the_thing_moved_by_nothing() -> None:
    for scene in map(WORLD.scene, range(10)):
        there_and_back = scene.picture.move(scene.movable[0], 40, 9).move(scene.movable[0], -40, -9)
        assert render(there_and_back, WORLD).tobytes() == render(scene.picture, WORLD).tobytes()


def test_the_boxes_are_those_of_the_pixels() -> None:
    checked = 0
    for scene in scenes():
        thing = scene.thing(scene.movable[-1])
        # To the left edge, so that nothing else has a part of its place.
        picture = scene.picture.move(thing.id, -round(thing.box.x + 0.3 * thing.box.w), 0)
        after = {each.id: each.box for each in picture.scene.objects}
        coded = ColourCoded(WORLD, (scene.photo,))
        numbers = coded.numbers(render(picture, coded), scene.photo)
        rows, columns = np.nonzero(numbers == scene.objects.index(thing) + 1)
        assert (thing.id in after) == (len(columns) > 0)
        if thing.id in after and things_moved_with(scene, thing.id) == {thing.id}:
            assert (after[thing.id].x, round(after[thing.id].x1)) == (0, columns.max() + 1), scene.id
            assert round(after[thing.id].y) <= rows.min() <= rows.max() < round(after[thing.id].y1)
            checked += 1
    assert checked > 20


def test_a_thing_of_which_half_is_outside_is_gone_and_all_else_stays() -> None:
    for scene in scenes():
        thing = scene.thing(scene.movable[0])
        ids = things_moved_with(scene, thing.id)
        gone = scene.picture.move(thing.id, -round(thing.box.x + 0.6 * thing.box.w)).scene
        assert all(each.id != thing.id for each in gone.objects)
        stays = [each for each in scene.objects if each.id not in ids]
        assert [each for each in gone.objects if each.id not in ids] == stays
        there = scene.picture.move(thing.id, -round(thing.box.x + 0.4 * thing.box.w)).scene.thing(thing.id)
        assert there.box.x == 0
        assert there.box.w == pytest.approx(0.6 * thing.box.w, abs=1)
        assert gone.captions == ()


def test_places_beside_others_are_no_longer_said() -> None:
    for scene in scenes():
        ids = things_moved_with(scene, scene.movable[0])
        after = scene.picture.move(scene.movable[0], 5).scene
        assert all((each.subject in ids) == (each.object in ids) for each in after.relationships)


def test_only_movable_things_of_what_is_drawn_are_moved() -> None:
    scene = WORLD.scene(0)
    with pytest.raises(DataError, match="that can be moved"):
        render(scene.picture.edit(Move(thing="99", dx=1, dy=0)), WORLD)
    with pytest.raises(RenderError, match="Move among the first edits"):
        render(scene.picture.mirror().move(scene.movable[0], 5), WORLD)


def test_after_it_other_edits_may_follow() -> None:
    scene = WORLD.scene(0)
    plain = scene.picture.move(scene.movable[0], 20)
    assert np.array_equal(np.asarray(render(plain.mirror(), WORLD)), np.asarray(render(plain, WORLD))[:, ::-1])
