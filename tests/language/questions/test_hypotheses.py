"""Hypotheses: grammar, and every one is read back as the units that it was made of; a damaged one is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Group, Label, Related, Unit, groups_of
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.questions.hypotheses import IN_A_ROW, WORDINGS, Hypothesis, hypothesis, wordings_for
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.language.photo_fillings import photo_askings
from tests.language.template_fillings import _drawn, scene_of
from tests.reader.hypotheses import read, said
from tests.reader.lexicon import Lexicon
from tests.reader.photo_words import LEXICON as PHOTO_WORDS
from tests.reader.photo_words import PREDICATES
from tests.reader.questions import Unreadable
from tests.reader.vocabulary import LEXICON
from tests.rows import each_row
from tools.tiny import hypotheses as training

FEW, MANY = 150, 2_000
TIERS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]


def unit(name: str, *attributes: str, related: tuple[str, Group] | None = None) -> Unit:
    beside = (Related(predicate=related[0], to=related[1]),) if related else ()
    return Unit(group=Group(name=name, attributes=attributes, related=beside))


DOG, CAR = unit("dog"), unit("car", "red")
MAN = unit("man", related=("holding", Group(name="umbrella", attributes=("old",))))
ON_ROAD = unit("car", related=("on", Group(name="road")))
IN_CLAUSES, DESCRIBED, INTRODUCED, SHOWN = range(IN_A_ROW, WORDINGS)


@each_row(
    ("units", "wording", "text"),
    [
        ((CAR, DOG), 0, "There is a red car and a dog."),
        ((CAR, DOG), 4, "This is a picture of a red car and a dog."),
        ((DOG, CAR, unit("cat", "black")), 2, "The picture shows a dog, a red car and a black cat."),
        ((MAN,), 1, "There is a man holding an old umbrella in the picture."),
        ((MAN, DOG), IN_CLAUSES, "A man is holding an old umbrella and there is a dog."),
        ((DOG, MAN), IN_CLAUSES, "There is a dog and a man is holding an old umbrella."),
        ((DOG, MAN, CAR), IN_CLAUSES, "A man is holding an old umbrella and there is a dog and a red car."),
        ((DOG, MAN, CAR), DESCRIBED, "There is a dog, a man is holding an old umbrella and a car is red."),
        ((ON_ROAD, DOG), INTRODUCED, "In the picture, a car is on a road and there is a dog."),
        ((unit("dog", "small", "sitting"),), IN_CLAUSES, "A small dog is sitting."),
        ((unit("door", "open"),), SHOWN, "The picture shows that a door is open."),
        ((unit("tv", "on"), DOG), 0, "There is a switched-on TV and a dog."),
        ((unit("tv", "on"), DOG), IN_CLAUSES, "A TV is turned on and there is a dog."),
        ((unit("scissors"), DOG), 0, "There are scissors and a dog."),
        ((unit("grass", "green"), DOG), 5, "In the picture, there is green grass and a dog."),
        ((unit("people", "walking"), unit("uniform")), IN_CLAUSES, "People are walking and there is a uniform."),
        ((unit("woman", related=("has", Group(name="hat"))),), IN_CLAUSES, "A woman has a hat."),
        ((unit("elephant", "baby"),), DESCRIBED, "An elephant is a baby."),
    ],
)  # fmt: skip
def test_wordings(units: tuple[Unit, ...], wording: int, text: str) -> None:
    found = hypothesis(units, wording)
    assert found.text == text
    assert Counter(found.meaning.units) == Counter(units)


def test_the_units_are_in_the_order_of_the_text() -> None:
    assert hypothesis((DOG, MAN, CAR), IN_CLAUSES).meaning.units == (MAN, DOG, CAR)
    assert hypothesis((DOG, MAN, CAR), DESCRIBED).meaning.units == (DOG, MAN, CAR)
    assert hypothesis((DOG, CAR), 0).meaning.units == (DOG, CAR)


def test_what_follows_a_noun_is_never_said_of_two() -> None:
    assert wordings_for((DOG, CAR))[:IN_A_ROW] == tuple(range(IN_A_ROW))
    assert wordings_for((DOG, MAN)) == (IN_CLAUSES, INTRODUCED)
    assert wordings_for((MAN,)) == (*range(IN_A_ROW), IN_CLAUSES, INTRODUCED)
    assert wordings_for((unit("bird", "in the air", "small"), DOG)) == (IN_CLAUSES, INTRODUCED)
    with pytest.raises(VqamtError, match="stand in a row"):
        hypothesis((DOG, MAN), 0)


def test_nothing_is_said_of_all_grass() -> None:
    assert wordings_for((unit("grass", "green"),)) == tuple(range(IN_A_ROW))
    assert wordings_for((unit("leaves", "green"),)) == tuple(range(IN_A_ROW))


def test_there_are_enough_wordings() -> None:
    texts = {hypothesis((CAR,), wording).text for wording in range(WORDINGS)}
    assert len(wordings_for((CAR,))) >= 6
    assert len(texts) >= 9


@pytest.mark.parametrize(
    ("units", "wording"), [((), 0), ((DOG,), WORDINGS), ((DOG,), -1), ((replace(DOG, unseen="is hungry"),), 0)]
)
def test_mistakes_are_named(units: tuple[Unit, ...], wording: int) -> None:
    with pytest.raises(VqamtError, match=r"units=|wording="):
        hypothesis(units, wording)


def test_an_antonym_stands_where_its_attribute_does() -> None:
    known = ontology()
    words = [word for word in sorted(known.category_by_attribute) if known.askable(word)]
    pairs = [(word, other) for word in words for other in known.antonyms(word) if known.askable(other)]
    assert len(pairs) > 40
    for word, other in pairs:
        assert wordings_for((DOG, unit("cup", word))) == wordings_for((DOG, unit("cup", other))), (word, other)


# ---- what is read in them


def drawn(n: int) -> Iterator[Hypothesis]:
    """Hypotheses of the picture world, in every wording that suits."""
    random = Random(2024)
    for number in range(n):
        groups: dict[Group, None] = {}
        while len(groups) < 1 + number % 3:
            groups.setdefault(_drawn(random, scene_of(number), 2, alone=random.random() < 0.5)[1])
        units = tuple(Unit(group=group) for group in groups)
        yield from (hypothesis(units, wording) for wording in wordings_for(units))


def of_photos(n: int) -> Iterator[Hypothesis]:
    """Likewise of words that annotators of photos use."""
    for asking in photo_askings(n):
        units = tuple(Unit(group=group) for group in groups_of(asking.meaning))
        wordings = wordings_for(units)
        assert wordings != ()
        yield from (hypothesis(units, wording) for wording in wordings)


def is_read_back(each: Hypothesis, text: str, lexicon: Lexicon) -> bool:
    def as_said(group: Group) -> Group:
        related = (replace(it, predicate=PREDICATES.get(it.predicate, it.predicate)) for it in group.related)
        return replace(group, related=tuple(related))

    try:
        return said(read(text, lexicon)) == said([as_said(unit.group) for unit in each.meaning.units])
    except Unreadable:
        return False


@pytest.mark.parametrize("n", TIERS)
def test_every_hypothesis_is_read_back(n: int) -> None:
    wrong = [each.text for each in drawn(n) if not is_read_back(each, each.text, LEXICON)]
    assert wrong[:20] == [], f"{len(wrong)} hypotheses"


@pytest.mark.parametrize("n", TIERS)
def test_what_photos_show_is_read_back(n: int) -> None:
    wrong = [each.text for each in of_photos(n) if not is_read_back(each, each.text, PHOTO_WORDS)]
    assert wrong[:20] == [], f"{len(wrong)} hypotheses"


def with_the_verb_in_the_other_number(text: str) -> Iterator[str]:
    others = {"is": "are", "are": "is", "has": "have"}
    for found in re.finditer(r"\b(?:is|are|has)\b", text):
        yield text[: found.start()] + others[found.group()] + text[found.end() :]


def with_the_other_article(text: str) -> Iterator[str]:
    for found in re.finditer(r"\b([Aa])n? ", text):
        other = found.group(1) + (" " if found.group().strip().endswith("n") else "n ")
        yield text[: found.start()] + other + text[found.end() :]


def without_an_article(text: str) -> Iterator[str]:
    for found in re.finditer(r"\ban? ", text):
        yield text[: found.start()] + text[found.end() :]


def without_a_unit(text: str) -> Iterator[str]:
    for found in re.finditer(r"(?:,| and) [^,]*?(?=,| and |\.$)", text):
        yield text[: found.start()] + text[found.end() :]


def with_a_word_twice(text: str) -> Iterator[str]:
    for found in re.finditer(r"[\w'-]+", text):
        yield text[: found.end()] + " " + found.group().lower() + text[found.end() :]


@pytest.mark.parametrize(
    "damage",
    [
        with_the_verb_in_the_other_number,
        with_the_other_article,
        without_an_article,
        without_a_unit,
        with_a_word_twice,
    ],
)
def test_a_damaged_hypothesis_is_never_read_as_it_was_meant(damage: Callable[[str], Iterator[str]]) -> None:
    meant = [each for each in drawn(25) if "sheep" not in each.text]
    damaged = [(text, each) for each in meant for text in damage(each.text)]
    assert len(damaged) > 25
    assert [text for text, each in damaged if is_read_back(each, text, LEXICON)] == []


def test_the_forms_that_the_small_model_was_trained_on_are_among_them() -> None:
    # Others are on and off ("a lamp is on"), and a described thing in a clause beside one that is not ("a ball is
    # green and there is a white boat").
    world = PictureWorld(200)
    made = found = 0
    for number in range(600):
        written = training.hypothesis(world.scene(number % 200), RandomChooser(Random(number)), Label.ENTAILMENT)
        if written is not None:
            text, meaning = written
            made += 1
            found += text in {hypothesis(meaning.units, wording).text for wording in wordings_for(meaning.units)}
    assert made > 500
    assert found > 0.95 * made
