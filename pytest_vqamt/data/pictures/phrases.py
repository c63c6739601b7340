"""Noun phrases of the picture world: the words that are true of a thing, in the order English has them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pytest_vqamt.data.pictures.vocabulary import CATEGORY_OF
from pytest_vqamt.language.english.nouns import with_article

_ORDER = ("size", "stature", "filling", "opening", "cleanness", "colour", "pattern")
"""The categories whose words stand before a noun, in this order; the words of the others follow it."""

PREDICATE_CATEGORIES = frozenset(("posture", "gesture", "power"))


def noun_phrase(noun: str, attributes: Sequence[str] = ()) -> str:
    """The noun with those of ``attributes`` that can stand before it: ("red", "small"), "cup" give "small red cup"."""
    before = sorted(
        (word for word in attributes if CATEGORY_OF[word] in _ORDER), key=lambda word: _ORDER.index(CATEGORY_OF[word])
    )
    return " ".join((*before, noun))


def a(phrase: str) -> str:
    """The phrase with its article."""
    return f"{_article(phrase.split(' ', 1)[0])} {phrase}"


@cache
def _article(word: str) -> str:
    return with_article(word).split(" ", 1)[0]


def listed(items: Sequence[str]) -> str:
    """The items in a row: "x", "x and y", "x, y and z"; a comma more where an item is itself such a row."""
    if len(items) < 2:
        return "".join(items)
    nested = any(" and " in item or " with " in item or " holding " in item for item in items[:-1])
    return f"{', '.join(items[:-1])}{',' if nested else ''} and {items[-1]}"


def capital(text: str) -> str:
    """The text with its first letter large."""
    return text[:1].upper() + text[1:]
