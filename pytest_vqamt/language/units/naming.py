"""The object of a unit as a noun phrase: with the article and in the form that it has as a subject."""

from __future__ import annotations

from functools import lru_cache

from pytest_vqamt.language.english.nouns import is_everywhere, is_mass, is_plural, plural, with_article
from pytest_vqamt.language.units.lexicon import Tag, look_up, words_of
from pytest_vqamt.language.units.parts_of_speech import shares
from pytest_vqamt.language.units.unit import DescriptionUnit
from pytest_vqamt.language.wordnet import wordnet

_AS_SUBJECT = {"him": "he", "her": "she", "me": "I", "them": "they", "us": "we"}
_OF_MANY = frozenset({"all", "both", "few", "many", "most", "others", "several", "some", "they", "we", "you"})


def named(unit: DescriptionUnit, *, is_new: bool = False) -> str:
    """The object with "a" or "an", or without where it takes none: plurals, stuff, names, pronouns.

    >>> named(DescriptionUnit(object="old man")), named(DescriptionUnit(object="dogs", is_plural=True))
    ('an old man', 'dogs')
    >>> named(DescriptionUnit(object="him")), named(DescriptionUnit(object="tallest boy"))
    ('he', 'the tallest boy')

    Args:
        unit: the unit.
        is_new: whether it is said that there is one, which nothing has "the" after.
    """
    name = unit.object
    if is_pronoun(name):
        return _AS_SUBJECT.get(name.lower(), name.lower())
    if is_proper(name):
        return name
    name = _uncapitalised(name)
    if unit.is_plural and " of " not in name:
        name = plural(name)  # "two girl"
    owner, apostrophe, _ = name.partition("'s ")
    if apostrophe and not is_proper(owner):
        return with_article(name)
    first = name.split(" ", 1)[0].lower()
    head, of, _ = name.partition(" of ")
    if first == "one" and of:
        return name
    is_only = is_everywhere(name) or name in words_of("the_only") or first in words_of("the") or _is_superlative(first)
    if is_only and not is_new:
        return f"the {name}"
    if (
        look_up(first).closed is Tag.NUMBER
        or is_mass(name)
        or name.rpartition(" ")[2] in words_of("mass")
        or is_plural(head)
        or (unit.is_plural and not of)
    ):
        return name
    return with_article(name)


def is_several(unit: DescriptionUnit) -> bool:
    """Whether the verb after it is in the plural; a group of men is one group."""
    name = unit.object.lower()
    if is_pronoun(name):
        return _AS_SUBJECT.get(name, name) in _OF_MANY
    head, of, _ = name.partition(" of ")
    return is_plural(head) if of else unit.is_plural


def stands_alone(name: str) -> bool:
    """Whether one says of it that it is there rather than that there is one: of "she", and of a person by his name."""
    return name.lower() in words_of("personal") or is_proper(name)


def is_pronoun(name: str) -> bool:
    """Whether it stands for a noun."""
    return look_up(name.lower()).closed in (Tag.PRONOUN, Tag.DETERMINER)


@lru_cache(maxsize=65536)
def is_proper(name: str) -> bool:
    """Whether it is somebody's name: with a capital, and no word that is known otherwise."""
    word = name.lower()
    if not name[:1].isupper() or " " in name or word in words_of("capitalised"):
        return False
    return word in words_of("given_names") or not (look_up(word).is_plural or shares(word) or wordnet().sense(word))


def _uncapitalised(name: str) -> str:
    """Without the capital that the first word of a sentence has; nationalities keep theirs."""
    first, _, others = name.partition(" ")
    keeps = first.lower() in words_of("capitalised") or first.isupper() or others != others.lower()
    keeps = keeps or (bool(others) and is_proper(first))
    return name if keeps else name[:1].lower() + name[1:]


def _is_superlative(word: str) -> bool:
    """Whether it ends as "tallest" does and is an adjective without that: not "forest"."""
    if not word.endswith("est"):
        return False
    stems = (word[:-3], word[:-2], f"{word[:-4]}y", word[:-4])
    return any(look_up(stem).adjective > 0.3 for stem in stems if stem)
