"""The items of a session that come after the one at hand, as far as this process knows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.execution.lookahead import Coming
from pytest_vqamt.integration.entries import Entry
from pytest_vqamt.integration.items import ConsistencyItem

if TYPE_CHECKING:
    from pytest_vqamt.execution.plan import Job
    from pytest_vqamt.integration.resources import Resources


class Upcoming:
    """Is told of each item that has its turn, and says what comes next on the same model and the same data.

    A worker of xdist knows of one item more; any other process of all that it has collected.
    """

    def __init__(self, resources: Resources, *, is_worker: bool) -> None:
        self._resources = resources
        self._is_worker = is_worker
        self._item: pytest.Item | None = None
        self._next_item: pytest.Item | None = None
        self._coming: tuple[Coming, ...] | None = None

    def turn_of(self, item: pytest.Item, next_item: pytest.Item | None) -> None:
        """Has the turn of ``item`` come."""
        self._item, self._next_item, self._coming = item, next_item, None

    def coming(self) -> tuple[Coming, ...]:
        """What comes after the item that has its turn, in its order."""
        if self._coming is None:
            self._coming = tuple(self._found())
        return self._coming

    def _found(self) -> Iterator[Coming]:
        at_hand = entry_of(self._item) if self._item else None
        if at_hand is None:
            return
        for entry in filter(None, map(entry_of, self._later())):
            if (entry.model, entry.data) == (at_hand.model, at_hand.data):
                yield Coming(position=entry.position, job=partial(self._job, entry))

    def _later(self) -> Sequence[pytest.Item]:
        assert self._item is not None
        if self._is_worker:
            return (self._next_item,) if self._next_item else ()
        items = self._item.session.items
        return items[items.index(self._item) + 1 :] if self._item in items else ()

    def _job(self, entry: Entry) -> Job | None:
        try:
            return self._resources.job(entry)
        except VqamtError:
            return None  # its own item meets it again, and tells


def entry_of(item: pytest.Item) -> Entry | None:
    """What an item runs: one of ours, or a test of the user's that takes the fixture; None where it is skipped."""
    if isinstance(item, ConsistencyItem):
        return item.consistency.entry
    if isinstance(item, pytest.Function) and hasattr(item, "callspec") and not item.get_closest_marker("skip"):
        entry: object = item.callspec.params.get("vqamt_consistency")
        return entry if isinstance(entry, Entry) else None
    return None
