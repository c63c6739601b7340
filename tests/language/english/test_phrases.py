"""Predicates as annotators write them, in the words of a phrase and of a clause: expected by hand."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.meaning import Group, Related
from pytest_vqamt.language.english.phrases import (
    after_a_noun,
    definite,
    describe,
    in_a_clause,
    join_phrases,
    phrase,
    phrase_with_the,
    with_indefinite,
)
from tests.rows import each_row


@each_row(
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
    assert after_a_noun(predicate) == phrase
    assert in_a_clause(predicate, many=False) == one
    assert in_a_clause(predicate, many=True) == many


def related(name: str, predicate: str, to: str, *attributes: str) -> Group:
    return Group(name=name, related=(Related(predicate=predicate, to=Group(name=to, attributes=attributes)),))


@each_row(
    ("name", "attributes", "one", "many"),
    [
        ("car", (), "car", "cars"),
        ("car", ("red",), "red car", "red cars"),
        ("car", ("red", "small"), "small red car", "small red cars"),
        ("shirt", ("plain", "red"), "plain red shirt", "plain red shirts"),
        ("box", ("striped", "open", "large", "blue"), "large open blue striped box", "large open blue striped boxes"),
        ("giraffe", ("standing",), "standing giraffe", "standing giraffes"),
        ("man", ("walking", "old"), "old walking man", "old walking men"),
        ("table", ("wooden", "round", "brown"), "round brown wooden table", "round brown wooden tables"),
        ("elephant", ("baby", "gray"), "gray baby elephant", "gray baby elephants"),
        ("woman", ("playing tennis",), "woman playing tennis", "women playing tennis"),
        ("man", ("lying down", "shirtless"), "shirtless man lying down", "shirtless men lying down"),
        ("bird", ("in the air",), "bird in the air", "birds in the air"),
        ("lamp", ("turned on",), "lamp turned on", "lamps turned on"),
        ("tv", ("on",), "TV that is on", "TVs that are on"),
        ("tv", ("off", "small"), "small TV that is off", "small TVs that are off"),
        ("child", ("holding",), "child that is holding", "children that are holding"),
        ("pants", ("blue",), "blue pants", "blue pants"),
        ("headphones", ("off",), "headphones that are off", "headphones that are off"),
        ("grass", ("tall", "green"), "tall green grass", "tall green grass"),
        ("teddy bear", ("brown",), "brown teddy bear", "brown teddy bears"),
        ("dog", ("unheard-of",), "unheard-of dog", "unheard-of dogs"),
    ],
)
def test_attributes_stand_where_english_has_them(name: str, attributes: tuple[str, ...], one: str, many: str) -> None:
    group = Group(name=name, attributes=attributes)
    assert phrase(group, "singular") == one
    assert phrase(group, "plural") == many


def test_the_order_of_the_attributes_does_not_matter() -> None:
    words = ("open", "large", "blue")
    assert phrase(Group(name="box", attributes=words), "singular") == phrase(
        Group(name="box", attributes=words[::-1]), "singular"
    )


@each_row(
    ("group", "many"),
    [
        (related("dog", "on", "table"), "dogs on a table"),
        (related("man", "wearing", "hat", "red"), "men wearing a red hat"),
        (related("man", "wearing", "pants", "blue"), "men wearing blue pants"),
        (related("boat", "in", "water"), "boats in water"),
        (related("cup", "to the left of", "umbrella"), "cups to the left of an umbrella"),
        (related("man", "has", "beard"), "men with a beard"),
        (related("woman", "is wearing a", "coat"), "women wearing a coat"),
        (related("girl", "holds", "orange"), "girls holding an orange"),
        (related("table", "made of", "wood"), "tables made of wood"),
    ],
)
def test_what_a_group_is_related_to_follows_the_noun(group: Group, many: str) -> None:
    assert phrase(group, "plural") == many


def test_conditions_can_be_several_and_deep() -> None:
    table = related("table", "near", "wall")
    on_table = Related(predicate="on", to=table)
    in_bowl = Related(predicate="in", to=Group(name="bowl"))
    group = Group(name="apple", attributes=("green",), related=(in_bowl, on_table))
    assert with_indefinite(group) == "a green apple in a bowl on a table near a wall"


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (Group(name="apple", attributes=("red",)), "a red apple"),
        (Group(name="cat", attributes=("orange",)), "an orange cat"),
        (Group(name="water"), "water"),
        (Group(name="people"), "people"),
        (related("dog", "on", "grass"), "a dog on grass"),
    ],
)
def test_any_one_of_a_group(group: Group, words: str) -> None:
    assert with_indefinite(group) == words


@each_row(
    ("group", "short", "clause"),
    [
        (related("cup", "on", "table", "wooden"), "cup on the wooden table", "cup that is on the wooden table"),
        (related("woman", "wears", "glasses"), "woman wearing the glasses", "woman who is wearing the glasses"),
        (related("people", "in", "water"), "people in the water", "people who are in the water"),
        (related("scissors", "has", "handle"), "scissors with the handle", "scissors that have the handle"),
        (related("table", "made of", "wood"), "table made of wood", "table that is made of wood"),
        (related("toast", "covered with", "butter"), "toast covered with butter", "toast that is covered with butter"),
        (related("boat", "in", "water"), "boat in the water", "boat that is in the water"),
        (Group(name="tv", attributes=("on",)), "switched-on TV", "switched-on TV"),
        (Group(name="man", attributes=("awake",)), "man who is awake", "man who is awake"),
    ],
)
def test_with_the_one_that_it_is_related_to(group: Group, short: str, clause: str) -> None:
    assert phrase_with_the(group, "singular") == short
    assert definite(group, "clause") == f"the {clause}"


@pytest.mark.parametrize(
    ("items", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c", "d"], "a, b, c and d")]
)
def test_in_a_row(items: list[str], text: str) -> None:
    assert join_phrases(items) == text


@each_row(
    ("inventory", "text"),
    [
        ((), "nothing"),
        ((("dog", 0),), "nothing"),
        ((("dog", 1),), "a dog"),
        ((("dog", 1), ("cat", 2), ("umbrella", 1)), "a dog, two cats and an umbrella"),
        ((("sheep", 3), ("person", 12)), "three sheep and twelve people"),
        ((("grass", 2), ("skis", 2), ("scissors", 1)), "grass, skis and scissors"),
        ((("bird", 21),), "twenty-one birds"),
        ((("bird", 120),), "120 birds"),
    ],
)
def test_describe(inventory: tuple[tuple[str, int], ...], text: str) -> None:
    assert describe(inventory) == text
