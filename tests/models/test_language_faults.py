"""Faults in other languages than English: each is wrong where it says so, and right elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.translations.questions import LANGUAGES, language
from pytest_vqamt.models.reference.faults import FAULTS
from tests.making import group_of, scene_of
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask

PICTURE = scene_of("dog", "dog", "red car").picture


def said(ask: Ask, fault: str, question: Question) -> str:
    return FAULTS[fault].replies()(ask(question.meaning, question.text, picture=PICTURE).query)


@each_row(
    ("fault", "cats", "dogs", "colour"),
    [("english-only", "yes", "1", "blue"), ("counts-in-english-only", "no", "3", "red")],
)
def test_it_is_wrong_in_other_languages(ask: Ask, fault: str, cats: str, dogs: str, colour: str) -> None:
    for code in LANGUAGES:
        other = language(code)
        assert said(ask, fault, other.exists("cat")) == cats
        assert said(ask, fault, other.count("dog")) == dogs
        assert said(ask, fault, other.choice("car", ("blue", "red"))) == colour


@each_row("fault", ["english-only", "counts-in-english-only"])
def test_it_is_right_in_english(ask: Ask, fault: str) -> None:
    assert said(ask, fault, simple.exists(group_of("cat"))) == "no"
    assert said(ask, fault, simple.count(group_of("dog"))) == "2"
