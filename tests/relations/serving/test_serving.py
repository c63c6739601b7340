"""The relations ``serving.*``: what each asks of which pictures, and what violates it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.edits import FileForm, Pad, Rescale, Store
from pytest_vqamt.core.meaning import truth
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations import catalogue
from pytest_vqamt.sampling.chooser import Chooser
from tests.making import HEIGHT, WIDTH, FirstOption, answers_of, choosers, scene_of, thing_of
from tests.relations.deriving import derive

EVERYTHING = ("dog", "car", "cup", "boat")


def large(words: str, id: str = "0", x: float = 0) -> Thing:  # noqa: A002 - a thing's id
    return thing_of(words, id=id, box=Box(x, 20, 60, 60))


def scenes() -> tuple[Scene, ...]:
    shown = ("red car", "blue car", "white dog", "green boat")
    return tuple(scene_of(large(words), id=words, exhaustive=EVERYTHING) for words in shown)


def corpus_of(some: Sequence[Scene]) -> Corpus:
    return gather_corpus(some, scene=lambda index: some[index])


def derived(
    name: str, variant: str = "", scene: int = 0, choose: Chooser | None = None, of: Sequence[Scene] = ()
) -> Case | NotApplicable:
    some = tuple(of) or scenes()
    relation = catalogue.get(f"serving.{name}")
    return derive(relation, some[scene], choose or FirstOption(), variant, corpus_of(some))


def case(name: str, variant: str = "", scene: int = 0) -> Case:
    found = derived(name, variant, scene)
    assert isinstance(found, Case)
    return found


def outcome(of: Case, *answers: str) -> Outcome:
    return catalogue.get(of.relation).judge(of, answers_of(*answers)).outcome


def truths(of: Case) -> list[object]:
    return [truth(query.meaning, query.picture.scene) for query in of.queries]


def test_they_run_only_where_they_are_named() -> None:
    by_default = {relation.info.name for relation, _ in catalogue.select()}
    named = [relation.info.name for relation, _ in catalogue.select(("serving.*",))]
    assert by_default.isdisjoint(catalogue.ON_REQUEST)
    assert tuple(dict.fromkeys(named)) == tuple(name for name in catalogue.ON_REQUEST if name.startswith("serving."))
    assert by_default == {relation.info.name for relation, _ in catalogue.select(("*",))}


def test_another_picture_has_the_same_text_and_another_right_answer() -> None:
    found = case("another_picture")
    first, second = found.queries
    assert first.text == second.text
    assert first.picture.photo != second.picture.photo
    assert set(truths(found)) == {True, False}
    assert outcome(found, "yes", "no") is outcome(found, "no", "yes") is Outcome.HOLDS
    assert outcome(found, "yes", "yes") is Outcome.VIOLATED
    assert isinstance(derived("another_picture", of=scenes()[:1]), NotApplicable)


def test_another_text_asks_for_what_is_there_and_for_what_is_not() -> None:
    found = case("another_text")
    first, second = found.queries
    assert first.text != second.text
    assert first.picture == second.picture
    assert set(truths(found)) == {True, False}
    assert outcome(found, "yes", "no") is Outcome.HOLDS
    assert outcome(found, "no", "no") is Outcome.VIOLATED
    assert isinstance(derived("another_text", of=[scene_of()]), NotApplicable)


def test_colours_are_violated_only_where_both_are_exchanged() -> None:
    found = case("colours")
    assert found.queries[0].text == found.queries[1].text
    assert "red or blue" in found.queries[0].text
    assert truths(found) == ["red", "blue"]
    verdicts = {
        answers: catalogue.get("serving.colours").judge(found, answers_of(*answers))
        for answers in (("red", "blue"), ("red", "red"), ("blue", "blue"), ("blue", "red"), ("a dog", "red"))
    }
    assert [(verdict.outcome, verdict.vacuous) for verdict in verdicts.values()] == [
        (Outcome.HOLDS, False),
        (Outcome.HOLDS, True),
        (Outcome.HOLDS, True),
        (Outcome.VIOLATED, False),
        (Outcome.UNPARSED, False),
    ]


@pytest.mark.parametrize(
    "shown",
    [
        ("red car", "white car"),
        ("red car", "blue boat"),
        ("green car", "blue car"),
        ("red dark_blue car", "blue car"),
    ],
)
def test_colours_need_a_red_and_a_blue_thing_of_one_name_and_colour(shown: Sequence[str]) -> None:
    some = [scene_of(large(words), id=words, exhaustive=EVERYTHING) for words in shown]
    assert isinstance(derived("colours", of=some), NotApplicable)


@pytest.mark.parametrize(("variant", "words"), [("300-words", 300), ("1500-words", 1500), ("6000-words", 6000)])
def test_long_text_puts_so_many_words_before_the_question(variant: str, words: int) -> None:
    found = case("long_text", variant)
    first, second = found.queries
    before, _, question = second.text.rpartition("\n")
    assert question == first.text
    assert len(before.split()) == words
    assert outcome(found, "yes", "Yes") is Outcome.HOLDS
    assert outcome(found, "1", "0") is Outcome.VIOLATED


@pytest.mark.parametrize(
    ("variant", "edit"),
    [
        ("enlarged", Rescale(width=2048, height=1024)),
        ("padded-square", Pad(top=50, bottom=50, colour=(127, 127, 127))),
        ("padded-wide", None),
        ("padded-tall", Pad(top=250, bottom=250, colour=(127, 127, 127))),
    ],
)
def test_size_enlarges_or_adds_a_margin(variant: str, edit: Pad | Rescale | None) -> None:
    assert (WIDTH, HEIGHT) == (200, 100)
    found = derived("size", variant)
    if edit is None:
        assert isinstance(found, NotApplicable)  # twice as wide as high is wide already
        return
    assert isinstance(found, Case)
    first, second = found.queries
    assert first.text == second.text
    assert second.picture.edits == (edit,)
    assert outcome(found, "1", "1") is Outcome.HOLDS
    assert outcome(found, "1", "0") is Outcome.VIOLATED


def test_no_size_is_changed_that_is_not_known() -> None:
    of_unknown_size = tuple(replace(scene, width=0, height=0) for scene in scenes())
    for variant in ("enlarged", "padded-wide"):
        found = derived("size", variant, of=of_unknown_size)
        assert isinstance(found, NotApplicable)
        assert "not known" in found.reason


@pytest.mark.parametrize("form", [FileForm.ALPHA, FileForm.PALETTE, FileForm.GRAYSCALE])
def test_the_form_of_the_file_is_all_that_differs(form: FileForm) -> None:
    found = case("file_form", form.value)
    first, second = found.queries
    assert first.text == second.text
    assert first.picture.edits == (Store(form=form, plain=True),)
    assert second.picture.edits == (Store(form=form),)
    assert outcome(found, "1", "0") is Outcome.VIOLATED


@pytest.mark.parametrize("name", ["size", "file_form"])
def test_no_published_question_is_asked_where_a_picture_is_changed(name: str, yard: Scene) -> None:
    variant = catalogue.get(f"serving.{name}").info.variants[0]
    texts = {
        query.text
        for choose in choosers(20)
        if isinstance(found := derived(name, variant, choose=choose, of=[yard]), Case)
        for query in found.queries
    }
    assert texts
    assert texts.isdisjoint(question.text for question in yard.questions)
