"""How often a word is a verb, the name of a thing, another noun, an adjective or an adverb."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from tools.word_list import IDEA, THING, VERB

_PART = re.compile(r"([a-z])(\d?)")
_CURATED = {
    # Verbs that are younger than WordNet 3.0, and what is no verb in a picture's description.
    "rollerblade": {VERB: 1.0},
    "longboard": {VERB: 0.5, THING: 0.5},
    "wakeboard": {VERB: 0.5, THING: 0.5},
    "match": {IDEA: 0.9, VERB: 0.1},
}


def shares(word: str) -> Mapping[str, float]:
    """The shares of a word, lower case, by the letters of ``word_list``; empty where it is not listed.

    >>> dict(shares("wave")), dict(shares("feel")), dict(shares("giraffe"))
    ({'i': 0.6, 'v': 0.3}, {'v': 1.0}, {})
    """
    curated = _CURATED.get(word)
    if curated is not None:
        return curated
    listed = _lines().get(word)
    return _NOTHING if listed is None else _parsed(listed)


_NOTHING: Mapping[str, float] = MappingProxyType({})


@cache
def _lines() -> Mapping[str, str]:
    text = files("pytest_vqamt.language.units").joinpath("parts_of_speech.txt").read_text(encoding="ascii")
    rows = (line.partition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {word: parts for word, _, parts in rows}


@cache
def _parsed(parts: str) -> Mapping[str, float]:
    return MappingProxyType({part: int(tenths or 10) / 10 for part, tenths in _PART.findall(parts)})
