"""Which things can be erased with nothing else touched."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Region, Scene
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.edits import removable
from tests.making import scene_of, thing_of


def scene_with(*boxes: Box, crowd: Box | None = None) -> Scene:
    scene = scene_of(*(thing_of("dog", id=str(number), box=box) for number, box in enumerate(boxes)))
    return replace(scene, regions=(Region(name="person", box=crowd),) if crowd else ())


def ids(scene: Scene) -> list[str]:
    return [thing.id for thing in removable(scene)]


def test_those_whose_boxes_overlap_no_other() -> None:
    assert ids(scene_with(Box(0, 0, 10, 10), Box(5, 5, 10, 10), Box(50, 0, 10, 10))) == ["2"]


def test_boxes_may_touch() -> None:
    assert ids(scene_with(Box(0, 0, 10, 10), Box(10, 0, 10, 10))) == ["0", "1"]


def test_but_not_within_a_pixel() -> None:
    # They are 0.2 pixels apart, and both cover the column from 10 to 11.
    assert ids(scene_with(Box(0, 0, 10.4, 10), Box(10.6, 0, 10, 10))) == []


def test_a_thing_inside_another_protects_both() -> None:
    assert ids(scene_with(Box(0, 0, 50, 50), Box(10, 10, 5, 5))) == []


def test_a_crowd_is_in_the_way() -> None:
    assert ids(scene_with(Box(0, 0, 10, 10), Box(50, 0, 10, 10), crowd=Box(5, 5, 20, 20))) == ["1"]


def test_what_lies_mostly_outside_the_frame_would_not_be_gone() -> None:
    assert ids(scene_with(Box(-15, 0, 20, 10), Box(-5, 40, 20, 10), Box(300, 0, 10, 10))) == ["1"]


def test_what_fills_the_frame_would_leave_nothing_to_see() -> None:
    assert ids(scene_with(Box(-1, -1, 202, 102))) == []


BOXES = st.builds(Box, st.floats(-20, 200), st.floats(-20, 100), st.floats(0.5, 80), st.floats(0.5, 60))


@given(st.lists(BOXES, max_size=8), st.none() | BOXES)
def test_what_is_erased_overlapped_nothing_and_leaves_all_else_there(boxes: list[Box], crowd: Box | None) -> None:
    scene = scene_with(*boxes, crowd=crowd)
    for thing in removable(scene):
        others = [other.box for other in scene.objects if other.id != thing.id]
        assert not any(thing.box.overlaps(box) for box in (*others, *(region.box for region in scene.regions)))
        after = scene.picture.erase(thing.box).scene
        assert after.objects == tuple(other for other in scene.objects if other.id != thing.id)
        assert after.regions == scene.regions


def test_in_the_picture_world_no_pixel_of_another_thing_is_under_the_patch(world: PictureWorld) -> None:
    erased = 0
    for index in range(len(world)):
        scene, labels = world.scene(index), world.label_map(index)
        numbers = {thing.id: number for number, thing in enumerate(scene.objects, start=1)}
        for thing in removable(scene):
            box = thing.box
            seen = set(labels.crop((int(box.x), int(box.y), int(box.x1), int(box.y1))).tobytes())
            assert seen <= {0, numbers[thing.id]}
            erased += 1
    assert erased > 60
