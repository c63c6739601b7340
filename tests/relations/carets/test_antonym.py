"""Whether a thing has an attribute, and whether it has its antonym, have opposite answers."""

from __future__ import annotations

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.meaning import Has
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.carets import Antonym
from tests.making import answers_of, scene_of, thing_of
from tests.relations.carets.draws import cases, short
from tests.rows import each_row

ANTONYM = Antonym()


SHOP = scene_of("closed door", "dirty dog", "small dog", "tall man", "long hair", "young man", "new car", id="shop")
"""Where each antonym has been seen on things of the name."""


def pairs(scene: Scene, *others: Scene) -> set[tuple[str, ...]]:
    """What is asked, in short, the first and the second."""
    found = set()
    for case in cases(ANTONYM, scene, *(others or (SHOP,))):
        meanings = [query.meaning for query in case.queries]
        assert all(isinstance(meaning, Has) for meaning in meanings)
        found.add(tuple(short(meaning) for meaning in meanings if isinstance(meaning, Has)))
    return found


def test_the_one_is_annotated_and_either_comes_first() -> None:
    assert pairs(scene_of("open door", "dog")) == {("door: open", "door: closed"), ("door: closed", "door: open")}


def test_the_antonym_has_been_seen_on_such_a_thing_or_can_be_of_anything() -> None:
    """A moon is full, and never empty."""
    assert pairs(scene_of("full moon"), scene_of("empty cup", id="b")) == set()
    assert ("moon: full", "moon: empty") in pairs(scene_of("full moon"), scene_of("empty moon", id="b"))
    assert ("cup: clean", "cup: dirty") in pairs(scene_of("clean cup"), scene_of("dog", id="b"))


@each_row(
    ("thing", "expected"),
    [
        ("big dog", {"big", "small"}),
        ("large dog", {"large", "small"}),
        ("short man", {"short", "tall"}),
        ("short hair", {"short", "long"}),
        ("old man", {"old", "young"}),
        ("old car", {"old", "new"}),
    ],
)
def test_the_antonym_is_that_of_the_word_for_such_a_thing(thing: str, expected: set[str]) -> None:
    words = {each.partition(": ")[2] for pair in pairs(scene_of(thing)) for each in pair}
    assert words <= expected | {"little"}
    assert len(words) == 2
    assert thing.split()[0] in words


@each_row(
    "thing",
    [
        "door",  # nothing is annotated
        "red car",  # that has no antonym
        "black cat",  # black and white ones are in between
        "frobbed door",
        "open closed door",  # annotated antonyms: both are annotated
        "opened shut door",
    ],
)
def test_none_is_asked_without_an_annotated_one_or_with_both(thing: str) -> None:
    assert pairs(scene_of(thing), scene_of("open door", "closed door", "white cat", id="b")) == set()


def test_the_thing_is_the_only_one_that_the_phrase_can_mean() -> None:
    """Rule 6."""
    assert pairs(scene_of("open door", "door")) == set()
    assert pairs(scene_of("open door", crowds=("door",))) == set()
    assert pairs(scene_of("red open door", "blue door")) == {
        ("red door: open", "red door: closed"),
        ("red door: closed", "red door: open"),
    }
    assert pairs(scene_of("red open door", "orange door")) == set()
    assert pairs(scene_of("clean dog", "car")) == {("dog: clean", "dog: dirty"), ("dog: dirty", "dog: clean")}
    assert pairs(scene_of("clean dog", "puppy")) == set()


def test_the_template_and_all_else_is_the_same() -> None:
    for case in cases(ANTONYM, scene_of("red open door", "blue door"), SHOP):
        first, second = case.queries
        assert isinstance(first.meaning, Has)
        assert isinstance(second.meaning, Has)
        assert first.meaning.group == second.meaning.group
        assert case.fact("template") == case.fact("other_template")
        assert second.text == first.text.replace(first.meaning.attribute, second.meaning.attribute)


def test_it_is_presumed_where_there_may_be_another_one() -> None:
    door = thing_of("open door", box=Box(10, 10, 40, 80))
    assert {case.is_presumed for case in cases(ANTONYM, scene_of(door, exhaustive=("door",)), SHOP)} == {False}
    assert {case.is_presumed for case in cases(ANTONYM, scene_of(door), SHOP)} == {True}


def test_it_holds_for_opposite_answers_alone() -> None:
    case = cases(ANTONYM, scene_of("open door"), SHOP)[0]
    assert ANTONYM.judge(case, answers_of("yes", "no")).outcome is Outcome.HOLDS
    assert ANTONYM.judge(case, answers_of("yes", "yes")).outcome is Outcome.VIOLATED
    assert ANTONYM.judge(case, answers_of("no", "no")).outcome is Outcome.VIOLATED
    assert ANTONYM.judge(case, answers_of("open", "no")).outcome in (Outcome.HOLDS, Outcome.UNPARSED)


def test_it_is_presumed_that_a_speck_is_seen() -> None:
    """Who overlooks the bowl says no to "is it full" and to "is it empty"."""

    def presumed(px: int) -> set[bool]:
        bowl = thing_of("full bowl", box=Box(10, 10, px, px))
        found = cases(ANTONYM, scene_of(bowl, exhaustive=("bowl",)), scene_of("empty bowl", id="b"))
        assert found
        return {case.is_presumed for case in found}

    assert presumed(30) == {False}
    assert presumed(10) == {True}
