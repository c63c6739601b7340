"""The words before a noun: how many things there are, and if they were mentioned before."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_vqamt.language.captions.naming_words import (
    STOP,
    WordShape,
    descriptive_adjectives,
    entries_by_form,
    grammar,
    several_words,
    tens,
)

_FAR = 7
"""Words between a noun and its determiner, at most."""
_DIGITS_OF_A_YEAR = 4


class Quantity(StrEnum):
    """How many things the words before a noun state."""

    OPEN = "not said"
    ONE = "one"
    SEVERAL = "several"
    SOME = "some of it, or of them"
    GROUP = "a group of it"
    """"A herd of": several, even where the noun looks singular."""
    PIECE = "a piece of it"
    PIECES = "pieces of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecedingWords:
    """What the words before a noun say of it."""

    count: Quantity = Quantity.OPEN
    """How many things they state."""
    counts: bool = False
    """True of a number or group that counts even a mass: "two", "a couple of"."""
    definite: bool = False
    """True of "the" and "that"."""
    owned: bool = False
    """True of "his" and "the dog's"."""
    other: bool = False
    """True of "another" and "the second": the thing is one more."""
    denied: bool = False
    """True of "no" and "without a"."""


def read_preceding_words(
    words: tuple[str, ...], start: int, taken: AbstractSet[int], *, singular: bool
) -> PrecedingWords:
    """Reads leftward from the noun at ``start`` to the begin of its phrase; words in ``taken`` are nouns themselves.

    ``singular``: the noun is a singular, so a number behind an article counts something else ("a two story bus").

    >>> read_preceding_words(("a", "herd", "of", "wild", "sheep"), 4, set(), singular=False).count
    <Quantity.GROUP: 'a group of it'>
    >>> said = read_preceding_words(("next", "to", "the", "other", "dog"), 4, set(), singular=True)
    >>> said.definite, said.other
    (True, True)
    """
    other = False
    number: PrecedingWords | None = None
    for at in range(start - 1, max(start - 1 - _FAR, -1), -1):
        if at in taken or words[at] == STOP:
            break
        said = _determiner(words, at)
        if said is not None and said.count is Quantity.SEVERAL:
            # "A two story bus" has two stories.
            if not (singular and at + 1 < start and words[at + 1] in grammar("measures")):
                number = said
            if number is not None and (not singular or at == start - 1):
                break
        elif said is not None:
            # "A large and a small elephant" are two, though the noun stands there once.
            if said.count is Quantity.ONE and _is_the_second(words, at):
                return PrecedingWords(count=Quantity.SEVERAL, counts=True)
            # A number that stands farther left of a singular counts something else ("a two tone red bus").
            has_article = said.count is Quantity.ONE or said.definite or said.owned or said.denied
            return replace(said if number is None or has_article else number, other=other or said.other)
        elif _closes(words, at, start):
            break
        other = other or words[at] in grammar("not_the_first")
    return replace(number or PrecedingWords(), other=other)


def _determiner(words: tuple[str, ...], at: int) -> PrecedingWords | None:
    """Reads the determiner at ``at``; None if it is none."""
    word = words[at]
    if word in grammar("denial") or _two_words(words, at) in grammar("denying"):
        return PrecedingWords(denied=True)
    if word in grammar("one") and not (word == "one" and at and words[at - 1] in tens()):
        denied = at > 0 and (words[at - 1] in grammar("denial") or _two_words(words, at - 1) in grammar("denying"))
        return PrecedingWords(count=Quantity.ONE, other=word == "another", denied=denied)
    if _is_several(words, at):
        return PrecedingWords(count=Quantity.SEVERAL, counts=True)
    if word in grammar("same"):
        return PrecedingWords(definite=True)
    if word in grammar("whose"):
        return PrecedingWords(owned=True)
    if word in grammar("some"):
        return PrecedingWords(count=Quantity.SOME)
    return _of_what(words[at - 1] if at else "") if word == "of" else None


def _is_the_second(words: tuple[str, ...], at: int) -> bool:
    """True if the one before differs by its adjectives only: "a large and" before "a small elephant"."""
    if words[at - 1] != "and":
        return False
    first = at - 1
    while first > 0 and is_adjective(words[first - 1]) and words[first - 1] not in entries_by_form():
        first -= 1
    return 0 < first < at - 1 and words[first - 1] in ("a", "an", "one")


def _two_words(words: tuple[str, ...], at: int) -> str:
    return f"{words[at - 1]} {words[at]}" if at else ""


def _is_several(words: tuple[str, ...], at: int) -> bool:
    word = words[at]
    if word == "one":
        # "Twenty one" is several, a hyphen in it is a space here.
        return at > 0 and words[at - 1] in tens()
    if word.isdecimal():
        # No year, and not the name of "the number 7 bus".
        return len(word) < _DIGITS_OF_A_YEAR and int(word) > 1 and words[max(at - 1, 0)] != "number"
    return word in grammar("several") or word in several_words()


def _of_what(noun: str) -> PrecedingWords:
    """Reads "herd of", "slice of" and the like."""
    if noun in grammar("groups"):
        return PrecedingWords(count=Quantity.GROUP, counts=noun in grammar("counting"))
    if noun in grammar("pieces"):
        return PrecedingWords(count=Quantity.PIECE)
    return PrecedingWords(count=Quantity.PIECES if noun.removesuffix("s") in grammar("pieces") else Quantity.OPEN)


def _closes(words: tuple[str, ...], at: int, start: int) -> bool:
    """True if the phrase of the noun at ``start`` begins after the word at ``at``."""
    word = words[at]
    if word in grammar("joining"):
        # But for "a black and white cat".
        return not (0 < at < start - 1 and is_adjective(words[at - 1]) and is_adjective(words[at + 1]))
    if word.endswith("ing"):
        # But for "a flying kite".
        return not (at and words[at - 1] in grammar("one", "same", "whose"))
    return word in grammar("prepositions", "singular_verbs", "plural_verbs")


def is_adjective(word: str) -> bool:
    """True of an adjective: "black", "striped"."""
    return word in descriptive_adjectives() or word.endswith("ed")


class NounForm(StrEnum):
    """One thing of a class, or several, as a caption mentions them."""

    SINGULAR = "singular"
    PLURAL = "plural"
    NONE = "none"
    """Unknown from the words: scissors, luggage, broccoli, the cars of a train."""


def noun_form(shape: WordShape, said: PrecedingWords, words: tuple[str, ...], end: int, *, is_food: bool) -> NounForm:
    """Returns the form of a noun that ends before ``end``, by its shape and the words before it.

    Number words and groups make a plural of any noun ("two giraffe"). Food without an article is a mass ("eating
    pizza"); a noun with one form goes by its verb, and is a plural without an article ("sheep in a field").
    """
    if shape is WordShape.LACKING:
        return NounForm.NONE
    if shape is WordShape.MANY:
        return NounForm.PLURAL
    stuff = shape is WordShape.MASS or is_food
    if said.count is Quantity.SEVERAL or (said.count is Quantity.GROUP and (said.counts or not stuff)):
        return NounForm.PLURAL
    if shape is WordShape.BOTH:
        return _of_both(said, words, end)
    if said.count is Quantity.ONE:
        return NounForm.SINGULAR
    if said.count is Quantity.PIECE and stuff:
        return NounForm.SINGULAR
    bare = not (said.definite or said.owned)
    if shape is WordShape.MASS or (is_food and bare):
        return NounForm.NONE
    return NounForm.SINGULAR


def _of_both(said: PrecedingWords, words: tuple[str, ...], end: int) -> NounForm:
    """Returns the form of a word such as "sheep"."""
    if said.count is Quantity.ONE:
        return NounForm.SINGULAR
    # "Sheep that are", "a sheep is": the verb has the number that the noun lacks.
    at = end + 1 if words[end : end + 1] in (("that",), ("which",), ("who",)) else end
    verb = words[at] if at < len(words) else ""
    if verb in grammar("singular_verbs"):
        return NounForm.SINGULAR
    if verb in grammar("plural_verbs"):
        return NounForm.PLURAL
    return NounForm.NONE if said.definite or said.owned else NounForm.PLURAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Things that a caption names."""

    lemma: str
    """The word or phrase in the singular."""
    start: int
    """Its first word in the caption, from 0."""
    end: int
    """The word after its last."""
    form: NounForm = NounForm.NONE
    """One thing or several."""
    classes: tuple[str, ...] = ()
    """The class, then its alternatives; empty if the words only may name something."""
    perhaps: tuple[str, ...] = ()
    """Classes and super-categories that the words may name."""
    definite: bool = False
    """True of "the dog", which may be one named before."""
    adds: bool = True
    """True if it may be one more thing of its class; a part of a thing is not."""
