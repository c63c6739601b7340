"""Clauses, each with what it is about and what it says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.language.units.lexicon import VERBS, Tag, words_of
from pytest_vqamt.language.units.sentence import NounPhrase, Sentence
from pytest_vqamt.language.units.things import is_living
from pytest_vqamt.language.units.verbs import plural_form, third_person

_FINITE = frozenset({Tag.FINITE, Tag.BE})
_JOINTS = frozenset({Tag.AND, Tag.SUBORDINATOR, Tag.MARK})
_LIKE_SUBORDINATORS = frozenset({"as", "before", "after", "until"})
_SAYS_WHAT_AS = frozenset({"dressed", "disguised", "posing", "acting", "working", "used", "known"})
"""After these, "as" says what somebody is like, and begins no clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a clause is about, and what it says of it, word for word."""

    phrase: NounPhrase
    property: str


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
            yield Clause(start=first, end=last, subjects=tuple(_subjects(sentence, first, last)))


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
    verb = _first_verb(sentence, follows.end)
    if verb is None:
        return False
    before = [sentence.tag(place) for place in range(begun, joint)]
    if sentence.tag(verb) in _FINITE:
        return not _FINITE.isdisjoint(_main(before)) or (is_subordinate and not VERBS.isdisjoint(before))
    if sentence.tag(verb) is not Tag.ING:
        return False
    is_like_before = Tag.ING in before and _FINITE.isdisjoint(before) and verb == follows.end
    return is_subordinate or (is_like_before and sentence.tag(joint) is Tag.AND)


def _main(tags: Sequence[Tag]) -> Sequence[Tag]:
    """The tags without those of a relative clause, as far as its first verb."""
    if Tag.RELATIVE not in tags:
        return tags
    relative = tags.index(Tag.RELATIVE)
    own = next((place for place, tag in enumerate(tags) if place > relative and tag in _FINITE), relative)
    return [*tags[:relative], *tags[own + 1 :]]


def _first_verb(sentence: Sentence, start: int) -> int | None:
    for place in range(start, len(sentence.tokens)):
        if sentence.tag(place) in VERBS:
            return place
        if sentence.tag(place) in (Tag.SUBORDINATOR, Tag.MARK, Tag.RELATIVE):
            return None
    return None


def _trimmed(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    loose = (Tag.AND, Tag.MARK, Tag.SUBORDINATOR)
    while start < end and sentence.tag(start) in loose:
        start += 1
    while start < end and sentence.tag(end - 1) in loose:
        end -= 1
    return start, end


def _subjects(sentence: Sentence, start: int, end: int) -> Iterator[Subject]:
    phrases = [it for it in sentence.phrases if start <= it.start and it.end <= end]
    first = next((it for it in phrases if _is_free(sentence, it, start)), None)
    if first is None:
        return
    lead = sentence.words(start, first.start) if not _begins_with_there(sentence, start) else ""
    lead = lead.strip(" ,") if sentence.tag(start) in (Tag.PREPOSITION, Tag.ING, Tag.PARTICIPLE) else ""
    members = [(first, "")]
    last = first
    while (joined := _joined(sentence, phrases, last, end)) is not None:
        own, last = joined
        members[-1] = (members[-1][0], own)
        members.append((last, ""))
    shared_from = last.end
    if any(own for _, own in members):
        shared_from = _after_phrases(sentence, phrases, last.end, end)
        members[-1] = (last, sentence.words(last.end, shared_from))
    shared = sentence.words(shared_from, end).lstrip(" ,")
    for phrase, own in members:
        yield Subject(phrase=phrase, property=" ".join(filter(None, (own, shared, lead))))


def _is_free(sentence: Sentence, phrase: NounPhrase, start: int) -> bool:
    """Whether the phrase hangs on no verb and no preposition; in "there is a man" the man does not."""
    if _begins_with_there(sentence, start):
        return all(sentence.tag(place) not in VERBS - {Tag.BE} for place in range(start, phrase.start))
    if phrase.start == start:
        return True
    before = sentence.tag(phrase.start - 1)
    return before in (Tag.MARK, Tag.ADVERB, Tag.SUBORDINATOR) and sentence.tag(start) not in (Tag.NOUN, Tag.DETERMINER)


def _begins_with_there(sentence: Sentence, start: int) -> bool:
    return sentence.tag(start) is Tag.THERE


def _joined(sentence: Sentence, phrases: list[NounPhrase], last: NounPhrase, end: int) -> tuple[str, NounPhrase] | None:
    """The phrase that "and" joins to this one, and what stands between of this one's own: "a boy on a bike and a girl"."""
    place = _after_phrases(sentence, phrases, last.end, end)
    after = place
    while after < end and (sentence.tag(after) is Tag.AND or sentence.word(after) == ","):
        after += 1
    other = next((it for it in phrases if it.start == after > place), None)
    if other is None or (place > last.end and not _are_alike(sentence, last, other, end)):
        return None
    return sentence.words(last.end, place), other


def _after_phrases(sentence: Sentence, phrases: Sequence[NounPhrase], place: int, end: int) -> int:
    """The place after the prepositions there, each with its noun phrase."""
    while place < end and sentence.tag(place) is Tag.PREPOSITION:
        inner = next((it for it in phrases if it.start == place + 1), None)
        if inner is None:
            break
        place = inner.end
    return place


def _are_alike(sentence: Sentence, one: NounPhrase, other: NounPhrase, end: int) -> bool:
    """Whether both are what the verb speaks of, and not the second what the first has with it."""
    are_living = is_living(sentence.word(one.head)) and is_living(sentence.word(other.head))
    verb = _first_verb(sentence, other.end)
    if verb is None or verb >= end:
        return are_living and sentence.tag(other.end) is Tag.PREPOSITION and other.end < end
    word = sentence.word(verb)
    is_of_many = sentence.tag(verb) in _FINITE and plural_form(word) == word != third_person(word)
    return is_of_many and (are_living or sentence.tag(verb) is Tag.BE) and not sentence.is_plural(one)
