"""Boxes: their corners, what two of them share, how they are moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box

SIDE = 12


def cells(box: Box) -> set[tuple[int, int]]:
    """The pixels of a box of whole numbers."""
    return {(x, y) for x in range(int(box.x), int(box.x1)) for y in range(int(box.y), int(box.y1))}


@st.composite
def whole_boxes(draw: st.DrawFn) -> Box:
    """Boxes of whole pixels, none of them empty."""
    x, y = draw(st.integers(0, SIDE - 1)), draw(st.integers(0, SIDE - 1))
    return Box(x, y, draw(st.integers(1, SIDE)), draw(st.integers(1, SIDE)))


def test_a_box_has_its_far_corner_its_area_and_its_centre() -> None:
    box = Box(10, 20, 30, 8)
    assert (box.x1, box.y1, box.area, box.centre) == (40, 28, 240, (25, 24))
    assert Box.from_corners(10, 20, 40, 28) == box


@pytest.mark.parametrize(
    ("other", "common"),
    [
        (Box(5, 5, 10, 10), Box(5, 5, 5, 5)),
        (Box(2, 3, 4, 5), Box(2, 3, 4, 5)),
        (Box(-5, -5, 30, 30), Box(0, 0, 10, 10)),
        (Box(10, 0, 10, 10), None),
        (Box(0, 10, 10, 10), None),
        (Box(10, 10, 1, 1), None),
        (Box(3, 3, 0, 5), None),
    ],
    ids=["corner", "inside", "around", "side by side", "one below the other", "corner to corner", "no area"],
)
def test_what_two_boxes_have_in_common(other: Box, common: Box | None) -> None:
    box = Box(0, 0, 10, 10)
    assert box.intersection(other) == common
    assert other.intersection(box) == common
    assert box.overlaps(other) == (common is not None)


def test_the_share_inside_is_of_the_first_box() -> None:
    small, large = Box(0, 0, 4, 5), Box(2, 0, 100, 100)
    assert small.share_inside(large) == 0.5
    assert large.share_inside(small) == 10 / 10_000
    assert small.share_inside(Box(50, 50, 1, 1)) == 0


def test_a_box_without_area_has_no_share_of_itself_anywhere() -> None:
    assert Box(3, 3, 0, 0).share_inside(Box(0, 0, 10, 10)) == 0


def test_intersection_over_union() -> None:
    # 25 pixels in common, 100 + 100 - 25 = 175 together.
    assert Box(0, 0, 10, 10).iou(Box(5, 5, 10, 10)) == 25 / 175
    assert Box(0, 0, 10, 10).iou(Box(0, 0, 10, 10)) == 1
    assert Box(0, 0, 10, 10).iou(Box(20, 0, 10, 10)) == 0


def test_around_is_the_smallest_box_that_holds_all() -> None:
    assert Box.enclosing([Box(5, 9, 2, 2), Box(1, 10, 3, 6), Box(4, 12, 1, 1)]) == Box(1, 9, 6, 7)


def test_moving_keeps_the_size() -> None:
    assert Box(1, 2, 3, 4).moved(10, -2) == Box(11, 0, 3, 4)


def test_mirroring_keeps_the_distance_to_the_other_edge() -> None:
    # 10 pixels from the left edge of 100; afterwards 10 from the right one.
    assert Box(10, 5, 30, 8).mirrored(100) == Box(60, 5, 30, 8)


@given(whole_boxes(), whole_boxes())
def test_shares_are_those_of_the_pixels(a: Box, b: Box) -> None:
    both, either = cells(a) & cells(b), cells(a) | cells(b)
    assert a.overlaps(b) == bool(both)
    assert a.share_inside(b) == pytest.approx(len(both) / len(cells(a)))
    assert a.iou(b) == pytest.approx(len(both) / len(either))
    assert cells(a.intersection(b) or Box(0, 0, 0, 0)) == both
