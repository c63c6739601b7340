"""Which things may be erased, against an independent count of pixels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.veglue_erasing import erasable_things, erasure_facts, is_erasable, is_erasable_by_iou
from tests.core.random_scenes import pixels, scenes
from tests.imaging.coco_photos import FOLDER, CocoPhotos, needs_coco
from tests.making import scene_of, thing_of
from tests.relations.veglue.erasures import erasures

# A table of 100 x 50 with a cup of 10 x 10 on it, and a dog of 40 x 40 beside it that reaches 4 pixels into its box.
TABLE = thing_of("table", id="table", box=Box(0, 40, 100, 50))
CUP = thing_of("cup", id="cup", box=Box(40, 45, 10, 10))
DOG = thing_of("dog", id="dog", box=Box(96, 50, 40, 40))
ROOM = scene_of(TABLE, CUP, DOG)


def test_iou_does_not_protect_a_cup_on_a_table() -> None:
    # The cup's 100 px are 0.02 of the table's 5000: an IoU of 0.02, and all of the cup would be gone.
    assert is_erasable_by_iou(TABLE, ROOM)
    assert not is_erasable(TABLE, ROOM)
    assert is_erasable(CUP, ROOM)


def test_a_tenth_of_what_stays_may_go() -> None:
    # Of the dog's 1600 px, 4 x 40 lie in the table's box: exactly 0.1. A table of one column more takes 0.125.
    wider = thing_of("table", id="table", box=Box(0, 40, 101, 50))
    assert is_erasable(TABLE, scene_of(TABLE, DOG))
    assert not is_erasable(wider, scene_of(wider, DOG))


def test_the_erased_box_is_rounded_outwards_first() -> None:
    # Of the dog's 40 columns from 96.5 on, 3.7 lie before 100.2. All of the 101st column is erased, so 4.5 go.
    wider = thing_of("table", id="table", box=Box(0, 40, 100.2, 50))
    dog = thing_of("dog", id="dog", box=Box(96.5, 50, 40, 40))
    assert dog.box.share_inside(wider.box) < 0.1
    assert not is_erasable(wider, scene_of(wider, dog))


def test_a_crowd_stays_too() -> None:
    # The crowd's box is 50 x 50 at (0, 50), of which the dog's takes nothing and a cat's a third.
    cat = thing_of("cat", id="cat", box=Box(10, 50, 20, 50))
    scene = scene_of(DOG, cat, crowds=("person",))
    assert is_erasable(DOG, scene)
    assert not is_erasable(cat, scene)


def test_no_more_than_half_of_the_picture_is_erased() -> None:
    # The frame is 200 x 100.
    half, more = (thing_of("bus", box=Box(0, 0, 100 + extra, 100)) for extra in (0, 1))
    assert erasable_things(scene_of(half)) == (half,)
    assert erasable_things(scene_of(more)) == ()


def test_what_lies_mostly_outside_the_frame_is_not_erased() -> None:
    # It would stay in the scene: half of it is not to be seen, so it cannot be covered.
    half, less = (thing_of("bus", box=Box(190 + extra, 10, 20, 20)) for extra in (-1, 0))
    assert erasable_things(scene_of(half)) == (half,)
    assert erasable_things(scene_of(less)) == ()


@given(scenes())
def test_what_may_be_erased_takes_at_most_a_tenth_of_the_pixels_of_anything_else(scene: Scene) -> None:
    frame = len(pixels(scene.frame))
    for thing in scene.objects:
        patch = pixels(thing.box)
        others = [pixels(other.box) for other in scene.objects if other.id != thing.id]
        others += [pixels(region.box) for region in scene.regions]
        harmless = all(10 * len(patch & other) <= len(other) for other in others)
        assert is_erasable(thing, scene) == harmless
        assert (thing in erasable_things(scene)) == (harmless and 2 * len(patch) <= frame)


@given(scenes())
def test_the_papers_rule_is_on_pixels_that_both_have_and_that_either_has(scene: Scene) -> None:
    for thing in scene.objects:
        patch = pixels(thing.box)
        others = [pixels(other.box) for other in scene.objects if other.id != thing.id]
        assert is_erasable_by_iou(thing, scene) == all(
            10 * len(patch & other) <= len(patch | other) for other in others
        )


@given(scenes())
def test_what_ours_allows_the_papers_rule_allows_too(scene: Scene) -> None:
    assert all(is_erasable_by_iou(thing, scene) for thing in scene.objects if is_erasable(thing, scene))


@given(scenes())
def test_erasing_takes_the_thing_out_of_the_scene_and_nothing_else(scene: Scene) -> None:
    for thing in erasable_things(scene):
        after = scene.picture.erase(thing.box).scene
        assert after.objects == tuple(other for other in scene.objects if other.id != thing.id)
        assert after.regions == scene.regions


def test_in_the_picture_world_nothing_is_left_of_the_thing_and_most_of_all_else(world: PictureWorld) -> None:
    erased = 0
    for index in range(len(world)):
        scene = world.scene(index)
        # 1 + the place of the thing that is seen there: drawn, not derived from boxes.
        labels = np.asarray(world.label_map(index))
        numbers = {thing.id: number for number, thing in enumerate(scene.objects, start=1)}
        for thing in erasable_things(scene):
            erased += 1
            left = labels.copy()
            left[int(thing.box.y) : int(np.ceil(thing.box.y1)), int(thing.box.x) : int(np.ceil(thing.box.x1))] = 0
            assert not (left == numbers[thing.id]).any()
            for other in scene.objects:
                if other.id != thing.id:
                    own = numbers[other.id]
                    # A box is a tenth at most; the pixels that show a thing are not spread evenly over it.
                    assert (left == own).sum() >= 0.85 * (labels == own).sum(), f"{thing.name} hides {other.name}"
    assert erased > 100


@needs_coco
def test_on_real_photos_iou_lets_whole_things_go_and_ours_no_more_than_a_sixth_of_what_is_seen() -> None:
    seen = _masks(FOLDER / "instances.json")
    worst = {True: 0.0, False: 0.0}
    counts = {"iou": 0, "ours": 0, "all of another": 0}
    for each in erasures(CocoPhotos().scenes.values()):
        assert each.by_iou or not each.by_ours
        counts["iou"] += each.by_iou
        counts["ours"] += each.by_ours
        if each.by_iou:
            box = each.thing.box
            window = np.s_[int(box.y) : int(np.ceil(box.y1)), int(box.x) : int(np.ceil(box.x1))]
            others = [seen[other.id] for other in each.scene.objects if other.id != each.thing.id]
            shares = [mask[window].sum() / mask.sum() for mask in others if mask.any()]
            counts["all of another"] += max(shares, default=0) == 1
            worst[each.by_ours] = max([worst[each.by_ours], *shares])
    assert counts["ours"] < counts["iou"]
    assert counts["all of another"] > 5
    assert worst[False] == 1
    assert worst[True] < 1 / 6


def _masks(instances: Path) -> dict[str, NDArray[np.bool_]]:
    """The pixels of each thing by its outlines, which are no boxes: HW, by its id."""
    records = json.loads(instances.read_text(encoding="utf-8"))
    sizes = {image["id"]: (image["width"], image["height"]) for image in records["images"]}
    masks = {}
    for each in records["annotations"]:
        if not each["iscrowd"]:
            image = Image.new("1", sizes[each["image_id"]])
            for outline in each["segmentation"]:
                ImageDraw.Draw(image).polygon(outline, fill=1)
            masks[str(each["id"])] = np.asarray(image)
    return masks


class TestStanding:
    @pytest.mark.parametrize(
        ("at", "near"), [((30, 0), True), ((30, 1), True), ((31, 0), False), ((28, 26), True), ((29, 30), False)]
    )
    def test_near_is_a_gap_of_a_twentieth_of_the_picture(self, at: tuple[int, int], near: bool) -> None:
        # Both are 20 x 20, the first at the corner: from (28, 26) the gap is 8 and 6, so 10; from (29, 30) 9 and 10.
        erased, other = thing_of("dog", id="0", box=Box(0, 0, 20, 20)), thing_of("car", id="1", box=Box(*at, 20, 20))
        assert dict(erasure_facts(erased, (other,), scene_of(erased, other)))["near"] is near

    @pytest.mark.parametrize(
        ("erased", "other", "similar", "related"),
        [
            ("dog", "cat", True, False),
            ("dog", "car", False, False),
            ("hat", "man", False, True),
            ("thingamajig", "man", False, False),
            ("thingamajig", "thingamajig", False, False),
        ],
    )
    def test_similar_is_of_the_family_and_related_of_one_that_goes_with_it(
        self, erased: str, other: str, similar: bool, related: bool
    ) -> None:
        things = thing_of(erased, id="0"), thing_of(other, id="1")
        facts = dict(erasure_facts(things[0], things[1:], scene_of(*things)))
        assert (facts["similar"], facts["related"]) == (similar, related)

    def test_one_of_several_is_enough(self) -> None:
        things = [thing_of(name, id=str(place)) for place, name in enumerate(("dog", "car", "cat"))]
        assert dict(erasure_facts(things[0], tuple(things[1:]), scene_of(*things)))["similar"] is True
        assert dict(erasure_facts(things[0], (), scene_of(*things)))["near"] is False
