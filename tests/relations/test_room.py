"""Where there is room for one more thing, and how large it is to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.relations.edits import Place, Size, anywhere, size_among, touching

FRAME = Box(0, 0, 200, 100)


class TestSize:
    def test_is_the_mean_area_of_its_peers_in_the_shape_of_the_cut_out(self) -> None:
        # Areas of 1600 and 4800: 3200 on the mean, which is 80 x 40.
        assert size_among([Box(0, 0, 40, 40), Box(0, 0, 60, 80)], 50, 25, FRAME) == (80, 40)

    def test_is_smaller_than_the_cut_out_where_the_peers_are(self) -> None:
        assert size_among([Box(0, 0, 40, 40)], 400, 400, FRAME) == (40, 40)

    def test_is_never_more_than_twice_the_cut_outs(self) -> None:
        assert size_among([Box(0, 0, 100, 100)], 20, 15, FRAME) == (40, 30)

    @pytest.mark.parametrize(
        ("area", "w", "h", "size"),
        [
            (484, 30, 30, None),  # 22 x 22: its longer side is under 24 pixels
            (576, 30, 30, (24, 24)),
            (588, 84, 28, (42, 14)),
            (500, 900, 70, None),  # 80 x 6: its shorter side is under 8 pixels
        ],
    )
    def test_is_none_where_the_thing_could_be_overlooked(self, area: int, w: int, h: int, size: Size | None) -> None:
        assert size_among([Box(0, 0, area, 1)], w, h, FRAME) == size

    @pytest.mark.parametrize(("side", "seen"), [(49, False), (50, True)])
    def test_in_a_large_picture_more_is_needed(self, side: int, seen: bool) -> None:
        # A twelfth of 600 pixels is 50.
        assert (size_among([Box(0, 0, side, side)], 80, 80, Box(0, 0, 600, 400)) is not None) is seen

    def test_of_an_empty_cut_out_is_none(self) -> None:
        assert size_among([Box(0, 0, 50, 50)], 0, 10, FRAME) is None


def test_a_thing_touches_a_box_on_each_side_at_three_heights() -> None:
    box = Box(80, 40, 40, 20)
    found = set(touching([box], FRAME, (20, 10)))
    assert found == {
        *((120, y) for y in (40, 45, 50)),  # to the right of it: level with its top, its middle, its bottom
        *((60, y) for y in (40, 45, 50)),  # to the left
        *((x, 30) for x in (80, 90, 100)),  # above
        *((x, 60) for x in (80, 90, 100)),  # below
    }


def test_where_another_box_is_in_the_way_it_cannot_be() -> None:
    box, right = Box(80, 40, 40, 20), Box(125, 0, 10, 100)
    assert all(x != 120 for x, _ in touching([box, right], FRAME, (20, 10)) if x > 100)
    assert (120, 40) not in touching([box, right], FRAME, (20, 10))
    assert (120, 40) in touching([box, right], FRAME, (5, 10))


def test_a_box_at_the_edge_has_no_room_beyond() -> None:
    assert all(x >= 0 for x, _ in touching([Box(0, 0, 20, 20)], FRAME, (20, 20)))
    assert (0, 20) in touching([Box(0, 0, 20, 20)], FRAME, (20, 20))


def test_anywhere_is_on_a_grid_from_the_upper_left() -> None:
    # 100 pixels in 24 steps: 4 pixels each.
    found = anywhere([], FRAME, (190, 90))
    assert found == ((0, 0), (4, 0), (8, 0), (0, 4), (4, 4), (8, 4), (0, 8), (4, 8), (8, 8))


def test_what_is_larger_than_the_picture_has_no_room() -> None:
    assert anywhere([], FRAME, (201, 10)) == ()
    assert touching([Box(0, 0, 10, 10)], FRAME, (201, 10)) == ()


def test_what_just_fits_does() -> None:
    assert anywhere([], FRAME, (200, 100)) == ((0, 0),)


def edges() -> st.SearchStrategy[Box]:
    return st.builds(Box, st.integers(0, 190), st.integers(0, 90), st.integers(1, 120), st.integers(1, 60))


@given(
    st.sampled_from([touching, anywhere]),
    st.lists(edges(), max_size=6),
    st.tuples(st.integers(1, 90), st.integers(1, 60)),
)
def test_what_is_inserted_overlaps_no_box_and_lies_inside(
    places: Callable[[Sequence[Box], Box, Size], tuple[Place, ...]], boxes: list[Box], size: Size
) -> None:
    clipped = [inside for box in boxes if (inside := box.common(FRAME))]
    found = places(clipped, FRAME, size)
    assert len(set(found)) == len(found)
    for x, y in found:
        added = Box(x, y, *size)
        assert added.share_inside(FRAME) == 1
        assert not any(added.overlaps(box) for box in boxes)


@given(st.lists(edges(), max_size=6), st.tuples(st.integers(1, 90), st.integers(1, 60)))
def test_anywhere_misses_no_free_place_of_the_grid(boxes: list[Box], size: Size) -> None:
    free = [
        (x, y)
        for y in range(0, 100 - size[1] + 1, 4)
        for x in range(0, 200 - size[0] + 1, 4)
        if not any(Box(x, y, *size).overlaps(box) for box in boxes)
    ]
    assert anywhere(boxes, FRAME, size) == tuple(free)


@given(st.lists(edges(), min_size=1, max_size=5), st.tuples(st.integers(1, 60), st.integers(1, 40)))
def test_what_touches_shares_an_edge_with_a_box(boxes: list[Box], size: Size) -> None:
    for x, y in touching(boxes, FRAME, size):
        # Grown by a pixel it overlaps a box.
        assert any(Box(x - 1, y - 1, size[0] + 2, size[1] + 2).overlaps(box) for box in boxes)
        assert any(
            Box(x - 1, y, size[0] + 2, size[1]).overlaps(box) or Box(x, y - 1, size[0], size[1] + 2).overlaps(box)
            for box in boxes
        )
