"""What is kept of a picture, against an independent reading of boxes as sets of pixels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.carets.visual import foreground, grown, half_seen
from tests.core.random_scenes import boxes_within, pixels, scenes
from tests.making import scene_of, thing_of


@pytest.mark.parametrize(
    ("box", "patch"),
    [
        # 32 and more stays as it is.
        (Box(40, 10, 32, 50), Box(40, 10, 32, 50)),
        # 12 lack across, 6 on either side; 11 lack down, 5 above and 6 below.
        (Box(50, 40, 20, 21), Box(44, 35, 32, 32)),
        # At the left and at the bottom edge of 200 x 100 all that lacks goes to the other side.
        (Box(0, 95, 20, 5), Box(0, 68, 32, 32)),
        (Box(190, 0, 10, 40), Box(168, 0, 32, 40)),
    ],
)
def test_a_box_is_grown_evenly_to_32_by_32_within_the_frame(box: Box, patch: Box) -> None:
    assert grown(box, scene_of()) == patch


def test_a_picture_narrower_than_32_is_kept_in_all_its_width() -> None:
    assert grown(Box(3, 4, 5, 5), replace(scene_of(), width=20, height=200)) == Box(0, 0, 20, 32)


def test_boxes_are_rounded_outwards_before_they_grow() -> None:
    # 44.5 to 55.2 and 10.1 to 60.9 are the pixels 44 to 55 and 10 to 60: 12 wide, so 20 lack.
    thing = thing_of("dog", box=Box(44.5, 10.1, 10.7, 50.8))
    assert foreground((thing,), scene_of(thing)) == (Box(34, 10, 32, 51),)


def test_things_in_one_place_are_one_box() -> None:
    twins = thing_of("dog", id="0", box=Box(50, 40, 40, 40)), thing_of("hat", id="1", box=Box(50, 40, 40, 40))
    assert foreground(twins, scene_of(*twins)) == (Box(50, 40, 40, 40),)


@given(st.data())
def test_what_is_grown_holds_its_box_and_is_no_larger_than_it_must_be(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(1, 80)), data.draw(st.integers(1, 80))
    box = data.draw(boxes_within(width, height))
    patch = grown(box, replace(scene_of(), width=width, height=height))
    assert pixels(box) <= pixels(patch) <= pixels(Box(0, 0, width, height))
    assert (patch.w, patch.h) == (max(box.w, min(32, width)), max(box.h, min(32, height)))


@given(scenes(), st.data())
def test_half_seen_is_what_no_kept_box_holds_all_pixels_of(scene: Scene, data: st.DataObject) -> None:
    keep = data.draw(st.lists(boxes_within(scene.width, scene.height), max_size=3))
    kept = [pixels(box) for box in keep]
    whole = {thing.id for thing in scene.objects if any(pixels(thing.box) <= patch for patch in kept)}
    touched = {thing.id for thing in scene.objects if any(pixels(thing.box) & patch for patch in kept)}
    crowds_whole = [region for region in scene.regions if any(pixels(region.box) <= patch for patch in kept)]
    crowds_touched = [region for region in scene.regions if any(pixels(region.box) & patch for patch in kept)]
    blurred = {thing.name for thing in scene.objects if thing.id not in whole}
    blurred |= {region.name for region in scene.regions if region not in crowds_whole}
    cut_off = {thing.name for thing in scene.objects if thing.id in touched - whole}
    cut_off |= {region.name for region in crowds_touched if region not in crowds_whole}
    assert half_seen(scene, keep, hidden_elsewhere=False) == blurred
    assert half_seen(scene, keep, hidden_elsewhere=True) == cut_off
