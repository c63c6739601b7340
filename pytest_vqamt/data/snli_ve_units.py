"""Which units of hypotheses are about one thing, what that is called, and when two names may be those of one thing."""

from __future__ import annotations

from functools import lru_cache

from pytest_vqamt.language.english.families import one_is_a_kind_of_the_other
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, is_person, is_plural, lacks_singular
from pytest_vqamt.language.wordnet import wordnet

_SEVERAL = frozenset(NUMBER_WORDS[2:]) | {"several", "many", "few", "both", "numerous", "multiple", "various", "and"}
_PRONOUNS = frozenset(
    {
        "i", "me", "you", "he", "him", "she", "her", "it", "we", "us", "they", "them", "himself", "herself", "itself",
        "themselves", "someone", "somebody", "anyone", "anybody", "everyone", "everybody", "no one", "nobody",
        "something", "anything", "everything", "nothing", "one", "ones", "other", "others", "another", "this", "that",
        "these", "those", "who", "which", "some", "all", "each",
    }
)  # fmt: skip
"""Words that say of nothing what it is, so that no thing is called by them."""


def thing_name(noun_phrase: str) -> str:
    """What the one thing is called that a unit's object is: its head noun; "" for several things, and for pronouns."""
    from pytest_vqamt.language.units import head_noun

    if is_of_several(noun_phrase) or noun_phrase.lower() in _PRONOUNS:
        return ""
    name = head_noun(noun_phrase)
    return "" if name in _PRONOUNS else name


@lru_cache(maxsize=4096)
def is_of_several(noun_phrase: str) -> bool:
    """Whether a noun phrase speaks of several things: by its number, or in the plural ("scissors" are one thing).

    >>> is_of_several("two men"), is_of_several("musicians"), is_of_several("2 females"), is_of_several("three woman")
    (True, True, True, True)
    >>> is_of_several("couple of men"), is_of_several("group of friends"), is_of_several("couple")
    (True, True, False)
    >>> is_of_several("one of the men"), is_of_several("pair of glasses"), is_of_several("cup of coffee")
    (False, False, False)
    """
    from pytest_vqamt.language.units import head_noun

    words = noun_phrase.lower().split()
    how_many, of, what = " ".join(words).partition(" of ")
    if of and head_noun(noun_phrase) == head_noun(what):
        return how_many.split()[-1] != "one" and is_of_several(what.removeprefix("the "))
    if not _SEVERAL.isdisjoint(words) or any(word.isdecimal() and int(word) != 1 for word in words):
        return True
    text = " ".join(words)
    return is_plural(text) and not lacks_singular(text)


def may_be_called_alike(one: str, other: str) -> bool:
    """Whether one thing surely may go by both names: they are equal, synonyms, or one is that of a kind of the other.

    Of a name that nobody knows anything of nothing is sure.

    >>> may_be_called_alike("girl", "person"), may_be_called_alike("bike", "bicycle")
    (True, True)
    >>> may_be_called_alike("man", "woman"), may_be_called_alike("gizmo", "gadget")
    (False, False)
    """
    if one == other or one_is_a_kind_of_the_other(one, other):
        return True
    if "person" in (one, other) and is_person(one) and is_person(other):
        return True
    words = wordnet()
    return words.is_kind_of(one, other) or words.is_kind_of(other, one) or other in words.synonyms(one)
