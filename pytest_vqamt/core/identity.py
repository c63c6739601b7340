"""Names made from content: the same on every machine, worker and run."""

from __future__ import annotations

import json
from hashlib import sha256

_SEPARATOR = "\x1f"
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(*parts: str) -> str:
    """SHA-256 of the parts in order, as 16 hexadecimal digits (64 bits).

    >>> digest("a", "b") == digest("a", "b")
    True
    >>> digest("ab", "") == digest("a", "b")
    False
    """
    return sha256(_SEPARATOR.join(parts).encode()).hexdigest()[:16]


def canonical_json(value: object) -> str:
    """JSON that is equal for equal values: keys sorted, no spaces."""
    return _CANONICAL.encode(value)
