"""2,000 insertions into photos, and as many into drawn scenes, obey every rule, checked on pixels."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions.caption_reader import class_of
from pytest_vqamt.relations.insertion_places import (
    HIGHEST,
    LEVELS,
    AreaRange,
    Edges,
    LevelFit,
    OverlapLayout,
    annotated_boxes,
    insertion_area_range,
    max_cutout_area,
    min_covering_area,
    place_at_highest_level,
    place_by_bisection,
    salient_area,
    size_of_area,
)
from pytest_vqamt.relations.metaic import cut_outs
from tests.making import scene_of, thing_of
from tests.relations.inserted import insert_of
from tests.relations.metaic.drawn import draw_many
from tests.relations.metaic.rules import broken
from tests.soundness.samples import COCO, PICTURES, Sample, each_of

INSERTIONS = 2000


def areas_of(scene: Scene) -> AreaRange:
    picture = scene.width * scene.height
    return insertion_area_range(salient_area([box.area for box in annotated_boxes(scene)], picture), picture)


@each_of(PICTURES, full=(COCO,))
def test_every_rule_holds(sample: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    scenes = min(sample.scenes, 100)
    found = draw_many(sample.load(), range(scenes), INSERTIONS // len(LEVELS))
    with capsys.disabled():
        print(f"\n{sample.shown}: {len(found.fruitful)} of {scenes} scenes have places at all four levels")
        for reason, count in found.reasons.most_common():
            print(f"  {count}: {reason}")
    assert len(found.of) * len(LEVELS) >= INSERTIONS
    for scene, each in found.of:
        for level in LEVELS:
            assert list(broken(scene, insert_of(each.picture(scene, level)), level)) == [], (scene.id, level)


@each_of(PICTURES, full=(COCO,))
def test_the_share_of_cut_outs_that_find_a_place_at_a_level_is_told(
    sample: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, random, found = sample.load().corpus, Random(0), Counter[str]()
    entries = [entry for name in corpus.cutouts if class_of(name) for entry in cut_outs(corpus, name)]
    tried = 0
    for scene in map(sample.load().scene, range(40)):
        layout, areas = OverlapLayout.of(scene), areas_of(scene)
        if layout is None or areas.high < min_covering_area(layout):
            continue
        for entry in random.sample(entries, 10):
            tried += 1
            first = place_at_highest_level(layout, areas, (entry.w, entry.h), random)
            levels = [
                level for level in LEVELS if first and (level == HIGHEST or place_by_bisection(layout, first, level))
            ]
            found.update([*levels, *(["all"] if len(levels) == len(LEVELS) else [])])
    with capsys.disabled():
        shares = ", ".join(f"{level}: {found[level] / tried:.0%}" for level in (*LEVELS, "all"))
        print(f"\n{sample.shown}, {tried} cut-outs in scenes where they can cover enough: {shares}")
    assert found["all"] > 0
    assert all(found[HIGHEST] >= found[level] >= found["all"] for level in LEVELS)


@each_of(PICTURES, full=(COCO,))
def test_what_is_inserted_comes_from_another_photo_and_is_not_of_a_crowd(sample: Sample) -> None:
    found = draw_many(sample.load(), range(min(sample.scenes, 100)), 100)
    for scene, each in found.of:
        assert each.cutout.photo != scene.photo
        assert each.cutout.thing.name not in {region.name for region in scene.regions}
    assert len({each.cutout.thing.name for _, each in found.of}) > 10


# The largest is 100 x 80, at the left of 200 x 100 pixels; the others are 20 x 20 and 10 x 10.
YARD = scene_of(
    thing_of("cat", id="1", box=Box(150, 10, 20, 20)),
    thing_of("bus", id="0", box=Box(0, 10, 100, 80)),
    thing_of("cup", id="2", box=Box(150, 70, 10, 10)),
)


def layout(scene: Scene = YARD) -> OverlapLayout:
    found = OverlapLayout.of(scene)
    assert found is not None
    return found


def stands(x0: float, x1: float, level: str) -> LevelFit:
    """Of what reaches over the whole height from ``x0`` to ``x1``."""
    return layout().level_fit(Edges(x0, 0, x1, 100), level)


def test_the_largest_is_told_from_the_others() -> None:
    assert set(layout().largest) == {Edges(0, 10, 100, 90)}
    assert set(layout().others) == {Edges(150, 10, 170, 30), Edges(150, 70, 160, 80)}


def test_of_two_as_large_it_is_the_first() -> None:
    twins = scene_of(thing_of("dog", id="0", box=Box(0, 0, 20, 20)), thing_of("cat", id="1", box=Box(50, 0, 20, 20)))
    assert set(layout(twins).largest) == {Edges(0, 0, 20, 20)}


def test_a_crowd_counts_as_a_thing() -> None:
    crowded = scene_of("dog", crowds=("person",))
    # The crowd of a made scene is 50 x 50 pixels, a dog 15 x 15.
    assert set(layout(crowded).largest) == {Edges(0, 50, 50, 100)}


def test_boxes_count_as_annotated_and_in_whole_pixels() -> None:
    scene = scene_of(thing_of("dog", box=Box(10.4, 10.4, 30, 30)))
    assert layout(scene).largest == (Edges(10.4, 10.4, 40.4, 40.4), Edges(10, 10, 41, 41))


def test_a_scene_of_no_thing_has_no_layout(bare: Scene) -> None:
    assert OverlapLayout.of(bare) is None
    assert OverlapLayout.of(scene_of(crowds=("person",))) is None


# The bus is 100 pixels wide, so each pixel is a hundredth of it.
@pytest.mark.parametrize(
    ("level", "well"),
    [("0", range(1)), ("15", range(1, 16)), ("30", range(16, 31)), ("45", range(31, 46))],
)
def test_the_share_of_the_largest_lies_in_the_interval(level: str, well: range) -> None:
    # Yu et al., section 3.2.2: 0, (0, 0.15], (0.15, 0.30], (0.30, 0.45].
    expected = {
        covered: LevelFit.FITS
        if covered in well
        else LevelFit.TOO_FAR_IN
        if covered > max(well)
        else LevelFit.TOO_FAR_OUT
        for covered in range(101)
    }
    assert {covered: stands(100 - covered, 150, level) for covered in range(101)} == expected


def test_what_touches_does_not_overlap() -> None:
    assert stands(100, 150, "0") is LevelFit.FITS
    assert stands(99, 150, "0") is LevelFit.TOO_FAR_IN


@pytest.mark.parametrize(
    ("level", "most"),
    [("0", 0), ("15", 3), ("30", 6), ("45", 9)],
)
def test_of_any_other_no_more_than_the_upper_end_is_covered(level: str, most: int) -> None:
    # Each column of the cat's 20 is 0.05 of it; of the cup, nothing is covered.
    spared = [columns for columns in range(21) if layout().obeys_r2(Edges(150, 10, 150 + columns, 30), level)]
    assert spared == list(range(most + 1))


def test_a_small_thing_is_never_hidden() -> None:
    assert not any(layout().obeys_r2(Edges(140, 60, 170, 90), level) for level in LEVELS)


def test_what_is_inserted_is_all_in_the_picture() -> None:
    assert layout().holds(Edges(0, 0, 200, 100))
    assert [
        layout().holds(Edges(*ends)) for ends in ((-1, 0, 9, 9), (0, -1, 9, 9), (191, 0, 201, 9), (0, 92, 9, 101))
    ] == [False] * 4


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
    assert insertion_area_range(salient, 10_000) == pytest.approx(expected)


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
    assert max_cutout_area(cut_out, FRAME) == pytest.approx(expected)


def test_a_size_has_whole_pixels_and_the_aspect_ratio_of_the_cut_out() -> None:
    # 30 x 20 at an area of 2400: twice as wide and high.
    assert size_of_area((30, 20), 2400) == (60, 40)
    # 33 x 20 at 1000: 40.62 x 24.62.
    assert size_of_area((33, 20), 1000) == (41, 25)


@given(st.floats(5, 500), st.floats(5, 500), st.floats(100, 100_000))
def test_rounding_moves_each_side_by_half_a_pixel_at_most(width: float, height: float, area: float) -> None:
    w, h = size_of_area((width, height), area)
    assert abs(w * height - h * width) <= 0.5 * (width + height) + 1e-6
    assert abs(w - (area * width / height) ** 0.5) <= 0.5 + 1e-6


def test_areas_hold_the_sizes_between_their_ends() -> None:
    areas = AreaRange(100, 200)
    assert areas.hold((10, 10))
    assert areas.hold((20, 10))
    assert not areas.hold((11, 9))
    assert not areas.hold((67, 3))
