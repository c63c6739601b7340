"""Placeholder while it is being written."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.core.summaries import Summary


def captioning(results: Sequence[RelationResult], *, model: str, data: str) -> Summary | None:
    """None."""
    return None
