"""The regression gate as tests of its own: it looks at all items together, so it is there when the last one is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.integration.consistency import one_line
from pytest_vqamt.integration.items import BASELINE, PREFIX, VqamtCollector, VqamtItem
from pytest_vqamt.reporting.junit import properties
from pytest_vqamt.reporting.text import drop_in_words

if TYPE_CHECKING:
    from pytest_vqamt.integration.session import VqamtSession


class GateItem(VqamtItem):
    """Fails where an item has dropped since it was blessed."""

    def __init__(self, *, vqamt: VqamtSession, result: RelationResult, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self._vqamt = vqamt
        self._result = result
        self.user_properties += properties(result)
        self.title = f"{result.item} on {result.model.name}, {result.data.spec}: since the baseline"

    def runtest(self) -> None:
        with one_line():
            missed = any(not held.met for held in self._result.drop_gates)
            told = self._vqamt.blessed_answers(self._result) if missed else ()
        if missed:
            pytest.fail(drop_in_words(self._result, told, self._vqamt.settings.again), pytrace=False)


class MissingItem(VqamtItem):
    """Is skipped for an item that was blessed and is not in this run: nobody knows whether that has dropped."""

    def runtest(self) -> None:
        pytest.skip(f"{self.name}: blessed, and not in this run, so held against nothing")


def run_gates(
    session: pytest.Session, vqamt: VqamtSession, results: Sequence[RelationResult], missing: Sequence[str]
) -> None:
    """Runs a test for each of the results that has a gate on its drop, in this process, after all others.

    One for each of the ``missing`` items is skipped. They are reported as any other test: counted, named in the short
    summary, written to JUnit files.
    """
    collector = VqamtCollector.from_parent(session, name=BASELINE, nodeid=f"{PREFIX}::{BASELINE}")
    gates: list[VqamtItem] = [
        GateItem.from_parent(
            collector, vqamt=vqamt, result=result, name=f"{result.item}-{result.model.name}-{result.data.spec}"
        )
        for result in results
        if result.drop_gates
    ]
    gates += [MissingItem.from_parent(collector, name=item) for item in missing]
    # What pytest shows of its progress is a share of the tests that it knows of. A line of its own shows the share
    # each time, and it is not to fall; letters in a row show it once, at their end, which pytest 8 has written already.
    in_lines = session.config.get_verbosity() > 0
    if gates and not in_lines:
        session.testscollected += len(gates)
        writer = session.config.get_terminal_writer()
        if writer.width_of_current_line >= writer.fullwidth - 1:
            writer.line()
    for gate in gates:
        session.testscollected += in_lines
        gate.ihook.pytest_runtest_protocol(item=gate, nextitem=None)
