"""Predicates as annotators write them, in the words of a phrase and of a clause: expected by hand."""

from __future__ import annotations

import pytest

from pytest_vqamt.language.english.phrases import links


@pytest.mark.parametrize(
    ("predicate", "phrase", "one", "many"),
    [
        ("on", "on", "is on", "are on"),
        ("is on", "on", "is on", "are on"),
        ("wearing a", "wearing", "is wearing", "are wearing"),
        ("wears", "wearing", "is wearing", "are wearing"),
        ("sits on", "sitting on", "is sitting on", "are sitting on"),
        ("laying on", "lying on", "is lying on", "are lying on"),
        ("has", "with", "has", "have"),
        ("with", "with", "has", "have"),
        ("has on", "wearing", "is wearing", "are wearing"),
        ("of", "of", "belongs to", "belong to"),
        ("left of", "to the left of", "is to the left of", "are to the left of"),
        ("on left side of", "on the left side of", "is on the left side of", "are on the left side of"),
        ("in front of a", "in front of", "is in front of", "are in front of"),
        ("covered by", "covered by", "is covered by", "are covered by"),
        ("cut into", "cut into", "is cut into", "are cut into"),
    ],
)
def test_a_predicate_in_words(predicate: str, phrase: str, one: str, many: str) -> None:
    assert links().after_a_noun(predicate) == phrase
    assert links().in_a_clause(predicate, many=False) == one
    assert links().in_a_clause(predicate, many=True) == many
