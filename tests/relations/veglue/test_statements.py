"""Hypotheses of a data set: what they mean, what they name, and what is left of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import Group, Label, truth
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.data import catalogue
from pytest_vqamt.language.units import DescriptionUnit, recombine
from pytest_vqamt.relations.lexical_knowledge import default_knowledge, load_knowledge
from pytest_vqamt.relations.veglue_statements import (
    PublishedStatement,
    needs_nothing_unnamed,
    nouns_in,
    published_statements,
    worded,
)
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


# A hypothesis, an object and its property as language models take them apart, and the sentence of this unit alone.
ATTRIBUTES = """
woman pass the covered bridge in the forest | bridge: covered in the forest | A covered bridge is in the forest.
woman pass the covered bridge in the forest | bridge: is covered | There is a covered bridge.
woman pass the covered bridge in the forest | covered bridge: covered | There is a covered bridge.
two older men walk down a defaced street | street: defaced | There is a defaced street.
two people lay in bed in a department store | store: department | There is a department store.
a lady is about to bowl using a red bowling ball | bowling ball: red | There is a red bowling ball.
a man repairs a broken window | window: broken | There is a broken window.
a dog jumps over a fallen tree near a lake | tree: fallen near a lake | A fallen tree is near a lake.
a man walks past a parked car on the street | car: parked on the street | A parked car is on the street.
a child pets a sleeping dog | dog: sleeping | There is a sleeping dog.
a boy kicks a deflated ball | ball: deflated | There is a deflated ball.
a cook stirs the boiling pot on the stove | pot: boiling on the stove | A boiling pot is on the stove.
two girls sit on a painted bench in a park | bench: painted in a park | A painted bench is in a park.
"""
COMPLEMENTS = """
a woman is getting a meal ready | meal: ready | There is a meal.
a man paints a fence white | fence: white | There is a fence.
a woman holds the door open | door: open | There is a door.
a boy keeps his dog clean | dog: clean | There is a dog.
a man is getting his car washed | car: washed | There is a car.
a mother is making her baby happy | baby: happy | There is a baby.
a man leaves the window closed | window: is closed | There is a window.
a boy throws a ball into the air | ball: into the air | There is a ball.
a man hits a ball with a bat | ball: with a bat | There is a ball.
a girl pushes a cart to a store | cart: to a store | There is a cart.
a man turns the boat upside down | boat: upside down | There is a boat.
"""
NO_SENTENCES = """
a couple is facing away from the camera | couple: away facing | There is a couple.
a man is seated down | man: seated down | There is a man.
a man is seated down | man: is seated down | There is a man.
musicians are performing, surrounded by an audience | audience: surrounded by | There is an audience.
a woman is looking at a man wearing a hat | man: wearing | There is a man.
a boy stands with a girl holding a doll | girl: holding | There is a girl.
a boy is next to a girl in the rain | girl: in the | There is a girl.
a boy is sitting down | boy: down sitting | There is a boy.
a cat curled up asleep | cat: asleep up | There is a cat.
a dog is sitting on a rock | dog: sitting on | There is a dog.
a boy is with a girl and a dog | girl: and | There is a girl.
a woman is leaning back | woman: back leaning | There is a woman.
a man is looking at a machine used for cutting | machine: used for | There is a machine.
"""
SENTENCES = """
a woman watches a man running | man: running | A man is running.
a woman helps a boy read a book | boy: read a book | A boy reads a book.
a toddler makes him cry | him: cry | He cries.
a man holds a box filled with apples | box: filled with apples | A box is filled with apples.
a man puts a ball in a box | ball: in a box | A ball is in a box.
a man sees a dog that is asleep | dog: that is asleep | A dog is asleep.
a boy in a red hat waves | boy: in a red hat waves | A boy in a red hat waves.
a man and a woman are seated | woman: are seated | A woman is seated.
a man is standing up | man: is standing up | A man is standing up.
a dog runs away | dog: runs away | A dog runs away.
a bridge covered in snow | bridge: covered in snow | A bridge is covered in snow.
"""


@each_row("line", [line for line in f"{ATTRIBUTES}{COMPLEMENTS}{NO_SENTENCES}{SENTENCES}".splitlines() if line])
def test_a_unit_alone_makes_a_sentence_that_its_hypothesis_means(line: str) -> None:
    source, unit_text, sentence = line.split(" | ")
    name, _, property_ = unit_text.partition(": ")
    assert recombine([worded(DescriptionUnit(object=name, property=property_), f"{source}.")]) == sentence


def test_what_is_left_has_the_words_of_the_whole_hypothesis() -> None:
    bridge = Thing(id="b", name="bridge", box=Box(0, 100, 200, 40))
    units = (unit("woman", "pass the covered bridge", "m"), unit("bridge", "covered", "b"), unit("dog", "", "d"))
    hypothesis = said("a woman passes the covered bridge with a dog.", *units)
    statement = one(photo(MAN, DOG, bridge, hypotheses=(hypothesis,)))
    without_woman = statement.without(MAN)
    assert without_woman is not None
    assert without_woman.text == "There is a covered bridge and a dog."
    without_both = without_woman.without(DOG)
    assert without_both is not None
    assert without_both.text == "There is a covered bridge."


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


@each_row(
    ("text", "sure"),
    [
        ("A woman is sitting on a bench.", True),
        ("Two boys in red shirts are walking down the street.", True),
        ("A man holding a bag is near a dog.", True),
        ("A child is outside.", True),
        ("A woman is reading.", False),  # a book
        ("A man is selling fruit.", False),  # a shop
        ("The cyclist is smiling.", False),  # a bicycle
        ("People are playing soccer.", False),  # a ball
        ("A man is standing in a kitchen.", False),  # an oven
        ("Two people are talking.", False),  # to somebody
    ],
)
def test_what_needs_nothing_that_is_not_named(text: str, sure: bool) -> None:
    assert needs_nothing_unnamed(text, default_knowledge()) is sure
