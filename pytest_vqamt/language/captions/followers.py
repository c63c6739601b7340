"""What the word after a name makes of it: a part of the thing, another thing, a likeness of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache

from pytest_vqamt.language.captions.tables import ClassRow, class_rows, grammar, phrases
from pytest_vqamt.language.captions.words import words_of
from pytest_vqamt.language.english.nouns import plural


class Follower(StrEnum):
    """The kinds of words after a name; see phrases.toml."""

    PART = "a part of the thing"
    OTHER = "another thing"
    LOOKS = "something that only looks like it"


def follower(words: tuple[str, ...], end: int, name: str, *, has_article: bool) -> Follower | None:
    """What follows the name of a thing of class ``name`` that ends before ``end``; None where none of them does.

    "a bus stops" has a verb, since "a" wants a singular, and "bus stops" has none.

    >>> follower(("a", "bus", "stop"), 2, "bus", has_article=True)
    <Follower.OTHER: 'another thing'>
    >>> follower(("a", "bus", "stops"), 2, "bus", has_article=True)
    """
    if end >= len(words):
        return None
    found = _followers(name)
    for length in (3, 2, 1):
        after = words[end : end + length]
        kind = found.get(after) if len(after) == length else None
        if kind is not None and not (has_article and _is_verb(words, end)):
            return kind
    return None


def _is_verb(words: tuple[str, ...], at: int) -> bool:
    """Whether a word after "a" and a name says what it does: "a bus stops", "a zebra crossing the street"."""
    of = grammar()
    if words[at] == "shaped":  # "a cake shaped like a train", not "a train shaped cake"
        return words[at + 1 : at + 2] != () and words[at + 1] in of.prepositions
    doing = words[at].endswith("ing") and words[at + 1 : at + 2] != () and words[at + 1] in of.one | of.same | of.whose
    return doing or words[at] in of.singular_verbs


@cache
def _followers(name: str) -> Mapping[tuple[str, ...], Follower]:
    """The words for one class: its own before those for all."""
    row = class_rows().get(name, ClassRow())
    after = phrases()["after"]
    listed = (
        (after["looks"], Follower.LOOKS),
        (after["parts"], Follower.PART),
        (after["others"], Follower.OTHER),
        (after["likenesses"], None),
        (row.parts, Follower.PART),
        (row.others, Follower.OTHER),
    )
    found = {form: kind for names, kind in listed for form in _forms(names)}
    return {form: kind for form, kind in found.items() if kind is not None}


def _forms(names: Iterable[str]) -> Iterable[tuple[str, ...]]:
    for name in names:
        yield words_of(name)
        if not name.startswith("of "):
            yield words_of(plural(name))
