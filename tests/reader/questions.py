"""Reads an English question back into what it asks."""

from __future__ import annotations

import re

from pytest_vqamt.core.meaning import Absent, Both, Count, Exists, Meaning
from tests.reader.nouns import Lexicon
from tests.reader.parsing import Parser, Phrase

_CONTRACTION = re.compile(r"(?<=[a-z])(n't|'s)\b")
_TEXT = re.compile(r"[A-Z][a-z0-9'-]*(?:,? [a-z0-9'-]+| TVs?)*\?")


class Unreadable(ValueError):  # noqa: N818  # what the text is, not what went wrong in here
    """The text is no English question of a known kind, or could be read in two ways."""


def read(text: str, lexicon: Lexicon) -> Meaning:
    """The one thing that ``text`` asks. Every word must be accounted for; no word is skipped.

    An odd number of negators makes existence absence. Attributes are in the order of the text.

    Raises:
        Unreadable: a word is unknown or out of place, number or article disagree, something is mentioned once
            too often, or the text has two readings.
    """
    words = _words(text)
    parser = Parser(lexicon, words)
    counts = [_count(phrase) for phrase in parser.whole("COUNT")]
    answers = [_yes_or_no(phrase) for phrase in parser.whole("YESNO")]
    pairs = [_both(phrase) for phrase in parser.whole("BOTH")]
    readings = {reading for reading in (*counts, *answers, *pairs) if reading is not None}
    if len(readings) != 1:
        raise Unreadable(f"expected a question with one reading but got text={text!r} with {len(readings)}")
    return readings.pop()


def _words(text: str) -> tuple[str, ...]:
    """The words in lower case, with commas as words and "isn't" as two."""
    if not _TEXT.fullmatch(text):
        raise Unreadable(f"expected a capital, words with single spaces and a question mark but got text={text!r}")
    spaced = text.removesuffix("?").lower().replace(",", " ,").replace("cannot", "can not").replace("can't", "can n't")
    return tuple(_CONTRACTION.sub(r" \1", spaced).split())


def _count(phrase: Phrase) -> Meaning | None:
    if phrase.negators or len(set(phrase.groups)) != len(phrase.groups):
        return None
    return Count(groups=phrase.groups)


def _yes_or_no(phrase: Phrase) -> Meaning | None:
    if len(phrase.groups) != 1:
        return None
    (group,) = phrase.groups
    return Absent(group=group) if phrase.negators % 2 else Exists(group=group)


def _both(phrase: Phrase) -> Meaning | None:
    return Both(groups=phrase.groups) if len(set(phrase.groups)) == len(phrase.groups) else None
