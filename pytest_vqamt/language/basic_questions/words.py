"""The words of a question, as every ranking counts them."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def words_of(text: str) -> list[str]:
    """Lower-case words, without punctuation.

    >>> words_of("What's on the man's T-shirt?")
    ["what's", 'on', 'the', "man's", 't', 'shirt']
    """
    return _WORD.findall(text.casefold().replace("\u2019", "'"))
