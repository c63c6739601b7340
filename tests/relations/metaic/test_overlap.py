"""How much of what is there an inserted thing may cover."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.metaic.placement import LEVELS, Edges, Layout, Stands
from tests.making import scene_of, thing_of

# The largest is 100 x 80, at the left of 200 x 100 pixels; the others are 20 x 20 and 10 x 10.
YARD = scene_of(
    thing_of("cat", id="1", box=Box(150, 10, 20, 20)),
    thing_of("bus", id="0", box=Box(0, 10, 100, 80)),
    thing_of("cup", id="2", box=Box(150, 70, 10, 10)),
)


def layout(scene: Scene = YARD) -> Layout:
    found = Layout.of(scene)
    assert found is not None
    return found


def stands(x0: float, x1: float, level: str) -> Stands:
    """Of what reaches over the whole height from ``x0`` to ``x1``."""
    return layout().stands(Edges(x0, 0, x1, 100), level)


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
    assert Layout.of(bare) is None
    assert Layout.of(scene_of(crowds=("person",))) is None


# The bus is 100 pixels wide, so each pixel is a hundredth of it.
@pytest.mark.parametrize(
    ("level", "well"),
    [("0", range(1)), ("15", range(1, 16)), ("30", range(16, 31)), ("45", range(31, 46))],
)
def test_the_share_of_the_largest_lies_in_the_interval(level: str, well: range) -> None:
    # Yu et al., section 3.2.2: 0, (0, 0.15], (0.15, 0.30], (0.30, 0.45].
    expected = {
        covered: Stands.WELL if covered in well else Stands.TOO_FAR_IN if covered > max(well) else Stands.TOO_FAR_OUT
        for covered in range(101)
    }
    assert {covered: stands(100 - covered, 150, level) for covered in range(101)} == expected


def test_what_touches_does_not_overlap() -> None:
    assert stands(100, 150, "0") is Stands.WELL
    assert stands(99, 150, "0") is Stands.TOO_FAR_IN


@pytest.mark.parametrize(
    ("level", "most"),
    [("0", 0), ("15", 3), ("30", 6), ("45", 9)],
)
def test_of_any_other_no_more_than_the_upper_end_is_covered(level: str, most: int) -> None:
    # Each column of the cat's 20 is 0.05 of it; of the cup, nothing is covered.
    spared = [columns for columns in range(21) if layout().spares_the_others(Edges(150, 10, 150 + columns, 30), level)]
    assert spared == list(range(most + 1))


def test_a_small_thing_is_never_hidden() -> None:
    assert not any(layout().spares_the_others(Edges(140, 60, 170, 90), level) for level in LEVELS)


def test_what_is_inserted_is_all_in_the_picture() -> None:
    assert layout().holds(Edges(0, 0, 200, 100))
    assert [
        layout().holds(Edges(*ends)) for ends in ((-1, 0, 9, 9), (0, -1, 9, 9), (191, 0, 201, 9), (0, 92, 9, 101))
    ] == [False] * 4
