"""Five relations between views of a picture: what they ask, what holds, and what is violated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.edits import Jpeg as JpegEdit
from pytest_vqamt.core.edits import Pad as PadEdit
from pytest_vqamt.core.edits import Recolour as RecolourEdit
from pytest_vqamt.core.edits import Rescale as RescaleEdit
from pytest_vqamt.core.edits import Shift as ShiftEdit
from pytest_vqamt.core.meaning import Count, Exists, Located, Property, groups_of, truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.recolour import Recolour
from pytest_vqamt.relations.view import Jpeg, Pad, Rescale, Shift, is_readable
from tests.making import answers_of, scene_of, thing_of
from tests.relations.spatial.gardens import IN_A_ROW, cases, garden
from tests.rows import each_row

SHIFT, PAD, RESCALE, JPEG, RECOLOUR = Shift(), Pad(), Rescale(), Jpeg(), Recolour()
SQUARE = replace(garden(dog=(0, 0), car=(60, 20), tree=(140, 60)), height=200)


def edits(some: list[Case]) -> list[object]:
    """The one edit of each second picture; the first has none, and both are asked the same."""
    found: list[object] = []
    for case in some:
        first, second = case.queries
        assert (first.text, first.meaning, first.picture.edits) == (second.text, second.meaning, ())
        found += second.picture.edits
    assert len(found) == len(some) > 0
    return found


def test_a_shift_is_by_1_to_8_pixels_and_keeps_what_is_asked_about() -> None:
    some = cases(SHIFT, IN_A_ROW, n=300)
    found = {(each.dx, each.dy) for each in edits(some) if isinstance(each, ShiftEdit)}
    assert {max(abs(dx), abs(dy)) for dx, dy in found} == set(range(1, 9))
    for case in some:
        before, after = (query.picture.scene for query in case.queries)
        names = {group.name for group in groups_of(case.queries[0].meaning)}
        for thing in before.objects:
            if thing.name in names:
                # At the edge, whose pixels are repeated, it may be larger.
                assert after.thing(thing.id).box.w >= thing.box.w
                assert after.thing(thing.id).box.h >= thing.box.h


def test_what_fills_the_picture_cannot_move() -> None:
    whole = scene_of(thing_of("dog", box=Box(0, 0, 200, 100)), exhaustive=("dog",))
    assert cases(SHIFT, whole) == []


def test_a_small_rival_at_the_edge_does_not_leave_the_picture() -> None:
    scene = garden(exhaustive=("dog", "cat", "car"), dog=(80, 30), cat=(170, 30))
    dogs = [case for case in cases(SHIFT, scene) if groups_of(case.queries[0].meaning)[0].name == "dog"]
    assert dogs
    assert all(edit.dx <= 0 for edit in edits(dogs) if isinstance(edit, ShiftEdit))


def test_a_picture_is_padded_to_a_square_and_a_square_one_to_4_by_3() -> None:
    assert {case.queries[1].picture.scene.frame for case in cases(PAD, IN_A_ROW)} == {Box(0, 0, 200, 200)}
    frames = {case.queries[1].picture.scene.frame for case in cases(PAD, SQUARE)}
    assert frames == {Box(0, 0, 267, 200), Box(0, 0, 200, 267)}
    found = {(each.top, each.bottom) for each in edits(cases(PAD, IN_A_ROW)) if isinstance(each, PadEdit)}
    assert found == {(50, 50), (0, 100)}


def test_a_smaller_scale_is_taken_only_where_things_stay_large_enough() -> None:
    # 30 pixels at 3/4 are 22; 40 are 30, and 27 at 2/3.
    assert all(isinstance(case.queries[0].meaning, Exists) for case in cases(RESCALE, IN_A_ROW, "down"))
    larger = replace(IN_A_ROW, objects=tuple(replace(t, box=Box(t.box.x, t.box.y, 40, 40)) for t in IN_A_ROW.objects))
    asked = [case for case in cases(RESCALE, larger, "down") if isinstance(case.queries[0].meaning, Count | Located)]
    assert {edit.width for edit in edits(asked) if isinstance(edit, RescaleEdit)} == {150, 133}
    up = {edit.width for edit in edits(cases(RESCALE, IN_A_ROW, "up")) if isinstance(edit, RescaleEdit)}
    assert up == {300, 400, 600}


def test_a_large_picture_is_not_scaled_up() -> None:
    large = replace(IN_A_ROW, width=2000, height=1000)
    assert cases(RESCALE, large, "up") == []


def test_the_quality_is_85_to_95() -> None:
    found = {edit.quality for edit in edits(cases(JPEG, IN_A_ROW, n=300)) if isinstance(edit, JpegEdit)}
    assert found == set(range(85, 96))


@each_row(
    ("box", "frame", "readable"),
    [
        (Box(0, 0, 24, 8), Box(0, 0, 200, 100), True),
        (Box(0, 0, 23, 23), Box(0, 0, 200, 100), False),
        (Box(0, 0, 24, 7), Box(0, 0, 200, 100), False),
        # A model that takes 336 pixels halves 672.
        (Box(0, 0, 48, 48), Box(0, 0, 672, 100), True),
        (Box(0, 0, 47, 47), Box(0, 0, 672, 100), False),
    ],
)
def test_what_is_readable(box: Box, frame: Box, readable: bool) -> None:
    assert is_readable(box, frame) is readable


@pytest.mark.parametrize("relation", [SHIFT, PAD, JPEG])
def test_a_count_of_what_is_not_annotated_for_certain_is_presumed(relation: Relation) -> None:
    scene = garden(exhaustive=(), dog=(20, 20), car=(80, 20))
    for case in cases(relation, scene):
        meaning = case.queries[0].meaning
        is_there = isinstance(meaning, Located) or (isinstance(meaning, Exists) and truth(meaning, scene) is True)
        assert case.is_presumed is not is_there


# Recolouring

GARAGE = scene_of(
    *(
        replace(thing_of(words, id=str(place), box=Box(45 * place + 1, 10, 40, 40)), has_mask=True)
        for place, words in enumerate(("red car", "yellow banana", "blue chair", "blue chair"))
    ),
    exhaustive=("car", "banana", "chair", "dog"),
)


def recoloured(variant: str, scene: Scene = GARAGE) -> set[tuple[str, str, str]]:
    """The name of each thing that is recoloured, with its old color and its new one."""
    found = [each for each in edits(cases(RECOLOUR, scene, variant)) if isinstance(each, RecolourEdit)]
    return {(scene.thing(each.thing).name, each.old, each.new) for each in found}


def test_the_color_is_asked_of_the_only_thing_of_its_name() -> None:
    assert recoloured("color") == {("car", "red", "green"), ("car", "red", "blue")}
    for case in cases(RECOLOUR, GARAGE, "color"):
        assert isinstance(case.queries[0].meaning, Property)
        before, after = (truth(query.meaning, query.picture.scene) for query in case.queries)
        assert before == "red"
        assert after in ("green", "blue")


@each_row("variant", ["count", "exists"])
def test_what_stays_is_asked_of_any_made_thing(variant: str) -> None:
    # A banana is told by its color, too.
    assert {name for name, *_ in recoloured(variant)} == {"car", "chair"}


@each_row("words", ["red apple", "brown car", "red striped car", "red blue car", "car"])
def test_other_things_are_not_recoloured(words: str) -> None:
    thing = replace(thing_of(words, box=Box(10, 10, 60, 60)), has_mask=True)
    assert cases(RECOLOUR, scene_of(thing, exhaustive=(thing.name,)), "count") == []


def test_a_thing_without_a_mask_is_not_recoloured() -> None:
    thing = thing_of("red car", box=Box(10, 10, 60, 60))
    assert cases(RECOLOUR, scene_of(thing, exhaustive=("car",)), "count") == []


@each_row(
    ("relation", "variant", "texts", "outcome"),
    [
        (SHIFT, "", ("yes", "yes"), Outcome.HOLDS),
        (SHIFT, "", ("no", "yes"), Outcome.VIOLATED),
        (RECOLOUR, "color", ("red", "blue"), Outcome.HOLDS),
        (RECOLOUR, "color", ("red", "It is red."), Outcome.VIOLATED),
        (RECOLOUR, "color", ("red", "There is no car in the picture."), Outcome.VIOLATED),
        (RECOLOUR, "color", ("red", "42"), Outcome.UNPARSED),
        (RECOLOUR, "exists", ("yes", "no"), Outcome.VIOLATED),
        (RECOLOUR, "exists", ("yes", "yes"), Outcome.HOLDS),
    ],
)
def test_the_verdict(relation: Relation, variant: str, texts: tuple[str, ...], outcome: Outcome) -> None:
    scene = GARAGE if relation is RECOLOUR else IN_A_ROW
    case = next(each for each in cases(relation, scene, variant) if not isinstance(each.queries[0].meaning, Count))
    assert relation.judge(case, answers_of(*texts)).outcome is outcome
