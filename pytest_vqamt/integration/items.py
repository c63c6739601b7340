"""The items that the plugin adds to a session of its own accord."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.errors import OptionError, VqamtError, did_you_mean
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.execution.lookahead import UpcomingItem
from pytest_vqamt.integration.item_specs import ItemSpec
from pytest_vqamt.reporting.junit import properties
from pytest_vqamt.reporting.text import drop_message, error_rate_message, missed_gate_message, not_applicable_message

if TYPE_CHECKING:
    from pytest_vqamt.execution.plan import Job
    from pytest_vqamt.integration.resources import Resources
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

    def __init__(self, *, vqamt: VqamtSession, entry: ItemSpec, name: str, parent: pytest.Collector) -> None:
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
        with without_traceback():
            self._vqamt.replay(self._case_id, self)


class ErrorItem(VqamtItem):
    """Tells of a mistake in the options."""

    def __init__(self, *, error: VqamtError, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self._error = error
        self.title = "the options of vqamt"

    def setup(self) -> None:
        with without_traceback():
            raise self._error

    def runtest(self) -> None:
        """Never reached: the setup has told all."""


def takes_fixture(item: pytest.Item) -> bool:
    """Whether a test of the user's own runs an entry."""
    return "vqamt_consistency" in getattr(item, "fixturenames", ())


def shorten_summary_line(report: pytest.TestReport) -> None:
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


def error_item(session: pytest.Session, error: VqamtError) -> pytest.Item:
    """An item that only tells of ``error``: from a worker of xdist nothing but reports is heard."""
    collector = VqamtCollector.from_parent(session, name=PREFIX, nodeid=PREFIX)
    return ErrorItem.from_parent(collector, error=error, name="options")


def _wanted(entries: tuple[ItemSpec, ...], only: tuple[str, ...]) -> tuple[ItemSpec, ...]:
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


@contextmanager
def without_traceback() -> Iterator[None]:
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

    def __init__(self, session: VqamtSession, entry: ItemSpec, node: pytest.Item) -> None:
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
            with without_traceback():
                self._result = self._session.run_and_tell(self.entry, self._node)
        return self._result

    def check(self) -> RelationResult:
        """Runs, and fails where a gate is missed or too many cases ended in an error; skips where there was no case.

        A shard misses no gate: `vqamt merge` holds the whole against it.
        """
        __tracebackhide__ = True
        result = self.run()
        if not result.all_cases:
            pytest.skip(not_applicable_message(result))
        tolerated = self._session.settings.max_error_rate
        if result.errors > tolerated * result.all_cases:
            pytest.fail(error_rate_message(result, tolerated), pytrace=False)
        if not all(held.met for held in result.gates) and self._session.settings.terms.sampling.is_whole:
            pytest.fail(missed_gate_message(result, self._session.settings.again), pytrace=False)
        return result

    def __repr__(self) -> str:
        return f"Consistency({self.entry.id})"


class GateItem(VqamtItem):
    """Fails where an item has dropped since it was blessed."""

    def __init__(self, *, vqamt: VqamtSession, result: RelationResult, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self._vqamt = vqamt
        self._result = result
        self.user_properties += properties(result)
        self.title = f"{result.item} on {result.model.name}, {result.data.spec}: since the baseline"

    def runtest(self) -> None:
        with without_traceback():
            missed = any(not held.met for held in self._result.drop_gates)
            told = self._vqamt.blessed_answers(self._result) if missed else ()
        if missed:
            pytest.fail(drop_message(self._result, told, self._vqamt.settings.again), pytrace=False)


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


class UpcomingItems:
    """Is told of each item that has its turn, and says what comes next on the same model and the same data.

    A worker of xdist knows of one item more; any other process of all that it has collected.
    """

    def __init__(self, resources: Resources, *, is_worker: bool) -> None:
        self._resources = resources
        self._is_worker = is_worker
        self._item: pytest.Item | None = None
        self._next_item: pytest.Item | None = None
        self._coming: tuple[UpcomingItem, ...] | None = None

    def turn_of(self, item: pytest.Item, next_item: pytest.Item | None) -> None:
        """Has the turn of ``item`` come."""
        self._item, self._next_item, self._coming = item, next_item, None

    def coming(self) -> tuple[UpcomingItem, ...]:
        """What comes after the item that has its turn, in its order."""
        if self._coming is None:
            self._coming = tuple(self._found())
        return self._coming

    def _found(self) -> Iterator[UpcomingItem]:
        at_hand = item_spec_of(self._item) if self._item else None
        if at_hand is None:
            return
        for entry in filter(None, map(item_spec_of, self._later())):
            if (entry.model, entry.data) == (at_hand.model, at_hand.data):
                yield UpcomingItem(position=entry.position, job=partial(self._job, entry))

    def _later(self) -> Sequence[pytest.Item]:
        assert self._item is not None
        if self._is_worker:
            return (self._next_item,) if self._next_item else ()
        items = self._item.session.items
        return items[items.index(self._item) + 1 :] if self._item in items else ()

    def _job(self, entry: ItemSpec) -> Job | None:
        try:
            return self._resources.job(entry)
        except VqamtError:
            return None  # its own item meets it again, and tells


def item_spec_of(item: pytest.Item) -> ItemSpec | None:
    """What an item runs: one of ours, or a test of the user's that takes the fixture; None where it is skipped."""
    if isinstance(item, ConsistencyItem):
        return item.consistency.entry
    if isinstance(item, pytest.Function) and hasattr(item, "callspec") and not item.get_closest_marker("skip"):
        entry: object = item.callspec.params.get("vqamt_consistency")
        return entry if isinstance(entry, ItemSpec) else None
    return None
