"""Seeds that depend on what is sampled, never on when or where."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256


def seed_for(relation: str, variant: str, user_seed: int, part: int = 0) -> int:
    """A 64-bit seed from SHA-256 of (relation, variant, user seed, part).

    ``part`` numbers the pieces of a long sampling run, so that each can be drawn on its own.
    """
    text = f"{relation}\x1f{variant}\x1f{user_seed}\x1f{part}"
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


@contextmanager
def global_random_kept() -> Iterator[None]:
    """Leaves the global random state as it was: some packages draw from it when they are imported.

    Hypothesis warns where that happens while it draws.
    """
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)
