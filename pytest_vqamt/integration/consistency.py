"""One relation variant on one model and one data source, as a test holds it in its hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.reporting.text import gate_missed, not_applicable, too_many_errors

if TYPE_CHECKING:
    from pytest_vqamt.integration.entries import Entry
    from pytest_vqamt.integration.session import VqamtSession


@contextmanager
def one_line() -> Iterator[None]:
    """Shows a user's mistake as its one line, without a traceback."""
    try:
        yield
    except VqamtError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


class Consistency:
    """What the fixture ``vqamt_consistency`` gives: ``.check()`` runs one relation variant and asserts its gate.

    Attributes:
        relation: "metavqa.partition[object]".
        model, data: as named by the options.
        entry: all three.
    """

    def __init__(self, session: VqamtSession, entry: Entry, node: pytest.Item) -> None:
        self.relation = entry.item
        self.model = entry.model
        self.data = entry.data
        self._session = session
        self.entry = entry
        self._node = node
        self._result: RelationResult | None = None

    def run(self) -> RelationResult:
        """Runs all cases, once, and gives the counts; nothing is asserted."""
        if self._result is None:
            with one_line():
                self._result = self._session.run_and_tell(self.entry, self._node)
        return self._result

    def check(self) -> RelationResult:
        """Runs, and fails where a gate is missed or too many cases ended in an error; skips where there was no case.

        A shard misses no gate: `vqamt merge` holds the whole against it.
        """
        __tracebackhide__ = True
        result = self.run()
        if not result.all_cases:
            pytest.skip(not_applicable(result))
        tolerated = self._session.settings.max_error_rate
        if result.errors > tolerated * result.all_cases:
            pytest.fail(too_many_errors(result, tolerated), pytrace=False)
        if not all(held.met for held in result.gates) and self._session.settings.terms.sampling.is_whole:
            pytest.fail(gate_missed(result, self._session.settings.again), pytrace=False)
        return result

    def __repr__(self) -> str:
        return f"Consistency({self.entry.id})"
