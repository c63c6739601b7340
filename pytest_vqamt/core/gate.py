"""A demand on a rate, and whether it was met."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What is demanded of an item.

    Attributes:
        kind: the option that demands it: "fail-under", of the pass rate, or "max-drop", of its drop since the baseline.
        threshold: the least pass rate, or the largest drop.
        on: what is held against it: "point" or "lower-bound"; of a drop "holm".
    """

    kind: str
    threshold: float
    on: str
    met: bool
