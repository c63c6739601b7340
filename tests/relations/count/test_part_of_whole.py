"""There are at most as many red dogs as there are dogs."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.meaning import Count
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.count import PartOfWhole
from tests.making import group_of, scene_of
from tests.relations.deriving import cases_of, derive

PART_OF_WHOLE = PartOfWhole()
YARD = scene_of("black dog", "brown dog", "red car", "striped cat", "standing man")


def cases(scene: Scene) -> list[Case]:
    return cases_of(PART_OF_WHOLE, scene, draws=60)


def test_a_case_asks_for_a_name_and_for_it_with_a_property_that_one_thing_has() -> None:
    found = {tuple(query.meaning for query in case.queries) for case in cases(YARD)}
    described = ("black dog", "brown dog", "red car", "standing man")
    assert found == {
        (Count(groups=(group_of(words.split()[-1]),)), Count(groups=(group_of(words),))) for words in described
    }


def test_both_are_asked_in_the_same_words() -> None:
    case = next(case for case in cases(YARD) if "black" in case.queries[1].text)
    assert case.queries[1].text.replace("black ", "") == case.queries[0].text


def test_it_does_not_apply_where_a_thing_has_two_colours_or_none(bare: Scene) -> None:
    two, none = scene_of("red blue car"), scene_of("car", "old dog")
    multi = replace(YARD, objects=tuple(replace(thing, multi_coloured=True) for thing in YARD.objects[:3]))
    for scene in (bare, two, none, multi):
        assert isinstance(derive(PART_OF_WHOLE, scene), NotApplicable)


def test_it_does_not_apply_to_a_crowd() -> None:
    assert cases(scene_of("red car", crowds=["car"])) == []
