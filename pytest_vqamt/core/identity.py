"""Digests, seeds and patterns of names: the same on every machine, worker and run."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
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
    """JSON with sorted keys and no spaces, the same for equal values."""
    return _CANONICAL.encode(value)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")))


def matches(pattern: str, item: str) -> bool:
    """Whether ``pattern`` matches the item ``relation[variant]``; without a variant it matches all of them.

    >>> matches("metavqa.*", "metavqa.partition[object]"), matches("metavqa.partition", "metavqa.partition[object]")
    (True, True)
    >>> matches("metavqa.partition[property]", "metavqa.partition[object]")
    False
    """
    glob = _compiled(pattern)
    return bool(glob.fullmatch(item) or glob.fullmatch(item.partition("[")[0]))


def seed_for(relation: str, variant: str, user_seed: int, part: int = 0) -> int:
    """A 64-bit seed from SHA-256 of (relation, variant, user seed, part).

    ``part`` numbers the parts of a long sampling run, each of which has its own seed.
    """
    text = f"{relation}\x1f{variant}\x1f{user_seed}\x1f{part}"
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


@contextmanager
def preserve_random_state() -> Iterator[None]:
    """Restores the state of ``random``, which some packages change when they are imported.

    Hypothesis warns if that happens while it draws.
    """
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)
