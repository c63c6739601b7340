"""Patterns over item names: only ``*`` is special, so that brackets can be typed as they are."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")))


def matches(pattern: str, item: str) -> bool:
    """Whether ``pattern`` names the item ``relation[variant]``; a pattern without a variant names all variants.

    >>> matches("metavqa.*", "metavqa.partition[object]"), matches("metavqa.partition", "metavqa.partition[object]")
    (True, True)
    >>> matches("metavqa.partition[property]", "metavqa.partition[object]")
    False
    """
    glob = _compiled(pattern)
    return bool(glob.fullmatch(item) or glob.fullmatch(item.partition("[")[0]))
