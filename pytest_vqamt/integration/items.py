"""The items that the plugin adds to a session of its own accord."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.errors import OptionError, VqamtError, did_you_mean
from pytest_vqamt.integration.consistency import Consistency, one_line

if TYPE_CHECKING:
    from pytest_vqamt.integration.entries import Entry
    from pytest_vqamt.integration.session import VqamtSession

PREFIX = "vqamt"
BASELINE = "baseline"
"""What follows it in the ids of the tests that hold items against what was blessed."""


class VqamtCollector(pytest.Collector):
    """The parent of all our items."""

    def collect(self) -> Iterable[pytest.Item]:
        return ()


class VqamtItem(pytest.Item):
    """An item that is no function of a file.

    Attributes:
        title: what heads its failure. It must not end the id: pytest would show the id with its dots replaced.
    """

    title = PREFIX

    def reportinfo(self) -> tuple[str, None, str]:
        return PREFIX, None, self.title


class ConsistencyItem(VqamtItem):
    """Runs one relation variant in its setup, so that a model that cannot run is an error, and checks it after."""

    def __init__(self, *, vqamt: VqamtSession, entry: Entry, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self.consistency = Consistency(vqamt, entry, self)
        self.title = f"{entry.item} on {entry.model}, {entry.data}"

    def setup(self) -> None:
        self.consistency.run()

    def runtest(self) -> None:
        self.consistency.check()


class ReplayItem(VqamtItem):
    """Asks one case again."""

    def __init__(self, *, vqamt: VqamtSession, case_id: str, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self._vqamt = vqamt
        self._case_id = case_id
        self.title = f"replay of {case_id}"

    def runtest(self) -> None:
        with one_line():
            self._vqamt.replay(self._case_id, self)


class BrokenItem(VqamtItem):
    """Tells of a mistake in the options."""

    def __init__(self, *, error: VqamtError, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self._error = error
        self.title = "the options of vqamt"

    def setup(self) -> None:
        with one_line():
            raise self._error

    def runtest(self) -> None:
        """Never reached: the setup has told all."""


def takes_fixture(item: pytest.Item) -> bool:
    """Whether a test of the user's own runs an entry."""
    return "vqamt_consistency" in getattr(item, "fixturenames", ())


def headline_in_short(report: pytest.TestReport) -> None:
    """Leaves the first line of a failure to pytest's short summary, which on CI (``CI=true``) repeats all of them."""
    if crash := getattr(report.longrepr, "reprcrash", None):
        crash.message = crash.message.partition("\n")[0]


def items_of(session: pytest.Session, vqamt: VqamtSession) -> list[pytest.Item]:
    """An item for each entry, or the one that replays a case."""
    collector = VqamtCollector.from_parent(session, name=PREFIX, nodeid=PREFIX)
    if case_id := vqamt.settings.replay:
        return [ReplayItem.from_parent(collector, vqamt=vqamt, case_id=case_id, name=f"replay[{case_id}]")]
    return [
        ConsistencyItem.from_parent(collector, vqamt=vqamt, entry=each, name=each.id)
        for each in _wanted(vqamt.resources.entries, vqamt.settings.only)
    ]


def broken_item(session: pytest.Session, error: VqamtError) -> pytest.Item:
    """An item that only tells of ``error``: from a worker of xdist nothing but reports is heard."""
    collector = VqamtCollector.from_parent(session, name=PREFIX, nodeid=PREFIX)
    return BrokenItem.from_parent(collector, error=error, name="options")


def _wanted(entries: tuple[Entry, ...], only: tuple[str, ...]) -> tuple[Entry, ...]:
    """The entries that the command line names, or all where it names none.

    Raises:
        OptionError: there is no such entry.
    """
    if not only:
        return entries
    by_id = {entry.id: entry for entry in entries}
    names = [name.removeprefix(f"{BASELINE}::") for name in only]
    # pytest 9.2 under xdist shows an id that does not end in a bracket with one too many.
    found = [by_id.get(name) or by_id.get(name.removesuffix("]")) for name in names]
    for name, entry in zip(names, found, strict=True):
        if entry is None:
            raise OptionError(f"Expected the id of an item, but got 'vqamt::{name}'; {did_you_mean(name, by_id)}")
    return tuple(entry for entry in found if entry)
