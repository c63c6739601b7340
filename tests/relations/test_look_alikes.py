"""What may be taken for what where it is blurred or seen in part."""

from __future__ import annotations

from itertools import combinations

import pytest

from pytest_vqamt.language.english.families import family
from pytest_vqamt.relations.soundness import OUTLINES, surely_unlike


@pytest.mark.parametrize(
    ("a", "b"),
    [("dog", "car"), ("man", "car"), ("pizza", "bus"), ("elephant", "umbrella"), ("wine glass", "person")],
)
def test_things_of_two_families_and_outlines_are_surely_unlike(a: str, b: str) -> None:
    assert surely_unlike(a, b)
    assert surely_unlike(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("dog", "dog"),
        # Of one family.
        ("dog", "cat"),
        ("cup", "plate"),
        # Of two families, but from behind a teddy bear is a bear, and a person from afar.
        ("bear", "teddy bear"),
        ("woman", "teddy bear"),
        ("skier", "robot"),
        # Of one outline: round, in the air, with straight edges, hollow.
        ("balloon", "apple"),
        ("orange", "sports ball"),
        ("bird", "airplane"),
        ("book", "laptop"),
        ("vase", "bottle"),
        ("broccoli", "tree"),
        # A mouse is an animal or lies on a desk, and nobody knows what a thingamajig looks like.
        ("mouse", "car"),
        ("thingamajig", "car"),
    ],
)
def test_others_may_be_taken_for_each_other(a: str, b: str) -> None:
    assert not surely_unlike(a, b)
    assert not surely_unlike(b, a)


def test_an_outline_names_things_that_families_keep_apart() -> None:
    named = [row.split(", ") for row in OUTLINES]
    # A name without a family is surely unlike nothing as it is, and one that is misspelt does nothing.
    assert [name for row in named for name in row if family(name) is None] == []
    assert all(len(set(row)) == len(row) for row in named)
    for row in named:
        assert any(family(a) != family(b) for a, b in combinations(row, 2))
