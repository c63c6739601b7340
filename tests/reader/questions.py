"""Reads an English question back into what it asks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Choice,
    Count,
    Either,
    Exists,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    PartCount,
    Property,
    Side,
    WhichThere,
)
from tests.reader.grammar import PARTS
from tests.reader.lexicon import Lexicon
from tests.reader.parsing import Parser, Phrase

_CONTRACTION = re.compile(r"(?<=[a-z])(n't|'s)\b")
_IN_CAPITALS = "(?:ATM|CD|DVD|HDTV|PC|RV|SUV|TV)s?|DJ|LCD|LED|USB"
_TEXT = re.compile(rf"[A-Z][a-z0-9'-]*(?:[,:]? (?:[a-z0-9'-]+|{_IN_CAPITALS}))*\?")


class Unreadable(ValueError):  # noqa: N818  # what the text is, not what went wrong in here
    """The text is no English question of a known kind, or could be read in two ways."""


def read(text: str, lexicon: Lexicon) -> Meaning:
    """The one thing that ``text`` asks. Every word must be accounted for; no word is skipped.

    An odd number of negators makes existence absence, and so on. Attributes are in the order of the text.

    Raises:
        Unreadable: a word is unknown or out of place, number or article disagree, something is mentioned once
            too often, or the text has two readings.
    """
    parser = Parser(lexicon, _words(text))
    found = (meaning_of(phrase, lexicon) for symbol, meaning_of in MEANINGS.items() for phrase in parser.whole(symbol))
    readings = {reading for reading in found if reading is not None}
    if len(readings) != 1:
        raise Unreadable(f"expected a question with one reading but got text={text!r} with {len(readings)}")
    return readings.pop()


def _words(text: str) -> tuple[str, ...]:
    """The words in lower case, with commas and colons as words and "isn't" as two."""
    if not _TEXT.fullmatch(text):
        raise Unreadable(f"expected a capital, words with single spaces and a question mark but got text={text!r}")
    spaced = (
        text.removesuffix("?")
        .lower()
        .replace(",", " ,")
        .replace(":", " :")
        .replace("cannot", "can not")
        .replace("can't", "can n't")
    )
    return tuple(_CONTRACTION.sub(r" \1", spaced).split())


def _says_it_twice(group: Group) -> bool:
    return len(set(group.attributes)) != len(group.attributes)


def _different(groups: tuple[Group, ...]) -> bool:
    return len(set(groups)) == len(groups) and not any(_says_it_twice(group) for group in groups)


def _one(phrase: Phrase) -> Group | None:
    if len(phrase.groups) != 1:
        return None
    (group,) = phrase.groups
    return None if _says_it_twice(group) else group


def _count(phrase: Phrase, _: Lexicon) -> Meaning | None:
    if phrase.negators or not _different(phrase.groups):
        return None
    return Count(groups=phrase.groups)


def _yes_or_no(phrase: Phrase, _: Lexicon) -> Meaning | None:
    group = _one(phrase)
    if group is None:
        return None
    return Absent(group=group) if phrase.negators % 2 else Exists(group=group)


def _of_two(
    plain: type[Both | NotBoth | Either | Neither], negated: type[Both | NotBoth | Either | Neither]
) -> Callable[[Phrase, Lexicon], Meaning | None]:
    def meaning_of(phrase: Phrase, _: Lexicon) -> Meaning | None:
        if len(phrase.groups) != 2 or not _different(phrase.groups):  # two, as the name says
            return None
        return (negated if phrase.negators % 2 else plain)(groups=phrase.groups)

    return meaning_of


def _has(phrase: Phrase, _: Lexicon) -> Meaning | None:
    group = _one(phrase)
    if group is None or phrase.negators or len(phrase.options) != 1 or phrase.options[0] in group.attributes:
        return None
    return Has(group=group, attribute=phrase.options[0])


def _located(side: Side) -> Callable[[Phrase, Lexicon], Meaning | None]:
    def meaning_of(phrase: Phrase, _: Lexicon) -> Meaning | None:
        if phrase.negators or len(phrase.groups) != 2 or not _different(phrase.groups):  # two, as a place needs
            return None
        return Located(group=phrase.groups[0], side=side, other=phrase.groups[1])

    return meaning_of


def _part_count(part: str) -> Callable[[Phrase, Lexicon], Meaning | None]:
    def meaning_of(phrase: Phrase, _: Lexicon) -> Meaning | None:
        group = _one(phrase)
        return None if group is None or phrase.negators else PartCount(group=group, part=part)

    return meaning_of


def _choice(phrase: Phrase, lexicon: Lexicon) -> Meaning | None:
    """Which option; if they are attributes, they are of one category, and of the one that the text names."""
    what = _one(phrase)
    options = set(phrase.options)
    if what is None or phrase.negators or len(options) != len(phrase.options) or options & set(what.attributes):
        return None
    kinds = [lexicon.kinds[kind] for kind in phrase.kinds] or [*lexicon.kinds.values(), *lexicon.categories]
    if options <= lexicon.attributes and not any(options <= kind for kind in kinds):
        return None
    return Choice(what=what, options=phrase.options)


def _name_choice(phrase: Phrase, lexicon: Lexicon) -> Meaning | None:
    what = _one(phrase)
    options = set(phrase.options)
    if what is None or phrase.negators or len(options) != len(phrase.options) or what.name in options:
        return None
    if what.name in lexicon.people and not options <= lexicon.people:
        return None
    return Choice(what=what, options=phrase.options)


def _which_there(phrase: Phrase, _: Lexicon) -> Meaning | None:
    if phrase.groups or len(set(phrase.options)) != len(phrase.options):
        return None
    return WhichThere(groups=tuple(Group(name=name) for name in phrase.options), missing=phrase.negators % 2 == 1)


def _property(phrase: Phrase, _: Lexicon) -> Meaning | None:
    group = _one(phrase)
    if group is None or phrase.negators or phrase.options or len(phrase.kinds) != 1:
        return None
    return Property(group=group, category=phrase.kinds[0], values=())


MEANINGS: Mapping[str, Callable[[Phrase, Lexicon], Meaning | None]] = {
    "COUNT": _count,
    "YESNO": _yes_or_no,
    "PAIR.both": _of_two(Both, NotBoth),
    "PAIR.missing": _of_two(NotBoth, Both),
    "PAIR.either": _of_two(Either, Neither),
    "PAIR.neither": _of_two(Neither, Either),
    "HAS": _has,
    **{f"LOCATED.{side.value}": _located(side) for side in Side},
    **{f"PARTCOUNT{part}": _part_count(part.removeprefix(".")) for part in PARTS},
    "WHICH_VALUE": _choice,
    "WHICH_NAME": _name_choice,
    "WHICH_THERE": _which_there,
    "PROPERTY": _property,
}
"""What a text asks that can be read as each symbol."""
