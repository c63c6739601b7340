"""The relations of films: what the frames show, what is asked, and what is expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Change, NotApplicable, Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.edits import Move
from pytest_vqamt.core.meaning import Event, Group, Happens, MovesFirst
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.relations.contrasts import judge_contrast
from pytest_vqamt.relations.film import Drop, Order, Repeat, Reverse
from tests.making import scene_of
from tests.relations.deriving import cases_of, derive, the_case
from tests.rows import each_row
from tests.soundness.asking import cases, items, judged, model

FILMS = ("film.reverse", "film.order", "film.repeat", "film.drop")


@cache
def drawn(name: str, count: int = 150) -> tuple[Case, ...]:
    item = next(each for each in items() if each.name == name)
    return tuple(cases(item, load("pictures:1500"), Sampling(max_cases=count, contrast=1.0)))


def film(case: Case, place: int) -> tuple[Picture, ...]:
    return case.queries[place].pictures


def thing(name: str, x: float, y: float, w: float = 40, h: float = 30) -> Thing:
    return Thing(id=name, name=name, box=Box(x, y, w, h))


def drawn_scene(*things: Thing) -> Scene:
    """A scene of a source that draws all of these things, and in which there is nothing else."""
    return Scene(
        id="s",
        photo=Photo(id="s", digest="s"),
        width=200,
        height=200,
        objects=things,
        movable=tuple(each.id for each in things),
        exhaustive=frozenset(
            {"dog", "cat", "bird", "animal", "person", "table", "apple", "fruit", "food", "furniture"}
        ),
    )


DOG = drawn_scene(thing("dog", 60, 100))


@pytest.mark.parametrize("name", FILMS)
def test_the_oracle_holds_and_each_question_has_an_answer(name: str) -> None:
    some = drawn(name, 500)
    assert len(some) == 500
    assert all(query.truth is not None for case in some for query in case.asked)
    item = next(each for each in items() if each.name == name)
    oracle = model("oracle")
    assert {each.verdict.outcome for each in judged(item, oracle, some)} == {Outcome.HOLDS}
    assert not any(each.verdict.vacuous for each in judged(item, oracle, some))


@pytest.mark.parametrize("name", FILMS)
def test_films_have_four_to_twelve_frames_that_begin_and_end_with_rest(name: str) -> None:
    for case in drawn(name):
        shown = [len(query.pictures) for query in case.queries]
        assert all(4 <= count <= 12 for count in shown)
        assert all(query.abilities == {Ability.PICTURES} for query in case.queries)
        for query in case.queries:
            assert len({picture.photo for picture in query.pictures}) == 1
            assert all(isinstance(edit, Move) for picture in query.pictures for edit in picture.edits)


@pytest.mark.parametrize("name", ["film.reverse", "film.repeat", "film.drop"])
def test_one_thing_moves_far_enough_and_in_at_least_three_frames(name: str) -> None:
    happened = Counter[str]()
    for case in drawn(name):
        happened[str(dict(case.facts)["event"])] += 1
        offsets = [(edit.dx, edit.dy) for picture in film(case, 0) for edit in picture.edits if isinstance(edit, Move)]
        assert len({edit.thing for picture in film(case, 0) for edit in picture.edits if isinstance(edit, Move)}) == 1
        assert max(abs(dx) + abs(dy) for dx, dy in offsets) >= 0.15 * case.queries[0].picture.scene.width
        assert len({picture.digest for picture in film(case, 0)}) >= 5
    assert set(happened) == {event.value for event in Event}


@pytest.mark.parametrize("name", FILMS)
def test_nothing_is_in_the_way(name: str) -> None:
    for case in drawn(name):
        for picture in {picture for query in case.queries for picture in query.pictures}:
            moved = {edit.thing for edit in picture.edits if isinstance(edit, Move)}
            boxes = {each.id: each.box for each in picture.scene.objects}
            whole = {each.id: each.box for each in load("pictures:1500").scene(place_of(picture)).objects}
            for one in moved & boxes.keys():
                touching = {other for other in boxes if other != one and boxes[one].intersection(boxes[other])}
                # It may touch what it holds or wears, as it does in the photo.
                assert all(whole[one].intersection(whole[other]) for other in touching)


def place_of(picture: Picture) -> int:
    return int(picture.photo.id.rsplit("-", 1)[1])


def test_reversed_frames_are_asked_about_the_same_event() -> None:
    for case in drawn("film.reverse"):
        assert film(case, 1) == film(case, 0)[::-1]
        assert case.queries[0].text == case.queries[1].text
        assert [query.truth for query in case.queries] == [True, False]


def test_each_frame_twice_and_every_second_one() -> None:
    for case in drawn("film.repeat"):
        assert film(case, 1)[::2] == film(case, 1)[1::2] == film(case, 0)
    for case in drawn("film.drop"):
        assert film(case, 1) == film(case, 0)[::2]
    asked = Counter(
        query.truth for name in ("film.repeat", "film.drop") for case in drawn(name) for query in case.queries
    )
    assert 0.4 < asked[True] / asked.total() < 0.6


def test_the_two_things_move_one_after_the_other_and_the_question_names_both() -> None:
    firsts = Counter[bool]()
    for case in drawn("film.order"):
        meaning = case.queries[0].meaning
        assert isinstance(meaning, MovesFirst)
        names = [group.name for group in meaning.groups]
        assert sorted(str(query.truth) for query in case.queries) == sorted(names)
        assert all(f"the {name}" in case.queries[0].text for name in names)
        firsts[case.queries[0].truth == names[0]] += 1
    assert min(firsts.values()) > 40


@each_row(
    ("relation", "answers", "outcome"),
    [
        (Reverse(), ("yes", "no"), Outcome.HOLDS),
        (Reverse(), ("no", "yes"), Outcome.VIOLATED),
        (Reverse(), ("yes", "yes"), Outcome.VIOLATED),
        (Reverse(), ("no", "no"), Outcome.VIOLATED),
        (Reverse(), ("yes", "a dog"), Outcome.UNPARSED),
        (Repeat(), ("yes", "yes"), Outcome.HOLDS),
        (Repeat(), ("no", "yes"), Outcome.VIOLATED),
        (Drop(), ("no", "no"), Outcome.HOLDS),
        (Drop(), ("yes", "no"), Outcome.VIOLATED),
    ],
)
def test_verdicts(relation: Reverse | Repeat | Drop, answers: Sequence[str], outcome: Outcome) -> None:
    case = the_case(relation, DOG)
    assert relation.judge(case, [Answer(text) for text in answers]).outcome is outcome


@each_row(
    ("answers", "outcome"),
    [
        (("the dog", "the bird"), Outcome.HOLDS),
        (("bird", "The dog moves first, then the bird."), Outcome.HOLDS),
        (("dog", "dog"), Outcome.VIOLATED),
        (("dog", "both"), Outcome.UNPARSED),
    ],
)
def test_verdicts_of_two_things(answers: Sequence[str], outcome: Outcome) -> None:
    relation = Order()
    case = the_case(relation, drawn_scene(thing("dog", 60, 130), thing("bird", 90, 20)))
    assert relation.judge(case, [Answer(text) for text in answers]).outcome is outcome


def happening(scene: Scene) -> set[str]:
    return {str(dict(case.facts)["event"]) for case in cases_of(Reverse(), scene)}


def test_what_a_thing_does_depends_on_what_is_in_its_way() -> None:
    left = {"comes in from the left", "goes out to the left"}
    right = {"comes in from the right", "goes out to the right"}
    assert happening(DOG) == left | right
    assert happening(drawn_scene(thing("dog", 60, 100), thing("table", 130, 90))) == left
    assert happening(drawn_scene(thing("bird", 60, 100))) == left | right | {"moves up", "moves down"}
    # It would leave the picture at the top.
    assert happening(drawn_scene(thing("bird", 60, 20))) == left | right | {"moves down"}
    # From where it is to the edge is too short a way to be sure.
    assert happening(drawn_scene(thing("dog", 1, 100, w=35))) == right


@each_row(
    ("scene", "reason"),
    [
        (scene_of("dog", "dog"), "cannot draw"),
        (replace(DOG, movable=()), "cannot draw"),
        # Of two dogs neither is the dog; an apple goes nowhere by itself; a dog that lies does not either.
        (drawn_scene(thing("dog", 10, 20), replace(thing("dog", 90, 120), id="other")), "free way"),
        (drawn_scene(thing("apple", 60, 100)), "free way"),
        (drawn_scene(replace(thing("dog", 60, 100), attributes=("lying",))), "free way"),
        # Between a table and a chair.
        (
            drawn_scene(thing("dog", 70, 100), thing("table", 20, 100), replace(thing("table", 130, 90), id="2")),
            "free way",
        ),
    ],
)
def test_scenes_without_a_film(scene: Scene, reason: str) -> None:
    for relation in (Reverse(), Repeat(), Drop()):
        found = derive(relation, scene)
        assert isinstance(found, NotApplicable)
        assert reason in found.reason


def test_two_things_whose_ways_cross_are_not_asked_about() -> None:
    found = derive(Order(), drawn_scene(thing("dog", 30, 100), thing("cat", 120, 100)))
    assert isinstance(found, Case)  # one goes to the left, the other to the right
    alone = derive(Order(), DOG)
    assert isinstance(alone, NotApplicable)
    assert "do not cross" in alone.reason


@pytest.mark.parametrize("name", ["film.repeat", "film.drop"])
def test_the_contrast_is_the_film_played_backwards(name: str) -> None:
    for case in drawn(name):
        contrast = case.contrast
        assert contrast is not None
        assert isinstance(contrast.query.meaning, Happens)
        assert contrast.query.pictures == film(case, 0)[::-1]
        assert contrast.change is Change.OTHER
        assert contrast.query.truth is not case.queries[0].truth
        assert judge_contrast(case, [Answer("yes")] * 2, Answer("yes")).outcome is Outcome.VIOLATED


def test_a_question_names_the_thing_and_the_event() -> None:
    texts = {case.queries[0].text for case in cases_of(Reverse(), DOG, draws=300)}
    assert len(texts) == 5 * 4
    assert "These pictures are frames of a film, in order. Does the dog leave the picture to the left?" in texts
    meanings = {case.queries[0].meaning for case in cases_of(Reverse(), DOG)}
    assert {meaning.group for meaning in meanings if isinstance(meaning, Happens)} == {Group(name="dog")}
