"""A published question is asked as it stands, with what is known of its answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.codec import decode, encode
from pytest_vqamt.core.meaning import Annotated, meaning_from_row
from pytest_vqamt.core.scene import PublishedPair, PublishedQuestion
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.published import question_of

PAIR = PublishedPair(original="6", test="negation_consistency", demand="opposite")


@pytest.mark.parametrize(
    ("answers", "scores", "weights"),
    [
        (("noon", "noon", "12:00", "noon"), (), (("noon", 0.75), ("12:00", 0.25))),
        (("blue", "dark blue"), (1.0, 0.3), (("blue", 1.0), ("dark blue", 0.3))),
        ((), (), ()),
    ],
)
def test_answers_have_their_share_or_their_score(
    answers: tuple[str, ...], scores: tuple[float, ...], weights: tuple[tuple[str, float], ...]
) -> None:
    published = PublishedQuestion(id="7", text="Blue or red?", answers=answers, scores=scores, options=("blue", "red"))
    by_words = "" if scores else published.text  # the scored ones, of CARETS, are read by their options alone
    meaning = Annotated(answers=weights, options=("blue", "red"), question=by_words)
    assert question_of(published) == Question("Blue or red?", meaning)


def test_options_that_a_question_does_not_name_follow_it_unless_it_is_scored() -> None:
    published = PublishedQuestion(id="7", text="Which?", answers=("red",), options=("blue", "red"))
    assert question_of(published).text == "Which? (A) blue (B) red"
    assert question_of(replace(published, scores=(1.0,))).text == "Which?"


def test_it_is_written_down_and_read_back_whole() -> None:
    published = PublishedQuestion(
        id="7", text="Is it?", answers=("no",), kind="k", scores=(1.0,), options=("yes", "no"), pair=PAIR
    )
    assert decode(encode(published), PublishedQuestion) == published
    assert meaning_from_row(encode(question_of(published).meaning)) == question_of(published).meaning
