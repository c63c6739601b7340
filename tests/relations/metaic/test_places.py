"""Four places for one thing, at four levels of overlap."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.insertion_places import AreaRange, OverlapLayout, min_covering_area, place_at_all_levels
from tests.making import scene_of, thing_of
from tests.relations.metaic.rules import INTERVALS, shares_of_pixels
from tests.rows import each_row

LEVELS = tuple(INTERVALS)
# In the middle of 200 x 100 pixels.
ALONE = scene_of(thing_of("bus", box=Box(80, 30, 40, 40)))
SIZES = AreaRange(500, 600)
"""Of what covers 0.3 of it, which is 480, and has room above and below it."""


def found(scene: Scene, areas: AreaRange, cut_out: tuple[float, float], seed: int = 0) -> Mapping[str, Box] | None:
    layout = OverlapLayout.of(scene)
    assert layout is not None
    return place_at_all_levels(layout, areas, cut_out, Random(seed))


def assert_they_obey(scene: Scene, boxes: Mapping[str, Box]) -> None:
    assert tuple(boxes) == LEVELS
    assert len({(box.w, box.h) for box in boxes.values()}) == 1
    largest = max(range(len(scene.objects)), key=lambda number: scene.objects[number].box.area)
    for level, box in boxes.items():
        lower, upper = INTERVALS[level]
        shares = shares_of_pixels(scene, box)
        assert max(shares) <= upper
        assert shares[largest] == 0 if lower is None else shares[largest] > lower
        assert min(box.x, box.y) >= 0
        assert box.x1 <= scene.width
        assert box.y1 <= scene.height


@each_row("seed", range(20))
def test_beside_one_thing_there_is_a_place_at_each_level(seed: int) -> None:
    boxes = found(ALONE, SIZES, (24, 20), seed)
    assert boxes is not None
    assert_they_obey(ALONE, boxes)


def test_the_thing_moves_along_one_line_away_from_the_largest() -> None:
    # The centre of the bus is at 100, 50.
    for seed in range(50):
        boxes = found(ALONE, SIZES, (24, 20), seed)
        assert boxes is not None
        x, y = (boxes["45"].centre[axis] - (100, 50)[axis] for axis in (0, 1))
        for nearer, farther in (("45", "30"), ("30", "15"), ("15", "0")):
            near, far = (
                [boxes[level].centre[axis] - (100, 50)[axis] for axis in (0, 1)] for level in (nearer, farther)
            )
            assert near[0] ** 2 + near[1] ** 2 < far[0] ** 2 + far[1] ** 2
            # Of a point on the line the cross product is 0; half a pixel of rounding is half of the other's length.
            assert abs(far[0] * y - far[1] * x) <= 0.5 * (abs(x) + abs(y)) + 1e-6
            # Never through the centre to the other side.
            assert far[0] * x + far[1] * y > 0


def test_the_same_seed_finds_the_same_places() -> None:
    assert found(ALONE, SIZES, (24, 20), 5) == found(ALONE, SIZES, (24, 20), 5)


def test_there_is_none_for_what_is_too_small_to_cover_enough() -> None:
    # 0.3 of 40 x 40 is 480: twice 15 x 7.5 is 450.
    layout = OverlapLayout.of(ALONE)
    assert layout is not None
    assert min_covering_area(layout) == pytest.approx(480)
    assert found(ALONE, AreaRange(160, 592), (15, 7.5)) is None
    assert any(found(ALONE, AreaRange(160, 592), (25, 25), seed) for seed in range(20))


def test_nor_for_what_nobody_would_see(small_things_are_salient: None) -> None:
    # 200 pixels wide, so a thing is at least 10 long, and 3.3 wide; a strip of 12 to 1 is narrower at this area.
    assert found(scene_of(thing_of("key", box=Box(90, 40, 20, 12))), AreaRange(192, 312), (48, 4)) is not None
    assert all(
        found(scene_of(thing_of("key", box=Box(90, 40, 10, 8))), AreaRange(64, 104), (48, 2), seed) is None
        for seed in range(20)
    )


def test_nor_where_everything_around_is_taken(small_things_are_salient: None) -> None:
    # A frame of things a pixel apart around the bus: at level 0 none of them may be touched.
    around = (Box(0, 0, 200, 28), Box(0, 72, 200, 28), Box(0, 28, 78, 44), Box(122, 28, 78, 44))
    boxed_in = scene_of(
        thing_of("bus", id="0", box=Box(80, 30, 40, 40)),
        *(
            thing_of("cat", id=f"{number}-{x}", box=Box(box.x + x, box.y, 10, box.h))
            for number, box in enumerate(around)
            for x in range(0, int(box.w), 10)
        ),
    )
    assert all(found(boxed_in, AreaRange(480, 600), (20, 20), seed) is None for seed in range(20))


def test_nor_where_the_largest_fills_the_picture() -> None:
    full = scene_of(thing_of("bed", box=Box(0, 0, 200, 90)))
    assert all(found(full, AreaRange(5400, 6660), (90, 80), seed) is None for seed in range(20))


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """A few boxes anywhere, which may end between pixels and beyond the picture."""
    boxes = draw(
        st.lists(
            st.tuples(st.floats(-5, 180), st.floats(-5, 85), st.floats(6, 90), st.floats(6, 60)), min_size=1, max_size=6
        )
    )
    return scene_of(*(thing_of("cat", id=str(number), box=Box(*box)) for number, box in enumerate(boxes)))


@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
@given(scenes(), st.floats(10, 120), st.floats(10, 90), st.integers(0, 2**32))
def test_on_any_scene_all_rules_hold(scene: Scene, width: float, height: float, seed: int) -> None:
    layout = OverlapLayout.of(scene)
    assert layout is not None
    areas = AreaRange(min_covering_area(layout), 2 * min_covering_area(layout))
    boxes = place_at_all_levels(layout, areas, (width, height), Random(seed))
    assume(boxes is not None)
    assert boxes is not None
    assert_they_obey(scene, boxes)
    assert areas.hold((round(boxes["0"].w), round(boxes["0"].h)))
