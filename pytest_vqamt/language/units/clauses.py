"""Clauses, each with what it is about and what it says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.language.units.lexicon import VERBS, Tag, words_of
from pytest_vqamt.language.units.sentence import Sentence
from pytest_vqamt.language.units.subjects import Subject, first_verb, subjects
from pytest_vqamt.language.units.things import is_living

_FINITE = frozenset({Tag.FINITE, Tag.BE})
_JOINTS = frozenset({Tag.AND, Tag.SUBORDINATOR, Tag.MARK})
_LIKE_SUBORDINATORS = frozenset({"as", "before", "after", "until"})
_SAYS_WHAT_AS = frozenset({"dressed", "disguised", "posing", "acting", "working", "used", "known"})
"""After these, "as" says what somebody is like, and begins no clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """The words from ``start`` to before ``end``; ``subjects`` in order, none where something is left to be guessed."""

    start: int
    end: int
    subjects: tuple[Subject, ...]


def clauses(sentence: Sentence) -> Iterator[Clause]:
    """The clauses of the sentence: "while", "as", "and" part what has subjects of its own."""
    starts = [0, *(place + 1 for place in _joints(sentence))]
    for start, end in zip(starts, [*starts[1:], len(sentence.tokens) + 1], strict=True):
        first, last = _trimmed(sentence, start, end - 1)
        if first < last:
            yield Clause(start=first, end=last, subjects=tuple(subjects(sentence, first, last)))


def _joints(sentence: Sentence) -> Iterator[int]:
    """The places of the words that part clauses."""
    begun = 0
    for place in range(1, len(sentence.tokens)):
        tag = sentence.tag(place)
        is_joint = tag in _JOINTS or sentence.word(place) in _LIKE_SUBORDINATORS
        if is_joint and _parts(sentence, begun, place):
            begun = place + 1
            yield place


def _parts(sentence: Sentence, begun: int, joint: int) -> bool:
    """Whether a clause of its own follows the joint."""
    follows = next((it for it in sentence.phrases if it.start == joint + 1), None)
    if follows is None or sentence.word(follows.head) in words_of("personal"):
        return False
    is_subordinate = sentence.tag(joint) is Tag.SUBORDINATOR or sentence.word(joint) in _LIKE_SUBORDINATORS
    if sentence.word(joint) == "as" and sentence.word(joint - 1) in _SAYS_WHAT_AS:
        return False
    verb = first_verb(sentence, follows.end)
    if verb is None:
        return False
    before = [sentence.tag(place) for place in range(begun, joint)]
    if sentence.tag(verb) in _FINITE:
        return not _FINITE.isdisjoint(_main(before)) or (is_subordinate and not VERBS.isdisjoint(before))
    if sentence.tag(verb) is not Tag.ING:
        return False
    is_like_before = Tag.ING in before and _FINITE.isdisjoint(before) and verb == follows.end
    is_like_before = is_like_before and is_living(sentence.word(follows.head))
    return is_subordinate or (is_like_before and sentence.tag(joint) is Tag.AND)


def _main(tags: Sequence[Tag]) -> Sequence[Tag]:
    """The tags without those of a relative clause, as far as its first verb."""
    if Tag.RELATIVE not in tags:
        return tags
    relative = tags.index(Tag.RELATIVE)
    own = next((place for place, tag in enumerate(tags) if place > relative and tag in _FINITE), relative)
    return [*tags[:relative], *tags[own + 1 :]]


def _trimmed(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    loose = (Tag.AND, Tag.MARK, Tag.SUBORDINATOR)
    while start < end and sentence.tag(start) in loose:
        start += 1
    while start < end and sentence.tag(end - 1) in loose:
        end -= 1
    return start, end
