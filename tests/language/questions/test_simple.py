"""Questions: grammar, unambiguous totals, and one wording for a total and its parts."""

from __future__ import annotations

import re

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Absent, Both, Count, Exists, Group, Located, Related, Side, truth
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.questions import ask
from pytest_vqamt.language.questions.simple import (
    ABSENT_WORDINGS,
    BOTH_IN_THE_SINGULAR,
    BOTH_WORDINGS,
    COUNT_WORDINGS,
    EXISTS_WORDINGS,
    LOCATED_WORDINGS,
    absent,
    both,
    count,
    exists,
    located,
)
from tests.rows import each_row

DOG, CAT = Group(name="dog"), Group(name="cat")
SCISSORS, GRASS, PEOPLE = Group(name="scissors"), Group(name="grass"), Group(name="people")
BUS = Group(name="bus")
RED, BLUE = (Group(name="car", attributes=(colour,)) for colour in ("red", "blue"))
ON_TABLE = Group(name="apple", related=(Related(predicate="on", to=Group(name="table")),))

GROUPS = (
    DOG, SCISSORS, GRASS, PEOPLE, RED, ON_TABLE, Group(name="umbrella"), Group(name="uniform"), Group(name="hour hand"),
    Group(name="sheep"), Group(name="cup", attributes=("orange",)), Group(name="tv", attributes=("on",)),
    Group(name="pants", attributes=("open",)),
)  # fmt: skip

VOWEL = "(?!uni|one|use|ute|eur)(?:[aeiou]|hour)"
WRONG = re.compile(
    rf"\ba {VOWEL}|\ban (?!{VOWEL})|\b(?:an?|one) (?:\w+ )?(?:scissors|people|pants|grass)\b|\bno any\b|  |\b(\w+) \1\b"
    r"|\bis there (?:any |no )?(?:\w+ )?(?:dogs|scissors|people|pants|cars)\b"
    r"|\bare there (?:any |no )?(?:dog|grass|car)\b"
    r"|\bis (?:no |any )?(?:dogs|scissors|people)\b|\bare (?:no |any )?(?:dog|grass)\b",
    re.IGNORECASE,
)


def every_text(group: Group) -> list[str]:
    return [
        *(exists(group, wording).text for wording in range(EXISTS_WORDINGS)),
        *(absent(group, wording).text for wording in range(ABSENT_WORDINGS)),
        *(both((group, BUS), wording).text for wording in range(BOTH_WORDINGS)),
        *(both((BUS, group), wording).text for wording in range(BOTH_WORDINGS)),
    ]


def test_there_are_enough_wordings() -> None:
    assert COUNT_WORDINGS >= 8
    assert EXISTS_WORDINGS >= 8
    assert ABSENT_WORDINGS >= 6


@each_row("group", GROUPS)
def test_every_wording_is_a_different_question(group: Group) -> None:
    texts = every_text(group)
    assert len(set(texts)) == len(texts)
    assert all(re.fullmatch(r"[A-Z][^?.!]*\?", text) for text in texts)


@each_row("group", GROUPS)
def test_articles_and_verbs_agree(group: Group) -> None:
    assert [text for text in every_text(group) if WRONG.search(text)] == []


def test_the_check_of_agreement_finds_mistakes() -> None:
    mistakes = [
        "Is there a apple?",
        "Is there dogs?",
        "Are there any dog?",
        "Is there a scissors?",
        "Is there no any dog?",
    ]
    assert [text for text in mistakes if not WRONG.search(text)] == []


@pytest.mark.parametrize(
    ("group", "texts"),
    [
        (DOG, ["Is there a dog in the picture?", "Are there any dogs in the image?", "Does the picture show a dog?"]),
        (SCISSORS, ["Are there any scissors in the picture?", "Are there any scissors in the image?"]),
        (GRASS, ["Is there any grass in the picture?", "Is there any grass in the image?"]),
        (ON_TABLE, ["Is there an apple on a table in the picture?", "Are there any apples on a table in the image?"]),
    ],
)
def test_existence(group: Group, texts: list[str]) -> None:
    assert [exists(group, wording).text for wording in range(len(texts))] == texts
    assert exists(group).meaning == Exists(group=group)


@each_row(
    ("group", "wording", "text"),
    [
        (DOG, 0, "Is there no dog in the picture?"),
        (DOG, 1, "Are there no dogs in the image?"),
        (DOG, 4, "Is it true that there is no dog in the picture?"),
        (SCISSORS, 0, "Are there no scissors in the picture?"),
        (SCISSORS, 4, "Is it true that there are no scissors in the picture?"),
        (GRASS, 1, "Is there no grass in the image?"),
        (GRASS, 5, "Is grass absent from the picture?"),
        (RED, 5, "Are red cars absent from the picture?"),
    ],
)
def test_absence(group: Group, wording: int, text: str) -> None:
    question = absent(group, wording)
    assert question.text == text
    assert question.meaning == Absent(group=group)


@each_row("wording", range(ABSENT_WORDINGS))
def test_absence_is_negated_exactly_once(wording: int) -> None:
    assert len(re.findall(r"\bno\b|\bwithout\b|\babsent\b|\bfree of\b|\bnot\b", absent(DOG, wording).text)) == 1


@each_row("wording", range(EXISTS_WORDINGS))
def test_existence_is_not_negated(wording: int) -> None:
    assert not re.search(r"\bno\b|\bwithout\b|\babsent\b|\bfree of\b|\bnot\b", exists(DOG, wording).text)


@each_row("wording", range(COUNT_WORDINGS))
def test_a_total_is_called_a_total_and_names_each_group_whole(wording: int) -> None:
    text = count([RED, BLUE], wording).text
    assert "red cars and blue cars" in text
    assert re.search(r"\btotal\b|\baltogether\b|\bin all\b|\bcombined\b", text)


@each_row("wording", range(COUNT_WORDINGS))
def test_a_part_is_worded_as_its_total(wording: int) -> None:
    words = re.compile(r"\b(?:in total|altogether|in all|total|combined|red cars and blue cars|red cars) ?")
    total, part = (words.sub("", count(groups, wording).text) for groups in ([RED, BLUE], [RED]))
    assert total.replace(" ?", "?") == part.replace(" ?", "?")


@each_row(
    ("groups", "wording", "text"),
    [
        ((DOG, CAT), 0, "Is there a dog and a cat in the picture?"),
        ((DOG, CAT), 3, "Does the image contain both a dog and a cat?"),
        ((DOG, CAT), BOTH_IN_THE_SINGULAR, "Are there dogs and cats in the picture?"),
        ((SCISSORS, DOG), 0, "Are there scissors and a dog in the picture?"),
        ((DOG, SCISSORS), 0, "Is there a dog and scissors in the picture?"),
        ((GRASS, DOG), 0, "Is there grass and a dog in the picture?"),
        ((GRASS, DOG), BOTH_IN_THE_SINGULAR, "Is there grass and dogs in the picture?"),
        ((DOG, GRASS), BOTH_IN_THE_SINGULAR, "Are there dogs and grass in the picture?"),
        ((DOG, CAT, RED), 1, "Does the picture show a dog, a cat and a red car?"),
        ((DOG, CAT, RED), 3, "Does the image contain a dog, a cat and a red car?"),
    ],
)
def test_one_or_more_of_each(groups: tuple[Group, ...], wording: int, text: str) -> None:
    question = both(groups, wording)
    assert question.text == text
    assert question.meaning == Both(groups=groups)


@each_row("wording", range(BOTH_WORDINGS))
def test_of_one_group_alone_the_same_is_asked_with_no_word_of_another(wording: int) -> None:
    alone, two = both(DOG, wording), both((DOG, CAT), wording)
    assert alone.meaning == Exists(group=DOG)
    assert alone.text == re.sub(r" and (?:a cat|cats)|both ", "", two.text)


def test_one_of_each_is_asked_in_the_singular_first() -> None:
    texts = [both((DOG, CAT), wording).text for wording in range(BOTH_WORDINGS)]
    assert ["a dog and a cat" in text for text in texts] == [
        wording < BOTH_IN_THE_SINGULAR for wording in range(BOTH_WORDINGS)
    ]
    assert BOTH_IN_THE_SINGULAR >= 4
    assert BOTH_WORDINGS - BOTH_IN_THE_SINGULAR >= 3


def test_counts_in_words() -> None:
    assert count(DOG).text == "How many dogs are there in the picture?"
    assert count([DOG, CAT], 1).text == "What is the total number of dogs and cats in the picture?"
    assert count([DOG, CAT, RED]).text == "How many dogs, cats and red cars are there in the picture altogether?"
    assert count([DOG, CAT]).meaning == Count(groups=(DOG, CAT))


@each_row(
    ("mistake", "words"),
    [
        (lambda: count([]), "at least one group"),
        (lambda: both([]), "at least one group"),
        (lambda: both((DOG, CAT), BOTH_WORDINGS), "wording="),
        (lambda: count([DOG, GRASS]), "name='grass'"),
        (lambda: count(DOG, COUNT_WORDINGS), "wording="),
        (lambda: exists(DOG, -1), "wording=-1"),
        (lambda: absent(DOG, ABSENT_WORDINGS), "wording="),
    ],
)
def test_mistakes_are_named(mistake: object, words: str) -> None:
    assert callable(mistake)
    with pytest.raises(VqamtError, match=words):
        mistake()


def test_asking_of_a_thing_a_group_or_a_name(yard: Scene) -> None:
    thing = Thing(id="1", name="dog", box=Box(0, 0, 1, 1), attributes=("brown",))
    assert ask.exists(thing) == ask.exists("dog") == ask.exists(DOG) == exists(DOG)
    assert ask.absent("dog") == absent(DOG)
    assert ask.count("dog", "cat") == count([DOG, CAT])
    assert truth(ask.count("dog", "cat").meaning, yard) == 4


def test_a_plural_name_means_the_things_under_either_name(yard: Scene) -> None:
    assert ask.exists("dogs").text == "Is there a dog in the picture?"
    assert truth(ask.count("dogs").meaning, yard) == 3
    assert ask.exists("scissors").meaning == Exists(group=SCISSORS)


@each_row("side", Side)
def test_a_place_is_asked_about_in_seven_wordings(side: Side) -> None:
    asked = [located(DOG, side, BUS, wording) for wording in range(LOCATED_WORDINGS)]
    assert len({each.text for each in asked}) == len(asked) == 7
    assert {each.meaning for each in asked} == {Located(group=DOG, side=side, other=BUS)}
    assert all(re.fullmatch(r"[A-Z][^?.!]*the dog [^?.!]*the bus[^?.!]*\?", each.text) for each in asked)


def test_the_verb_agrees_with_the_thing_whose_place_is_asked() -> None:
    assert located(SCISSORS, Side.RIGHT, DOG).text == "Are the scissors to the right of the dog in the picture?"
    assert located(SCISSORS, Side.BELOW, DOG, 3).text == "Do the scissors appear lower down in the image than the dog?"


def test_a_wording_of_a_place_that_is_not_there_is_refused() -> None:
    with pytest.raises(VqamtError, match=r"Expected a wording from 0 to 6, but got wording=7"):
        located(DOG, Side.LEFT, BUS, 7)
