"""Finds every way in which the rules account for all words of a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pytest_vqamt.core.meaning import Group
from tests.reader.grammar import ONCE, RULES, is_lexical, is_word, ways
from tests.reader.lexical import Words
from tests.reader.lexicon import Lexicon
from tests.reader.nouns import takes_an


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """Words that the rules account for, up to ``end``, and what they say.

    Attributes:
        end: the position after the last word.
        groups: what the nouns name, in the order of the text.
        options: the attributes or names that are asked about, in the order of the text.
        kinds: the nouns for categories of attributes.
        negators: how many words negate.
        mentions: what may be mentioned only once, at each mention.
    """

    end: int
    groups: tuple[Group, ...] = ()
    options: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    negators: int = 0
    mentions: tuple[str, ...] = ()

    def then(self, other: Phrase) -> Phrase:
        """This phrase followed by another; what has no name of its own is said of the group before it."""
        return Phrase(
            end=other.end,
            groups=_joined(self.groups, other.groups),
            options=self.options + other.options,
            kinds=self.kinds + other.kinds,
            negators=self.negators + other.negators,
            mentions=self.mentions + other.mentions,
        )


def _joined(groups: tuple[Group, ...], others: tuple[Group, ...]) -> tuple[Group, ...]:
    if not groups or not others or others[0].name:
        return groups + others
    *before, last = groups
    more, *after = others
    both = replace(last, attributes=last.attributes + more.attributes, related=last.related + more.related)
    return (*before, both, *after)


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
        elif symbol in RULES:
            found = (phrase for way in ways(symbol, self._word(start)) for phrase in self._sequence(way, start))
            for phrase in found:
                yield phrase.then(Phrase(end=phrase.end, mentions=(ONCE[symbol],))) if symbol in ONCE else phrase
        elif symbol == "a":
            yield from self._article(start)
        elif is_lexical(symbol):
            yield from self._from_lexicon(symbol, start)
        elif is_word(symbol) and self._word(start) == symbol:
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

    def _from_lexicon(self, symbol: str, start: int) -> Iterator[Phrase]:
        what, _, which = symbol.partition(".")
        words = Words(self.lexicon, self.words)
        match what:
            case "NOUN" | "PERSON":
                for group, end in words.nouns(which, start):
                    if what == "NOUN" or group.name in self.lexicon.people:
                        yield Phrase(end=end, groups=(group,))
            case "WHOEVER":
                if self._word(start) == "who":
                    yield Phrase(end=start + 1, groups=(Group(name="person"),))
            case "AFTER" | "MOD":
                for attribute, end in words.trailing(start) if what == "AFTER" else words.qualities(which, start):
                    yield Phrase(end=end, groups=(Group(name="", attributes=(attribute,)),))
            case "QUALITY" | "LOOKS" | "VALUE":
                for attribute, end in words.values(start) if what == "VALUE" else words.qualities(which, start):
                    if what != "LOOKS" or attribute not in self.lexicon.actions:
                        yield Phrase(end=end, options=(attribute,))
            case "NAME":
                for name, end in words.names(which, start):
                    yield Phrase(end=end, options=(name,))
            case "KIND" | "ANY_KIND":
                for kind, end in words.kinds(start):
                    if kind == which or (not which and (what == "ANY_KIND" or not words.is_deed(kind))):
                        yield Phrase(end=end, kinds=(kind,))
            case _:
                yield from self._related(words, what, which, start)

    def _related(self, words: Words, what: str, which: str, start: int) -> Iterator[Phrase]:
        links = words.verbs(which, start) if what == "VERB" else words.links(start, after_is=what == "LINKED")
        for predicate, end in links:
            bare = () if predicate not in self.lexicon.of_stuff else self.phrases("NOUN.ms", end)
            for phrase in (*self.phrases("TO", end), *bare):
                yield Phrase(end=phrase.end, groups=(words.related(predicate, phrase.groups[0]),))
