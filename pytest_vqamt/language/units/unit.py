"""An object description unit: an object of a hypothesis, and what the hypothesis says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pytest_vqamt.language.english.nouns import head, is_plural, singular
from pytest_vqamt.language.units.lexicon import Tag, look_up, words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionUnit:
    """An object and its property, word for word as in the sentence.

    Attributes:
        object: with its adjectives, without articles, numbers and possessives: "young girl".
        property: "is aiming his rifle at something"; empty where nothing is said.
        is_plural: whether it means several things.
    """

    object: str
    property: str = ""
    is_plural: bool = False


def unit_of(words: str, said: str) -> DescriptionUnit:
    """The unit of an object that may have its article yet.

    >>> unit_of("The two dogs", "are asleep.")
    DescriptionUnit(object='dogs', property='are asleep', is_plural=True)
    """
    name = words.split()
    while len(name) > 1 and look_up(name[0].lower()).closed in (Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER):
        del name[0]
    text = " ".join(name)
    noun = head(text.lower().rpartition(" of ")[2])
    return DescriptionUnit(object=text, property=said.strip(" .,;"), is_plural=is_plural(noun))


def says_all_of(unit: DescriptionUnit, other: DescriptionUnit) -> bool:
    """Whether the unit's property says all that the other unit does."""
    words = f"{other.object} {other.property}".strip().lower()
    return bool(re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", unit.property.lower()))


@lru_cache(maxsize=65536)
def head_noun(object: str) -> str:  # noqa: A002  # the word of the paper
    """The noun of an object, singular, lower case: the name that a thing in the picture goes by.

    Adjectives are left out, and so is what says how many there are; of a compound only the last word stays.

    >>> head_noun("young girl"), head_noun("group of older men"), head_noun("cup of coffee"), head_noun("school buses")
    ('girl', 'man', 'cup', 'bus')
    """
    words = object.lower()
    while True:
        before, of, after = words.partition(" of ")
        noun = head(before)
        if not (of and after.strip() and (noun == "one" or singular(noun) in _quantities())):
            return singular(noun)
        words = after.strip().removeprefix("the ")


def _quantities() -> frozenset[str]:
    return words_of("quantities_kept") | words_of("quantities_dropped")
