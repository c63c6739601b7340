"""The words that annotators typed, made names and attributes of."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from pytest_vqamt.language.properties import COLOURS

_NO_PART_OF_A_WORD = re.compile(r"[^\w\s'-]|_")
_MANY_COLOURS = frozenset(
    {
        "multicolored", "multi colored", "multi-colored", "multicoloured", "multi coloured", "multi-coloured",
        "colorful", "colourful", "rainbow", "rainbow colored", "rainbow coloured", "two-toned", "two toned",
    }
)  # fmt: skip
_COLOURS = frozenset(COLOURS) | {
    "tan", "beige", "gold", "golden", "silver", "maroon", "burgundy", "teal", "turquoise", "navy", "cream", "violet",
}  # fmt: skip


@lru_cache(maxsize=1 << 17)
def cleaned(text: str) -> str:
    """Lower case, single spaces, no punctuation but hyphens and apostrophes within a word; it may come out empty.

    >>> cleaned(" Fire-hydrant. "), cleaned("WEARING"), cleaned("man's  shoe,"), cleaned("?")
    ('fire-hydrant', 'wearing', "man's shoe", '')
    """
    words = (word.strip("'-") for word in _NO_PART_OF_A_WORD.sub(" ", text.lower()).split())
    return " ".join(word for word in words if word)


def is_multi_coloured(attributes: Collection[str]) -> bool:
    """Whether the attributes of a thing say, or let one see, that it has no one colour.

    >>> is_multi_coloured(["colorful"]), is_multi_coloured(["black", "white"]), is_multi_coloured(["black and white"])
    (True, True, True)
    >>> is_multi_coloured(["black", "small"]), is_multi_coloured(["gray", "grey"])
    (False, False)
    """
    if not _MANY_COLOURS.isdisjoint(attributes):
        return True
    words = ("gray" if word == "grey" else word for text in attributes for word in text.split())
    return len(_COLOURS.intersection(words)) > 1
