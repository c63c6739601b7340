"""What stands before a noun: how many it says there are, and whether they were spoken of before."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.language.captions.tables import describing, grammar, several_words, tens
from pytest_vqamt.language.captions.words import STOP

_FAR = 7
"""Words between a noun and its determiner, at most."""
_DIGITS_OF_A_YEAR = 4


class Count(StrEnum):
    """How many the words before a noun say."""

    OPEN = "not said"
    ONE = "one"
    SEVERAL = "several"
    SOME = "some of it, or of them"
    GROUP = "a group of it"
    PIECE = "a piece of it"
    PIECES = "pieces of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What the words before a noun say.

    ``counts``: a group or number that counts even what is a mass otherwise ("two", "a couple of"). ``definite``: "the",
    "that". ``owned``: "his", "the dog's". ``other``: "another", "the second". ``denied``: "no", "without a".
    """

    count: Count = Count.OPEN
    counts: bool = False
    definite: bool = False
    owned: bool = False
    other: bool = False
    denied: bool = False


def before(words: tuple[str, ...], start: int, taken: frozenset[int] | set[int], *, singular: bool) -> Before:
    """Reads leftward from the noun at ``start`` as far as its phrase goes: not over a word that names a thing itself.

    ``singular`` says that the noun's form is a singular, so that "a two story bus" is one.

    >>> before(("a", "herd", "of", "wild", "sheep"), 4, set(), singular=False).count
    <Count.GROUP: 'a group of it'>
    >>> before(("next", "to", "the", "other", "dog"), 4, set(), singular=True)
    Before(count=<Count.OPEN: 'not said'>, counts=False, definite=True, owned=False, other=True, denied=False)
    """
    of = grammar()
    other = False
    numbered: Before | None = None
    for at in range(start - 1, max(start - 1 - _FAR, -1), -1):
        word = words[at]
        if word in of.denial or (at and f"{words[at - 1]} {word}" in of.denying):
            return Before(denied=True)
        if at in taken or word == STOP:
            break
        if word in of.one and not (word == "one" and at and words[at - 1] in tens()):
            denied = at > 0 and (words[at - 1] in of.denial or f"{words[at - 1]} {word}" in of.denying)
            return Before(count=Count.ONE, other=other or word == "another", denied=denied or _denied(words, at))
        if numbered is not None:
            # "a two story bus" has its article further left; a number without one counts
            if word in of.same or word in of.whose:
                return Before(definite=word in of.same, owned=word in of.whose, other=other)
            if word in of.prepositions or word in of.joining:
                break
            continue
        if _is_several(words, at):
            if not (singular and at + 1 < start and words[at + 1] in of.measures):
                numbered = Before(count=Count.SEVERAL, counts=True, other=other)
                if not singular or at == start - 1:
                    break
            continue
        if word in of.same:
            return Before(definite=True, other=other)
        if word in of.whose:
            return Before(owned=True, other=other)
        if word in of.some:
            return Before(count=Count.SOME, other=other)
        if word == "of":
            return _of_what(words, at, other=other)
        if word in of.joining:
            if not _joins_adjectives(words, at, start):
                break
        elif word in of.prepositions or word in of.singular_verbs or word in of.plural_verbs:
            break
        elif word.endswith("ing") and not (at and words[at - 1] in of.one | of.same | of.whose):
            break
        other = other or word in of.not_the_first
    return numbered or Before(other=other)


def _is_several(words: tuple[str, ...], at: int) -> bool:
    word = words[at]
    if word == "one":  # "twenty one"
        return at > 0 and words[at - 1] in tens()
    if word.isdecimal():  # no year, and not the name of "the number 7 bus"
        return len(word) < _DIGITS_OF_A_YEAR and int(word) > 1 and words[max(at - 1, 0)] != "number"
    return word in grammar().several or word in several_words()


def _denied(words: tuple[str, ...], at: int) -> bool:
    """Whether "a" is of "instead of a", "without a"."""
    return at > 1 and f"{words[at - 2]} {words[at - 1]}" in grammar().denying


def _of_what(words: tuple[str, ...], at: int, *, other: bool) -> Before:
    """What "herd of", "slice of" and the like say of the noun after them."""
    of = grammar()
    noun = words[at - 1] if at else ""
    if noun in of.groups:
        return Before(count=Count.GROUP, counts=noun in of.counting, other=other)
    one = noun.removesuffix("s")
    if noun in of.pieces:
        return Before(count=Count.PIECE, other=other)
    return Before(count=Count.PIECES, other=other) if one in of.pieces else Before(other=other)


def _joins_adjectives(words: tuple[str, ...], at: int, start: int) -> bool:
    """Whether "and" stands in "a black and white cat"."""
    return 0 < at < start - 1 and _is_adjective(words[at - 1]) and _is_adjective(words[at + 1])


def _is_adjective(word: str) -> bool:
    return word in describing() or word.endswith("ed")
