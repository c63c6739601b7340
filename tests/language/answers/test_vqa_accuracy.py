"""An answer is as right as the official evaluation of VQA v2 says."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.language.answers.vqa_accuracy import normalise_answer, vqa_accuracy
from tests.language.vqa_contractions import MENDED
from tests.rows import each_row

VQA_V2 = Path(__file__).parents[3] / "../shared/data/vqa_v2"
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@each_row(
    ("answer", "plain"),
    [
        ("Yes", "yes"),
        ("a red  Car", "red car"),
        ("The cat and an apple", "cat and apple"),
        ("none", "0"),
        ("Ten", "10"),
        ("twenty one", "twenty 1"),
        ("eleven", "eleven"),
        ("first one.", "first 1"),
        # A period stays before a digit, wherever it stands.
        ("1.55", "1.55"),
        (".5", ".5"),
        ("27.08.2006.", "27.08.2006"),
        ("p.m.", "pm"),
        # A mark with no space beside it becomes one; with a space beside one of its kind, all of them go.
        ("t-shirt", "t shirt"),
        ("black/white", "black white"),
        ("blue, white", "blue white"),
        ("blue,white", "blue white"),
        ("red-ish - blue", "redish blue"),
        ("10% (20)", "10% 20"),
        # A comma between digits makes all marks go, be they of another kind.
        ("100,978", "100978"),
        ("1,000-2,000", "10002000"),
        ("1, 2", "1 2"),
        # Apostrophes and colons stay.
        ("girl's", "girl's"),
        ("2:50", "2:50"),
        ("dont know", "don't know"),
        ("Im here", "im here"),
        ("somebody'd", "somebodyd"),
        ("lets", "lets"),
        ("?", ""),
    ],
)
def test_what_is_left_of_an_answer(answer: str, plain: str) -> None:
    assert normalise_answer(answer) == plain


@each_row("wrong", MENDED)
def test_each_contraction_of_the_official_table_is_mended(wrong: str) -> None:
    assert normalise_answer(wrong) == MENDED[wrong]


@each_row("right", ["'tis", "she's", "let's", "we're", "id've", "its", "well", "somebodyd"])
def test_no_other_word_is(right: str) -> None:
    assert normalise_answer(right) == right


@each_row(
    ("agreeing", "of_ten"),
    # Whoever is left out: three of nine are enough. (n (n - 1) + (10 - n) n) / 30 for up to three.
    [(0, 0.0), (1, 0.3), (2, 0.6), (3, 0.9), (4, 1.0), (10, 1.0)],
)
def test_four_of_ten_make_an_answer_right(agreeing: int, of_ten: float) -> None:
    answers = ["red"] * agreeing + ["blue"] * (9 - agreeing) + ["green"] * (agreeing < 10)
    assert vqa_accuracy("red", answers) == pytest.approx(of_ten)


@each_row(
    ("answer", "answers", "share"),
    [
        ("red", ["red"], 0),  # nobody else is there to agree
        ("red", ["red", "red"], 1 / 3),
        ("red", ["red", "red", "red"], 2 / 3),
        ("red", ["red", "red", "red", "red"], 1),
        ("red", ["red", "blue"], (0 + 1) / 3 / 2),
        ("red", ["red", "red", "red", "blue"], (3 * 2 + 3) / 3 / 4),
    ],
)
def test_any_number_of_annotators(answer: str, answers: list[str], share: float) -> None:
    assert vqa_accuracy(answer, answers) == pytest.approx(share)


def test_where_all_annotators_agree_nothing_is_normalised() -> None:
    assert vqa_accuracy("yes", ["yes"] * 10) == 1
    assert vqa_accuracy(" yes\n", ["yes"] * 10) == 1
    assert vqa_accuracy("Yes.", ["yes"] * 10) == 0
    assert vqa_accuracy("Yes.", ["yes"] * 9 + ["no"]) == 1
    assert vqa_accuracy("A", ["A"] * 10) == 1
    assert vqa_accuracy("the stop", ["stop"] * 9 + ["the stop"]) == 1


def test_nobody_to_agree_with_is_a_mistake() -> None:
    with pytest.raises(VqamtError, match=r"one annotator or more .* but got answers=\(\)"):
        vqa_accuracy("yes", ())


def official(answer: str, answers: list[str]) -> Fraction:
    """The accuracy by its definition: every set of annotators but one, and each answer made plain step by step."""
    said, given = answer.strip(), [each.strip() for each in answers]
    if len(set(given)) > 1:
        said, given = plain(said), [plain(each) for each in given]
    shares = []
    for left_out in range(len(given)):
        others = given[:left_out] + given[left_out + 1 :]
        shares.append(min(Fraction(sum(other == said for other in others), 3), Fraction(1)))
    return sum(shares, Fraction(0)) / len(shares)


@cache
def plain(answer: str) -> str:
    text = answer
    for mark in [
        ";",
        "/",
        "[",
        "]",
        '"',
        "{",
        "}",
        "(",
        ")",
        "=",
        "+",
        "\\",
        "_",
        "-",
        ">",
        "<",
        "@",
        "`",
        ",",
        "?",
        "!",
    ]:
        spaced = mark + " " in answer or " " + mark in answer
        if spaced or re.search("[0-9],[0-9]", answer):
            text = "".join(letter for letter in text if letter != mark)
        else:
            text = " ".join(text.split(mark))
    periods = [
        place for place, letter in enumerate(text) if letter == "." and not text[place + 1 : place + 2].isdecimal()
    ]
    text = "".join(letter for place, letter in enumerate(text) if place not in periods[:32])
    words = [str(NUMBERS.index(word)) if word in NUMBERS else word for word in text.lower().split()]
    words = ["0" if word == "none" else word for word in words]
    return " ".join(MENDED.get(word, word) for word in words if word not in ("a", "an", "the"))


@pytest.mark.skipif(not VQA_V2.is_dir(), reason="the questions of ../shared/data are not here")
@pytest.mark.parametrize("one_in", [30, pytest.param(1, marks=pytest.mark.full)])
def test_the_answers_of_vqa_v2_are_as_right_as_the_definition_says(one_in: int) -> None:
    with gzip.open(VQA_V2 / "annotations.json.gz", "rt", encoding="utf-8") as file:
        questions = [[row["answer"] for row in each["answers"]] for each in json.load(file)["annotations"][::one_in]]
    of_the_next = [*questions[1:], questions[0]]
    found: Counter[Fraction] = Counter()
    for answers, others in zip(questions, of_the_next, strict=True):
        first = answers[0]
        wrong = (others[0], f"The {first}!", f"{first}.", first.upper(), "", "one", "dont know", "1,000", "no-one")
        for said in (*dict.fromkeys(answers), *wrong):
            right = official(said, answers)
            assert vqa_accuracy(said, answers) == pytest.approx(float(right), abs=1e-12), (said, answers)
            found[right] += 1
    # All the shares that ten annotators can give, none of them rarely.
    assert set(found) == {Fraction(share, 10) for share in (0, 3, 6, 9, 10)}
    assert min(found.values()) > 100 // one_in


words = st.sampled_from(["two", "2", "a", "the", "dog", "Dog", "dont", "t-shirt", "1,000", "1.5", "dogs.", ",", "? "])


@given(
    st.lists(st.lists(words, max_size=4).map(" ".join), min_size=1, max_size=12),
    st.lists(words, max_size=4).map(" ".join),
)
def test_any_answers_are_as_right_as_the_definition_says(answers: list[str], said: str) -> None:
    assert vqa_accuracy(said, answers) == pytest.approx(float(official(said, answers)), abs=1e-12)


@given(st.text(alphabet="aA 1,.-/?'\t", max_size=40))
def test_any_text_is_made_plain_as_step_by_step(text: str) -> None:
    assert normalise_answer(text) == plain(text)
