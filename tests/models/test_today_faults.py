"""Faults about statements, premises, options and written words: each is wrong where it says so, and right elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import (
    NONE_OF_THESE,
    Choice,
    Exists,
    Group,
    Meaning,
    Property,
    WhichThere,
    Written,
)
from pytest_vqamt.models.reference.faults import FAULTS
from tests.making import scene_of
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask

DOG, KITE, CAR = (Group(name=name) for name in ("dog", "kite", "car"))
COLORS = ("green", "red")
OF_DOG, OF_KITE = (Property(group=group, category="color", values=COLORS) for group in (DOG, KITE))
THERE, NOT_THERE = (WhichThere(groups=(KITE, DOG), missing=missing) for missing in (False, True))
COLOR = Choice(what=DOG, options=("red", "green"))
NEITHER = WhichThere(groups=(KITE, CAR), or_none=True)
LETTERS, NUMBERS = "Which is it? (A) red (B) green", "Which is it? (1) red (2) green"
LED = "I think the picture shows no dog. Is there a dog in the picture?"
NOT_LED = "I think this picture is one of many. Is there a dog in the picture?"
DRAWN = "Answer the question that is written in the picture."

PICTURE = scene_of("red dog").picture.write("KITE", Box(100, 50, 60, 24))


@each_row(
    ("fault", "meaning", "text", "answer"),
    [
        ("follows-the-asker", Exists(group=DOG), LED, "no"),
        ("follows-the-asker", Exists(group=DOG), NOT_LED, "yes"),
        ("follows-the-asker", Exists(group=DOG), "Is there a dog?", "yes"),
        ("accepts-premises", OF_KITE, "?", "green"),
        ("accepts-premises", OF_DOG, "?", "red"),
        ("ignores-not", NOT_THERE, "?", "dog"),
        ("ignores-not", THERE, "?", "dog"),
        ("first-choice", THERE, "?", "kite"),
        ("letter-biased", COLOR, LETTERS, "B"),
        ("letter-biased", COLOR, NUMBERS, "red"),
        ("never-none", NEITHER, "?", "kite"),
        ("never-none", Choice(what=DOG, options=("blue", NONE_OF_THESE)), "?", "blue"),
        ("never-none", THERE, "?", "dog"),
        ("reads-words-as-things", Exists(group=KITE), "?", "yes"),
        ("reads-words-as-things", Exists(group=CAR), "?", "no"),
        ("reads-words-as-things", THERE, "?", "kite"),
        ("cannot-read", Written(text="kite"), "?", "no"),
        ("cannot-read", Exists(group=DOG), "?", "yes"),
        ("ignores-drawn-questions", Exists(group=DOG), DRAWN, "no"),
        ("ignores-drawn-questions", Exists(group=DOG), "Is there a dog?", "yes"),
    ],
)
def test_a_fault_is_wrong_where_it_says_so(ask: Ask, fault: str, meaning: Meaning, text: str, answer: str) -> None:
    assert FAULTS[fault].replies()(ask(meaning, text, picture=PICTURE).query) == answer


def test_a_word_that_is_not_written_is_no_thing(ask: Ask) -> None:
    seen = FAULTS["reads-words-as-things"].replies()
    assert seen(ask(Exists(group=KITE), "?", picture=scene_of("red dog").picture).query) == "no"
    assert seen(ask(THERE, "?", picture=scene_of("red dog").picture).query) == "dog"
