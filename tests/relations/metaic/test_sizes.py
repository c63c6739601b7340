"""How large an inserted thing is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.relations.metaic.placement import Areas, areas_beside, largest_area, salient_area, scaled

FRAME = Box(0, 0, 100, 100)


@pytest.mark.parametrize(
    ("areas", "expected"),
    [
        # One thing is all of the mean.
        ([2000], 2000),
        ([1500, 1500], 1500),
        # e^0.2 = 1.221403 and e^0.1 = 1.105171: (2000 * 1.221403 + 1000 * 1.105171) / 2.326574.
        ([2000, 1000], 1524.98),
        # e^0.6 = 1.822119, e^0.1 = 1.105171 and e^0 = 1: (6000 * 1.822119 + 1000 * 1.105171 + 0) / 3.927290.
        ([6000, 1000, 0], 3065.19),
    ],
)
def test_the_salient_area_is_a_mean_in_which_the_large_weigh_more(areas: list[float], expected: float) -> None:
    assert salient_area(areas, 10_000) == pytest.approx(expected, abs=0.01)


@given(st.lists(st.floats(1, 10_000), min_size=1, max_size=20))
def test_it_lies_between_the_plain_mean_and_the_largest(areas: list[float]) -> None:
    found = salient_area(areas, 10_000)
    assert sum(areas) / len(areas) * (1 - 1e-9) <= found <= max(areas) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("salient", "expected"),
    [(1000, (800, 1300)), (3999, (3199.2, 5198.7)), (4000, (400, 1480)), (7000, (700, 2590))],
)
def test_an_inserted_thing_is_about_as_large_where_there_is_room(salient: float, expected: tuple[float, float]) -> None:
    # Yu et al., section 3.2.1: 0.8 and 1.3 below 0.4 of the picture, 0.1 and 0.37 from there on.
    assert areas_beside(salient, 10_000) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("cut_out", "expected"),
    [
        # Twice as wide and twice as high.
        ((20, 10), 800),
        # No wider than the picture: at 100 / 80, 100 x 12.5.
        ((80, 10), 1250),
        # Nor higher: at 100 / 400, 25 x 100.
        ((100, 400), 2500),
    ],
)
def test_a_cut_out_is_enlarged_at_most_twice_and_fits_in(cut_out: tuple[float, float], expected: float) -> None:
    assert largest_area(cut_out, FRAME) == pytest.approx(expected)


def test_a_size_has_whole_pixels_and_the_aspect_ratio_of_the_cut_out() -> None:
    # 30 x 20 at an area of 2400: twice as wide and high.
    assert scaled((30, 20), 2400) == (60, 40)
    # 33 x 20 at 1000: 40.62 x 24.62.
    assert scaled((33, 20), 1000) == (41, 25)


@given(st.floats(5, 500), st.floats(5, 500), st.floats(100, 100_000))
def test_rounding_moves_each_side_by_half_a_pixel_at_most(width: float, height: float, area: float) -> None:
    w, h = scaled((width, height), area)
    assert abs(w * height - h * width) <= 0.5 * (width + height) + 1e-6
    assert abs(w - (area * width / height) ** 0.5) <= 0.5 + 1e-6


def test_areas_hold_the_sizes_between_their_ends() -> None:
    areas = Areas(100, 200)
    assert areas.hold((10, 10))
    assert areas.hold((20, 10))
    assert not areas.hold((11, 9))
    assert not areas.hold((67, 3))
