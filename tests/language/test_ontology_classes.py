"""A class noun is said only of what everybody calls so, and its absence only where nothing could be taken for it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.english.families import is_kind_either_way
from pytest_vqamt.language.english.nouns import is_countable, is_mass, is_plural
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.wordnet import wordnet
from pytest_vqamt.picture_world.looks import FAMILY_OF, NAMES
from tests.rows import each_row

VOCABULARY = Path(__file__).parents[2] / "../shared/data/vocab/vg_objects_vocab.txt"
KNOWN = ontology()
WORDS = wordnet()

SURE_OF_A_FAMILY = {
    "person": "person",
    "animal": "animal",
    "food": "food",
    "vehicle": "vehicle",
    "plant": "plant",
}
"""Families of the picture world of which all names are of the class that people call so."""


def surely(name: str) -> tuple[str, ...]:
    return KNOWN.classes_of(name, WORDS)


def perhaps(name: str) -> tuple[str, ...]:
    return KNOWN.perhaps_classes_of(name, WORDS)


@each_row(
    ("name", "expected"),
    [
        ("apple", ("fruit", "food")),
        ("carrot", ("vegetable", "food")),
        ("cake", ("dessert", "food")),
        ("hot dog", ("food",)),
        ("tomato", ("food",)),
        ("coffee", ("drink",)),
        ("dog", ("animal",)),
        ("dogs", ("animal",)),
        ("duck", ("bird", "animal")),
        ("butterfly", ("insect", "animal")),
        ("man", ("person",)),
        ("skiers", ("person",)),
        ("airplane", ("aircraft", "vehicle")),
        ("palm tree", ("tree", "plant")),
        ("dining table", ("furniture",)),
        ("tv", ("electronic device",)),
        ("refrigerator", ("appliance",)),
        ("fork", ("cutlery", "utensil")),
        ("knife", ("utensil",)),
        ("teddy bear", ("toy",)),
        ("tennis racket", ("sports equipment",)),
        ("drum", ("musical instrument",)),
        ("hat", ("headwear",)),
        ("suitcase", ("luggage",)),
        ("fruit", ("fruit", "food")),
        # What only looks like one, what people differ about, and what has two meanings.
        ("stuffed animal", ("toy",)),
        ("toy car", ("toy",)),
        ("toy dog", ()),
        ("horse statue", ()),
        ("bat", ()),
        ("mouse", ()),
        ("chicken", ()),
        ("lamp", ()),
        ("shelf", ()),
        ("umbrella", ()),
        ("water", ()),
        ("flower bed", ()),
        ("car seat", ()),
        ("french fry", ("food",)),
        ("giraffe head", ()),
        ("thingamajig", ()),
    ],
)
def test_classes_of_names(name: str, expected: tuple[str, ...]) -> None:
    assert surely(name) == expected


@each_row(
    ("name", "word", "expected"),
    [
        ("teddy bear", "animal", True),
        ("stuffed animal", "animal", True),
        ("toy car", "vehicle", True),
        ("horse statue", "animal", True),
        ("paw", "animal", True),
        ("mouse", "animal", True),
        ("lamp", "furniture", True),
        ("shelf", "furniture", True),
        ("tomato", "fruit", True),
        ("skateboard", "vehicle", True),
        ("man", "clothing", True),
        ("shoe", "clothing", True),
        ("hand", "person", True),
        ("grass", "plant", True),
        ("can", "drink", True),
        ("car", "animal", False),
        ("dog", "person", False),
        ("chair", "clothing", False),
        ("hot dog", "animal", False),
        ("book", "toy", False),
        ("robot", "furniture", False),
    ],
)
def test_what_may_be_taken_for_one_of_a_class(name: str, word: str, expected: bool) -> None:
    assert (word in perhaps(name)) is expected


def test_what_wordnet_lacks_may_be_anything() -> None:
    assert perhaps("thingamajig") == tuple(each.word for each in KNOWN.classes)


def test_names_of_the_picture_world_are_of_the_class_of_their_family() -> None:
    for name in NAMES:
        family = FAMILY_OF[name]
        if family in SURE_OF_A_FAMILY:
            assert SURE_OF_A_FAMILY[family] in surely(name)
        others = set(SURE_OF_A_FAMILY.values()) - {SURE_OF_A_FAMILY.get(family, "")}
        assert others.isdisjoint(surely(name)), name


@pytest.mark.skipif(not VOCABULARY.exists(), reason="needs ../shared/data")
def test_what_is_surely_of_a_class_is_perhaps_of_it_and_of_what_the_class_is_within() -> None:
    names = [name for line in VOCABULARY.read_text(encoding="utf-8").splitlines() for name in line.split(",")]
    assert len(names) > 1600
    for name in (*NAMES, *sorted(COCO_CLASSES), *names):
        sure, possible = surely(name), perhaps(name)
        assert set(sure) <= set(possible), name
        for word in sure:
            of = KNOWN.noun_class(word)
            assert of is not None
            assert not of.within or of.within in sure
    living = {"animal", "person", "plant"}
    mixed = [name for name in names if len(living & set(surely(name))) > 1]
    assert mixed == []


def test_classes_are_in_order_and_hold_their_own_word() -> None:
    words = [each.word for each in KNOWN.classes]
    for each in KNOWN.classes:
        assert each.word in surely(each.word)
        assert not each.within or words.index(each.within) > words.index(each.word)
        assert KNOWN.noun_class(each.word) is each
        for synset in (*each.synsets, *each.perhaps_synsets):
            assert WORDS.sense(each.word, synset) == synset, "spelled as WordNet spells it, and in the bundled files"
    assert KNOWN.noun_class("thingamajig") is None


def test_class_words_have_the_number_in_which_people_ask_for_them() -> None:
    mass = {
        "fruit", "food", "footwear", "headwear", "jewelry", "clothing", "luggage", "furniture", "cutlery",
        "sports equipment",
    }  # fmt: skip
    assert {each.word for each in KNOWN.classes if is_mass(each.word)} == mass
    assert not any(is_plural(each.word) for each in KNOWN.classes)
    assert all(is_countable(each.word) for each in KNOWN.classes if each.word not in mass)


def test_choices_are_of_their_class_and_no_thing_is_two_of_them() -> None:
    for each in KNOWN.classes:
        for names in each.choice_sets:
            assert [name for name in names if each.word not in surely(name)] == []
            for a, b in combinations(names, 2):
                assert not is_kind_either_way(a, b), (each.word, a, b)
                if WORDS.sense(a) and WORDS.sense(b):
                    assert not WORDS.may_name_the_same(a, b), (each.word, a, b)
        for name in each.may_be:
            assert each.word in surely(name), (each.word, name)


def test_what_is_offered_beside_a_name_is_nothing_that_it_is_called_too() -> None:
    names = {name for each in KNOWN.classes for names in each.choice_sets for name in names}
    for each in KNOWN.classes:
        for name in {*names, *each.may_be}:
            others = each.others(name)
            assert name not in others
            assert set(others).isdisjoint(each.may_be.get(name, ()))
            if each.word != "person":  # families.py takes every word for a person but four for any of them
                assert [other for other in others if is_kind_either_way(name, other)] == [], (each.word, name)


@each_row(
    ("word", "name", "offered", "never"),
    [
        ("person", "man", {"woman"}, {"boy"}),
        ("person", "girl", {"boy"}, {"woman", "man"}),
        ("person", "skier", set(), {"man"}),
        ("animal", "duck", set(), {"bird"}),
        ("animal", "goat", {"dog", "cow"}, {"sheep"}),
        ("animal", "giraffe", {"zebra", "elephant"}, set()),
        ("vehicle", "truck", {"boat", "bicycle"}, {"car", "bus"}),
        ("vehicle", "plane", {"car"}, {"airplane"}),
        ("vehicle", "bike", {"car", "boat"}, {"bicycle", "motorcycle"}),
        ("furniture", "couch", {"table"}, {"chair", "bed", "bench"}),
        ("container", "cup", {"bottle", "box"}, {"bowl"}),
        ("plant", "bush", set(), {"tree", "flower"}),
    ],
)
def test_choices_by_hand(word: str, name: str, offered: set[str], never: set[str]) -> None:
    of = KNOWN.noun_class(word)
    assert of is not None
    assert offered <= set(of.others(name))
    assert never.isdisjoint(of.others(name))


def test_what_grows_and_stands_in_the_background_is_never_said_to_be_absent() -> None:
    assert {each.word for each in KNOWN.classes if not each.may_be_absent} == {"flower", "tree", "plant", "building"}
