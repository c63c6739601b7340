"""A pytest session with a model to test: adds items, runs them, and reports at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import TextIO, TypeAlias

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

from pytest_vqamt.core.codec import Json, from_row, to_row
from pytest_vqamt.core.errors import OptionError, VqamtError, from_here
from pytest_vqamt.core.events import Event, Listener, Stopped
from pytest_vqamt.core.identity import split_name
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.results import ModelUse, RelationResult
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.execution.kept_items import run_or_recall
from pytest_vqamt.execution.leases import SessionNote, lost_sessions
from pytest_vqamt.execution.plan import Job, RunOptions
from pytest_vqamt.execution.prefetch import SharedPipeline
from pytest_vqamt.execution.resources import ItemSpec, Resources
from pytest_vqamt.execution.run_item import ask_for
from pytest_vqamt.integration.aggregate import REPORT_ATTRIBUTE, ItemOutcome, ResultCollector, SessionReport
from pytest_vqamt.integration.items import (
    ConsistencyItem,
    GateItem,
    ShownErrors,
    TotalGateItem,
    VqamtFailure,
    add_user_errors,
    error_item,
    give_own_id,
    item_spec_of,
    items_of,
    run_gates,
    shorten_summary_line,
    takes_fixture,
    usage_error,
)
from pytest_vqamt.integration.options import is_any_typed
from pytest_vqamt.integration.settings import Settings, check_markers, read_settings, thresholds_for
from pytest_vqamt.integration.waivers import WaivedCaseIds
from pytest_vqamt.integration.xdist import SPENT, LostDeviceExit, RunFolder, RunningItems, WorkerEnd, Workers, XdistNode
from pytest_vqamt.models import time_limit as watchdog
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.lost_device import DeviceLostError
from pytest_vqamt.relations.base import PublishedRelation
from pytest_vqamt.reporting.case_writer import CasePartWriter, remove_report, start_parts
from pytest_vqamt.reporting.junit import properties
from pytest_vqamt.reporting.progress import ProgressBar, open_terminal
from pytest_vqamt.reporting.view.format import aligned_table, format_cost
from pytest_vqamt.stats.thresholds import GateKind

_OUTCOME = pytest.StashKey[ItemOutcome]()
_HAS_RUN = pytest.StashKey[bool]()


_Queries: TypeAlias = dict[tuple[str, str], Query]
"""Distinct queries by the fingerprint under which their answers are cached, and their id."""


def plan_lines(session: Resources, most: int | None) -> tuple[str, ...]:
    """A table of cases and distinct queries; a query that several items share counts in the first.

    Raises:
        OptionError: there are more than ``most`` distinct queries.
    """
    rows = [("item", "cases", "queries", "new queries")]
    known: dict[str, _Queries] = {}
    cases = from_baseline = 0
    repeats = session.settings.terms.sampling.repeats
    for spec in session.item_specs:
        job = session.job(spec)
        plan = job.plan(session.settings.terms.sampling)
        # Without loss other files are sent, and other answers cached.
        fingerprint = session.model(spec.model_spec).fingerprint_of(lossless=spec.relation.info.exact_pixels)
        here: _Queries = {}
        count = 0
        for case in plan:
            count += 1
            # By id: cases share queries, and each is paid for once.
            here.update(((fingerprint, query.id), query) for trials in case.trials(repeats) for query in trials)
        seen = known.setdefault(spec.model_spec, {})
        rows.append((spec.id, str(count), str(len(here)), str(len(here.keys() - seen.keys()))))
        seen |= here
        cases += count
        from_baseline += count if job.baseline else 0
    total = sum(len(queries) for queries in known.values())
    if most is not None and total > most:
        # The cases of a baseline are fixed: a lower --vqamt-max-cases changes nothing.
        fewer = "name fewer relations" if from_baseline == cases else "lower --vqamt-max-cases or name fewer relations"
        raise OptionError(
            f"Expected at most --vqamt-max-queries={most} distinct queries, but the run would have {total} "
            f"for {count_noun(cases, 'case')}{f' ({from_baseline} of them blessed)' if from_baseline else ''}: {fewer}"
        )
    costs = [line for spec, queries in known.items() for line in _forecast_lines(session, spec, queries)]
    return (
        *aligned_table(rows),
        "",
        f"{count_noun(cases, 'case')}, {count_noun(total, 'distinct query', 'distinct queries')} before any cache",
        *costs,
    )


def _forecast_lines(session: Resources, spec: str, queries: _Queries) -> Iterator[str]:
    """The tokens and the cost of the queries that have no cached answer, for a model that can forecast them."""
    model = session.model(spec)
    if model.forecast is None:
        return
    store = session.stores.of(model)
    answers = {
        (fingerprint, name): answer
        for fingerprint in dict.fromkeys(fingerprint for fingerprint, _ in queries)
        for name, answer in store.get(fingerprint, [name for of, name in queries if of == fingerprint]).items()
    }
    rest = [query for key, query in queries.items() if key not in answers]
    found = model.forecast(rest, [(queries[key], answer) for key, answer in answers.items()])
    yield ""
    yield f"{model.name}: {count_noun(len(rest), 'query', 'queries')} to send, {len(answers):,} cached"
    yield f"tokens: {found.tokens_in:,.0f} in, {found.tokens_out:,.0f} out (at most {found.tokens_out_most:,.0f})"
    yield f"tokens in by {found.basis}"
    if found.cost is not None and found.cost_most is not None:
        yield f"cost: {format_cost(found.cost)} (at most {format_cost(found.cost_most)}, all answers at their longest)"
    if shrink := session.settings.terms.shrink:
        yield (
            f"not counted: up to {count_noun(shrink, 'query', 'queries')} for each item with a violation, "
            f"which simplify it (--vqamt-shrink)"
        )


class VqamtSession:
    """The plugin of a session in which a model is named."""

    def __init__(self, config: pytest.Config, settings: Settings, workers: Workers | None = None) -> None:
        """``workers`` are those of the controller of xdist."""
        self.settings = settings
        self._workers = workers
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        # Without any option on the command line, a session with a model in the ini file is one of other tests.
        self._adds_items = is_any_typed(config) or bool(settings.only)
        self.resources = Resources(settings, is_worker=self._is_worker)
        self._collected = ResultCollector()
        self._was_stopped: bool | None = None
        self._report = SessionReport(settings, self.resources)
        self._pipeline = SharedPipeline()
        self._next_item: pytest.Item | None = None
        self._planned: tuple[str, ...] = ()
        self._terminal: TextIO | None = None
        self._shown_errors = ShownErrors()
        self._note: SessionNote | None = None
        self._running = RunningItems(settings.run)
        self._placements_shown: set[str] = set()

    # Running.

    def run(
        self, spec: ItemSpec, terms: RunOptions, stopped: Callable[[Stopped], object], waived: WaivedCaseIds
    ) -> RelationResult:
        """Runs an item; ``stopped`` gets the event that there is no result, and ``waived`` gets every event.

        Raises:
            VqamtError: the model or the data cannot be used.
        """
        job = self.resources.job(spec)
        with ExitStack() as closing:
            closing.enter_context(self._running.running(spec.position))
            listeners: list[Listener] = [waived]
            lines = None
            if self.settings.report:
                lines = closing.enter_context(CasePartWriter(self.settings.report, spec.position))
                listeners.append(lines)
            if self._terminal:
                sampling = terms.sampling
                of_model = [each.id for each in self.resources.item_specs if each.model_spec == spec.model_spec]
                bar = ProgressBar(
                    self._terminal,
                    self._column,
                    # What a shard has of them on average: the bar only needs a guess.
                    sampling.max_cases / sampling.shard[1],
                    done=of_model.index(spec.id),
                    items=len(of_model),
                )
                listeners.append(bar)
                closing.callback(bar.close)

            # One callable for all, in this order: the waivers, the file of cases, the bar.
            def listen(event: Event) -> None:
                if isinstance(event, Stopped):
                    stopped(event)
                for listener in listeners:
                    listener(event)

            stores, upcoming = self.resources.stores, self._upcoming(spec)
            result = run_or_recall(job, terms, stores, listen, lines, self._pipeline, upcoming)
        return result  # noqa: RET504 - an ExitStack may swallow errors, as far as mypy knows

    def _upcoming(self, spec: ItemSpec) -> Job | None:
        """The job of the next test, where that is a relation too, on a model and data that are loaded already."""
        after = item_spec_of(self._next_item) if self._next_item else None
        is_loaded = after is not None and (after.model_spec, after.data_spec) == (spec.model_spec, spec.data_spec)
        if after is None or not is_loaded:
            return None
        try:
            return self.resources.job(after)
        except VqamtError:  # its own test says so
            return None

    def run_and_attach(self, spec: ItemSpec, node: pytest.Item) -> RelationResult:
        """Runs an item and attaches the result to the test report of ``node``, which workers send to the controller.

        Raises:
            VqamtError: the model or the data cannot be used.
        """
        outcome = node.stash.setdefault(_OUTCOME, ItemOutcome())
        # Noted before the run: an item that fails is not missing from the baseline.
        if baseline := self.resources.baseline_item(spec):
            outcome.baseline = baseline.item.id
        terms = self.resources.run_options
        typed = self.settings.gates_typed
        # What is typed for this session goes before markers, and these before the ini file.
        if GateKind.PASS_RATE not in typed:
            terms = replace(terms, thresholds=thresholds_for(node, spec.item, terms.thresholds))
        if GateKind.GROUNDED_RATE not in typed:
            marked = thresholds_for(node, spec.item, terms.grounded_thresholds, GateKind.GROUNDED_RATE)
            terms = replace(terms, grounded_thresholds=marked)

        def stopped(event: Stopped) -> None:
            outcome.spent = event.use

        waived = WaivedCaseIds()
        result = self.run(spec, terms, stopped, waived)
        outcome.waived = waived.ids
        outcome.placement = self.resources.placement(spec.model_spec)
        node.user_properties += properties(result)
        outcome.result = result
        node.stash[_HAS_RUN] = True
        return result

    def baseline_answers(self, result: RelationResult) -> tuple[str | None, ...]:
        """The baseline's answers to the violation of ``result``; empty if it has none.

        Raises:
            VqamtError: the baseline cannot be read.
        """
        baseline, data = self.resources.baseline, result.data
        item = baseline and baseline.item(
            result.item, result.model.name, data.name, data.digest, models_run=tuple(self.resources.names.values())
        )
        return item.answers_to(result.violation.id) if item and result.violation else ()

    def failure_of(self, result: RelationResult) -> pytest.TestReport | None:
        """The test report of the failed test that ran the item of ``result``."""
        return self._collected.failures.get(result.position)

    def replay(self, case_id: str, node: pytest.Item) -> None:
        """Replays a case and keeps the output for the summary.

        Raises:
            VqamtError: no such case.
        """
        from pytest_vqamt.integration.replaying import replay

        node.stash.setdefault(_OUTCOME, ItemOutcome()).replay = replay(self.settings, self.resources, case_id)

    def _column(self) -> int:
        """The current column of pytest's own output."""
        return self._config.get_terminal_writer().width_of_current_line

    def _prepare(self) -> None:
        """Checks before any model is loaded that the session can write its files."""
        if self._adds_items:
            # A missing file ends the session in one line, and not each test.
            _ = self.resources.baseline
        if self._adds_items and self.settings.cache:
            # Opens the cache, so that one that cannot be written to ends the session as well.
            _ = self.resources.stores.of_shown_cases
        runs_nothing = self.settings.replay or self.settings.plan_only or self._config.getoption("collectonly")
        if self.settings.report and not runs_nothing:
            # Before any test: a folder that cannot be written to is found now, and not after hours.
            start_parts(self.settings.report)
            # Where model and folder stand in the ini file, this may be a session of unit tests alone.
            if self._adds_items or self._config.getoption("vqamt_report"):
                remove_report(self.settings.report)
        if self._adds_items:
            _ = self.resources.names  # or each worker would report a server that is down
        for spec in self.settings.models:
            # The list of missing answers of an earlier run would have questions that are answered now.
            if split_name(spec)[1].startswith("answers:") and (deferred := self.resources.model(spec).deferred):
                deferred.prune()

    def _add_items(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        user_tests = list(filter(takes_fixture, items))
        check_markers(user_tests, self.settings)
        if self.settings.replay:
            # A replay runs alone: other tests of the session are dropped.
            items[:] = items_of(session, self)
        elif self.settings.only or (self._adds_items and not user_tests):
            # User tests with the fixture run the relations already: items of ours would run them twice.
            added = list(items_of(session, self))
            items.extend(added)
            # "collected 9 items" counts those that were reported.
            made = pytest.CollectReport(nodeid="vqamt", outcome="passed", longrepr=None, result=[*added])
            session.ihook.pytest_collectreport(report=made)
        elif user_tests:
            _ = self.resources.item_specs  # raises if the options cannot be used
        if self.settings.plan_only or self.settings.max_queries is not None:
            self._planned = plan_lines(self.resources, self.settings.max_queries)
        if self.settings.plan_only:
            items.clear()

    # Hooks.

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Adds our items if no test takes the fixture and the command line names a model."""
        try:
            self._add_items(session, items)
        except VqamtError as error:
            if not self._is_worker:
                raise usage_error(error, self._config) from error
            # A worker that raises here would be reported as crashed, without the message.
            items[:] = [error_item(session, error)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        self._next_item = nextitem
        spec = item_spec_of(item)
        if spec is not None and spec.model_spec not in self.resources.loaded:
            self._release_before(item)

    def _release_before(self, item: pytest.Item) -> None:
        """Releases the models whose last item lies before ``item``: two that are large need not fit at once.

        xdist may bring an item of such a model later, where another worker has died: then it is loaded again.
        """
        items = item.session.items
        left = {spec.model_spec for spec in map(item_spec_of, items[items.index(item) :]) if spec}
        if gone := [spec for spec in self.resources.loaded if spec not in left]:
            self._pipeline.close()
            for spec in gone:
                self.resources.release(spec)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        # Before the report is made: taking the error changes what it shows.
        failure = call.excinfo and call.excinfo.value
        others = self._shown_errors.take(failure, item) if isinstance(failure, VqamtFailure) else ()
        made = yield
        if isinstance(failure, VqamtFailure):
            add_user_errors(made, failure.user_error, others, item)
        outcome = item.stash.get(_OUTCOME, ItemOutcome())
        if made.failed and (isinstance(item, ConsistencyItem | GateItem | TotalGateItem) or takes_fixture(item)):
            shorten_summary_line(made)
            # Its setup or run failed, so that it has no result; a missed gate is no such failure.
            if _HAS_RUN not in item.stash and not isinstance(item, GateItem | TotalGateItem):
                outcome.failed = True
                outcome.failure = failure.message if isinstance(failure, VqamtFailure) else ""
        if outcome != ItemOutcome():
            # Setup, call and teardown each have a report: the outcome goes with the first.
            item.stash[_OUTCOME] = ItemOutcome()
            setattr(made, REPORT_ATTRIBUTE, outcome)
        return made

    @pytest.hookimpl(wrapper=True)
    def pytest_report_to_serializable(self) -> Generator[None, dict[str, object] | None, dict[str, object] | None]:
        """Makes an outcome JSON where a report is sent: by a worker of xdist, or to a log."""
        row = yield
        if row and isinstance(outcome := row.get(REPORT_ATTRIBUTE), ItemOutcome):
            # xdist sends plain types only, no subclasses of str.
            row[REPORT_ATTRIBUTE] = json.loads(json.dumps(to_row(outcome)))
        return row

    @pytest.hookimpl(wrapper=True)
    def pytest_report_from_serializable(self) -> Generator[None, object, object]:
        report = yield
        if row := getattr(report, REPORT_ATTRIBUTE, None):
            setattr(report, REPORT_ATTRIBUTE, from_row(row, ItemOutcome))
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # Before any other plugin sees the report.
        give_own_id(report, self._config)
        self._collected.add(report)
        self._tell_placement(report)

    def _tell_placement(self, report: pytest.TestReport) -> None:
        """Says where a model computes that was loaded after the first line, or in a worker."""
        placement = getattr(getattr(report, REPORT_ATTRIBUTE, None), "placement", "")
        if self._is_worker or not placement or placement in self._placements_shown:
            return
        self._placements_shown.add(placement)
        if reporter := self._config.pluginmanager.get_plugin("terminalreporter"):
            reporter.ensure_newline()
            reporter.write_line(f"vqamt: {placement}")

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Compares all items with the baseline after the last one, which no worker of xdist can do."""
        if not (self._is_worker or self._workers):
            self._load_first(session)
        with self._workers.all_run(session) if self._workers else nullcontext():
            done = yield
        if self._is_worker and not (session.shouldfail or session.shouldstop):
            self._help_others()
        self._was_stopped = bool(session.shouldfail or session.shouldstop)  # but not by the gates that follow
        # A shard cannot miss a gate: `vqamt merge` checks the gates of the whole run.
        if not self._is_worker and self.settings.terms.sampling.is_whole:
            collected = self._collected
            relations, use = self.resources.concluded(collected.results, collected.in_baseline)
            run_gates(session, self, relations, use if relations or collected.failed else None)
        return done

    def _help_others(self) -> None:
        """Asks queries of long items of other workers when this one has no more of its own."""
        resources, spent = self.resources, []
        specs = {spec.position: spec for spec in resources.known_items}
        # What goes wrong here goes wrong in the worker of the item, too, which reports it.
        with suppress(VqamtError):

            def is_ready(position: int) -> bool:
                """True unless another model would have to make room for that of the item."""
                return not resources.loaded or (position in specs and specs[position].model_spec in resources.loaded)

            for position in self._running.of_others(is_ready):
                if (spec := specs.get(position)) is None or not resources.is_worth_help(spec.model_spec):
                    continue
                if resources.loaded and spec.model_spec not in resources.loaded:
                    self._pipeline.close()
                    for other in resources.loaded:
                        resources.release(other)
                job = resources.job(spec)
                # The code of users may keep state of its own.
                if job.is_ours and job.model.batches_at_once == 1 and not job.model.deferred:
                    still_runs = partial(self._running.is_running, position)
                    spent.append(ask_for(job, resources.run_options, resources.stores, self._pipeline, still_runs))
        # xdist sends plain types only.
        output: dict[str, object] = getattr(self._config, "workeroutput", {})
        output[SPENT] = json.loads(json.dumps([to_row(each) for each in spent]))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: XdistNode) -> None:
        """Takes what a worker has spent on the items of others."""
        output: Mapping[str, list[Json]] = getattr(node, "workeroutput", {})
        self._collected.spent += [from_row(row, ModelUse) for row in output.get(SPENT, ())]

    def _load_first(self, session: pytest.Session) -> None:
        """Loads the model of the first item before any test: one that cannot be used ends the session in a line."""
        failed = session.testsfailed and not self._config.getoption("continue_on_collection_errors")
        first = next(filter(None, map(item_spec_of, session.items)), None)
        lists = any(self._config.getoption(name, False) for name in ("collectonly", "setupplan"))
        if first is None or failed or lists:
            return
        known = self.resources.loaded
        try:
            with self._captured():
                self.resources.model(first.model_spec)
        except DeviceLostError as error:
            raise LostDeviceExit(error) from None
        except VqamtError as error:
            raise usage_error(error, self._config) from error
        if self.resources.loaded != known and (reporter := self._config.pluginmanager.get_plugin("terminalreporter")):
            for line in self._lines_on_models():
                reporter.write_line(line)

    def _lines_on_models(self) -> list[str]:
        """What to know before the run of the models that are loaded: of their requests, and where they compute."""
        placements = list(filter(None, map(self.resources.placement, self.resources.loaded)))
        self._placements_shown.update(placements)
        return [f"vqamt: {each}" for each in dict.fromkeys([*self.resources.request_notes(), *placements])]

    @contextmanager
    def _captured(self) -> Iterator[None]:
        """Captures what is printed, such as the progress of a loader, as in the set-up of a test."""
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        if capture is None:
            yield
            return
        capture.resume_global_capture()
        try:
            yield
        finally:
            capture.suspend_global_capture()
            capture.read_global_capture()

    def pytest_sessionstart(self) -> None:
        # Standard error is captured while tests run; pytest's faulthandler has kept it.
        watchdog.MESSAGE_FD = self._config.stash.get(fault_handler_stderr_fd_key, None)
        if self._is_worker:
            return
        try:
            self._prepare()
        except VqamtError as error:
            raise usage_error(error, self._config) from error
        # Without it (-p no:terminal) nothing of ours may be written to the terminal either.
        if self._config.pluginmanager.has_plugin("terminalreporter"):
            self._terminal = open_terminal()
        # Only a session that is meant to run relations can be lost.
        if self.settings.cache and (self._adds_items or self._config.getoption("vqamt_report")):
            self._note = SessionNote(self.settings.cache, self.settings.report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        watchdog.MESSAGE_FD = None  # pytest closes it
        if self._note:
            self._note.remove()
        self.resources.close()  # first: other processes wait for the leases of this one
        self._pipeline.close()
        if self._terminal:
            self._terminal.close()
        # The plan removes all tests, which is no error.
        if self.settings.plan_only and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        if self._is_worker or not (self._collected.results or self._collected.failed):
            return
        # Interrupted, internal errors and the like: the report says that it is not whole.
        ended = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        # None if the test loop never came to its end.
        stopped = self._was_stopped is not False
        self._report.finish(session, self._collected, complete=ended and not stopped)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._planned and self.settings.plan_only:
            terminalreporter.section("vqamt: plan")
            for line in self._planned:
                terminalreporter.write_line(line)
        if self._collected.replayed:
            terminalreporter.section("vqamt: replay")
            for text in self._collected.replayed:
                terminalreporter.write_line(text)
        self._report.print_summary(terminalreporter, self._collected.waived, verbosity=self._config.get_verbosity())

    def pytest_report_header(self) -> list[str]:
        named, sampling = self.settings, self.settings.terms.sampling
        kept = f"answers are kept in {from_here(named.cache)}" if named.cache else "no answers are kept"
        return [
            *self._lost_sessions(),
            f"vqamt: {', '.join(named.models)} on {', '.join(named.data)}, "
            f"at most {count_noun(sampling.max_cases, 'case')} a test, seed {sampling.seed}; {kept}"
            f"{f'; compared with {named.baseline.name}' if named.baseline else ''}",
        ]

    def _lost_sessions(self) -> list[str]:
        return list(lost_sessions(self.settings.cache)) if self.settings.cache else []

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        """Says which preset runs where no relations are named, and how many cases there are at most."""
        if self._is_worker:  # nobody sees it
            return []
        has_header = self._config.get_verbosity() >= 0 and not self._config.option.no_header
        return [*([] if has_header else self._lost_sessions()), *self._collection_lines(items)]

    def _collection_lines(self, items: Sequence[pytest.Item]) -> list[str]:
        resources = self.resources
        if not (items or self._adds_items):
            return [
                "vqamt: the ini file names a model, but no relation runs: give an option (--vqamt-report=out, say), or "
                "write a test that takes vqamt_consistency"
            ]
        if not resources.known_items:
            return []
        pairs = {(spec.model_spec, spec.data_spec): spec.model for spec in resources.known_items}
        found = {f"{model}: {name}" for pair, model in pairs.items() if (name := resources.preset_of(*pair))}
        lines = []
        if found:
            lines.append(
                f"vqamt: no relations are named, so these presets run ({', '.join(sorted(found))}); "
                "all relations of the papers: --vqamt-relations=all"
            )
        specs = [spec for spec in map(item_spec_of, items) if spec]
        lines += self._lines_on_models() if specs else []
        if specs and self._config.get_verbosity() >= 0:
            lines.append(f"vqamt: {self._extent(specs)}")
        return lines

    def _extent(self, specs: Sequence[ItemSpec]) -> str:
        """The number of tests, and of their cases at most, where that is known without deriving them."""
        sampling, tests = self.settings.terms.sampling, count_noun(len(specs), "test")
        has_all = sampling.all_published and any(isinstance(spec.relation, PublishedRelation) for spec in specs)
        # Their number is known only once the cases are derived.
        if has_all or self.settings.baseline:
            return f"{tests}; --vqamt-plan counts their cases and queries"
        most = len(specs) * sampling.max_cases
        return f"{tests} with at most {count_noun(most, 'case')} in all; --vqamt-plan counts them and their queries"


def start(config: pytest.Config) -> VqamtSession:
    """The session's own plugin.

    Raises:
        pytest.UsageError: an option cannot be used.
    """
    _take_item_ids(config)
    try:
        settings = read_settings(config)
    except VqamtError as error:
        raise usage_error(error, config) from error
    # Each worker would print the plan.
    if settings.plan_only and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("Expected --vqamt-plan without -n: it runs no model, so workers cannot help")
    # The option of pytest-forked.
    if getattr(config.option, "forked", False):
        raise pytest.UsageError(
            "Expected vqamt without --forked, which gives each test a process that loads the model anew and whose "
            "results are lost: -n 1 survives a crash of the model, too, and --vqamt-timeout ends one that hangs"
        )
    _check_devices(config, settings)
    workers = None
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(WorkerEnd(config, settings.run), "vqamt-worker-end")
    # The controller alone hands out the folder of the run, and places in it.
    elif getattr(config.option, "tx", None):
        folder = RunFolder(settings)
        workers = Workers(config, folder)
        config.pluginmanager.register(folder, "vqamt-run-folder")
        config.pluginmanager.register(workers, "vqamt-workers")
    try:
        return VqamtSession(config, settings, workers)
    except VqamtError as error:  # a reader of the user's that cannot be imported
        raise usage_error(error, config) from error


def _check_devices(config: pytest.Config, settings: Settings) -> None:
    """Checks before any worker starts that each can have its own device."""
    workers = len(getattr(config.option, "tx", None) or ())
    # One process cannot collide, and a named device is the user's decision.
    if workers < 2 or not (settings.model_options.device == "auto" or "+" in settings.model_options.device):
        return
    if any(ModelCatalogue().kind(spec).on_device for spec in settings.models):
        from pytest_vqamt.models.transformers.placement import spread_devices

        try:
            spread_devices(replace(settings.model_options, workers=workers))
        except VqamtError as error:
            raise usage_error(error, config) from error


def parametrize(metafunc: pytest.Metafunc, session: VqamtSession | None) -> None:
    """Parametrizes a test with ``vqamt_consistency`` with all items, or one skipped call without a model.

    If the options cannot be used it gets one call, too: the session reports the mistake after collection.
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
        specs = session.resources.item_specs
    except VqamtError:
        metafunc.parametrize("vqamt_consistency", [None], indirect=True, ids=["options"])
        return
    metafunc.parametrize("vqamt_consistency", specs, indirect=True, ids=[spec.id for spec in specs])


def _take_item_ids(config: pytest.Config) -> None:
    """Removes ids such as ``vqamt::metavqa.reorder[object]-tiny-pictures`` from the arguments: they name no file."""
    # From a folder below its root pytest shows them as "../vqamt::metavqa.reorder[object]-tiny-pictures".
    ids = [argument for argument in config.args if re.match(r"(\.\./)*vqamt::", argument)]
    # pytest would look for files of these names, and end with an error.
    if ids:
        config.args[:] = [argument for argument in config.args if argument not in ids]
    already: list[str] = getattr(config.option, "vqamt_only", [])  # in a worker, from xdist's controller
    config.option.vqamt_only = already or [argument.partition("vqamt::")[2] for argument in ids]
