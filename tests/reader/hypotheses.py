"""Reads a hypothesis back into the things that it says are there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from pytest_vqamt.core.meaning import Group, Related
from tests.reader.lexical import Words
from tests.reader.lexicon import Lexicon
from tests.reader.nouns import takes_an
from tests.reader.questions import Unreadable

_IN_CAPITALS = "(?:ATM|CD|DVD|HDTV|PC|RV|SUV|TV)s?|DJ|LCD|LED|USB"
_TEXT = re.compile(rf"(?:[A-Z][a-z0-9'-]*|{_IN_CAPITALS})(?:,? (?:[a-z0-9'-]+|{_IN_CAPITALS}))*\.")

Groups: TypeAlias = tuple[Group, ...]
Found: TypeAlias = Iterator[tuple[Groups, int]]


def read(text: str, lexicon: Lexicon) -> Groups:
    """The things that ``text`` says are there, in its order. Every word must be accounted for; no word is skipped.

    Raises:
        Unreadable: a word is unknown or out of place, number or article disagree, or the text has two readings.
    """
    if not _TEXT.fullmatch(text):
        raise Unreadable(f"expected a capital, words with single spaces and a full stop but got text={text!r}")
    words = tuple(text.removesuffix(".").lower().replace(",", " ,").split())
    reader = _Reader(Words(lexicon, words))
    readings = {groups for groups, end in reader.whole() if end == len(words)}
    if len(readings) != 1:
        raise Unreadable(f"expected a hypothesis with one reading but got text={text!r} with {len(readings)}")
    return readings.pop()


@dataclass(frozen=True, slots=True)
class _Reader:
    """Each method gives every way to read words from ``start`` on, with where they end."""

    words: Words

    def whole(self) -> Found:
        yield from self.clauses(0)
        yield from self.after("in the picture ,", 0, self.clauses)
        yield from self.after("the picture shows that", 0, self.clauses)
        yield from self.after("the picture shows", 0, self.row)
        yield from self.after("the image contains", 0, self.row)
        yield from self.after("this image shows", 0, self.row)
        yield from self.after("this is a picture of", 0, self.row)
        yield from self.before(self.there(0), "in the picture")
        yield from self.before(self.after("you can see", 0, self.row), "in the picture")
        yield from self.before(self.row(0), "can be seen in the image")

    def after(self, said: str, start: int, rest: Callable[[int], Found]) -> Found:
        """What follows certain words."""
        if self.says(said, start):
            yield from rest(start + len(said.split()))

    def before(self, found: Found, said: str) -> Found:
        """What precedes certain words."""
        for groups, end in found:
            if self.says(said, end):
                yield groups, end + len(said.split())

    def says(self, said: str, start: int) -> bool:
        return self.words.words[start : start + len(said.split())] == tuple(said.split())

    def clauses(self, start: int) -> Found:
        """One clause, or several in a row; only in the last of them several things may be there."""
        yield from self.several(start, self.clause)

    def clause(self, start: int) -> Found:
        yield from self.there(start)
        for subject, number, end in self.trailed(start):
            for predicate, after in self.words.verbs(number, end):
                yield from self.related(subject, predicate, after)
            if self.says("are" if number == "pl" else "is", end):
                for quality, after in self.words.qualities(number, end + 1):
                    yield (replace(subject, attributes=(*subject.attributes, quality)),), after
                for predicate, after in self.words.links(end + 1, after_is=True):
                    yield from self.related(subject, predicate, after)

    def related(self, subject: Group, predicate: str, start: int) -> Found:
        for other, _, end in self.thing(start):
            yield (replace(subject, related=(Related(predicate=predicate, to=other),)),), end

    def there(self, start: int) -> Found:
        """That things in a row are there; the verb agrees with the first of them."""
        for verb in ("is", "are"):
            for groups, end in self.after(f"there {verb}", start, self.row):
                if verb == ("are" if self.is_plural(start + 2) else "is"):
                    yield groups, end

    def is_plural(self, start: int) -> bool:
        return any(number == "pl" for _, number, _ in self.thing(start))

    def row(self, start: int) -> Found:
        """One thing, with all that is said of it; or several, of which nothing follows the noun."""
        for group, _, end in self.trailed(start):
            yield (group,), end
            for predicate, after in self.words.links(end):
                yield from self.related(group, predicate, after)
        yield from self.several(start, lambda at: (((group,), end) for group, _, end in self.thing(at)), least=2)

    def several(self, start: int, each: Callable[[int], Found], *, least: int = 1) -> Found:
        """Like things in a row: "x", "x and y", "x, y and z"."""
        for first, end in each(start):
            if least == 1:
                yield first, end
            yield from ((first + others, after) for others, after in self.others(end, each))

    def others(self, start: int, each: Callable[[int], Found]) -> Found:
        """What follows the first in a row."""
        yield from self.after("and", start, each)
        for one, end in self.after(",", start, each):
            yield from ((one + others, after) for others, after in self.others(end, each))

    def trailed(self, start: int) -> Iterator[tuple[Group, str, int]]:
        """A thing, perhaps with an attribute behind it, or in a clause: "a cow that is eating"."""
        for group, number, end in self.thing(start):
            yield group, number, end
            if self.says("that are" if number == "pl" else "that is", end):
                for quality, after in self.words.qualities(number, end + 2):
                    yield replace(group, attributes=(*group.attributes, quality)), number, after
            for attribute, after in self.words.trailing(end):
                yield replace(group, attributes=(*group.attributes, attribute)), number, after

    def thing(self, start: int) -> Iterator[tuple[Group, str, int]]:
        """A noun with its article and what stands before it, its number, and where it ends."""
        article = self.words.words[start : start + 1]
        following = self.words.words[start + 1 : start + 2]
        if following and article == ("an" if takes_an(following[0]) else "a",):
            yield from ((group, "sg", end) for group, end in self.words.nouns("sg", start + 1))
        for number in ("pl", "ms"):
            yield from ((group, number, end) for group, end in self.words.nouns(number, start))


def said(groups: Sequence[Group]) -> Groups:
    """The groups in one form: without what a text cannot tell, like ``covers`` and the order of attributes."""
    return tuple(
        Group(
            name=group.name,
            attributes=tuple(sorted(group.attributes)),
            related=tuple(replace(each, to=said((each.to,))[0]) for each in group.related),
        )
        for group in groups
    )
