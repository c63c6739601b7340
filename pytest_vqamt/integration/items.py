"""The items that the plugin adds to a session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import ExceptionRepr
from _pytest.junitxml import xml_key

from pytest_vqamt.core.errors import OptionError, VqamtError, cut_to_user_code, did_you_mean, raised_at
from pytest_vqamt.core.results import BaselineUse, RelationResult
from pytest_vqamt.core.text import clear_message, error_text, visible
from pytest_vqamt.execution.resources import ItemSpec
from pytest_vqamt.integration.xdist import LostDeviceExit
from pytest_vqamt.models.guarded import is_of_the_session
from pytest_vqamt.models.lost_device import DeviceLostError
from pytest_vqamt.reporting.item_messages import (
    TestOutcome,
    drop_outcome_of,
    drop_title,
    missed_drops,
    missing_message,
    outcome_of,
    total_message,
)
from pytest_vqamt.reporting.junit import properties, total_properties
from pytest_vqamt.reporting.view.model_figures import KindOfTotal, totals_of
from pytest_vqamt.stats.thresholds import TotalKind

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle
    from _pytest.outcomes import Failed

    from pytest_vqamt.integration.session import VqamtSession
else:
    Failed = pytest.fail.Exception  # mypy does not know it by this name


try:
    from _pytest.nodeid import NodeId
except ImportError:  # before pytest 9.2 an id is its text
    NodeId = None  # type: ignore[assignment, misc]  # tells that there is none

PREFIX = "vqamt"
"""The first part of the ids of our items: "vqamt::metavqa.partition[object]-tiny-pictures"."""
BASELINE = "baseline"
"""The second part of the ids of tests that compare items with the baseline."""

_NAMED = re.compile(r"^Failed: (\S+ on \S+: )?")
"""The head of a failure, which repeats the relation and the model of the item's id."""

_LINE_END = "\n"

_REPEATED = 120
"""The characters of the reason why a model is disabled that each test repeats."""


def node_id(text: str) -> Any:
    """The id of an item in the form that pytest compares.

    pytest 9.2 reads ids back from their texts (the cache of ``--lf``, a worker's report) and takes all from the first
    bracket on for parameters, so "vqamt::carets.visual[blur6]-tiny-pictures" would equal no collected item, and would
    be shown with one more bracket at its end.
    """
    if NodeId is None:
        return text
    read = NodeId.parse(text)
    # Without a bracket, or with nothing behind it, pytest's own form is the same text.
    if read.params is None or text.endswith("]"):
        return read
    own = _open_ended_id()(**_fields_of(read))
    # An id gives the same text each time, not an equal one: allure looks items up by where their ids are in memory.
    object.__setattr__(own, "_str_cache", text)
    return own


@cache
def _open_ended_id() -> Any:
    class OpenEndedId(NodeId):
        """An id that has text after its bracket."""

        __slots__ = ()

        @property
        def name(self) -> str:
            return f"{self.names[-1]}[{self.params}"

        @property
        def rest(self) -> str:
            return "::".join((*self.names[:-1], self.name))

        def __str__(self) -> str:
            return self._str_cache or f"{self.path}::{self.rest}"

        def __eq__(self, other: object) -> bool:
            # Also equal to a plain NodeId: `--lf` makes such ones of its cache.
            return isinstance(other, NodeId) and _fields_of(self) == _fields_of(other)

        __hash__ = NodeId.__hash__

    return OpenEndedId


def _fields_of(read: Any) -> dict[str, object]:
    return {"path": read.path, "names": read.names, "params": read.params}


def give_own_id(report: pytest.TestReport, config: pytest.Config) -> None:
    """Gives the report of one of our items its own id, also in a JUnit file: both are read from the text of the id."""
    if NodeId is None or not report.nodeid.startswith(f"{PREFIX}::"):
        return
    own = report._id = node_id(report.nodeid)
    # The first report of a test names it in a JUnit file: that of its setup, or of the crash of a worker ("???").
    if report.when != "teardown" and type(own) is not NodeId and (junit := config.stash.get(xml_key, None)):
        junit.node_reporter(report).add_attribute("name", own.name)


class VqamtCollector(pytest.Collector):
    """The parent of all our items."""

    def collect(self) -> Iterable[pytest.Item]:
        return ()


class VqamtItem(pytest.Item):
    """An item that is no function of a file.

    Attributes:
        title: the heading of its failure. The id must not end with it: pytest would replace the dots of the id.
    """

    title = PREFIX

    def __init__(self, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent, nodeid=node_id(f"{parent.nodeid}::{name}"))

    def reportinfo(self) -> tuple[str, None, str]:
        return PREFIX, None, self.title

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        """The failure in the style of ``--tb``, which pytest follows for functions alone."""
        wanted: TracebackStyle = self.config.getoption("tbstyle", "auto")
        # An error in the setup is shown whole with --tb=line, and that style has no line of code.
        # pytest's "auto" is long for the first and the last frame alone, and the user's may be between.
        others: dict[TracebackStyle, TracebackStyle] = {"auto": "long", "line": "short"}
        return super().repr_failure(excinfo, style or others.get(wanted, wanted))


class ConsistencyItem(VqamtItem):
    """Runs one relation variant in its setup, so that a model that cannot run is an error, and checks it after."""

    def __init__(self, *, vqamt: VqamtSession, spec: ItemSpec, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self.consistency = Consistency(vqamt, spec, self)
        self.title = f"{spec.item} on {spec.model}, {spec.data}"

    def setup(self) -> None:
        # A listing of what would be set up: pytest leaves out fixtures alone.
        if not self.config.getoption("setupplan", False):
            self.consistency.run()

    def runtest(self) -> None:
        self.consistency.check()


class ReplayItem(VqamtItem):
    """Replays one case."""

    def __init__(self, *, vqamt: VqamtSession, case_id: str, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self._vqamt = vqamt
        self._case_id = case_id
        self.title = f"replay of {case_id}"

    def runtest(self) -> None:
        with without_traceback():
            self._vqamt.replay(self._case_id, self)


class ErrorItem(VqamtItem):
    """Fails with a mistake in the options."""

    def __init__(self, *, error: VqamtError, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self._error = error
        self.title = "the options of vqamt"

    def setup(self) -> None:
        # Raised in the setup, which makes it an error of the test and not a failure.
        with without_traceback():
            raise self._error

    def runtest(self) -> None:
        """Never reached: the setup fails."""


def takes_fixture(item: pytest.Item) -> bool:
    """True if a test of the user takes the fixture ``vqamt_consistency``."""
    return "vqamt_consistency" in getattr(item, "fixturenames", ())


def shorten_summary_line(report: pytest.TestReport) -> None:
    """Keeps the first line of a failure for pytest's short summary, which on CI (``CI=true``) repeats all of them."""
    if crash := getattr(report.longrepr, "reprcrash", None):
        crash.message = _NAMED.sub("", crash.message.partition("\n")[0])


def add_cause(report: pytest.TestReport, lines: Sequence[str]) -> None:
    """Adds another cause to the failure in ``report``, below the first and in its line of the short summary."""
    text = "\n".join(lines)
    # A failure without a traceback, as of a missed gate, is text: it has no sections.
    if isinstance(report.longrepr, ExceptionRepr):
        report.longrepr.addsection("since the baseline", text, "-")
    else:
        report.longrepr = f"{report.longreprtext}\n{text}"
    if crash := getattr(report.longrepr, "reprcrash", None):
        crash.message += f"; {lines[0].splitlines()[0]}"


def items_of(session: pytest.Session, vqamt: VqamtSession) -> list[pytest.Item]:
    """An item for each spec, or the one that replays a case."""
    collector = VqamtCollector.from_parent(session, name=PREFIX, nodeid=PREFIX)
    # A replay runs nothing else, not even user tests.
    if case_id := vqamt.settings.replay:
        return [ReplayItem.from_parent(collector, vqamt=vqamt, case_id=case_id, name=f"replay[{case_id}]")]
    return [
        ConsistencyItem.from_parent(collector, vqamt=vqamt, spec=each, name=each.id)
        for each in _selected(vqamt.resources.item_specs, vqamt.settings.only)
    ]


def error_item(session: pytest.Session, error: VqamtError) -> pytest.Item:
    """An item that fails with ``error``: xdist's workers can only send test reports."""
    collector = VqamtCollector.from_parent(session, name=PREFIX, nodeid=PREFIX)
    return ErrorItem.from_parent(collector, error=error, name="options")


def _selected(specs: tuple[ItemSpec, ...], only: tuple[str, ...]) -> tuple[ItemSpec, ...]:
    """The items that the command line names; all if it names none, or the gate on all together."""
    if not only:
        return specs
    by_id = {spec.id: spec for spec in specs}
    names = [name.removeprefix(f"{BASELINE}::") for name in only]
    # A gate over all relations needs all of their cases.
    if any(name.startswith(tuple(f"{kind.id}-" for kind in TotalKind)) for name in names):
        return specs
    # In the order of the command line, as pytest runs files.
    found = [by_id.get(name) for name in names]
    for name, spec in zip(names, found, strict=True):
        if spec is None:
            raise OptionError(f"Expected the id of an item, but got 'vqamt::{name}'; {did_you_mean(name, by_id)}")
    return tuple(spec for spec in found if spec)


class VqamtFailure(Failed):
    """A failure of one line, or with ``user_error`` of the traceback of an exception of the user's own code.

    ``others`` are all that the same code has raised, one of each kind.
    """

    __module__, __qualname__ = "builtins", "Failed"  # as pytest's own, for its short summary

    def __init__(
        self, message: str, user_error: BaseException | None = None, others: Sequence[BaseException] = ()
    ) -> None:
        super().__init__(message, pytrace=False)
        self.message = message
        self.user_error = user_error
        self.others = tuple(others)


class ShownErrors:
    """The kinds of exceptions of the user's own code whose tracebacks this process has shown, each once.

    A long reason why a model is disabled is shown in full once, too.
    """

    def __init__(self) -> None:
        self._shown_by: dict[str, str] = {}
        self._messages: dict[str, str] = {}

    def take(self, failure: VqamtFailure, node: pytest.Item) -> tuple[BaseException, ...]:
        """The further exceptions that ``node`` shows; the message names the test that shows its own already."""
        # A model that is disabled fails every further test with the same long reason.
        for message, shown_by in self._messages.items():
            if len(message) > _REPEATED and failure.message.endswith(f" is disabled: {message}"):
                begin = failure.message.removesuffix(message) + message[:_REPEATED].rstrip()
                failure.msg = f"{begin}... (the whole error is that of {shown_by})"
                failure.user_error = None
                return ()
        self._messages.setdefault(failure.message, node.nodeid)
        error = failure.user_error
        # A kind is one type of exception, raised at one line.
        if error is not None and (kind := raised_at(error)) in self._shown_by:
            failure.msg = f"{failure.message} ({kind}: the traceback is that of {self._shown_by[kind]})"
            failure.user_error = None
        found = {raised_at(each): each for each in (*failure.others, error) if each is not None}
        new = {kind: each for kind, each in found.items() if kind not in self._shown_by}
        self._shown_by |= dict.fromkeys(new, node.nodeid)
        return tuple(each for each in new.values() if each is not failure.user_error)


@contextmanager
def without_traceback() -> Iterator[None]:
    """Fails with a mistake as one line, and with an exception of the user's own code as that, once.

    ``sys.exit`` in a model's methods or in a relation is one, too. A lost device ends the session, or this worker of
    xdist: each further test would fail.
    """
    try:
        yield
    except DeviceLostError as error:
        raise LostDeviceExit(error) from None
    except VqamtError as error:
        raise VqamtFailure(str(error), error.user_error) from None
    except BaseException as error:
        # Ctrl-C and pytest.exit end the session; other exceptions are bugs of ours, with their traceback.
        if isinstance(error, Exception) or is_of_the_session(error):
            raise
        what = "ended the process" if isinstance(error, SystemExit) else "raised what is no Exception"
        ended = VqamtError(
            f"Expected the model and the relation to return, but one {what} ({error_text(error)}): raise an "
            "exception instead"
        )
        raise VqamtFailure(str(ended), ended.about(error, str(ended)).user_error) from None


def add_user_errors(
    report: pytest.TestReport, first: BaseException | None, others: Sequence[BaseException], node: pytest.Item
) -> None:
    """Shows exceptions of the user's own code in the style of ``--tb``, with the frames of that code.

    The first replaces the failure in ``report``, and the others follow below.
    """
    if first is not None:
        report.longrepr = _repr_user_error(first, node)
    for error in others:
        if isinstance(report.longrepr, ExceptionRepr):
            text = visible(str(_repr_user_error(error, node)), keep=_LINE_END)
            report.longrepr.addsection(f"the model has also raised {raised_at(error)}", text, "-")


def _repr_user_error(error: BaseException, node: pytest.Item) -> str | TerminalRepr:
    return _made_visible(node.repr_failure(user_excinfo(error, node.config)))


def user_excinfo(error: BaseException, config: pytest.Config) -> pytest.ExceptionInfo[BaseException]:
    """The exception and its causes, cut to the user's frames unless there is ``--full-trace``."""
    # Causes can form a ring: an exception may be raised from itself.
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen and not config.getoption("fulltrace", False):
        seen.add(id(each))
        each.__traceback__ = cut_to_user_code(each.__traceback__)
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    return pytest.ExceptionInfo.from_exception(error)


def _made_visible(shown: str | TerminalRepr) -> str | TerminalRepr:
    """Makes control characters and CI commands in the texts of a model's exceptions visible."""
    for traceback, crash, _ in getattr(shown, "chain", ()):
        for entry in traceback.reprentries:
            entry.lines = [line for each in entry.lines for line in clear_message(each).split("\n")]
            if located := getattr(entry, "reprfileloc", None):
                located.message = clear_message(located.message)
            if arguments := getattr(entry, "reprfuncargs", None):
                arguments.args = [(name, clear_message(value)) for name, value in arguments.args]
            if values := getattr(entry, "reprlocals", None):
                values.lines = list(map(clear_message, values.lines))
        if crash:
            crash.message = clear_message(crash.message)
    return shown


def usage_error(error: VqamtError, config: pytest.Config) -> pytest.UsageError:
    """The error that ends a session before its tests: one line, below the traceback of the user's own code if any."""
    # There is no item yet to format it: the session has not begun.
    style = config.getoption("tbstyle", "auto")
    if error.user_error is None or style == "no":
        return pytest.UsageError(str(error))
    shown = user_excinfo(error.user_error, config).getrepr(
        style="short" if style in ("auto", "line") else style, showlocals=config.getoption("showlocals", False)
    )
    text = shown.reprcrash if style == "line" else _made_visible(shown)
    return pytest.UsageError(f"{error}\n{visible(str(text), keep=_LINE_END)}")


class Consistency:
    """The value of the fixture ``vqamt_consistency``: ``.check()`` runs one relation variant and asserts its gate.

    Attributes:
        relation: "metavqa.partition[object]".
        model, data: their names in the options.
        spec: all three.
    """

    def __init__(self, session: VqamtSession, spec: ItemSpec, node: pytest.Item) -> None:
        self.relation = spec.item
        self.model = spec.model
        self.data = spec.data
        self._session = session
        self.spec = spec
        self._node = node
        self._result: RelationResult | None = None

    def run(self) -> RelationResult:
        """Runs all cases once and returns the counts; nothing is asserted."""
        if self._result is None:
            with without_traceback():
                self._result = self._session.run_and_attach(self.spec, self._node)
        return self._result

    def check(self) -> RelationResult:
        """Runs, and fails if a gate is missed or too many cases end in an error; skips if no case was put to the model.

        A shard cannot miss a gate: `vqamt merge` checks the gates of the whole run.
        """
        __tracebackhide__ = True
        result, settings = self.run(), self._session.settings
        outcome, message = outcome_of(
            result, settings.rerun_command, settings.max_error_rate, is_whole=settings.terms.sampling.is_whole
        )
        if outcome is TestOutcome.ERRORS:
            health = self._session.resources.model(self.spec.model_spec).health
            error, raised = VqamtError(message), health.user_error(result.error)
            # Errors of the user's model have a traceback; those of the models of this package a line.
            if raised is not None:
                error.about(raised, str(error))
            raise VqamtFailure(str(error), error.user_error, tuple(health.user_errors.values()))
        if outcome is TestOutcome.MISSED:
            pytest.fail(message, pytrace=False)
        if outcome is TestOutcome.SKIPPED:
            pytest.skip(message)
        return result

    def __repr__(self) -> str:
        return f"Consistency({self.spec.id})"


class GateItem(VqamtItem):
    """Fails if a rate of an item has dropped since the baseline, or if too few cases can decide and that fails."""

    def __init__(self, *, vqamt: VqamtSession, result: RelationResult, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self._vqamt = vqamt
        self._result = result
        self.user_properties += properties(result)
        self.title = drop_title(result)

    def runtest(self) -> None:
        with without_traceback():
            # Read only for a failure: the baseline's answers are a pass over its file.
            missed = any(not held.met for held in self._result.drop_gates)
            answers = self._vqamt.baseline_answers(self._result) if missed else ()
            failure = self._vqamt.failure_of(self._result) if missed else None
        settings = self._vqamt.settings
        outcome, message = drop_outcome_of(
            self._result, settings.undecided, settings.rerun_command, answers, has_failed=failure is not None
        )
        # The item's own test has failed already: one test says both, and this one is skipped.
        if failure is not None:
            add_cause(failure, missed_drops(self._result))
        if outcome is TestOutcome.SKIPPED:
            pytest.skip(message)
        if outcome is TestOutcome.MISSED:
            pytest.fail(message, pytrace=False)


class TotalGateItem(VqamtItem):
    """Fails if all relations together, or the accuracy, have dropped since the baseline."""

    def __init__(self, *, vqamt: VqamtSession, total: KindOfTotal, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self._vqamt = vqamt
        self._total = total
        self.user_properties += total_properties(total)
        self.title = f"{total.kind.value} on {total.of}: since the baseline"

    def runtest(self) -> None:
        gate = self._total.gate
        if gate and self._vqamt.settings.undecided.fails(gate):
            pytest.fail(total_message(self._total), pytrace=False)


class MissingItem(VqamtItem):
    """Is skipped, for an item of the baseline that is not in this run."""

    def runtest(self) -> None:
        pytest.skip(missing_message(self.name))


def run_gates(
    session: pytest.Session, vqamt: VqamtSession, results: Sequence[RelationResult], use: BaselineUse | None
) -> None:
    """Runs a test for each result with a gate on its drop, in this process, after all other tests.

    Those for all relations together and for accuracies follow. A test for each item of the baseline that is missing is
    skipped. They are reported as any other test: counted, named in the
    short summary, written to JUnit files.
    """
    collector = VqamtCollector.from_parent(session, name=BASELINE, nodeid=f"{PREFIX}::{BASELINE}")
    gates: list[VqamtItem] = [
        GateItem.from_parent(collector, vqamt=vqamt, result=result, name=result.id_in_baseline)
        for result in results
        if result.drop_gates
    ]
    if use is not None:
        gates += [
            TotalGateItem.from_parent(collector, vqamt=vqamt, total=each, name=each.id)
            for each in totals_of(use)
            if each.gate
        ]
        # Skipped and not left out: a relation that was renamed would lose its gate in silence.
        gates += [MissingItem.from_parent(collector, name=item) for item in use.missing]
    # pytest shows its progress as a share of the collected tests. With a line per test it shows the share each time,
    # which must not fall; with a letter per test it shows it once at the end, which pytest 8 has written already.
    in_lines = session.config.get_verbosity() > 0
    if gates and not in_lines:
        session.testscollected += len(gates)
        writer = session.config.get_terminal_writer()
        if writer.width_of_current_line >= writer.fullwidth - 1:
            writer.line()
    for gate in gates:
        # One by one with -v: the share after each test must stay below 100 % until the last.
        session.testscollected += in_lines
        gate.ihook.pytest_runtest_protocol(item=gate, nextitem=None)


def item_spec_of(item: pytest.Item) -> ItemSpec | None:
    """The spec of one of our items, or of a user's test with the fixture; None for others, and for skipped ones."""
    if isinstance(item, ConsistencyItem):
        return item.consistency.spec
    # A test marked skip never runs its fixture, so none of its cases count.
    if isinstance(item, pytest.Function) and hasattr(item, "callspec") and not item.get_closest_marker("skip"):
        spec: object = item.callspec.params.get("vqamt_consistency")
        return spec if isinstance(spec, ItemSpec) else None
    return None
