"""What a property is as a part of a sentence: a verb with its number, or what "is" has to be put before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum, auto
from functools import lru_cache

from pytest_vqamt.language.units.lexicon import Tag, words_of
from pytest_vqamt.language.units.parsing import read
from pytest_vqamt.language.units.sentence import Sentence
from pytest_vqamt.language.units.verbs import plural_form, third_person

_MORE = frozenset({"of", "to", "with", "without"})
"""What does not follow "is": "a man with a hat", "a card to buy"."""
_THEY = "they "
_LONG = {"'s": "is", "'re": "are"}


class Kind(StrEnum):
    """How a property says what it says."""

    NOTHING = auto()
    VERB = auto()
    """With a verb of its own: "rides a horse", "in a hat is asleep"."""
    STATE = auto()
    """Lacking "is": "riding a horse", "asleep", "on a horse"."""
    MORE = auto()
    """More of its noun, to be put behind that: "with a hat", "of the picture"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """A property, and where in it the verbs stand that change with the number of things: from where to where."""

    kind: Kind
    text: str = ""
    verbs: tuple[tuple[int, int], ...] = ()

    def of_one(self) -> str:
        """As it is said of one thing: "walks", "is walking"."""
        return self._said(third_person, "is")

    def of_many(self) -> str:
        """As it is said of several: "walk", "are walking"."""
        return self._said(plural_form, "are")

    def _said(self, form: Callable[[str], str], be: str) -> str:
        said = self.text
        for start, end in reversed(self.verbs):
            said = said[:start] + form(said[start:end]) + said[end:]
        return f"{be} {said}" if self.kind is Kind.STATE else said


@lru_cache(maxsize=65536)
def predicate(said: str) -> Predicate:
    """The property as a predicate.

    >>> predicate("walk and sing").of_one(), predicate("flying a kite").of_many(), str(predicate("with a hat").kind)
    ('walks and sings', 'are flying a kite', 'more')
    """
    if not said:
        return Predicate(kind=Kind.NOTHING)
    short, _, rest = said.replace("\u2019", "'").partition(" ")
    if short in _LONG:
        said = f"{_LONG[short]} {rest}"
    sentence = read(_THEY + said)
    main = _main_verb(sentence)
    if main is None:
        return _without_verb(sentence, said)
    verbs = (sentence.tokens[place] for place in (main, *_joined_verbs(sentence, main)))
    spans = tuple((verb.start - len(_THEY), verb.end - len(_THEY)) for verb in verbs)
    return Predicate(kind=Kind.VERB, text=said, verbs=spans)


def _without_verb(sentence: Sentence, said: str) -> Predicate:
    if sentence.tag(1) is Tag.RELATIVE:
        # "who is asleep" says the same as "is asleep"; "that a man holds" can only be put behind its noun.
        is_subject = sentence.tag(2) in (Tag.BE, Tag.FINITE)
        return (
            predicate(sentence.words(2, len(sentence.tokens))) if is_subject else Predicate(kind=Kind.MORE, text=said)
        )
    is_more = sentence.tag(1) is Tag.TO or sentence.word(1) in _MORE
    return Predicate(kind=Kind.MORE if is_more else Kind.STATE, text=said)


def _main_verb(sentence: Sentence) -> int | None:
    """The place of the verb that the whole speaks with: in no relative clause, and before every "while"."""
    relatives = 0
    for place in range(1, len(sentence.tokens)):
        if _begins_another(sentence, place):
            return None
        if sentence.tag(place) is Tag.RELATIVE:
            relatives += 1
        elif _is_finite(sentence, place):
            if not relatives:
                return place
            relatives -= 1
    return None


def _joined_verbs(sentence: Sentence, main: int) -> Iterator[int]:
    """The verbs that "and" joins to the main one."""
    for place in range(main + 1, len(sentence.tokens)):
        if _begins_another(sentence, place) or sentence.tag(place) is Tag.RELATIVE:
            return
        before = place - 1
        while sentence.tag(before) is Tag.ADVERB:
            before -= 1
        if sentence.tag(place) in (Tag.FINITE, Tag.BE) and sentence.tag(before) in (Tag.AND, Tag.MARK):
            yield place


def _is_finite(sentence: Sentence, place: int) -> bool:
    return sentence.tag(place) in (Tag.BE, Tag.FINITE) and sentence.word(place) not in ("be", "been", "being")


def _begins_another(sentence: Sentence, place: int) -> bool:
    """Whether a clause with a subject of its own begins there."""
    if sentence.tag(place) is Tag.SUBORDINATOR:
        return True
    is_like_one = sentence.word(place) in ("after", "as", "before", "until")
    return is_like_one and sentence.word(place + 1) in words_of("personal")
