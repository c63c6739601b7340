"""How a model has done so far, over all that it was asked in this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_vqamt.core.query import Failure


@dataclass(slots=True)
class Standing:
    """What is remembered of a model from one item to the next.

    Attributes:
        answered, failed: queries that it answered, and that it raised at.
        given_up: why it is asked no more; "" as long as it is.
        failed_ahead: what it raised at ahead of its turn, by query id, and that nobody has needed yet.
        used: what its answers had cost when that was last entered in an account; None before any was kept.
    """

    answered: int = 0
    failed: int = 0
    given_up: str = ""
    failed_ahead: dict[str, Failure] = field(default_factory=dict)
    used: Mapping[str, float] | None = None
