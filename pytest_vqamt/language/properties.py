"""Which properties exclude each other, and which names stand for people.

MetaVQA section 4.1.1 asks people's names for actions and all other names for colours. The authors' pools (13 colours,
48 actions, 7 words for people) are in their supplement. **Deviation:** the pools here hold only what excludes the rest
of its pool for certain: no "gold" beside "yellow"; no "walking" or "waving" beside "standing", since who walks is on
their feet; no "running" beside "jumping"; no "sleeping" beside "lying".
"""

from __future__ import annotations

COLOURS: tuple[str, ...] = (
    "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray",
)  # fmt: skip

POSTURES: tuple[str, ...] = ("standing", "sitting", "lying")
"""Actions of which a person does one at a time."""

PEOPLE: frozenset[str] = frozenset({"person", "man", "woman", "boy", "girl", "child", "kid", "lady", "guy", "player"})


def exclusive_pool(name: str) -> tuple[str, ...]:
    """The properties that ``name`` is asked for: each thing of that name bears at most one of them.

    >>> "standing" in exclusive_pool("woman"), "red" in exclusive_pool("car")
    (True, True)
    """
    return POSTURES if name in PEOPLE else COLOURS
