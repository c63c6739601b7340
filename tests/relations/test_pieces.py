"""Where a picture can be cut: no box is split, every piece holds a thing, and there are as many pieces as can be."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Region, Scene
from pytest_vqamt.relations.edits import AXES, Axis, pieces
from tests.making import HEIGHT, WIDTH, scene_of, thing_of


def scene_with(*boxes: Box, crowds: tuple[Box, ...] = ()) -> Scene:
    things = (thing_of("dog", id=str(number), box=box) for number, box in enumerate(boxes))
    return replace(scene_of(*things), regions=tuple(Region(name="person", box=box) for box in crowds))


def on(axis: Axis, *boxes: Box, crowds: tuple[Box, ...] = ()) -> list[tuple[int, int]]:
    return [(piece.start, piece.stop) for piece in pieces(scene_with(*boxes, crowds=crowds), axis)]


def columns(start: float, stop: float) -> Box:
    """A box of these columns."""
    return Box.between(start, 10, stop, 20)


def test_the_papers_figure_6() -> None:
    # Two animals far apart: the cut is in the middle of what neither covers. 200 pixels wide.
    assert on("x", columns(10, 60), columns(100, 150)) == [(0, 80), (80, 200)]


def test_the_gap_is_halved_and_an_odd_pixel_goes_to_the_right() -> None:
    assert on("x", columns(0, 10), columns(15, 20)) == [(0, 12), (12, 200)]
    assert on("x", columns(0, 10), columns(11, 20)) == [(0, 10), (10, 200)]


def test_boxes_that_overlap_or_touch_stay_together() -> None:
    assert on("x", columns(0, 10), columns(10, 20), columns(15, 30)) == [(0, 200)]


def test_boxes_are_rounded_outwards() -> None:
    # Of the gap from 10.2 to 11.9 no whole pixel is left; of that from 10.2 to 12 there is one.
    assert on("x", columns(0, 10.2), columns(11.9, 20)) == [(0, 200)]
    assert on("x", columns(0, 10.2), columns(12, 20)) == [(0, 11), (11, 200)]


def test_a_box_inside_another_changes_nothing() -> None:
    assert on("x", columns(0, 50), columns(10, 20), columns(60, 80)) == [(0, 55), (55, 200)]


def test_either_axis() -> None:
    boxes = Box(0, 0, 30, 30), Box(10, 60, 30, 30)
    assert on("x", *boxes) == [(0, 200)]
    assert on("y", *boxes) == [(0, 45), (45, 100)]


def test_a_crowd_is_not_split() -> None:
    assert on("x", columns(0, 10), columns(50, 60), crowds=(columns(5, 55),)) == [(0, 200)]


def test_what_holds_only_a_crowd_stays_with_the_next_piece() -> None:
    # Gaps from 10 to 20, 30 to 40: the crowd in between goes with the thing to its right.
    assert on("x", columns(0, 10), columns(40, 50), crowds=(columns(20, 30),)) == [(0, 15), (15, 200)]


def test_or_with_the_last_where_there_is_no_next() -> None:
    boxes = columns(20, 30), columns(40, 50)
    assert on("x", *boxes, crowds=(columns(0, 10), columns(60, 70))) == [(0, 35), (35, 200)]
    assert on("x", columns(20, 30), crowds=(columns(0, 10), columns(60, 70))) == [(0, 200)]


def test_of_nothing_there_is_no_piece() -> None:
    assert on("x") == []
    assert on("x", crowds=(columns(0, 10), columns(20, 30))) == []


PLACES = st.one_of(
    st.integers(-20, WIDTH + 20).map(float), st.floats(-20, WIDTH + 20, width=32), st.just(10.0), st.just(11.0)
)
SIZES = st.one_of(st.integers(1, 60).map(float), st.floats(0.25, 60, width=32))
BOXES = st.builds(Box, PLACES, PLACES, SIZES, SIZES)


@st.composite
def cluttered(draw: st.DrawFn) -> Scene:
    things = draw(st.lists(BOXES, max_size=7))
    return scene_with(*things, crowds=tuple(draw(st.lists(BOXES, max_size=2))))


AXIS: SearchStrategy[Axis] = st.sampled_from(AXES)


def extent(box: Box, axis: Axis) -> tuple[float, float]:
    size = WIDTH if axis == "x" else HEIGHT
    start, stop = (box.x, box.x1) if axis == "x" else (box.y, box.y1)
    return max(start, 0), min(stop, size)


def in_frame(box: Box) -> bool:
    return box.x < WIDTH - 1e-3 and box.x1 > 1e-3 and box.y < HEIGHT - 1e-3 and box.y1 > 1e-3


@given(cluttered(), AXIS)
def test_pieces_tile_the_picture(scene: Scene, axis: Axis) -> None:
    found = pieces(scene, axis)
    if found:
        assert found[0].start == 0
        assert found[-1].stop == (WIDTH if axis == "x" else HEIGHT)
    assert all(before.stop == after.start for before, after in pairwise(found))
    assert all(piece.stop > piece.start for piece in found)
    assert all(type(edge) is int for piece in found for edge in (piece.start, piece.stop))


@given(cluttered(), AXIS)
def test_no_cut_splits_a_box(scene: Scene, axis: Axis) -> None:
    boxes = [box for box in (*(t.box for t in scene.objects), *(r.box for r in scene.regions)) if in_frame(box)]
    for cut in (piece.start for piece in pieces(scene, axis)[1:]):
        for start, stop in (extent(box, axis) for box in boxes):
            assert cut <= start + 1e-5 or cut >= stop - 1e-5


@given(cluttered(), AXIS)
def test_every_piece_holds_a_thing_and_every_thing_is_whole_in_one_piece(scene: Scene, axis: Axis) -> None:
    extents = [extent(thing.box, axis) for thing in scene.objects if in_frame(thing.box)]
    found = pieces(scene, axis)
    held = [[piece.start <= a + 1e-5 and b <= piece.stop + 1e-5 for a, b in extents] for piece in found]
    assert all(any(row) for row in held)
    assert all(any(column) for column in zip(*held, strict=True))


@given(cluttered(), AXIS)
def test_there_are_as_many_pieces_as_groups_of_covered_pixels_with_a_thing(scene: Scene, axis: Axis) -> None:
    size = WIDTH if axis == "x" else HEIGHT
    crowds = painted([region.box for region in scene.regions], axis, size)
    things = painted([thing.box for thing in scene.objects], axis, size)
    runs = "".join("t" if t else "c" if c else "." for t, c in zip(things, crowds, strict=True)).split(".")
    assert len(pieces(scene, axis)) == sum("t" in run for run in runs)


def painted(boxes: list[Box], axis: Axis, size: int) -> list[bool]:
    """Whether each column (or row) of the picture is touched by a box that is in the frame."""
    extents = [extent(box, axis) for box in boxes if in_frame(box)]
    return [any(start < at + 1 - 1e-6 and stop > at + 1e-6 for start, stop in extents) for at in range(size)]
