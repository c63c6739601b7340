"""What the oracle says of a scene reads back to its classes with their forms: what MetaIC's relations stand on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.captions.lexicon import WordShape, entries_by_form
from pytest_vqamt.language.captions.number import NounForm
from pytest_vqamt.language.captions.reading import class_of, classes_in
from pytest_vqamt.language.english.nouns import is_mass, is_plural
from pytest_vqamt.language.english.phrases import describe
from pytest_vqamt.picture_world.looks import FAMILIES, NAMES

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
