"""What a clause is about: its subjects, each with what the clause says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.language.units.lexicon import VERBS, Tag, words_of
from pytest_vqamt.language.units.sentence import NounPhrase, Sentence
from pytest_vqamt.language.units.things import is_living
from pytest_vqamt.language.units.verbs import plural_form, third_person

_FINITE = frozenset({Tag.FINITE, Tag.BE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a clause is about, and what it says of it, word for word."""

    phrase: NounPhrase
    property: str


def subjects(sentence: Sentence, start: int, end: int) -> Iterator[Subject]:
    """The subjects of the clause between two places; none where there is no clause, or its subject is left out."""
    start = _there(sentence, start, end) or start
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
    shared = sentence.words(_after_they(sentence, shared_from), end).lstrip(" ,")
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


def _there(sentence: Sentence, start: int, end: int) -> int | None:
    """The place of the "there" that the clause begins with, after "in this picture" and the like."""
    for place in range(start, end):
        if sentence.tag(place) is Tag.THERE:
            return place
        if sentence.tag(place) in VERBS:
            return None
    return None


def _begins_with_there(sentence: Sentence, start: int) -> bool:
    return sentence.tag(start) is Tag.THERE


def _after_they(sentence: Sentence, place: int) -> int:
    """The place after "and they", which says what follows of the same subject."""
    is_again = sentence.tag(place) is Tag.AND and sentence.word(place + 1) in words_of("personal")
    return place + 2 if is_again else place


def _joined(sentence: Sentence, phrases: list[NounPhrase], last: NounPhrase, end: int) -> tuple[str, NounPhrase] | None:
    """What a phrase has of its own ("on a bike" of "a boy on a bike and a girl"), and the one joined to it by "and"."""
    place = _after_phrases(sentence, phrases, last.end, end)
    after = place
    while after < end and (sentence.tag(after) is Tag.AND or sentence.word(after) == ","):
        after += 1
    other = next((it for it in phrases if it.start == after > place), None)
    if other is None or sentence.word(other.head) in words_of("personal"):
        return None
    if sentence.word(other.start - 1) == "," and sentence.tag(other.head) is Tag.PRONOUN:
        return None  # "two boys, both wearing caps"
    if place > last.end and not _are_alike(sentence, last, other, end):
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
    verb = first_verb(sentence, other.end)
    if verb is None or verb >= end:
        return are_living and sentence.tag(other.end) is Tag.PREPOSITION and other.end < end
    word = sentence.word(verb)
    is_of_many = sentence.tag(verb) in _FINITE and plural_form(word) == word != third_person(word)
    return is_of_many and (are_living or sentence.tag(verb) is Tag.BE) and not sentence.is_plural(one)


def first_verb(sentence: Sentence, start: int) -> int | None:
    """The place of the first verb from a place on, in the same clause."""
    for place in range(start, len(sentence.tokens)):
        if sentence.tag(place) in VERBS:
            return place
        if sentence.tag(place) in (Tag.SUBORDINATOR, Tag.MARK, Tag.RELATIVE):
            return None
    return None
