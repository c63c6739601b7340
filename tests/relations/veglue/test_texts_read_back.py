"""What the relations about hypotheses say of the picture world, read: what it means, and whether it is so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.meaning import Label, truth
from pytest_vqamt.core.query import Query
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.catalogue import get
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.reader.hypotheses import read, said
from tests.reader.truths import named
from tests.reader.vocabulary import LEXICON
from tests.relations.deriving import derive
from tests.relations.veglue.rooms import groups

SCENES, FEW, MANY = 300, 60, 3_000
EXPECTED = {
    "veglue.mr1_joint_erase": Label.ENTAILMENT,
    "veglue.mr2_linked_erase": Label.CONTRADICTION,
    "veglue.mr3_unlinked_erase": Label.ENTAILMENT,
    "text.antonym_swap": Label.CONTRADICTION,
    "text.word_substitution": Label.ENTAILMENT,
}

IN_OTHER_WORDS = {
    "guys?": "man", "lady": "woman", "lad": "boy", "automobile": "car", "bike": "bicycle", "plane": "airplane",
    "sofa": "couch", "tv": "television", "shrub": "bush", "pail": "bucket", "bunny": "rabbit", "teddy": "teddy bear",
    "laptop computer": "laptop", "grey": "gray", "checkered": "checked", "stripy": "striped", "shut": "closed",
    "big": "large", "seated": "sitting", "holds": "is holding", "wears": "is wearing", "carries": "is carrying",
    "stands": "is standing", "sits": "is sitting", "lies": "is lying", "close to": "near", "underneath": "under",
}  # fmt: skip
"""What a reader who knows the words of the picture world alone is told of others."""


@cache
def source() -> PictureWorld:
    return PictureWorld(SCENES)


def cases(name: str, n: int) -> Iterator[Case]:
    corpus = source().corpus
    for number in range(n):
        case = derive(get(name), source().scene(number % SCENES), RandomChooser(Random(number)), corpus=corpus)
        if isinstance(case, Case):
            yield case


def in_known_words(text: str) -> str:
    """The text with the reader's own words, its articles as they ask for them."""
    for words, known in IN_OTHER_WORDS.items():
        text = re.sub(rf"\b{words}\b(?! bear)", known, text)
    text = re.sub(r"\b([Aa])n (?=[bcdfghjklmnpqrstvwxz])", r"\1 ", text)
    return re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", text)


def label(query: Query) -> Label:
    """What is right of the hypothesis as it is read, worked out with a table of the tests' own."""
    scene = query.picture.scene
    there = all(named(group, scene) for group in read(in_known_words(query.text), LEXICON))
    return Label.ENTAILMENT if there else Label.CONTRADICTION


@pytest.mark.parametrize("n", [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_read_is_what_is_meant_and_as_it_should_be(name: str, n: int) -> None:
    checked = 0
    for case in cases(name, n):
        first, second = case.queries
        for query in case.queries:
            found = read(in_known_words(query.text), LEXICON)
            assert said(found) == said(groups(query)), query.text
            assert label(query) == truth(query.meaning, query.picture.scene), query.text
        assert (label(first), label(second)) == (Label.ENTAILMENT, EXPECTED[name]), (first.text, second.text)
        checked += 1
    assert checked > n // 2
