"""Controls: what is asked twice, of a picture encoded anew, or with doubled spaces, gets the same answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import Annotated, Count, Exists
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.control import Reencode, Repeat, plain_question
from tests.making import choosers, scene_of
from tests.relations.deriving import the_case

REPEAT = Repeat()


def view_of(scene: Scene) -> AskableScene:
    return askable_scene_of(scene, gather_corpus((scene,)), REPEAT.known)


def test_a_case_asks_the_same_twice_and_lets_no_cache_answer_the_second(yard: Scene) -> None:
    case = the_case(REPEAT, yard)
    first, second = case.queries
    assert (first.text, first.meaning, first.picture) == (second.text, second.meaning, second.picture)
    assert first.text == "How many dogs and cats are there in the picture altogether?"
    assert (first.trial, second.trial) == (0, 1)
    assert first.id != second.id
    assert (case.relation, case.variant, case.expected) == ("control.repeat", "", "first = second")


def test_it_is_a_control() -> None:
    assert REPEAT.info.tags == ("control",)


def test_half_are_counts_of_two_names_and_half_existence(yard: Scene) -> None:
    view = view_of(yard)
    kinds: Counter[type] = Counter()
    for choose in choosers(400):
        asked = plain_question(view, choose)
        if isinstance(asked, NotApplicable):
            # The source is the yard alone, so there is no absent name to ask about.
            assert asked.reason in (
                "no other kind of thing is surely absent and can be counted",
                "no two kinds of things have surely no thing in common",
            )
            continue
        kinds[type(asked.meaning)] += 1
        if isinstance(asked.meaning, Count):
            assert len(asked.meaning.groups) == 2
    assert set(kinds) == {Count, Exists}
    # 70 % of either are about what is there; a count of one or none falls away, and so does an absent name.
    assert kinds[Count] / kinds.total() == pytest.approx(0.5, abs=0.1)


def test_not_every_question_has_one_wording(yard: Scene) -> None:
    view = view_of(yard)
    asked = [plain_question(view, choose) for choose in choosers(400)]
    openings = {each.text.split()[0] for each in asked if not isinstance(each, NotApplicable)}
    assert {"How", "What", "Is", "Does", "Can"} <= openings


def test_a_picture_of_nothing_gives_none(bare: Scene) -> None:
    for choose in choosers(20):
        assert isinstance(plain_question(view_of(bare), choose), NotApplicable)


def test_a_data_set_with_questions_of_its_own_is_asked_those() -> None:
    asked = PublishedQuestion(id="7", text="What time is it?", answers=("noon", "noon", "noon", "12:00"))
    scene = replace(scene_of("dog", "cat"), questions=(asked,))
    for choose in choosers(20):
        assert plain_question(view_of(scene), choose) == Question(
            "What time is it?", Annotated(answers=(("noon", 0.75), ("12:00", 0.25)), question="What time is it?")
        )


# A lossless re-encoding of the picture changes nothing, and neither do doubled spaces in the question.

REENCODE = Reencode()


@pytest.mark.parametrize(
    ("variant", "again"),
    [
        ("", "How many dogs and cats are there in the picture altogether?"),
        ("spaces", "How  many  dogs  and  cats  are  there  in  the  picture  altogether?"),
    ],
)
def test_a_case_asks_once_more_of_the_picture_re_encoded(yard: Scene, variant: str, again: str) -> None:
    case = the_case(REENCODE, yard, variant)
    first, second = case.queries
    assert first.text == "How many dogs and cats are there in the picture altogether?"
    assert second.text == again
    assert first.meaning == second.meaning
    assert (first.picture, second.picture) == (yard.picture, yard.picture.reencode())
    assert second.picture.scene == yard
    assert (case.relation, case.variant, case.expected) == ("control.reencode", variant, "first = second")


def test_reencoding_is_a_control() -> None:
    assert REENCODE.info.tags == ("control",)
