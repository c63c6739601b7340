"""A published question is asked as it stands, with what is known of its answers."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.codec import decode, encode
from pytest_vqamt.core.meaning import Annotated
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
    published = PublishedQuestion(id="7", text="What?", answers=answers, scores=scores, options=("blue", "red"))
    assert question_of(published) == Question("What?", Annotated(answers=weights, options=("blue", "red")))


def test_it_is_written_down_and_read_back_whole() -> None:
    published = PublishedQuestion(
        id="7", text="Is it?", answers=("no",), kind="k", scores=(1.0,), options=("yes", "no"), pair=PAIR
    )
    assert decode(encode(published)) == published
    assert decode(encode(question_of(published).meaning)) == question_of(published).meaning
