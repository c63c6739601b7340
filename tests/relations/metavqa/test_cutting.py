"""Cut between its things, a picture has in its pieces together just what it had in one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import Cut
from pytest_vqamt.core.meaning import Absent, Count, Exists, Group
from pytest_vqamt.core.scene import Region, Scene
from pytest_vqamt.relations.metavqa import Cutting
from tests.making import scene_of, thing_of
from tests.relations.deriving import cases_of, the_case

CUTTING = Cutting()
DOG = Group(name="dog")


def cases(scene: Scene, variant: str = "count") -> list[Case]:
    return cases_of(CUTTING, scene, variant)


@pytest.mark.parametrize(
    ("variant", "text", "meaning"),
    [
        ("count", "How many dogs are there in the picture?", Count(groups=(DOG,))),
        ("exists", "Is there a dog in the picture?", Exists(group=DOG)),
        ("absent", "Is there no dog in the picture?", Absent(group=DOG)),
    ],
)
def test_a_case_asks_the_same_of_the_picture_and_of_each_piece(
    yard: Scene, variant: str, text: str, meaning: Count | Exists | Absent
) -> None:
    case = the_case(CUTTING, yard, variant)
    assert (case.relation, case.variant, case.scene) == ("metavqa.cutting", variant, "yard")
    assert {(query.text, query.meaning) for query in case.queries} == {(text, meaning)}
    # Dogs from 0 to 20, 30 to 50 and 60 to 80, the cat and its bench from 95 to 135, the car from 150 to 190.
    assert [query.picture.edits for query in case.queries] == [
        (),
        *((Cut(start=a, stop=b, axis="x"),) for a, b in ((0, 25), (25, 55), (55, 87), (87, 142), (142, 200))),
    ]
    assert case.fact("pieces") == 5
    assert (case.fact("axis"), case.fact("shape"), case.fact("present_groups")) == ("x", "one name", 1)
    assert case.tags == ()


def test_each_piece_shows_what_is_in_it(yard: Scene) -> None:
    _, *pieces = (query.picture.scene for query in the_case(CUTTING, yard, "count").queries)
    assert [[thing.id for thing in piece.objects] for piece in pieces] == [["d1"], ["d2"], ["d3"], ["c1", "b1"], ["v1"]]
    assert [piece.width for piece in pieces] == [25, 30, 32, 55, 58]


def test_either_axis_is_cut_where_both_can_be() -> None:
    scene = scene_of(thing_of("dog", id="0", box=Box(0, 0, 30, 30)), thing_of("dog", id="1", box=Box(60, 60, 30, 30)))
    assert {case.fact("axis") for case in cases(scene)} == {"x", "y"}
    beside = scene_of(thing_of("dog", id="0", box=Box(0, 0, 30, 30)), thing_of("dog", id="1", box=Box(60, 10, 30, 30)))
    assert {case.fact("axis") for case in cases(beside)} == {"x"}


def test_what_may_be_there_without_being_annotated_is_presumed(yard: Scene) -> None:
    listed = replace(yard, exhaustive=frozenset({"dog"}))
    for case in cases(listed):
        [meaning] = {query.meaning for query in case.queries}
        assert isinstance(meaning, Count)
        assert case.is_presumed is (any(group.name != "dog" for group in meaning.groups))


def test_crowds_are_neither_split_nor_asked_about(yard: Scene) -> None:
    crowded = replace(yard, regions=(Region(name="car", box=Box(70, 0, 50, 50)),))
    for case in cases(crowded):
        assert "car" not in case.queries[0].text
        cuts = [edit.start for query in case.queries for edit in query.picture.edits if isinstance(edit, Cut)]
        assert len(cuts) > 1
        assert not set(cuts) & set(range(71, 120))
