"""Finds a lexicon's words in a text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pytest_vqamt.core.meaning import Group, Related
from tests.reader.lexicon import Lexicon
from tests.reader.nouns import singulars_of

LONGEST = 5
"""The most words that an entry of a lexicon has."""


PIECE = {"sg": "piece", "pl": "pieces", "ms": ""}
"""What makes one, or several, of a name that has but one number: "a piece of furniture"."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one text, and what of the lexicon begins at each. A pair is of what was found and where it ends."""

    lexicon: Lexicon
    words: tuple[str, ...]

    def nouns(self, number: str, start: int) -> Iterator[tuple[Group, int]]:
        """Attributes, each once, and the name of a thing."""
        for attributes, begin in self._attributes(start):
            for name, end in self.names(number, begin):
                yield Group(name=name, attributes=attributes), end

    def names(self, number: str, start: int) -> Iterator[tuple[str, int]]:
        """A name in its singular, in its plural, or without a number."""
        for words, end in self._spans(start):
            for name in self._names(number, words):
                yield name, end

    def trailing(self, start: int) -> Iterator[tuple[str, int]]:
        """An attribute that follows its noun: "running", "playing tennis", "in the air".

        Where it begins a relationship ("sitting on the bench") it is that alone.
        """
        taken = max((end for _, end in self.links(start)), default=start)
        for attribute, end in self._entries(self.lexicon.attributes, start):
            if end > taken and (attribute in self.lexicon.after or attribute.endswith("ing")):
                yield attribute, end

    def qualities(self, number: str, start: int) -> Iterator[tuple[str, int]]:
        """An attribute as it follows "is" or "are"."""
        known = self.lexicon.after_are if number == "pl" else self.lexicon.after_is
        for said, end in self._entries(known, start):
            yield known[said], end

    def values(self, start: int) -> Iterator[tuple[str, int]]:
        """An attribute as the value of a category: "red", and "wood" of what is wooden."""
        yield from self._entries(self.lexicon.attributes, start)
        for said, end in self._entries(self.lexicon.stuffs, start):
            yield self.lexicon.stuffs[said], end

    def kinds(self, start: int) -> Iterator[tuple[str, int]]:
        """The noun for a category of attributes."""
        yield from self._entries(self.lexicon.kinds, start)

    def is_deed(self, kind: str) -> bool:
        """Whether the category is one of actions."""
        return self.lexicon.kinds[kind] <= self.lexicon.actions

    def links(self, start: int, *, after_is: bool = False) -> Iterator[tuple[str, int]]:
        """A relationship as it follows a noun ("with"), or as it follows "is"; the longest of those that fit."""
        found = list(self._entries(self.lexicon.links, start))
        for words, end in found[-1:]:
            if not (after_is and words in self.lexicon.verbs):
                yield self.lexicon.links[words], end

    def verbs(self, number: str, start: int) -> Iterator[tuple[str, int]]:
        """A relationship that has a verb of its own: "has" of what is "with" something."""
        for said, end in self._spans(start):
            for words, (one, many) in self.lexicon.verbs.items():
                if " ".join(said) == (many if number == "pl" else one) and words in self.lexicon.links:
                    yield self.lexicon.links[words], end

    def related(self, predicate: str, to: Group) -> Group:
        """What stands in the relationship, whatever it is called."""
        return Group(name="", related=(Related(predicate=predicate, to=to),))

    def _attributes(self, start: int) -> Iterator[tuple[tuple[str, ...], int]]:
        yield (), start
        for said, begin in self._entries(self.lexicon.before, start):
            first = self.lexicon.before[said]
            for others, end in self._attributes(begin):
                if first not in others:
                    yield (first, *others), end

    def _entries(self, entries: Collection[str], start: int) -> Iterator[tuple[str, int]]:
        for words, end in self._spans(start):
            if (said := " ".join(words)) in entries:
                yield said, end

    def _spans(self, start: int) -> Iterator[tuple[tuple[str, ...], int]]:
        for end in range(start + 1, min(start + LONGEST, len(self.words)) + 1):
            yield self.words[start:end], end

    def _names(self, number: str, words: tuple[str, ...]) -> Iterator[str]:
        if words[:2] == (PIECE[number], "of"):
            yield from self._names("ms", words[2:])
            return
        name = " ".join(words)
        if (number == "sg" and name in self.lexicon.names) or (number == "ms" and name in self.lexicon.mass):
            yield name
        if number == "pl" and name in self.lexicon.pairs:
            yield name
        elif number == "pl":
            head = words.index("of") - 1 if "of" in words else len(words) - 1
            for one in singulars_of(words[head]) if head >= 0 else ():
                if (candidate := " ".join((*words[:head], one, *words[head + 1 :]))) in self.lexicon.names:
                    yield candidate
