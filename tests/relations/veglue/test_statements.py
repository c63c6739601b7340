"""Hypotheses of a data set: what they mean, what they name, and what is left of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import Group, Label, truth
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.data import catalogue
from pytest_vqamt.relations.lexical_knowledge import load_knowledge
from pytest_vqamt.relations.veglue.statements import PublishedStatement, nouns_in, published_statements
from tests.relations.veglue.rooms import RIFLE, photo, said, unit
from tests.rows import each_row

KNOWN = load_knowledge("bundled", "bundled")
SNLI_VE = Path(__file__).parents[3] / "../shared/data/snli_ve"
MAN = Thing(id="m", name="man", box=Box(0, 0, 40, 90), attributes=("is walking", "is waving to a dog"))
DOG = Thing(id="d", name="dog", box=Box(100, 0, 40, 40))


def one(scene: Scene) -> PublishedStatement:
    (only,) = published_statements(scene, KNOWN)
    return only


def of(text: str, *units: tuple[str, str, str]) -> PublishedStatement:
    return one(photo(MAN, DOG, hypotheses=(said(text, *(unit(*each) for each in units)),)))


def test_only_what_is_entailed_and_linked_counts() -> None:
    linked, entailed = unit("man", "is walking", "m"), "a man is walking."
    hypotheses = (
        said(entailed, linked, id="right"),
        said(entailed, linked, id="wrong", label="contradiction"),
        said(entailed, linked, id="neither", label="neutral"),
        said("people are walking.", unit("people", "are walking"), id="not linked"),
        said(entailed, id="without units"),
    )
    assert [each.text for each in published_statements(photo(MAN, hypotheses=hypotheses), KNOWN)] == [entailed]


def test_the_meaning_has_the_linked_units_alone() -> None:
    statement = of("a man is walking with people.", ("man", "is walking", "m"), ("people", "", ""))
    (meant,) = statement.hypothesis.meaning.units
    assert meant.group == Group(name="man", attributes=("is walking",))
    assert truth(statement.hypothesis.meaning, statement.scene) is Label.ENTAILMENT
    assert [thing.id for thing in statement.things] == ["m"]
    assert not statement.is_all_located
    assert dict(statement.facts) == {"shape": "published", "units": 2, "wording": "published"}


def test_names_are_those_of_units_of_things_and_all_nouns_of_the_text() -> None:
    child = Thing(id="c", name="boy", box=Box(0, 0, 10, 10))
    scene = photo(
        child,
        hypotheses=(said("A little child, near a shop window.", unit("little child", "near a shop window", "c")),),
    )
    assert one(scene).names == {"boy", "child", "shop", "window"}
    assert one(scene).names_of(child) == {"boy", "child"}


def test_nouns_of_a_text() -> None:
    assert nouns_in("The two women's dogs are in a red truck, outside.", KNOWN) >= {"dog", "truck"}
    assert nouns_in("he is at it", KNOWN) == frozenset()


def test_who_is_left_where_a_thing_goes() -> None:
    statement = of("a man is waving to a dog.", ("man", "is waving to a dog", "m"), ("dog", "", "d"))
    rest = statement.without(DOG)
    assert rest is not None
    assert (rest.text, rest.units) == ("There is a man.", (unit("man", "", "m"),))
    assert rest.hypothesis.meaning.units[0].group == Group(name="man")
    assert rest.without(MAN) is None
    assert statement.without(Thing(id="other", name="cat", box=Box(0, 0, 1, 1))) == statement


def test_of_two_units_of_one_name_the_one_that_stays_keeps_its_own_thing() -> None:
    # "Is waiting for a dog" goes with the man, and the dog that was only waited for goes with it.
    statement = of(
        "a man is waiting for a dog and a dog is asleep.",
        ("man", "is waiting for a dog", "m"),
        ("dog", "", ""),
        ("dog", "is asleep", "d"),
    )
    rest = statement.without(MAN)
    assert rest is not None
    assert {each.thing for each in rest.units if each.property} == {"d"}


def test_two_units_of_one_thing_go_together() -> None:
    statement = of(
        "a man is walking and the man and a dog are there.",
        ("man", "is walking", "m"),
        ("man", "", "m"),
        ("dog", "", "d"),
    )
    rest = statement.without(MAN)
    assert rest is not None
    assert rest.units == (unit("dog", "", "d"),)


@each_row(
    ("others", "only"),
    [
        ((), True),
        ((Thing(id="2", name="man", box=Box(0, 0, 9, 9)),), False),
        ((Thing(id="2", name="person", box=Box(0, 0, 9, 9)),), False),
        # A musician may be the man; a woman is not.
        ((Thing(id="2", name="musician", box=Box(0, 0, 9, 9)),), False),
        ((Thing(id="2", name="woman", box=Box(0, 0, 9, 9)),), True),
        ((Thing(id="2", name="somebody", box=Box(0, 0, 9, 9)),), False),
        ((Thing(id="2", name="tree", box=Box(0, 0, 9, 9)),), True),
    ],
)
def test_who_is_the_only_one_of_a_name(others: tuple[Thing, ...], only: bool) -> None:
    scene = photo(MAN, *others, hypotheses=(said("a man is walking.", unit("man", "is walking", "m")),))
    assert one(scene).is_only(MAN) is only


def test_who_is_named_elsewhere_in_the_text_is_not_the_only_one() -> None:
    assert not of("a man is walking in a crowd of people.", ("man", "is walking", "m")).is_only(MAN)
    assert of("a man is walking in a park.", ("man", "is walking", "m")).is_only(MAN)


def test_the_papers_example_names_what_it_names() -> None:
    assert one(RIFLE).names == {"man", "rifle"}


@pytest.mark.skipif(not SNLI_VE.exists(), reason="needs ../shared/data")
def test_all_of_the_authors_rows_are_entailed_by_their_scenes() -> None:
    source = catalogue.load(f"snli-ve:{SNLI_VE}")
    found = [each for number in range(len(source)) for each in published_statements(source.scene(number), KNOWN)]
    assert len(found) > 100
    for each in found:
        assert truth(each.hypothesis.meaning, each.scene) is Label.ENTAILMENT, each.text
        for thing in each.things:
            rest = each.without(thing)
            assert rest is None or thing not in rest.things
            assert rest is None or truth(rest.hypothesis.meaning, each.scene) is Label.ENTAILMENT, rest.text
