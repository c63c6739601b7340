"""Finds every way in which the rules account for all words of a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_vqamt.core.meaning import Group
from tests.reader.grammar import BEGINNINGS, ONCE, RULES
from tests.reader.nouns import Lexicon, singulars_of, takes_an

LONGEST = 3
"""The most words that a name or an attribute of a lexicon has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """Words that the rules account for, up to ``end``, and what they say.

    Attributes:
        end: the position after the last word.
        groups: what the nouns name, in the order of the text.
        negators: how many words negate.
        mentions: what may be mentioned only once, at each mention.
    """

    end: int
    groups: tuple[Group, ...] = ()
    negators: int = 0
    mentions: tuple[str, ...] = ()

    def then(self, other: Phrase) -> Phrase:
        """This phrase followed by another."""
        return Phrase(
            end=other.end,
            groups=self.groups + other.groups,
            negators=self.negators + other.negators,
            mentions=self.mentions + other.mentions,
        )


@dataclass(frozen=True, slots=True)
class Parser:
    """Rewrites the grammar's symbols over the words of one text."""

    lexicon: Lexicon
    words: tuple[str, ...]
    _known: dict[tuple[str, int], tuple[Phrase, ...]] = field(default_factory=dict)

    def whole(self, symbol: str) -> tuple[Phrase, ...]:
        """Each reading of the whole text as ``symbol`` that mentions nothing once too often."""
        phrases = (phrase for phrase in self.phrases(symbol, 0) if phrase.end == len(self.words))
        return tuple(phrase for phrase in phrases if len(set(phrase.mentions)) == len(phrase.mentions))

    def phrases(self, symbol: str, start: int) -> tuple[Phrase, ...]:
        """Each different phrase of this kind that begins at ``start``."""
        if symbol.isalpha() and symbol.islower() and symbol != "a":
            return (Phrase(end=start + 1),) if self._word(start) == symbol else ()
        key = (symbol, start)
        if key not in self._known:
            self._known[key] = tuple(dict.fromkeys(self._read(symbol, start)))
        return self._known[key]

    def _read(self, symbol: str, start: int) -> Iterator[Phrase]:
        if symbol.endswith("?"):
            yield Phrase(end=start)
            yield from self.phrases(symbol[:-1], start)
        elif symbol.startswith("!"):
            for phrase in self.phrases(symbol[1:], start):
                yield phrase.then(Phrase(end=phrase.end, negators=1))
        elif symbol.startswith("NOUN."):
            yield from self._nouns(symbol.removeprefix("NOUN."), start)
        elif symbol.startswith("TRAILED."):
            yield from self._trailed(symbol.removeprefix("TRAILED."), start)
        elif symbol in RULES:
            beginnings = BEGINNINGS[symbol]
            if beginnings is not None and self._word(start) not in beginnings:
                return
            for phrase in (phrase for way in RULES[symbol] for phrase in self._sequence(way, start)):
                yield phrase.then(Phrase(end=phrase.end, mentions=(ONCE[symbol],))) if symbol in ONCE else phrase
        elif symbol == "a":
            yield from self._article(start)
        elif self._word(start) == symbol:
            yield Phrase(end=start + 1)

    def _sequence(self, symbols: tuple[str, ...], start: int) -> tuple[Phrase, ...]:
        found = self.phrases(symbols[0], start)
        for symbol in symbols[1:]:
            if not found:
                break
            found = tuple(phrase.then(more) for phrase in found for more in self.phrases(symbol, phrase.end))
        return found

    def _word(self, position: int) -> str:
        return self.words[position] if position < len(self.words) else ""

    def _article(self, start: int) -> Iterator[Phrase]:
        following = self._word(start + 1)
        if following and self._word(start) == ("an" if takes_an(following) else "a"):
            yield Phrase(end=start + 1)

    def _nouns(self, number: str, start: int) -> Iterator[Phrase]:
        """Attributes, each once, and the name of a thing."""
        for attributes, begin in self._attributes(start):
            for end in range(begin + 1, min(begin + LONGEST, len(self.words)) + 1):
                for name in self._names(number, self.words[begin:end]):
                    yield Phrase(end=end, groups=(Group(name=name, attributes=attributes),))

    def _trailed(self, number: str, start: int) -> Iterator[Phrase]:
        """The same, and one attribute more after it: "running", "that are red"."""
        verb = "are" if number == "pl" else "is"
        for noun in self._nouns(number, start):
            linked = self._word(noun.end) in ("that", "which", "who") and self._word(noun.end + 1) == verb
            for attribute, end in self._attribute(noun.end + 2 if linked else noun.end):
                (group,) = noun.groups
                if (linked or attribute.endswith("ing")) and attribute not in group.attributes:
                    yield Phrase(end=end, groups=(Group(name=group.name, attributes=(*group.attributes, attribute)),))

    def _attributes(self, start: int) -> Iterator[tuple[tuple[str, ...], int]]:
        yield (), start
        for first, begin in self._attribute(start):
            for others, end in self._attributes(begin):
                if first not in others:
                    yield (first, *others), end

    def _attribute(self, start: int) -> Iterator[tuple[str, int]]:
        for end in range(start + 1, min(start + LONGEST, len(self.words)) + 1):
            words = " ".join(self.words[start:end])
            if words in self.lexicon.attributes:
                yield words, end

    def _names(self, number: str, words: tuple[str, ...]) -> Iterator[str]:
        name = " ".join(words)
        if (number == "sg" and name in self.lexicon.names) or (number == "ms" and name in self.lexicon.mass):
            yield name
        if number == "pl" and name in self.lexicon.pairs:
            yield name
        if number == "pl":
            candidates = (" ".join((*words[:-1], singular)) for singular in singulars_of(words[-1]))
            yield from (candidate for candidate in candidates if candidate in self.lexicon.names)
