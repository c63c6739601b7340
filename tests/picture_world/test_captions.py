"""Captions name all that is there, in good English."""

from __future__ import annotations

from random import Random

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Relationship, Thing
from pytest_vqamt.language.english.nouns import plural
from pytest_vqamt.picture_world.looks import a, captions, listed, noun_phrase
from pytest_vqamt.picture_world.source import PictureWorld
from tests.rows import each_row


def thing(number: int, name: str, *attributes: str) -> Thing:
    return Thing(id=str(number), name=name, box=Box(0, 0, 10, 10), attributes=attributes)


def first(*things: Thing, links: tuple[Relationship, ...] = ()) -> set[str]:
    """Every caption of the things in a desert that chance can bring."""
    return {text for seed in range(60) for text in captions(things, links, "desert", Random(seed))}


def test_every_noun_of_a_scene_is_named() -> None:
    world = PictureWorld(40, seed=21)
    for index in range(40):
        scene = world.scene(index)
        assert len(scene.captions) == 2
        for caption in scene.captions:
            words = f" {caption.lower().replace(',', ' ').replace('.', ' ')} "
            for name in {each.name for each in scene.objects}:
                assert f" {name} " in words or f" {plural(name)} " in words, (name, caption)


def test_alike_things_are_counted_together() -> None:
    assert first(thing(0, "dog", "brown"), thing(1, "dog", "brown")) == {
        "Two brown dogs in a desert.",
        "There are two brown dogs in a desert.",
        "A picture of two brown dogs in a desert.",
    }


def test_two_colours_are_told_apart_and_three_are_not() -> None:
    two = (thing(0, "car", "red"), thing(1, "car", "red"), thing(2, "car", "blue"))
    assert "Two red cars and a blue car in a desert." in first(*two)
    assert "Three cars in a desert." in first(thing(0, "car", "red"), thing(1, "car", "green"), thing(2, "car", "blue"))


def test_people_are_told_with_what_they_wear_and_hold() -> None:
    links = (
        Relationship(subject="0", predicate="wearing", object="1"),
        Relationship(subject="0", predicate="wearing", object="2"),
        Relationship(subject="0", predicate="holding", object="3"),
    )
    worded = first(
        thing(0, "man", "walking"), thing(1, "shirt", "blue", "plain"), thing(2, "hat", "red", "plain"),
        thing(3, "apple", "green"), links=links,
    )  # fmt: skip
    assert "A man wearing a blue shirt and a red hat and holding a green apple in a desert." in worded
    assert "A man walking in a blue shirt and a red hat holding a green apple in a desert." in worded


def test_what_stands_on_a_thing_is_told_with_it() -> None:
    links = (
        Relationship(subject="1", predicate="on", object="0"),
        Relationship(subject="2", predicate="under", object="0"),
    )
    worded = first(thing(0, "table", "brown"), thing(1, "cup", "red", "striped"), thing(2, "ball", "pink"), links=links)
    assert "A brown table with a red striped cup on it and a pink ball under it in a desert." in worded


@each_row(
    "items, row",
    [
        ([], ""),
        (["a cup"], "a cup"),
        (["a cup", "a key"], "a cup and a key"),
        (["a cup", "a key", "an apple"], "a cup, a key and an apple"),
        (["a bed with a cat on it", "a key"], "a bed with a cat on it, and a key"),
    ],
)
def test_rows_have_commas(items: list[str], row: str) -> None:
    assert listed(items) == row


def test_words_before_a_noun_stand_in_their_english_order() -> None:
    assert a(noun_phrase("cup", ("orange", "striped", "empty", "dirty", "large"))) == (
        "a large empty dirty orange striped cup"
    )
    assert a(noun_phrase("dog", ("orange", "lying"))) == "an orange dog"
