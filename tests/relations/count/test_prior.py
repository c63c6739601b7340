"""One leg more, or one less, is drawn and counted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.edits import Redraw
from pytest_vqamt.core.meaning import PartCount, truth
from pytest_vqamt.core.scene import Parts, Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.models.reference.faults import FAULTS
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.count import Prior
from tests.language.template_readings import plain
from tests.making import answers_of, choosers, group_of, scene_of
from tests.reader.questions import read
from tests.reader.vocabulary import LEXICON
from tests.relations.deriving import cases_of, derive
from tests.rows import each_row

PRIOR = Prior()


def legs(thing: int, *drawable: int) -> Parts:
    return Parts(thing=str(thing), name="leg", number=4, usual=4, drawable=drawable)


def with_parts(scene: Scene, *parts: Parts) -> Scene:
    """In a frame of 100 x 100 px, in which things of 15 px are large enough."""
    return replace(scene, parts=parts, width=100, height=100)


def cases(scene: Scene, variant: str = "more") -> list[Case]:
    return cases_of(PRIOR, scene, variant, draws=40)


DOG = with_parts(scene_of("black dog", "red car"), legs(0, 3, 4, 5))


@each_row(("variant", "numbers"), [("more", [4, 5]), ("less", [4, 3])])
def test_the_usual_number_is_drawn_and_one_more_or_less(variant: str, numbers: list[int]) -> None:
    some = cases(DOG, variant)
    assert {query.meaning for case in some for query in case.queries} == {PartCount(group=group_of("dog"), part="leg")}
    thing = DOG.objects[0].id
    for case in some:
        drawn = [query.picture.edits for query in case.queries]
        assert drawn == [(Redraw(thing=thing, part="leg", number=number),) for number in numbers]
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == numbers
        assert case.queries[0].text == case.queries[1].text
    assert {case.fact("wording") for case in some} == set(range(simple.PART_COUNT_WORDINGS))


@each_row(
    ("variant", "texts", "outcome"),
    [
        ("more", ("4", "5"), Outcome.HOLDS),
        ("more", ("3", "The dog has four legs."), Outcome.HOLDS),
        ("more", ("4", "4"), Outcome.VIOLATED),
        ("more", ("4", "3"), Outcome.VIOLATED),
        ("more", ("4", "I see legs."), Outcome.UNPARSED),
        ("less", ("4 legs", "There are 3 legs visible."), Outcome.HOLDS),
        ("less", ("4", "4"), Outcome.VIOLATED),
    ],
)
def test_the_verdict(variant: str, texts: tuple[str, str], outcome: Outcome) -> None:
    assert PRIOR.judge(cases(DOG, variant)[0], answers_of(*texts)).outcome is outcome


def test_the_usual_number_is_what_it_is_made_for() -> None:
    # arXiv 2505.23941: "4", however many legs the animal has.
    case = cases(DOG)[0]
    said = [FAULTS["counts-by-prior"].replies()(query) for query in case.queries]
    assert said == ["4", "4"]
    assert PRIOR.judge(case, answers_of(*said)).outcome is Outcome.VIOLATED


def test_one_of_two_is_asked_about_by_what_the_other_is_not() -> None:
    cars = with_parts(scene_of("red car", "blue car"), legs(0, 3, 4, 5))
    assert {query.meaning for case in cases(cars) for query in case.queries} == {
        PartCount(group=group_of("red car"), part="leg")
    }
    for pair in (("red car", "car"), ("red car", "red car")):
        assert cases(with_parts(scene_of(*pair), legs(0, 3, 4, 5))) == []


def test_a_thing_must_be_large_enough_for_its_parts_to_be_told_apart() -> None:
    assert cases(replace(DOG, width=105, height=90))
    assert cases(replace(DOG, width=106, height=90)) == []


def test_it_does_not_apply_where_the_source_cannot_draw_it() -> None:
    for scene in (scene_of("black dog"), with_parts(scene_of("black dog"), legs(0))):
        found = derive(PRIOR, scene, variant="more")
        assert isinstance(found, NotApplicable)
        assert "draw" in found.reason
    assert cases(with_parts(scene_of("black dog"), legs(0, 4, 5)), "less") == []


@cache
def drawn_cases() -> tuple[Case, ...]:
    world = PictureWorld(300)
    found = (
        derive(PRIOR, world.scene(index), choose, "more", world.corpus)
        for index, choose in zip(range(300), choosers(300), strict=True)
    )
    return tuple(each for each in found if isinstance(each, Case))


def test_every_question_is_read_back() -> None:
    asked = {query for case in drawn_cases() for query in case.queries}
    assert [query.text for query in asked if plain(read(query.text, LEXICON)) != plain(query.meaning)] == []
    assert {query.meaning.part for query in asked if isinstance(query.meaning, PartCount)} == {
        "leg", "wheel", "ear", "antenna", "drumstick", "hand",
    }  # fmt: skip
