"""Putting one more thing into a picture makes a count that includes it one more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.meaning import Count, Group, truth
from pytest_vqamt.core.scene import Region, Scene
from pytest_vqamt.relations.metavqa import InsertionPlus
from tests.making import group_of, scene_of
from tests.relations.deriving import cases_of, derive
from tests.relations.inserted import corpus_of, kennel, masked

PLUS = InsertionPlus()
CLASSES = ("dog", "cat", "car", "frisbee", "puppy")
YARD = scene_of(masked("black dog", "0", Box(60, 40, 30, 30)), "red car", "frisbee", id="yard", exhaustive=CLASSES)


def cases(scene: Scene = YARD, elsewhere: Scene | None = None) -> list[Case]:
    corpus = corpus_of([scene, elsewhere or kennel((60, 30))])
    return cases_of(PLUS, scene, corpus=corpus)


def asked(some: list[Case]) -> set[tuple[frozenset[Group], object]]:
    """The groups that are counted together, and how many of them the picture had before."""
    found: set[tuple[frozenset[Group], object]] = set()
    for case in some:
        meaning = case.queries[0].meaning
        assert isinstance(meaning, Count)
        found.add((frozenset(meaning.groups), case.fact("present_groups")))
    return found


def sets(*phrases: str) -> set[frozenset[Group]]:
    return {frozenset(map(group_of, phrase.split("+"))) for phrase in phrases}


def test_what_is_inserted_is_counted_alone_with_another_name_and_by_its_property() -> None:
    assert asked(cases()) == {
        (frozenset({group_of("dog")}), 1),
        (frozenset({group_of("dog"), group_of("car")}), 2),
        (frozenset({group_of("dog"), group_of("frisbee")}), 2),
        # There was no brown dog, and now there is one.
        (frozenset({group_of("brown dog")}), 0),
    }


def test_the_right_answer_is_one_more() -> None:
    for case in cases():
        before, after = (truth(query.meaning, query.picture.scene) for query in case.queries)
        assert isinstance(before, int)
        assert after == before + 1
        assert (case.relation, case.variant, case.expected) == ("metavqa.insertion_plus", "", "second = first + 1")


def test_a_property_is_asked_only_where_it_is_the_one_that_is_annotated() -> None:
    assert not any(
        "brown" in case.queries[0].text for case in cases(elsewhere=kennel((60, 30), words="brown black dog"))
    )
    multi = kennel((60, 30))
    multi = replace(multi, objects=tuple(replace(thing, multi_coloured=True) for thing in multi.objects))
    assert not any("brown" in case.queries[0].text for case in cases(elsewhere=multi))


@pytest.mark.parametrize("beside", ["black dog", "puppy", "frisbee"])
def test_what_something_overlapped_where_it_was_cut_out_is_not_inserted(beside: str) -> None:
    # Of two dogs that overlap, either may have been cut out with an ear of the other, or without one of its own.
    assert cases(elsewhere=kennel((60, 30), beside=beside)) == []


def test_a_person_comes_in_clothes_that_are_not_asked_about() -> None:
    people = ("man", "tie", "car")
    street = scene_of(masked("man", "0", Box(60, 40, 30, 30)), "tie", "car", id="street", exhaustive=people)
    studio = replace(kennel((60, 30), words="sitting man", beside="tie"), exhaustive=frozenset(people))
    found = {groups for groups, _ in asked(cases(scene=street, elsewhere=studio))}
    assert found == sets("man", "man+car", "sitting man")
    assert cases(scene=street, elsewhere=kennel((60, 30), words="sitting man", beside="dog")) == []


def test_what_the_edge_of_its_photo_cuts_off_is_not_inserted() -> None:
    corpus = corpus_of([YARD, kennel((60, 30), at=(0, 10))])
    found = derive(PLUS, YARD, corpus=corpus)
    assert found == NotApplicable(reason="the edge of its photo cuts off the inserted thing")


@pytest.mark.parametrize(
    "scene",
    [
        replace(YARD, regions=(Region(name="dog", box=Box(150, 50, 20, 20)),)),
        replace(YARD, objects=(*YARD.objects, masked("dogs", "9", Box(150, 50, 20, 20)))),
    ],
    ids=["a crowd of them", "a plural of them"],
)
def test_what_cannot_be_counted_here_is_not_inserted(scene: Scene) -> None:
    assert cases(scene=scene) == []


def test_what_is_not_listed_is_presumed() -> None:
    assert not any(case.is_presumed for case in cases())
    assert all(case.is_presumed for case in cases(scene=replace(YARD, exhaustive=frozenset())))
    assert all(case.is_presumed for case in cases(elsewhere=replace(kennel((60, 30)), exhaustive=frozenset())))
