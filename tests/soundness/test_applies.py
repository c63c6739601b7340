"""docs/reference/applies.md tells what the relations make of each scene."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.meaning import (
    Annotated,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Has,
    Meaning,
    Neither,
    NotBoth,
    Related,
    Unit,
)
from pytest_vqamt.core.scene import Relationship, Thing
from tests.making import thing_of
from tests.rows import each_row
from tests.soundness.applies_page import PAGE, cell, column
from tests.soundness.asking import Item, each_item, items
from tests.soundness.kinds_of_things import kind
from tests.soundness.knowing import Doubtful, Knowing
from tests.soundness.samples import FEW_PICTURES, PICTURES, REAL, Sample, each_of
from tests.soundness.survey import survey

RENEW = "run: python -m tests.soundness.applies_page"

LEAST_SHARE = {
    # Three things in a row, each the only one of its name.
    "spatial.transitive": 0.2,
    # 55 and 52 of 100 scenes in the larger sample have a large thing with such parts, 49 and 48 of the smaller one.
    "count.prior[more]": 0.45,
    "count.prior[less]": 0.45,
    # 29 of 100 scenes have two things that come or go, each by a way that nothing crosses.
    "film.order": 0.25,
}
"""Of scenes that give a case, where it takes things that few scenes have."""


@pytest.mark.full
@each_of(PICTURES, *REAL)
def test_the_page_is_up_to_date(sample: Sample) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert column(text, sample) == {item.name: cell(item, sample) for item in items()}, RENEW


@each_of(FEW_PICTURES, full=(PICTURES,))
@each_item
def test_a_relation_applies_to_the_picture_world_and_presumes_nothing_there(item: Item, sample: Sample) -> None:
    found = survey(item, sample)
    assert found.applies / sample.scenes >= LEAST_SHARE.get(item.name, 0.5)
    assert not found.presumed


# What is known of a picture that is seen in part: what can be told for certain is told, and nothing else.

DOG = thing_of("brown large dog", id="dog")
CAT = thing_of("black cat", id="cat")
TABLE = thing_of("table", id="table")
KINDS = {"animal": kind("dog, cat", "teddy bear")}


def knowing(
    *things: Thing, badly: tuple[Thing, ...] = (), crowds: tuple[Thing, ...] = (), compares: bool = True
) -> Knowing:
    """The dog is on the table; dogs and cats look alike. What is among the things and the crowds lies in pieces."""
    return Knowing(
        things=things,
        doubtful=(
            *(Doubtful(thing=each, badly=True) for each in badly),
            *(Doubtful(thing=each, badly=False) for each in crowds),
        ),
        relationships=(Relationship(subject="dog", predicate="on", object="table"),),
        kinds=KINDS,
        compares=compares,
        alike=lambda one, other: one == other or {one, other} == {"dog", "cat"},
    )


def group(name: str, *attributes: str, on: str = "") -> Group:
    related = (Related(predicate="on", to=Group(name=on)),) if on else ()
    covers = ("dog", "cat") if name == "animal" else ()
    return Group(name=name, attributes=attributes, covers=covers, related=related)


def exists(name: str, *attributes: str, on: str = "") -> Exists:
    return Exists(group=group(name, *attributes, on=on))


def has(name: str, attribute: str) -> Has:
    return Has(group=group(name), attribute=attribute)


def choice(name: str, *options: str, on: str = "") -> Choice:
    return Choice(what=group(name, on=on), options=options)


def in_short(value: object) -> str:
    """An id that is the same in every process."""
    if isinstance(value, Knowing):
        return " ".join(thing.name for thing in (*value.things, *(each.thing for each in value.doubtful)))
    return str(value)


@each_row(
    ("seen", "meaning", "known"),
    [
        (knowing(DOG, TABLE), exists("animal", "brown"), True),
        (knowing(DOG, TABLE), exists("animal", "black"), False),
        (knowing(DOG, TABLE), exists("dog", on="table"), True),
        (knowing(CAT, TABLE), exists("cat", on="table"), False),
        (knowing(DOG, CAT, TABLE), choice("animal", "cat", "dog", on="table"), "dog"),
        (knowing(DOG, CAT), has("cat", "black"), True),
        (knowing(DOG, CAT), Count(groups=(group("dog"), group("cat"))), 2),
        (knowing(DOG), Both(groups=(group("dog"), group("cat"))), False),
        (knowing(DOG), NotBoth(groups=(group("dog"), group("cat"))), True),
        (knowing(DOG), Either(groups=(group("dog"), group("cat"))), True),
        (knowing(TABLE), Neither(groups=(group("dog"), group("cat"))), True),
    ],
)
def test_what_is_seen_well_is_told(seen: Knowing, meaning: Meaning, known: bool | int | str) -> None:
    assert seen.answer(meaning) == known


@each_row(
    ("seen", "meaning"),
    [
        # The cat may be a dog.
        (knowing(badly=(CAT,)), exists("dog")),
        (knowing(badly=(CAT,)), Neither(groups=(group("dog"), group("table")))),
        (knowing(TABLE, badly=(CAT,)), Both(groups=(group("table"), group("dog")))),
        (knowing(DOG, badly=(CAT,)), Count(groups=(group("dog"),))),
        # Then "the dog" and "the animal" may be either.
        (knowing(DOG, badly=(CAT,)), has("dog", "brown")),
        (knowing(DOG, TABLE, badly=(CAT,)), choice("animal", "dog", "cat", on="table")),
        # There are two.
        (knowing(DOG, CAT), choice("animal", "dog", "cat")),
        (knowing(DOG, DOG), has("dog", "brown")),
        # "The table" is not in sight.
        (knowing(DOG), exists("dog", on="table")),
        (knowing(DOG), exists("cat", on="table")),
        # Some call it an animal.
        (knowing(thing_of("teddy_bear")), exists("animal")),
        # Large beside what?
        (knowing(DOG, compares=False), has("dog", "large")),
        (knowing(DOG, compares=False), choice("dog", "large", "small")),
        # Both are right, or neither is.
        (knowing(DOG), choice("dog", "brown", "large")),
        (knowing(DOG), choice("dog", "red", "blue")),
    ],
)
def test_what_cannot_be_told_is_not(seen: Knowing, meaning: Meaning) -> None:
    assert seen.answer(meaning) is None


def test_what_is_seen_badly_is_a_rival_only_where_it_may_be_one_of_the_choices() -> None:
    table = thing_of("table", id="another table")
    assert knowing(DOG, badly=(table,)).answer(choice("animal", "dog", "cat")) == "dog"
    assert knowing(DOG, badly=(CAT,)).answer(choice("animal", "dog", "cat")) is None


@each_row(
    ("seen", "groups", "label"),
    [
        (knowing(DOG, TABLE), (group("dog", "brown", on="table"), group("table")), "entailment"),
        (knowing(DOG, TABLE), (group("dog", "black"), group("table")), "contradiction"),
        # "On a table": any will do, and without one it is on none.
        (knowing(DOG, TABLE, thing_of("table", id="2")), (group("dog", on="table"),), "entailment"),
        (knowing(DOG), (group("dog", on="table"),), "contradiction"),
        (knowing(CAT, TABLE), (group("cat", on="table"),), "contradiction"),
        # What is seen badly may be it, and another may be there all the same.
        (knowing(DOG, badly=(TABLE,)), (group("dog", on="table"),), None),
        (knowing(TABLE, badly=(CAT,)), (group("dog"),), None),
        (knowing(DOG, badly=(CAT,)), (group("dog"),), "entailment"),
        (knowing(badly=(CAT,)), (group("table"), group("dog")), "contradiction"),
    ],
)
def test_hypotheses(seen: Knowing, groups: tuple[Group, ...], label: str | None) -> None:
    assert seen.answer(Entails(units=tuple(Unit(group=each) for each in groups))) == label


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (knowing(), ()),
        (knowing(DOG, CAT, thing_of("dog", id="2")), (("dog", 2), ("cat", 1))),
        # The cat may be a dog, or be left out.
        (knowing(DOG, badly=(CAT,)), None),
        (knowing(CAT, crowds=(DOG,)), (("cat", 1), ("dog", 2))),
        # A dog behind a pole is one dog.
        (knowing(DOG, crowds=(DOG,)), (("dog", 1),)),
    ],
    ids=in_short,
)
def test_descriptions(seen: Knowing, told: tuple[tuple[str, int], ...] | None) -> None:
    assert seen.answer(Describe()) == told


def test_of_other_meanings_nothing_is_said() -> None:
    with pytest.raises(AssertionError, match="say here what is known"):
        knowing().answer(Annotated(answers=()))
