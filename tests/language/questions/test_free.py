"""The words of a question decide which changes keep its answer."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from pytest_vqamt.language.questions.free import Kept, is_plain, keeps_answer
from tests.rows import each_row

VQA = Path(__file__).parents[3] / "../shared/data/vqa_v2/questions.json.gz"


@each_row(
    ("question", "changes"),
    [
        ("Is the man on the left?", "mirror tilt margin"),
        ("Which way is the dog heading?", "mirror tilt margin"),
        ("What does the sign say?", "mirror smaller"),
        ("What time is it?", "mirror smaller tilt"),
        ("How many people are there?", "shift smaller"),
        ("Is there a small bird in the tree?", "smaller"),
        ("Is the picture blurry?", "shift margin smaller larger jpeg tilt mirror"),
        ("What is in the background?", "shift margin smaller larger tilt mirror"),
        ("What color is the dog?", "margin"),
        ("Is the shelf straight?", "tilt"),
        ("Is the pole leaning?", "tilt mirror margin"),
        ("Is this a nice room?", "statement"),
        ("How do you spell the name?", "wording mirror smaller"),
        ("Is there a dog?", ""),
        ("Is there a dog in the picture?", ""),
        ("What is the man holding?", ""),
    ],
)
def test_a_word_that_may_make_the_answer_depend_on_a_change_keeps_the_question_from_it(
    question: str, changes: str
) -> None:
    lost = {each for each in Kept if each is not Kept.BLANK and not keeps_answer(question, each)}
    assert lost == {Kept(each) for each in changes.split()}


@each_row(
    "text", ["Wie viele Hunde gibt es?", "A dog.", "Is it?\nA dog", "Is it a dog? Or a cat?", "Dog?", "How " * 50]
)
def test_what_is_not_one_plain_question_in_english_is_kept_from_all(text: str) -> None:
    assert not is_plain(text)
    assert not any(keeps_answer(text, each) for each in Kept)


def test_most_questions_that_people_asked_have_cases() -> None:
    if not VQA.is_file():
        pytest.skip("needs ../shared/data/vqa_v2")
    texts = [each["question"] for each in json.loads(gzip.decompress(VQA.read_bytes()))["questions"]]
    assert len(texts) == 4000
    shares = {each: sum(keeps_answer(text, each) for text in texts) / len(texts) for each in Kept}
    assert shares[Kept.WORDING] > 0.95
    assert min(shares[each] for each in Kept if each is not Kept.BLANK) > 0.4
    mirrored = [text.casefold() for text in texts if keeps_answer(text, Kept.MIRROR)]
    assert not any(word in text.split() for text in mirrored for word in ("left", "right", "sign", "clock", "facing"))
