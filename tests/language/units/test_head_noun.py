"""The name that a thing goes by, of objects as hypotheses word them."""

from __future__ import annotations

import pytest

from pytest_vqamt.language.units import DescriptionUnit, head_noun, unit_of
from tests.rows import each_row

HEADS = {
    "girl": "girl", "young girl": "girl", "Girls": "girl", "men": "man", "school bus": "bus", "camera straps": "strap",
    "group of men": "man", "pair of old shoes": "shoe", "slice of pizza": "pizza", "cup of coffee": "cup",
    "plates of food": "plate", "one of the men": "man", "man's hat": "hat", "people": "person", "scissors": "scissors",
    "herd of sheep": "sheep", "picture of a dog": "picture", "someone": "someone",
    "martial arts instructor": "instructor",
}  # fmt: skip


@each_row(("name", "noun"), HEADS.items())
def test_head_nouns(name: str, noun: str) -> None:
    assert head_noun(name) == noun


@each_row("name", ["one of " * 2000, "group of " * 2000, "of", " of ", "one of ", ""])
def test_odd_names_have_some(name: str) -> None:
    assert isinstance(head_noun(name), str)


@pytest.mark.parametrize(
    ("words", "name", "is_plural"),
    [
        ("The two dogs", "dogs", True),
        ("his old hat", "old hat", False),
        ("a group of men", "group of men", True),
        ("the", "the", False),
    ],
)
def test_units_lose_their_articles(words: str, name: str, is_plural: bool) -> None:
    assert unit_of(words, " sleeps. ") == DescriptionUnit(object=name, property="sleeps", is_plural=is_plural)
