"""What hypotheses say of things that no picture can show, so that it is neither right nor wrong."""

from __future__ import annotations

from pytest_vqamt.data.pictures.vocabulary import FAMILY_OF

_PEOPLE = (
    "is called Anna", "is called Sam", "is hungry", "is a teacher", "is a doctor", "is on holiday", "lives nearby",
    "has two sisters", "likes music", "speaks French", "is thinking of lunch", "is late for work", "won a prize",
    "is waiting for a friend", "had a birthday yesterday",
)  # fmt: skip
_ANIMALS = (
    "is called Max", "is called Bella", "is hungry", "is three years old", "belongs to a farmer",
    "is afraid of thunder", "ate an hour ago", "slept all night", "was born in spring",
    "is looking for a home", "is friendly",
)  # fmt: skip
_FOOD = (
    "is very sweet", "was bought yesterday", "is for lunch", "is still warm", "was a present", "is from the market",
    "costs two euros", "will be eaten soon",
)  # fmt: skip
_VEHICLES = (
    "belongs to a doctor", "was bought last year", "is going to the city", "needs a repair", "is for sale",
    "was built in Italy", "is very loud", "is rented",
)  # fmt: skip
_PLANTS = (
    "was planted last year", "needs water", "is ten years old", "smells good", "belongs to a neighbour",
    "will be cut down", "was a present",
)  # fmt: skip
_CLOTHES = (
    "was bought yesterday", "is made of cotton", "was very cheap", "is a present", "belongs to a teacher", "is new",
    "was washed this morning", "is too tight",
)  # fmt: skip
_THINGS = (
    "was bought yesterday", "is a present", "belongs to a teacher", "is for sale", "is very old", "was very cheap",
    "is heavy", "was made by hand", "was found in the cellar", "is going to be sold", "was lost last week",
)  # fmt: skip

_UNSEEN: dict[str, tuple[str, ...]] = {
    "person": _PEOPLE, "animal": _ANIMALS, "food": _FOOD, "vehicle": _VEHICLES, "plant": _PLANTS,
    "clothing": _CLOTHES,
}  # fmt: skip


def unseen_of(name: str) -> tuple[str, ...]:
    """What could be said of a thing of this name and not be seen.

    >>> "is hungry" in unseen_of("man"), "is hungry" in unseen_of("car")
    (True, False)
    """
    return _UNSEEN.get(FAMILY_OF[name], _THINGS)
