"""Text that says nothing about a picture, to make prompts long."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FILLER = "This line is filler and says nothing about the picture."
LINES: Mapping[str, int] = MappingProxyType({"300 words": 30, "1,500 words": 150, "6,000 words": 600})
"""Lines of filler, of 10 words each."""


def with_filler(text: str, lines: int) -> str:
    """The text below so many lines of filler.

    >>> with_filler("How many dogs?", 1).splitlines()
    ['This line is filler and says nothing about the picture.', 'How many dogs?']
    """
    return "\n".join([*[FILLER] * lines, text])
