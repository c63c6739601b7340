"""From a sentence as it is written to its words with their tags and its noun phrases."""

from __future__ import annotations

import re
from dataclasses import replace

from pytest_vqamt.language.units.noun_phrases import noun_phrases
from pytest_vqamt.language.units.sentence import Sentence, Token
from pytest_vqamt.language.units.tagger import tagged

_TOKEN = re.compile(
    r"\d+(?:[.,:]\d+)*|\w+(?=n['\u2019]t\b)|n['\u2019]t\b|['\u2019](?:d|ll|m|re|s|ve)\b|\w+(?:-\w+)*|[^\w\s]"
)


def read(text: str) -> Sentence:
    """The sentence with its tags and phrases.

    >>> sentence = read("A group of men ride two brown horses.")
    >>> [sentence.words(phrase.name, phrase.end) for phrase in sentence.phrases]
    ['group of men', 'brown horses']
    """
    found = tuple(_TOKEN.finditer(text))
    tags = tagged([each[0].lower().replace("\u2019", "'") for each in found])
    tokens = tuple(
        Token(text=each[0], start=each.start(), end=each.end(), tag=tag) for each, tag in zip(found, tags, strict=True)
    )
    sentence = Sentence(text=text, tokens=tokens)
    return replace(sentence, phrases=tuple(noun_phrases(sentence)))
