"""Captions by hand: kinds and synonyms, compounds, colours and verbs, numbers, second mentions, denials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.captions.caption_reader import class_of, classes_in
from pytest_vqamt.language.captions.naming_words import WordShape, entries_by_form
from pytest_vqamt.language.captions.number import NounForm
from pytest_vqamt.language.captions.verdicts import least_claimed
from pytest_vqamt.language.english.nouns import is_mass, is_plural
from pytest_vqamt.language.english.phrases import describe
from pytest_vqamt.picture_world.looks import FAMILIES, NAMES
from tests.rows import each_row

_SENTENCES = Path(__file__).with_name("sentences.txt")
_FORMS = {"s": NounForm.SINGULAR, "p": NounForm.PLURAL, "-": NounForm.NONE}


def _sentences() -> Iterator[tuple[str, str, dict[str, NounForm]]]:
    kind = ""
    for line in _SENTENCES.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ")
        elif line and not line.startswith("#"):
            caption, _, expected = line.partition("|")
            yield kind, caption.strip(), _classes(expected)


def _classes(expected: str) -> dict[str, NounForm]:
    """Classes with forms as the file has them, "hot dog=s dog=p": a name may be of two words."""
    found: dict[str, NounForm] = {}
    name: list[str] = []
    for word in expected.split():
        last, equals, form = word.partition("=")
        name.append(last)
        if equals:
            found[" ".join(name)] = _FORMS[form]
            name = []
    return found


SENTENCES = tuple(_sentences())


@each_row(("kind", "caption", "expected"), SENTENCES)
def test_a_caption_names_what_a_reader_takes_from_it(kind: str, caption: str, expected: dict[str, NounForm]) -> None:
    assert dict(classes_in(caption)) == expected, kind


def test_there_are_many_of_every_kind() -> None:
    kinds = [kind for kind, _, _ in SENTENCES]
    assert len(SENTENCES) >= 150
    assert len({caption for _, caption, _ in SENTENCES}) == len(SENTENCES)
    assert {kind: kinds.count(kind) for kind in kinds if kinds.count(kind) < 5} == {}


@pytest.mark.parametrize("change", [str.upper, str.capitalize, lambda text: f"  {text}. ", lambda text: f'"{text}"'])
def test_capitals_and_marks_change_nothing(change: object) -> None:
    assert callable(change)
    for _, caption, expected in SENTENCES:
        assert dict(classes_in(change(caption))) == expected, caption


# How many things a caption surely says are there.


@each_row(
    ("caption", "name", "least"),
    [
        # Names and their kinds, as one or several.
        ("A dog on a couch.", "dog", 1),
        ("Two puppies and a cat.", "dog", 2),
        ("Three large brown dogs run; 5 cars pass.", "dog", 3),
        ("Three large brown dogs run; 5 cars pass.", "car", 5),
        ("A group of people.", "person", 2),
        ("Three men and a woman.", "person", 3),
        ("A herd of sheep.", "sheep", 2),
        ("A boy in an armchair.", "chair", 1),
        ("A boy in an armchair.", "man", 0),
        ("A duck.", "bird", 1),
        ("A burger and a cupcake.", "sandwich", 0),
        ("A bird.", "duck", 0),
        ("A table with a bowl.", "dining table", 0),
        # The same things again are not added up.
        ("A dog and a puppy.", "dog", 1),
        ("Two dogs play, and two dogs sleep.", "dog", 2),
        # Nothing else goes by the name.
        ("A hot dog.", "dog", 0),
        ("A dog house at a train station.", "dog", 0),
        ("A dog house at a train station.", "train", 0),
        ("A man playing frisbee.", "frisbee", 0),
        ("An elephant. Its baby is near.", "person", 0),
        ("A bike.", "bicycle", 0),
        # What is denied, guessed, only looked like, or wanted.
        ("There is no dog, only a cat.", "dog", 0),
        ("It isn't a dog.", "dog", 0),
        ("A street without any cars.", "car", 0),
        ("The dog is missing.", "dog", 0),
        ("There might be a dog behind the couch.", "dog", 0),
        ("Either a dog or a cat.", "cat", 0),
        ("A cloud that looks like a dog.", "dog", 0),
        ("A stuffed dog on a bed.", "dog", 0),
        ("A statue of a horse.", "horse", 0),
        ("A kite shaped as a dog.", "dog", 0),
        ("A sign with a bear on it.", "bear", 0),
        ("A woman on the television.", "person", 0),
        ("A boy with a dog on his shirt.", "dog", 0),
        ("A boy in a white shirt.", "boy", 1),
        ("A framed picture of a dog.", "dog", 0),
        ("A picture of a dog hangs there.", "dog", 0),
        ("A bench for people.", "person", 0),
        # A doubt is about its own sentence, and the picture itself is none.
        ("There is no dog. A cat sleeps.", "cat", 1),
        ("A picture of two dogs in a park.", "dog", 2),
        ("The image shows a bus.", "bus", 1),
        ("In this photo, there is a bus.", "bus", 1),
        ("A stop sign next to a book.", "stop sign", 1),
        ("A stop sign next to a book.", "book", 1),
        ("no", "dog", 0),
        ("", "dog", 0),
    ],
)
def test_a_claim(caption: str, name: str, least: int) -> None:
    assert least_claimed(caption, name) == least


@pytest.mark.parametrize("number", [2, 3, 12, 20])
def test_numbers_are_read_in_digits_and_years_are_none(number: int) -> None:
    assert least_claimed(f"{number} dogs", "dog") == number
    assert least_claimed("1950 cars", "car") == 2
    assert least_claimed("A 1950 truck", "truck") == 1


# What the oracle says of a scene reads back to its classes with their forms: what MetaIC's relations stand on.

Inventory = Sequence[tuple[str, int]]

THINGS = sorted(COCO_CLASSES | set(NAMES))
_OF_NO_CLASS = set(FAMILIES["clothing"]) - {"umbrella"}


def _form(name: str, number: int) -> NounForm:
    """Worked out from the noun alone: water, scissors and the like stand as they are, however many there are."""
    if is_mass(name) or is_plural(name):
        return NounForm.NONE
    return NounForm.SINGULAR if number == 1 else NounForm.PLURAL


def _expected(inventory: Inventory) -> dict[str, NounForm]:
    found: dict[str, NounForm] = {}
    for name, number in inventory:
        of = class_of(name)
        if of is not None:
            form = _form(name, number)
            found[of] = NounForm.PLURAL if of in found and NounForm.NONE not in (form, found[of]) else form
    return found


def test_every_name_has_its_class() -> None:
    others = {"man": "person", "woman": "person", "boy": "person", "girl": "person", "duck": "bird"}
    others |= {"table": "dining table", "television": "tv", "ball": "sports ball"}
    for name in THINGS:
        assert class_of(name) == (None if name in _OF_NO_CLASS else others.get(name, name))


@pytest.mark.parametrize("number", [1, 2, 5, 21, 250])
def test_one_name(number: int) -> None:
    for name in THINGS:
        assert dict(classes_in(describe([(name, number)]))) == _expected([(name, number)])


@pytest.mark.parametrize("one_in", [20, pytest.param(1, marks=pytest.mark.full)])
def test_two_names_in_either_order(one_in: int) -> None:
    pairs = list(permutations(THINGS, 2))[::one_in]
    for (a, b), numbers in zip(pairs, _cycle(((1, 1), (1, 2), (2, 1), (2, 5))), strict=False):
        inventory = ((a, numbers[0]), (b, numbers[1]))
        told = classes_in(describe(inventory))
        assert list(told.items()) == list(_expected(inventory).items()), describe(inventory)


def _cycle(values: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    return [*values] * len(THINGS) ** 2


@given(st.lists(st.tuples(st.sampled_from(THINGS), st.integers(1, 12)), max_size=9, unique_by=lambda each: each[0]))
def test_lists_of_names(inventory: list[tuple[str, int]]) -> None:
    told = dict(classes_in(describe(inventory)))
    assert told.keys() == _expected(inventory).keys()
    for name, number in inventory:
        of = class_of(name)
        if of is not None and sum(class_of(other) == of for other, _ in inventory) == 1:
            assert told[of] is _form(name, number)


SURE = sorted(
    {word.lemma for word in entries_by_form().values() if word.classes and word.shape is not WordShape.LACKING}
)


@given(st.lists(st.sampled_from(SURE), min_size=2, max_size=4, unique=True))
def test_what_one_name_is_read_as_does_not_hang_on_the_others(names: list[str]) -> None:
    """So that what was there before is read alike after; of every word of the tables."""
    apart = set().union(*(classes_in(describe([(name, 1)])) for name in names))
    assert set(classes_in(describe([(name, 1) for name in names]))) == apart
