"""Basic questions are left off from the end until the text fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.language.question_ranking import noisy

MAIN = "Is the big dog near the red car black?"  # 9 words
THREE = ("Is there a dog near the car?", "What color is the big dog?", "How many black dogs are there?")  # 7, 6, 6


@pytest.mark.parametrize(("most", "stayed"), [(28, 3), (27, 2), (22, 2), (21, 1), (16, 1), (15, 0), (9, 0), (3, 0)])
def test_as_many_stay_as_fit(most: int, stayed: int) -> None:
    assert noisy(MAIN, THREE, most_words=most) == (" ".join((MAIN, *THREE[:stayed])), stayed)


def test_26_words_are_the_limit() -> None:
    assert noisy("a " * 24 + "b?", ["c?"]) == ("a " * 24 + "b? c?", 1)
    assert noisy("a " * 25 + "b?", ["c?"]) == ("a " * 25 + "b?", 0)


def test_no_basic_question_is_no_noise() -> None:
    assert noisy(MAIN, ()) == (MAIN, 0)


SENTENCES = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=12).map(" ".join)


@given(SENTENCES, st.lists(SENTENCES, max_size=5), st.integers(0, 40))
def test_the_main_question_comes_first_and_one_more_would_not_fit(main: str, basic: list[str], most: int) -> None:
    text, stayed = noisy(main, basic, most_words=most)
    assert text == " ".join([main, *basic[:stayed]])
    assert stayed == 0 or len(text.split()) <= most
    assert stayed == len(basic) or len(" ".join([main, *basic[: stayed + 1]]).split()) > most
