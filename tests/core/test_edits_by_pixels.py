"""Edits against an independent reading: a box is the set of its pixels, and an edit moves or covers pixels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import (
    Beside,
    Crop,
    Cut,
    Cutout,
    Edit,
    Erase,
    Insert,
    Mask,
    Mirror,
    Pad,
    Rescale,
    Rotate,
    Shear,
    Shift,
)
from pytest_vqamt.core.scene import Photo, Scene
from tests.core.random_scenes import Pixels, boxes_within, frame, pixels, scenes
from tests.making import thing_of

Reading = Callable[[Box], Box | None]
"""What becomes of a box: another, or nothing."""


@dataclass(frozen=True)
class Expected:
    """An edit, what it does to each box by the reading of pixels, and the size of the picture afterwards."""

    edit: Edit
    becomes: Reading
    size: tuple[int, int]


def around(seen: Pixels) -> Box | None:
    return frame(seen) if seen else None


def cropped(scene: Scene, box: Box) -> Expected:
    window = pixels(box)

    def becomes(thing: Box) -> Box | None:
        return around(frozenset((x - int(box.x), y - int(box.y)) for x, y in pixels(thing) & window))

    return Expected(Crop(box=box), becomes, (int(box.w), int(box.h)))


def cut(scene: Scene, box: Box) -> Expected:
    """The columns of the box."""
    whole_columns = Box(box.x, 0, box.w, scene.height)
    as_crop = cropped(scene, whole_columns)
    return replace(as_crop, edit=Cut(start=int(box.x), stop=int(box.x1)))


def cut_rows(scene: Scene, box: Box) -> Expected:
    whole_rows = Box(0, box.y, scene.width, box.h)
    as_crop = cropped(scene, whole_rows)
    return replace(as_crop, edit=Cut(start=int(box.y), stop=int(box.y1), axis="y"))


def erased(scene: Scene, box: Box) -> Expected:
    patch = pixels(box)

    def becomes(thing: Box) -> Box | None:
        own = pixels(thing)
        return thing if 2 * len(own & patch) <= len(own) else None

    return Expected(Erase(box=box), becomes, (scene.width, scene.height))


def masked(scene: Scene, box: Box) -> Expected:
    corner = Box(0, 0, 1, 1)
    seen = pixels(box) | pixels(corner)
    return Expected(
        Mask(keep=(box, corner), colour=(0, 0, 0)),
        lambda thing: around(pixels(thing) & seen),
        (scene.width, scene.height),
    )


def mirrored(scene: Scene, box: Box) -> Expected:
    return Expected(
        Mirror(),
        lambda thing: around(frozenset((scene.width - 1 - x, y) for x, y in pixels(thing))),
        (scene.width, scene.height),
    )


def shifted(scene: Scene, box: Box) -> Expected:
    """By the place of the box, upwards and to the right; the edges are repeated."""
    dx, dy = int(box.x), -int(box.y)

    def becomes(thing: Box) -> Box | None:
        own = pixels(thing)
        shown = {
            (x, y): (min(max(x - dx, 0), scene.width - 1), min(max(y - dy, 0), scene.height - 1))
            for x, y in pixels(scene.frame)
        }
        return around(frozenset(at for at, source in shown.items() if source in own))

    return Expected(Shift(dx=dx, dy=dy), becomes, (scene.width, scene.height))


@pytest.mark.parametrize("expect", [cropped, cut, cut_rows, erased, masked, mirrored, shifted])
@given(data=st.data())
def test_boxes_are_where_their_pixels_are(expect: Callable[[Scene, Box], Expected], data: st.DataObject) -> None:
    scene = data.draw(scenes())
    expected = expect(scene, data.draw(boxes_within(scene.width, scene.height)))
    after = expected.edit.after(scene)
    read = {thing.id: expected.becomes(thing.box) for thing in scene.objects}
    # Things: those of which something is left, in their order, and nothing of them but the box is another.
    assert [thing.id for thing in after.objects] == [name for name, box in read.items() if box]
    for thing in after.objects:
        assert thing.box == read[thing.id]
        before = scene.thing(thing.id)
        assert replace(thing, box=before.box, has_mask=before.has_mask) == before
    # Crowds: the same.
    assert [region.box for region in after.regions] == [
        box for region in scene.regions if (box := expected.becomes(region.box))
    ]
    # Relationships: those between things that are left. A mirror renames some, and has a test of its own.
    left = {thing.id for thing in after.objects}
    assert [(r.subject, r.object) for r in after.relationships] == [
        (r.subject, r.object) for r in scene.relationships if r.subject in left and r.object in left
    ]
    assert (after.width, after.height) == expected.size
    assert after.captions == ()
    assert (after.id, after.photo, after.setting, after.exhaustive) == (
        scene.id, scene.photo, scene.setting, scene.exhaustive,
    )  # fmt: skip


@given(scenes())
def test_mirroring_twice_changes_nothing_but_what_was_dropped(scene: Scene) -> None:
    bare = replace(scene, captions=(), objects=tuple(replace(thing, has_mask=False) for thing in scene.objects))
    assert Mirror().after(Mirror().after(scene)) == bare


@given(scenes(), st.data())
def test_pieces_hold_every_thing_once_where_no_thing_is_split(scene: Scene, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, scene.width - 1))
    left, right = (Cut(start=start, stop=stop).after(scene) for start, stop in ((0, at), (at, scene.width)))
    split = [thing.id for thing in scene.objects if thing.box.x < at < thing.box.x1]
    both = [thing.id for piece in (left, right) for thing in piece.objects]
    assert sorted(both) == sorted([*(thing.id for thing in scene.objects), *split])
    assert left.width + right.width == scene.width


@given(scenes(), st.data())
def test_a_piece_of_a_piece_is_a_piece(scene: Scene, data: st.DataObject) -> None:
    outer = data.draw(boxes_within(scene.width, scene.height))
    inner = data.draw(boxes_within(int(outer.w), int(outer.h)))
    at_once = Crop(box=inner.moved(outer.x, outer.y)).after(scene)
    assert Crop(box=inner).after(Crop(box=outer).after(scene)) == at_once


@given(scenes())
def test_the_whole_as_a_piece_loses_no_thing(scene: Scene) -> None:
    whole = Cut(start=0, stop=scene.width).after(scene)
    assert [thing.box for thing in whole.objects] == [thing.box for thing in scene.objects]
    assert whole.relationships == scene.relationships


@given(scenes(), st.data())
def test_inserting_adds_one_and_touches_nothing_else(scene: Scene, data: st.DataObject) -> None:
    box = data.draw(boxes_within(scene.width, scene.height))
    cutout = Cutout(photo=Photo(id="other", digest="f" * 16), thing=thing_of("red kite", id=scene.id))
    after = Insert(cutout=cutout, box=box).after(scene)
    assert after == replace(scene, objects=after.objects, captions=())
    assert after.objects[:-1] == scene.objects
    assert (after.objects[-1].name, after.objects[-1].attributes, after.objects[-1].box) == ("kite", ("red",), box)
    assert len({thing.id for thing in after.objects}) == len(scene.objects) + 1


@given(scenes(), st.floats(-2, 2))
def test_a_sheared_thing_is_where_its_corners_went_inside_the_frame(scene: Scene, factor: float) -> None:
    after = Shear(factor=factor).after(scene)
    for thing in scene.objects:
        corners = [
            x + factor * (y - scene.height / 2)
            for x in (thing.box.x, thing.box.x1)
            for y in (thing.box.y, thing.box.y1)
        ]
        start, stop = max(0.0, min(corners)), min(float(scene.width), max(corners))
        left = [each.box for each in after.objects if each.id == thing.id]
        if stop - start > 1e-9:
            assert (left[0].x, left[0].x1) == pytest.approx((start, stop))
            assert (left[0].y, left[0].h) == (thing.box.y, thing.box.h)
        elif stop - start < -1e-9:
            assert left == []


@given(scenes())
def test_no_shear_moves_nothing(scene: Scene) -> None:
    assert [thing.box for thing in Shear(factor=0).after(scene).objects] == [thing.box for thing in scene.objects]


Place = tuple[int, int]


def padded(scene: Scene, box: Box) -> tuple[Edit, Callable[[Place], Place], tuple[int, int]]:
    left, top, right, bottom = (int(each) for each in (box.x, box.y, box.w, box.h))
    size = scene.width + left + right, scene.height + top + bottom
    return Pad(left=left, top=top, right=right, bottom=bottom), lambda at: (at[0] + left, at[1] + top), size


def turned(scene: Scene, box: Box) -> tuple[Edit, Callable[[Place], Place], tuple[int, int]]:
    """Quarter turns clockwise, one after another: the top row becomes the right column."""
    quarters = int(box.x) % 3 + 1
    sizes = [(scene.width, scene.height)]
    for _ in range(quarters):
        sizes.append(sizes[-1][::-1])

    def moved(at: Place) -> Place:
        for _, height in sizes[:-1]:
            at = height - 1 - at[1], at[0]
        return at

    return Rotate(degrees=90 * quarters), moved, sizes[-1]


@pytest.mark.parametrize("expect", [padded, turned])
@given(data=st.data())
def test_no_thing_is_lost_where_the_whole_picture_moves(
    expect: Callable[[Scene, Box], tuple[Edit, Callable[[Place], Place], tuple[int, int]]], data: st.DataObject
) -> None:
    scene = data.draw(scenes())
    edit, moved, size = expect(scene, data.draw(boxes_within(scene.width, scene.height)))
    after = edit.after(scene)
    assert (after.width, after.height) == size
    for old, new in ((scene.objects, after.objects), (scene.regions, after.regions)):
        assert [each.name for each in new] == [each.name for each in old]
        assert [each.box for each in new] == [around(frozenset(map(moved, pixels(each.box)))) for each in old]
    assert all(not thing.has_mask for thing in after.objects)
    assert len(after.relationships) == len(scene.relationships)
    assert (after.setting, after.exhaustive) == (scene.setting, scene.exhaustive)


@given(scenes(), st.integers(1, 4), st.integers(1, 4))
def test_a_scaled_picture_has_each_pixel_several_times(scene: Scene, across: int, down: int) -> None:
    after = Rescale(width=across * scene.width, height=down * scene.height).after(scene)
    assert (after.width, after.height) == (across * scene.width, down * scene.height)
    for before, thing in zip(scene.objects, after.objects, strict=True):
        own = pixels(before.box)
        assert thing.box == around(
            frozenset((across * x + i, down * y + j) for x, y in own for i in range(across) for j in range(down))
        )
    assert (after.captions, after.relationships) == (scene.captions, scene.relationships)


@given(scenes())
def test_four_quarter_turns_change_nothing_but_what_was_dropped(scene: Scene) -> None:
    bare = replace(scene, captions=(), objects=tuple(replace(thing, has_mask=False) for thing in scene.objects))
    again = scene
    for _ in range(4):
        again = Rotate(degrees=90).after(again)

    def named(each: Scene) -> Scene:
        # A turn gives "left of" back as "to the left of".
        renamed = (replace(r, predicate=r.predicate.removeprefix("to the ")) for r in each.relationships)
        return replace(each, relationships=tuple(renamed))

    assert named(again) == named(bare)
    assert named(Rotate(degrees=90).after(Rotate(degrees=180).after(scene))) == named(Rotate(degrees=270).after(scene))


@given(scenes(), scenes(), st.integers(0, 20))
def test_two_pictures_side_by_side_hold_the_things_of_both(scene: Scene, second: Scene, gap: int) -> None:
    after = scene.picture.beside(second, gap=gap, exhaustive=frozenset({"dog", "cat"})).scene
    scale = scene.height / second.height
    start, width = scene.width + gap, max(1, round(second.width * scale))
    assert (after.width, after.height) == (start + width, scene.height)
    assert after.objects[: len(scene.objects)] == scene.objects
    for before, thing in zip(second.objects, after.objects[len(scene.objects) :], strict=True):
        assert (thing.name, thing.attributes, thing.id) == (before.name, before.attributes, f"beside-{before.id}")
        assert (thing.box.x - start, thing.box.w) == pytest.approx(
            (before.box.x * width / second.width, before.box.w * width / second.width)
        )
        assert (thing.box.y, thing.box.h) == pytest.approx((before.box.y * scale, before.box.h * scale))
    assert len(after.regions) == len(scene.regions) + len(second.regions)
    assert (after.relationships, after.captions, after.setting) == (scene.relationships, (), "")
    assert after.exhaustive == scene.exhaustive & second.exhaustive & {"dog", "cat"}


def test_the_recipe_of_two_pictures_holds_nothing_that_it_does_not_need() -> None:
    scene = Scene(id="a", photo=Photo(id="a", digest="a"), width=10, height=20, captions=("A dog.",))
    edit = scene.picture.beside(scene).edits[0]
    assert isinstance(edit, Beside)
    assert edit.second == replace(scene, captions=())
