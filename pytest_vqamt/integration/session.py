"""A pytest session that has a model to test: adds items, runs them, and reports at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import replace
from typing import TextIO, cast

import pytest

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.events import Event, Listener, Stopped
from pytest_vqamt.core.report_json import model_row, worker_row
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.execution.lookahead import LookAhead
from pytest_vqamt.execution.plan import RunOptions
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.integration.aggregate import ResultCollector, SessionReport
from pytest_vqamt.integration.item_specs import ItemSpec
from pytest_vqamt.integration.items import (
    ConsistencyItem,
    GateItem,
    UpcomingItems,
    error_item,
    items_of,
    run_gates,
    shorten_summary_line,
    takes_fixture,
)
from pytest_vqamt.integration.plan_only import plan_lines
from pytest_vqamt.integration.resources import Resources
from pytest_vqamt.integration.settings import Settings, check_markers, read_settings, thresholds_for
from pytest_vqamt.integration.waivers import WaivedCaseIds
from pytest_vqamt.integration.xdist import RunFolder
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.reporting.cases import CasePartWriter, remove_report, start_parts
from pytest_vqamt.reporting.junit import properties
from pytest_vqamt.reporting.progress import ProgressBar, open_terminal

_TOLD = pytest.StashKey[dict[str, Json]]()
_HAS_RUN = pytest.StashKey[bool]()


class VqamtSession:
    """Registered as a plugin of its own where a model is named, so that a session without one does none of this."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self.settings = settings
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._adds_items = bool(config.getoption("vqamt_model") or settings.only)
        self.resources = Resources(settings, is_worker=self._is_worker)
        self._heard = ResultCollector()
        self._was_stopped: bool | None = None
        self._ending = SessionReport(self.resources)
        self._upcoming = UpcomingItems(self.resources, is_worker=self._is_worker)
        self._ahead = LookAhead(settings.terms.sampling, self._upcoming.coming)
        self._planned: tuple[str, ...] = ()
        self._terminal: TextIO | None = None

    # Running.

    def run(
        self, entry: ItemSpec, terms: RunOptions, stopped: Callable[[Stopped], object], waived: WaivedCaseIds
    ) -> RelationResult:
        """Runs an entry; ``stopped`` is told where there is no result, and ``waived`` of all that happens.

        Raises:
            VqamtError: the model or the data cannot be used.
        """
        job = self.resources.job(entry)
        with ExitStack() as closing:
            listeners: list[Listener] = [waived]
            if self.settings.report:
                listeners.append(closing.enter_context(CasePartWriter(self.settings.report, entry.position)))
            if self._terminal:
                sampling = terms.sampling
                bar = ProgressBar(self._terminal, self._column, sampling.max_cases / sampling.shard[1])
                listeners.append(bar)
                closing.callback(bar.close)

            def listen(event: Event) -> None:
                if isinstance(event, Stopped):
                    stopped(event)
                for listener in listeners:
                    listener(event)

            result = run_item(job, terms, self.resources.stores, listen, self._ahead)
        return result  # noqa: RET504 - an ExitStack may swallow errors, as far as mypy knows

    def run_and_tell(self, entry: ItemSpec, node: pytest.Item) -> RelationResult:
        """Runs an entry; what became of it goes to the report, from a worker by way of the test report of ``node``.

        Raises:
            VqamtError: the model or the data cannot be used.
        """
        told = node.stash.setdefault(_TOLD, {})
        if blessed := self.resources.blessed(entry):
            told["blessed"] = blessed.item.id
        terms = self.settings.terms
        if not self.settings.gates_typed:
            terms = replace(terms, thresholds=thresholds_for(node, entry.item, terms.thresholds))

        def stopped(event: Stopped) -> None:
            told["spent"] = cast("Json", model_row(event.use))

        waived = WaivedCaseIds()
        result = self.run(entry, terms, stopped, waived)
        told["waived"] = cast("Json", waived.ids)
        node.user_properties += properties(result)
        told["result"] = cast("Json", worker_row(result))
        node.stash[_HAS_RUN] = True
        return result

    def blessed_answers(self, result: RelationResult) -> tuple[str | None, ...]:
        """What was answered to the violation of ``result`` when it was blessed; nothing where it was not.

        Raises:
            VqamtError: the baseline cannot be read.
        """
        baseline, data = self.resources.baseline, result.data
        blessed = baseline and baseline.item(
            result.item, result.model.name, data.spec, data.digest, models_run=tuple(self.resources.names.values())
        )
        return blessed.answers_to(result.violation.id) if blessed and result.violation else ()

    def replay(self, case_id: str, node: pytest.Item) -> None:
        """Asks a case again and keeps what came of it for the summary.

        Raises:
            VqamtError: no such case.
        """
        from pytest_vqamt.integration.replay import replay

        node.stash.setdefault(_TOLD, {})["replay"] = replay(self.resources, case_id)

    def _column(self) -> int:
        """Where in its line pytest's own output stands."""
        return self._config.get_terminal_writer().width_of_current_line

    def _prepare(self) -> None:
        """Finds out before any model is loaded whether there is room for what the session will keep and write.

        Raises:
            VqamtError: a folder or a file cannot be used.
        """
        if self._adds_items:
            _ = self.resources.baseline
        if self._adds_items and self.settings.cache:
            _ = self.resources.stores.of_shown_cases
        asks_nothing = self.settings.replay or self.settings.plan_only or self._config.getoption("collectonly")
        if self.settings.report and not asks_nothing:
            start_parts(self.settings.report)
            # Where model and folder stand in the ini file, this may be a session of unit tests alone.
            if self._adds_items or self._config.getoption("vqamt_report"):
                remove_report(self.settings.report)
        if self._adds_items:
            _ = self.resources.names  # or a server that is away would be told of by each worker
            self.resources.complete_data()
        for spec in self.settings.models:
            if spec.startswith("answers:") and (deferred := self.resources.model(spec).deferred):
                deferred.prune()

    def _add_items(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        theirs = list(filter(takes_fixture, items))
        check_markers(theirs)
        if self.settings.replay:
            items[:] = items_of(session, self)
        elif self.settings.only or (self._adds_items and not theirs):
            items.extend(items_of(session, self))
        elif theirs:
            _ = self.resources.entries  # or the options cannot be used
        if self.settings.plan_only or self.settings.max_queries is not None:
            self._planned = plan_lines(self.resources, self.settings.max_queries)
        if self.settings.plan_only:
            items.clear()

    # Hooks.

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Adds our items where no test of the session takes the fixture and the command line names a model."""
        try:
            self._add_items(session, items)
        except VqamtError as error:
            if not self._is_worker:
                raise pytest.UsageError(str(error)) from error
            items[:] = [error_item(session, error)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        self._upcoming.turn_of(item, nextitem)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        made = yield
        told = item.stash.get(_TOLD, {})
        if made.failed and (isinstance(item, ConsistencyItem | GateItem) or takes_fixture(item)):
            shorten_summary_line(made)
            if _HAS_RUN not in item.stash and not isinstance(item, GateItem):
                told["failed"] = True
        if told:
            item.stash[_TOLD] = {}
            # Extra attributes of a report travel with it from xdist's workers, which send plain types alone: no string
            # of a model's own kind.
            made.__dict__["vqamt"] = json.loads(json.dumps(told))
        return made

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._heard.hear(report)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """When all items are done, holds them against what was blessed: which of xdist's workers can do none of."""
        done = yield
        self._was_stopped = bool(session.shouldfail or session.shouldstop)  # and not by what is missed from here on
        # A shard misses no gate: `vqamt merge` holds the whole against it.
        if not self._is_worker and self.settings.terms.sampling.is_whole:
            missing = self._heard.missing(self.settings, self.resources.baseline)
            run_gates(session, self, self._heard.held(self.settings.max_drop), missing)
        return done

    def pytest_sessionstart(self) -> None:
        if self._is_worker:
            return
        try:
            self._prepare()
        except VqamtError as error:
            raise pytest.UsageError(str(error)) from error
        if self._config.pluginmanager.has_plugin("terminalreporter"):
            self._terminal = open_terminal()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.resources.close()  # first: other processes wait for what this one has claimed
        self._ahead.close()
        if self._terminal:
            self._terminal.close()
        if self.settings.plan_only and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        if self._is_worker or not (self._heard.results or self._heard.failed):
            return
        ended = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        stopped = self._was_stopped is not False
        self._ending.finish(session, self._heard, complete=ended and not stopped)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._planned and self.settings.plan_only:
            terminalreporter.section("vqamt: plan")
            for line in self._planned:
                terminalreporter.write_line(line)
        if self._heard.replayed:
            terminalreporter.section("vqamt: replay")
            for text in self._heard.replayed:
                terminalreporter.write_line(text)
        in_full = self._config.get_verbosity() > 0
        self._ending.show(terminalreporter, self._heard.waived, in_full=in_full)

    def pytest_report_header(self) -> str:
        named, sampling = self.settings, self.settings.terms.sampling
        kept = (
            f"answers of models with a fingerprint are kept in {named.cache}" if named.cache else "no answers are kept"
        )
        return (
            f"vqamt: {', '.join(named.models)} on {', '.join(named.data)}, "
            f"at most {sampling.max_cases} cases drawn an item, seed {sampling.seed}; {kept}"
            f"{f'; held against {named.baseline.name}' if named.baseline and named.baseline.exists() else ''}"
        )


def start(config: pytest.Config) -> VqamtSession:
    """The session's own plugin.

    Raises:
        pytest.UsageError: an option cannot be used.
    """
    _take_our_ids(config)
    try:
        settings = read_settings(config)
    except VqamtError as error:
        raise pytest.UsageError(str(error)) from error
    if settings.plan_only and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("Expected --vqamt-plan without -n: it asks nothing, so there is nothing to share out")
    _check_devices(config, settings)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunFolder(settings), "vqamt-run-folder")
    return VqamtSession(config, settings)


def _check_devices(config: pytest.Config, settings: Settings) -> None:
    """Finds out before any worker starts whether each could have a device of its own.

    Raises:
        pytest.UsageError: there are more workers than devices, and nobody said that they are to share.
    """
    workers = len(getattr(config.option, "tx", None) or ())
    if workers < 2 or settings.model_options.device != "auto":
        return
    if any(ModelCatalogue().kind(spec).on_device for spec in settings.models):
        from pytest_vqamt.models.transformers.runtime import device_of

        try:
            device_of(replace(settings.model_options, workers=workers))
        except VqamtError as error:
            raise pytest.UsageError(str(error)) from error


def parametrize(metafunc: pytest.Metafunc, session: VqamtSession | None) -> None:
    """Gives a test that takes ``vqamt_consistency`` one call for each entry, or one that is skipped without a model.

    Where the options cannot be used it gets one call too: the session tells of the mistake when all is collected.
    """
    if session is None:
        reason = "no model is named: give --vqamt-model=SPEC, or vqamt_model in the ini file"
        metafunc.parametrize(
            "vqamt_consistency",
            [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="no-model")],
            indirect=True,
        )
        return
    try:
        entries = session.resources.entries
    except VqamtError:
        metafunc.parametrize("vqamt_consistency", [None], indirect=True, ids=["options"])
        return
    metafunc.parametrize("vqamt_consistency", entries, indirect=True, ids=[entry.id for entry in entries])


def _take_our_ids(config: pytest.Config) -> None:
    """Takes ids such as ``vqamt::metavqa.reorder[object]-tiny-pictures`` out of the arguments: they name no file."""
    ours = [argument for argument in config.args if argument.startswith("vqamt::")]
    if ours:
        config.args[:] = [argument for argument in config.args if argument not in ours]
    already: list[str] = getattr(config.option, "vqamt_only", [])  # a worker gets them from xdist's controller
    config.option.vqamt_only = already or [argument.removeprefix("vqamt::") for argument in ours]
