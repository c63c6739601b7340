"""Regular expressions that are compiled when they are first used.

The readers of answers define about 400 patterns, and a run uses 50 to 100 of them. Compiling all of them took a seventh
of the time of a short session.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class LazyPattern:
    """Has what ``re.Pattern`` has; from the second use on, its methods are those of the compiled pattern."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Of copying and pickling: a pattern in the making has no ``pattern`` to compile.
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


@cache  # as re keeps equal ones once
def pattern_of(text: str, flags: int = 0) -> re.Pattern[str]:
    r"""The pattern that ``re.compile`` makes, made on its first use, which also finds its mistakes.

    Functions of ``re`` do not take it: ``pattern.search(text)``, not ``re.search(pattern, text)``.

    >>> pattern_of(r"\d+").findall("2 dogs and 3 cats"), pattern_of("A", re.IGNORECASE).pattern
    (['2', '3'], 'A')
    """
    return cast("re.Pattern[str]", LazyPattern(text, flags))
