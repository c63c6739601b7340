"""Whether a thing has an attribute, and whether it has its antonym, have opposite answers."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import NotApplicable, Outcome
from pytest_vqamt.core.meaning import Has
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.carets.antonym import Antonym
from tests.making import answers_of, choosers, scene_of
from tests.relations.carets.draws import cases, corpus_of, short

ANTONYM = Antonym()


def pairs(scene: Scene, *others: Scene) -> set[tuple[str, ...]]:
    """What is asked, in short, the first and the second."""
    found = set()
    for case in cases(ANTONYM, scene, *others):
        meanings = [query.meaning for query in case.queries]
        assert all(isinstance(meaning, Has) for meaning in meanings)
        found.add(tuple(short(meaning) for meaning in meanings if isinstance(meaning, Has)))
    return found


def test_the_one_is_annotated_and_either_comes_first() -> None:
    assert pairs(scene_of("open door", "dog")) == {("door: open", "door: closed"), ("door: closed", "door: open")}


def test_the_antonym_need_not_occur_in_the_corpus() -> None:
    assert ("cup: empty", "cup: full") in pairs(scene_of("empty cup"))


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        ("big dog", {"big", "small"}),
        ("large dog", {"large", "small"}),
        ("short man", {"short", "tall"}),
        ("short hair", {"short", "long"}),
        ("black cat", {"black", "white"}),
        ("old man", {"old", "young"}),
        ("old car", {"old", "new"}),
    ],
)
def test_the_antonym_is_that_of_the_word_for_such_a_thing(thing: str, expected: set[str]) -> None:
    words = {each.partition(": ")[2] for pair in pairs(scene_of(thing)) for each in pair}
    assert words <= expected | {"little"}
    assert len(words) == 2
    assert thing.split()[0] in words


@pytest.mark.parametrize(
    "thing",
    [
        "door",  # nothing is annotated
        "red car",  # that has no antonym
        "dark black cat",  # is it the dark one or the white one: both would be asked, but never of a spelled one
        "frobbed door",
        "open closed door",  # rule 8: both are annotated
        "opened shut door",
    ],
)
def test_none_is_asked_without_an_annotated_one_or_with_both(thing: str) -> None:
    found = pairs(scene_of(thing))
    if thing == "dark black cat":
        assert {each.split(": ")[1] for pair in found for each in pair} <= {"dark", "light", "black", "white"}
    else:
        assert found == set()


def test_the_thing_is_the_only_one_that_the_phrase_can_mean() -> None:
    """Rule 6."""
    assert pairs(scene_of("open door", "door")) == set()
    assert pairs(scene_of("open door", crowds=("door",))) == set()
    assert pairs(scene_of("red open door", "blue door")) == {
        ("red door: open", "red door: closed"),
        ("red door: closed", "red door: open"),
    }
    assert pairs(scene_of("red open door", "orange door")) == set()
    assert pairs(scene_of("clean dog", "puppy")) == set()


def test_the_template_and_all_else_is_the_same() -> None:
    for case in cases(ANTONYM, scene_of("red open door", "blue door")):
        first, second = case.queries
        assert isinstance(first.meaning, Has)
        assert isinstance(second.meaning, Has)
        assert first.meaning.group == second.meaning.group
        assert case.fact("template") == case.fact("other_template")
        assert second.text == first.text.replace(first.meaning.attribute, second.meaning.attribute)


def test_it_is_presumed_where_there_may_be_another_one() -> None:
    assert {case.is_presumed for case in cases(ANTONYM, scene_of("open door", exhaustive=("door",)))} == {False}
    assert {case.is_presumed for case in cases(ANTONYM, scene_of("open door"))} == {True}


def test_it_does_not_apply_to_a_picture_of_nothing(bare: Scene) -> None:
    for choose in choosers(5):
        assert isinstance(ANTONYM.derive(bare, corpus_of(bare), choose, ""), NotApplicable)


def test_it_holds_for_opposite_answers_alone() -> None:
    case = cases(ANTONYM, scene_of("open door"))[0]
    assert ANTONYM.judge(case, answers_of("yes", "no")).outcome is Outcome.HOLDS
    assert ANTONYM.judge(case, answers_of("yes", "yes")).outcome is Outcome.VIOLATED
    assert ANTONYM.judge(case, answers_of("no", "no")).outcome is Outcome.VIOLATED
    assert ANTONYM.judge(case, answers_of("open", "no")).outcome in (Outcome.HOLDS, Outcome.UNPARSED)
