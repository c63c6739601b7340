"""How many things of a name a caption surely says are there. What it leaves out, it does not deny."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from pytest_vqamt.language.captions.lexicon import PERSON, caption_words, descriptive_adjectives, grammar
from pytest_vqamt.language.captions.mentions import mentions_of
from pytest_vqamt.language.captions.number import Mention, NounForm, is_adjective
from pytest_vqamt.language.captions.reading import class_of
from pytest_vqamt.language.english.nouns import NUMBER_WORDS
from pytest_vqamt.language.wordnet import wordnet

_LARGEST = 20
"""Greater numbers before a noun are mostly years, speeds and names: "a 1950 car"."""
_NEAR = 4
"""Words between a noun and what it is for, or is on, at most."""
_SEVERAL = 2


@lru_cache(maxsize=65536)
def least_claimed(caption: str, name: str) -> int:
    """Returns the least number of things of this name that the caption surely says are there; 0 if it says of none.

    A mention counts if its word names a thing of the name and nothing else: the name itself, or a kind of it by
    WordNet. Left out are things denied or guessed, likenesses, parts, games and purposes, and whatever else stands in
    one sentence with a word for these. Mentions are not added up: "two dogs and another dog" may be two.

    >>> least_claimed("Two puppies lie on a couch.", "dog"), least_claimed("a dog with a ball", "dog")
    (2, 1)
    >>> [least_claimed(caption, "dog") for caption in ("There is no dog.", "a statue of a dog", "an animal", "a cat")]
    [0, 0, 0, 0]
    """
    words, named = caption_words(caption), class_of(name)
    return max(
        (
            _number(each, words)
            for each in _sure_mentions(caption, words)
            if each.classes[0] == named and _is_kind(each.lemma, name)
        ),
        default=0,
    )


@lru_cache(maxsize=4096)
def _sure_mentions(caption: str, words: tuple[str, ...]) -> tuple[Mention, ...]:
    """Returns the mentions that stand in a sentence without any word of doubt."""
    mentions = mentions_of(caption)
    of_names = {at for each in mentions if each.classes for at in range(each.start, each.end)}
    doubtful = [
        range(start, end) for start, end in _sentences(caption, words) if _is_doubtful(words, start, end, of_names)
    ]
    return tuple(
        each
        for each in mentions
        if len(each.classes) == 1
        and each.adds
        and each.form is not NounForm.NONE
        and not any(each.start in sentence for sentence in doubtful)
        and grammar("purposes").isdisjoint(_before(words, each.start))
    )


_SENTENCE_END = re.compile(r"(?<=[.!?;:\n])\s+")


def _sentences(caption: str, words: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yields the first word of each sentence and the one after its last; all is one sentence where they are unclear."""
    lengths = [len(caption_words(each)) for each in _SENTENCE_END.split(caption)]
    if sum(lengths) != len(words):
        lengths = [len(words)]
    start = 0
    for length in lengths:
        yield start, start + length
        start += length


def _is_doubtful(words: tuple[str, ...], start: int, end: int, of_names: set[int]) -> bool:
    """Whether the words from ``start`` to ``end`` deny, guess, or speak of pictures and toys; names do not count."""
    opening = _opening(words, start, end)
    for at in range(start, end):
        word = words[at]
        if at in opening:
            continue
        if word in grammar("carriers") and "on" in _before(words, at):
            return True
        if at not in of_names and (word in grammar("unsure") or (word == "t" and words[at - 1].endswith("n"))):
            return True
    return False


def _opening(words: tuple[str, ...], start: int, end: int) -> Sequence[int]:
    """Returns the words of "A picture of" and "The image shows" at the begin of a sentence."""
    at = start
    while at < end and words[at] in grammar("before_a_picture"):
        at += 1
    if words[at : at + 1] == () or words[at] not in grammar("pictures") or at + 1 >= end:
        return ()
    if words[at + 1] not in grammar("after_a_picture") or not grammar("framing").isdisjoint(words[start:end]):
        return ()
    return range(start, at + 2)


def _before(words: tuple[str, ...], at: int) -> tuple[str, ...]:
    return words[max(at - _NEAR, 0) : at]


_PEOPLE = frozenset({"people", "persons"})
_DISPUTED = frozenset({"burger", "cheeseburger", "hamburger", "cupcake", "kayak", "moped"})
"""Kinds by WordNet of which many people say that they are none: a burger is no sandwich to them."""


@cache
def _is_kind(lemma: str, name: str) -> bool:
    """Whether whatever goes by the word is a thing of this name."""
    is_kind = lemma not in _DISPUTED and wordnet().is_kind_of(lemma, name)
    return lemma == name or is_kind or (name == PERSON and lemma in _PEOPLE)


def _number(mention: Mention, words: tuple[str, ...]) -> int:
    if mention.form is NounForm.SINGULAR:
        return 1
    for at in range(mention.start - 1, max(mention.start - 1 - _NEAR, -1), -1):
        number = _value(words[at])
        if number is not None:
            return max(_SEVERAL, number)
        if not (is_adjective(words[at]) or words[at] in descriptive_adjectives()):
            break
    return _SEVERAL


def _value(word: str) -> int | None:
    if word.isdecimal():
        return int(word) if int(word[:4]) <= _LARGEST and len(word) <= len(str(_LARGEST)) else None
    return NUMBER_WORDS.index(word) if word in NUMBER_WORDS[: _LARGEST + 1] else None
