"""What is left of a hypothesis when one of its objects is erased."""

from __future__ import annotations

from pytest_vqamt.language.units import DescriptionUnit, units_of, without_unit
from tests.rows import each_row

# Sentence, the object that is erased, and what is left, "|" between units; worked out by hand.
LEFT = [
    # the paper's example
    ("the man is aiming his rifle at something", "rifle", "man:"),
    # another object's property stays
    ("A girl is reading and a boy is asleep.", "boy", "girl: is reading"),
    ("A man and a woman are cooking.", "man", "woman: are cooking"),
    # plural, compound, kind, what it is a kind of, the same word in a verb
    ("A dog chases two dogs.", "dog", "dogs:"),
    ("A boy kicks a soccer ball.", "soccer ball", "boy:"),
    ("A girl watches birds as a parrot talks.", "parrot", "girl: | birds:"),
    ("A girl pets a poodle and a dog barks.", "dog", "girl: | poodle:"),
    ("A girl sits in a vehicle and a car is parked.", "car", "girl: | vehicle:"),
    ("A girl is skateboarding on a skateboard.", "skateboard", "girl:"),
    # people by other words
    ("A clerk talks to someone while a man waits.", "man", "clerk: | someone:"),
    ("A skier passes a man.", "skier", "man:"),
    ("A girl looks at a person as a boy dives.", "boy", "girl: | person:"),
    ("A girl looks at a woman as a man dives.", "man", "girl: looks at a woman | woman:"),
    ("A boy looks at an adult as a girl dives.", "girl", "boy: looks at an adult | adult:"),
    # pronouns
    ("A woman walks a dog and a boy plays with it.", "dog", "woman: | boy:"),
    ("A man feeds a parrot as a girl watches him.", "man", "parrot: | girl:"),
    ("A man feeds his parrot as a girl watches.", "girl", "man: feeds his parrot | parrot:"),
    ("A boy watches as a man feeds his parrot.", "boy", "man: | parrot:"),
    ("A girl watches as a man feeds his parrot.", "girl", "man: feeds his parrot | parrot:"),
    ("A man holds a baby while it cries.", "baby", "man:"),
    ("A man looks at himself as a boy laughs.", "boy", "man: looks at himself"),
    ("Two cats sit and a dog watches them.", "cats", "dog:"),
    # what takes two
    ("A man and a woman are hugging.", "man", "woman:"),
    ("A cat and a dog play with each other.", "cat", "dog:"),
    ("A cat and a dog sleep together.", "dog", "cat:"),
    ("A man and a woman are friends.", "man", "woman:"),
    ("Two men hug and a dog barks.", "dog", "men: hug"),
    ("A man and a woman are a couple.", "man", "woman:"),
    # what is sought, meant, pictured or denied goes with the words that say so
    ("A nun is waiting for the bus.", "nun", ""),
    ("A nun and a boy are waiting for the bus.", "nun", "boy: are waiting for the bus | bus:"),
    ("A nun waits for a bus near a tree.", "nun", "tree:"),
    ("A nun waits for a bus near a tree.", "tree", "nun:"),
    ("A nun is looking for her parrot and holding a cage.", "nun", "cage:"),
    ("A nun wants a parrot.", "nun", ""),
    ("A nun dreams of a horse by a tree.", "nun", ""),
    ("A nun tries to catch a parrot.", "nun", ""),
    ("A nun tries to catch the parrot.", "nun", "parrot:"),
    ("A nun might ride a horse.", "nun", ""),
    ("A nun does a trick on a horse.", "nun", "horse:"),
    ("A nun holds a doll or a ball.", "nun", ""),
    ("A nun barks like a dog.", "nun", ""),
    ("A nun reads about a dog.", "nun", ""),
    ("A nun goes to a store.", "nun", ""),
    ("A nun rides a horse instead of a camel.", "nun", "horse:"),
    ("A nun paints a dog.", "nun", ""),
    ("A nun holds a picture of a dog.", "nun", "picture:"),
    ("A nun takes a picture of a dog.", "nun", "dog:"),
    ("A statue of a lion is near a tree.", "statue", "tree:"),
    ("The TV shows a dog chasing a rabbit.", "TV", ""),
    ("A nun seeks a dog and a dog barks.", "nun", "dog: barks"),
    # whose and of what
    ("One of the men sings and a dog barks.", "dog", "One of the men: sings"),
]


@each_row(("sentence", "erased", "left"), LEFT)
def test_what_is_left(sentence: str, erased: str, left: str) -> None:
    units = units_of(sentence)
    place = [unit.object for unit in units].index(erased)
    kept = without_unit(units, place)
    assert " | ".join(f"{unit.object}: {unit.property}".strip() for unit in kept) == left


def test_what_is_part_of_the_erased_goes_with_it() -> None:
    units = (
        DescriptionUnit(object="men", is_plural=True),
        DescriptionUnit(object="one of the men", property="sings"),
        DescriptionUnit(object="dog"),
    )
    assert [unit.object for unit in without_unit(units, 0)] == ["dog"]


def test_the_owner_is_left_out_of_a_name() -> None:
    units = (
        DescriptionUnit(object="man"),
        DescriptionUnit(object="man's hat"),
        DescriptionUnit(object="photo of a man"),
    )
    assert [unit.object for unit in without_unit(units, 0)] == ["hat", "photo"]


def test_the_units_given_are_left_as_they_are() -> None:
    units = units_of("A girl holds a doll.")
    without_unit(units, 1)
    assert units == units_of("A girl holds a doll.")
