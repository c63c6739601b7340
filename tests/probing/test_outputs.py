"""How far two outputs are apart, where they part, and how their first tokens diverge."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import GRAY, Card
from pytest_vqamt.probing.outputs import FARTHEST, distance, divergence, is_flip, parted_at

_REQUEST = Request(card=Card(ground=GRAY), text="?")
_LABELS = ("yes", " no", "1", "two", "red", "�")


def sent(*steps: dict[str, float], answer: str = "a", failure: str = "") -> SentRequest:
    """An answer whose steps have these probabilities."""
    logs = tuple(tuple((label, math.log(share)) for label, share in step.items()) for step in steps)
    return SentRequest(number=1, request=_REQUEST, answer=answer, failure=failure, steps=logs)


_steps = st.dictionaries(st.sampled_from(_LABELS), st.floats(0.01, 0.16), min_size=1).map(sent)


def test_equal_steps_are_not_apart_and_parts_of_characters_are_one_outcome() -> None:
    split = SentRequest(number=1, request=_REQUEST, answer="a", steps=((("\ufffd", -2.0), ("\ufffd", -1.0)),))

    assert distance(split, split) == 0
    assert divergence(split, split) == 0


def test_the_space_before_a_word_is_no_difference() -> None:
    assert distance(sent({"yes": 0.7, "no": 0.2}), sent({" yes": 0.7, " no": 0.2})) == 0


def test_a_distance_is_the_largest_difference_of_log_probabilities() -> None:
    assert distance(sent({"yes": 0.6, "no": 0.2}), sent({"yes": 0.5, "no": 0.4})) == pytest.approx(math.log(2))


def test_steps_behind_the_first_other_token_are_not_compared() -> None:
    first = sent({"yes": 0.6, "no": 0.3}, {"1": 0.9}, {"2": 0.9})
    second = sent({"yes": 0.6, "no": 0.3}, {"1": 0.9}, {"2": 0.1, "3": 0.8})
    third = sent({"yes": 0.3, "no": 0.6}, {"1": 0.001})

    assert parted_at(first, replace_answer(second, "b")) == 2
    assert parted_at(first, replace_answer(third, "c")) == 0
    assert distance(first, third) == pytest.approx(math.log(2))


def replace_answer(each: SentRequest, answer: str) -> SentRequest:
    return SentRequest(number=each.number, request=each.request, answer=answer, steps=each.steps)


def test_a_likely_token_that_the_other_does_not_list_is_a_difference() -> None:
    assert distance(sent({"yes": 0.9, "no": 0.05}), sent({"no": 0.05, "red": 0.01})) >= math.log(0.9 / 0.05) - 1e-9


def test_without_a_common_token_two_outputs_are_as_far_apart_as_can_be() -> None:
    assert distance(sent({"yes": 0.9}), sent({"red": 0.9})) == FARTHEST
    assert distance(sent({"yes": 0.9}), sent({"yes": 0.9}, failure="500")) == FARTHEST


def test_without_scores_texts_are_compared() -> None:
    assert distance(sent(answer="a red car"), sent(answer="a red car")) == 0
    assert distance(sent(answer="a red car"), sent(answer="a red bus")) == 1
    assert parted_at(sent(answer="a red car"), sent(answer="a red bus")) == 6
    assert is_flip(sent(answer="yes"), sent(answer="no"))
    assert divergence(sent(answer="yes"), sent(answer="no")) is None


@given(_steps, _steps)
def test_distance_is_symmetric_and_bounded(first: SentRequest, second: SentRequest) -> None:
    assert distance(first, second) == distance(second, first)
    assert 0 <= distance(first, second) <= FARTHEST
    assert distance(first, first) == 0


@given(_steps, _steps)
def test_divergence_is_not_negative(first: SentRequest, second: SentRequest) -> None:
    found = divergence(first, second)

    assert found is not None
    assert found >= 0
    assert divergence(first, first) == pytest.approx(0, abs=1e-9)


def test_what_follows_a_part_of_a_character_is_not_compared() -> None:
    """It may be two parts of one look, so that the next tokens have other beginnings."""
    assert distance(sent({"\ufffd": 0.6, "a": 0.2}, {"b": 0.9}), sent({"\ufffd": 0.6, "a": 0.2}, {"b": 0.1})) == 0
    assert distance(sent({"<0xC3>": 0.6}, {"b": 0.9}), sent({"<0xC3>": 0.6}, {"b": 0.1})) == pytest.approx(math.log(9))
