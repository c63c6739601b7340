"""A caption as words and stops."""

from __future__ import annotations

import re
from unicodedata import normalize

STOP = ","
"""Stands for every mark that ends a phrase."""

_WORD = re.compile(r"'s(?![a-z])|[^\W_]+|[^\s'\-]|(?<=\s)-+(?=\s)")
_PLURAL_OWNER = re.compile(r"(?<=s)'(?=\s|$)")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def words_of(caption: str) -> tuple[str, ...]:
    """The words in lower case, "'s" apart, hyphens taken out, and a comma for every other mark.

    >>> words_of("A T.V. - and the dog's stuffed teddy-bear.")
    ('a', 'tv', ',', 'and', 'the', 'dog', "'s", 'stuffed', 'teddy', 'bear', ',')
    """
    text = caption.lower()
    if _NOT_ASCII.search(text):
        text = normalize("NFKC", text).replace("\u2019", "'").replace("\u2018", "'")
    if "t.v" in text:
        text = text.replace("t.v.", "tv ").replace("t.v", "tv")
    text = _PLURAL_OWNER.sub("'s", text)
    return tuple("and" if word == "&" else word if word[-1].isalnum() else STOP for word in _WORD.findall(text))
