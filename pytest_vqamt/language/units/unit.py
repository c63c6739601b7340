"""An object description unit: an object of a hypothesis, and what the hypothesis says of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pytest_vqamt.language.nouns import head, singular
from pytest_vqamt.language.units.lexicon import table


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionUnit:
    """An object and its property, both word for word as in the sentence.

    Attributes:
        object: with its adjectives, without articles, numbers and possessives: "young girl".
        property: "is aiming his rifle at something"; empty where nothing is said.
        is_plural: whether it means several things.
    """

    object: str
    property: str = ""
    is_plural: bool = False


@lru_cache(maxsize=65536)
def head_noun(object: str) -> str:  # noqa: A002  # the word of the paper
    """The noun of an object, singular, lower case: the name that a thing in the picture goes by.

    Adjectives are left out, and so is what says how many there are; of a compound only the last word stays.

    >>> head_noun("young girl"), head_noun("group of older men"), head_noun("cup of coffee"), head_noun("school buses")
    ('girl', 'man', 'cup', 'bus')
    """
    words = object.lower()
    before, of, after = words.partition(" of ")
    quantities: dict[str, list[str]] = table()["quantities"]
    noun = head(before)
    if of and (noun == "one" or singular(noun) in (*quantities["kept"], *quantities["dropped"])):
        return head_noun(after.removeprefix("the "))
    return singular(noun)
