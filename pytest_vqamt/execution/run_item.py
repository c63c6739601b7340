"""Runs one relation variant on one model and one data source."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, cast

from pytest_vqamt.core.case import RIGHT_SOURCE, Case, Outcome, Verdict, own_question
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.events import Answered, Finished, Judged, Listener, Planned, Simplified, Stopped
from pytest_vqamt.core.meaning import Annotated
from pytest_vqamt.core.pairs import PairCounter
from pytest_vqamt.core.query import Answer, Failure, Query, cannot_take
from pytest_vqamt.core.report_json import case_line, case_row
from pytest_vqamt.core.results import (
    EXAMPLES,
    BaselineChange,
    DataUse,
    Grounded,
    JudgedCases,
    ModelUse,
    RelationResult,
    StratumResult,
    ViolationPreview,
    add_usage,
    stratum_fields,
)
from pytest_vqamt.core.tallies import CaseCounter, GroundedCounter, PairedClusters, TallyBuilder
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.baseline import BaselineItem
from pytest_vqamt.execution.inference import QueryRunner, unwritten_queries
from pytest_vqamt.execution.judging import JudgedCase, baseline_verdict, judge_trials
from pytest_vqamt.execution.plan import Job, PlannedCase, RunOptions
from pytest_vqamt.execution.prefetch import SharedPipeline
from pytest_vqamt.execution.shrink import (
    QueryIdSet,
    SimplestViolation,
    shown_case,
    shown_contrast,
)
from pytest_vqamt.execution.waves import ask_in_waves
from pytest_vqamt.models.answers_file import MAX_NAMED, name_queries
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.relations.base import resources_of
from pytest_vqamt.relations.chance import ChanceOfCases
from pytest_vqamt.stats.gates import GroundedCounts, gate, grounded_result
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.paired import change_of
from pytest_vqamt.stats.papers import human_reference

_MOST_NAMED = 50_000
"""Queries of an item that are named when it ends: more would take a tenth of the memory of a run."""

GC_THRESHOLD = 10_000
"""New objects until the next collection. Five times as many gained hardly more time, and what a model leaves in cycles,
such as its tensors, waits for it."""


def run_item(
    job: Job,
    options: RunOptions,
    stores: AnswerStores,
    listen: Listener,
    pipeline: SharedPipeline | None = None,
    upcoming: Job | None = None,
) -> RelationResult:
    """Runs all cases of ``job`` and sends events to ``listen``; ``pipeline`` is shared with the items around it.

    ``upcoming``, the next job if that is known, is planned while the model works.

    Raises:
        ModelError: the model cannot be used, or lacks written answers.
        DataError: a scene cannot be read.
    """
    # A pipeline of the caller stays open for its next item.
    with infrequent_gc(), nullcontext(pipeline) if pipeline else closing(SharedPipeline()) as shared:
        run = _Run(job, options, stores, listen, shared, upcoming)
        try:
            return run.result()
        except BaseException:  # a time limit, too: the queries sent are paid for
            listen(Stopped(use=run.usage.use()))
            raise


def ask_for(
    job: Job, options: RunOptions, stores: AnswerStores, pipeline: SharedPipeline, still_runs: Callable[[], bool]
) -> ModelUse:
    """Asks queries of a job that another process runs, from the last one backwards; returns the use of the model.

    The other process takes the answers from the store, and nothing is judged here: its result is the same. Queries
    that it has leased are left to it, so the two meet in the middle. Once it has ended, as by an error, nobody needs
    the rest.

    Raises:
        VqamtError: the model or the data cannot be used.
    """
    store, lossless = stores.of(job.model), job.relation.info.exact_pixels
    planned = pipeline.ahead.take(job, options.sampling)
    runner = QueryRunner(job.model, store, pipeline.of(job.model, job.source), lambda _count: None, lossless=lossless)
    usage = UsageMeter(job.model, runner)
    with infrequent_gc():
        while still_runs() and (window := planned.take()):
            needed = (each.case.trials(options.sampling.repeats) for each in window)
            # Those that quote an answer are left to the other process, which will have it.
            queries = {q.id: q for of_case in needed for trials in of_case for q in trials if not q.replies}
            # Not marked as used: the other process counts what it takes from the store.
            known = store.get(job.model.fingerprint_of(lossless=lossless), tuple(queries))
            lacking = {name: query for name, query in queries.items() if name not in known}
            runner.run(lacking, helps_while=still_runs)
    return replace(usage.use(), queries_needed=0)  # the other process counts what its cases need


class _SpentError(Exception):
    """A smaller case would take more queries than are left."""


class _Run:
    def __init__(
        self,
        job: Job,
        options: RunOptions,
        stores: AnswerStores,
        listen: Listener,
        pipeline: SharedPipeline,
        upcoming: Job | None,
    ) -> None:
        self._job = job
        self._options = options
        self._stores = stores
        self._listen = listen
        self._ordinary = Stratum.of(job)
        self._presumed = Stratum.of(job)
        self._grounded = GroundedCounter()
        self._presumed_grounded = GroundedCounter()
        self._chance = ChanceOfCases(job.relation)
        self._planned = pipeline.ahead.take(job, options.sampling)
        self._plan = self._planned.plan
        self._plan_next = partial(pipeline.ahead.begin, self._planned, upcoming=upcoming)
        self._runner = QueryRunner(
            job.model,
            stores.of(job.model),
            pipeline.of(job.model, job.source),
            self._on_answered,
            lossless=job.relation.info.exact_pixels,
        )
        self.usage = UsageMeter(job.model, self._runner)
        self._needed = QueryIdSet()
        self._planned_window: list[PlannedCase] | None = None
        self._has_answers = False
        self._violation = SimplestViolation()
        self._ungrounded = SimplestViolation(of_contrast=True)
        self._judged_cases = JudgedCases() if options.keeps_judged else None
        self._right = JudgedCases() if options.keeps_judged else None
        self._error = ""
        self._unwritten = 0
        self._first_unwritten: list[Query] = []

    def result(self) -> RelationResult:
        lacking = set(self._job.relation.info.needs) - self._job.model.takes
        while not lacking and (window := self._planned.take()):
            self._run_window(window)
        # After all windows, so that the list of questions without an answer is whole in one run.
        if self._unwritten and (deferred := self._job.model.deferred):
            raise ModelError(
                f"Expected model {self._job.model.name!r} to hold an answer to every query, but it lacks "
                f"{self._unwritten} ({name_queries(self._first_unwritten)}): they are listed in {deferred.todo_file}; "
                "add their answers and run again"
            )
        # Not one answer, even from the cache: the model is down, which is an error of the test and no rate.
        if self._runner.last_failure and not self._has_answers:
            raise self._runner.disabled_error()
        violation = self._simplest_violation()
        info = self._job.relation.info
        # For such a model nothing is drawn.
        not_applicable = {cannot_take(lacking).reason: len(self._job.source)} if lacking else self._plan.not_applicable
        ordinary = self._stratum_result(self._ordinary, info.tags)
        has_presumed = self._presumed.counts.tally.cases > 0
        presumed = self._stratum_result(self._presumed, (*info.tags, "presumed")) if has_presumed else None
        if presumed and not ordinary.tally.cases and self._options.sampling.is_whole:
            ordinary = replace(ordinary, gate=None)  # presumed cases alone can miss the gate
        result = RelationResult(
            **stratum_fields(ordinary),
            position=self._job.position,
            item=self._job.item,
            version=info.version,
            claim=info.claim,
            model=self.usage.use(),
            data=self._data(),
            tags=info.tags,
            resources=resources_of(self._job.relation),
            scenes_not_applicable=sum(not_applicable.values()),
            not_applicable=dict(not_applicable),
            error=self._error,
            violation=violation,
            ungrounded=self._simplest_contrast_violation(),
            presumed=presumed,
            reference=human_reference(self._job.item),
            judged=self._judged_cases,
            right=self._right,
            directional=info.is_directional(self._job.variant),
            grounded=self._grounded_result(),
        )
        self._listen(Finished(result=result, queries=self._queries()))
        return result

    def _queries(self) -> tuple[str, ...] | None:
        """The ids of all queries that were needed; None of very many."""
        if len(self._runner.needed) > _MOST_NAMED:
            return None
        return tuple(f"{number:016x}" for number in sorted(set(self._runner.needed)))

    def _data(self) -> DataUse:
        source = self._job.source
        bad = tuple(sorted({*source.bad_records, *self._plan.bad_records}))
        return DataUse(
            spec=source.spec,
            scenes=len(source),
            digest=source.digest,
            bad_records=bad,
            short_name=self._job.short_name,
            given=self._job.given,
        )

    def _stratum_result(self, stratum: Stratum, tags: Sequence[str]) -> StratumResult:
        counts, options = stratum.counts, self._options
        clusters = counts.spread.clusters
        within = pass_rate_interval(clusters)
        return StratumResult(
            tally=counts.tally,
            breakdown=counts.breakdown,
            readings=counts.readings.counted,
            readings_sample=counts.readings.sample,
            unread=counts.unread,
            unknown_words=counts.unknown_words,
            repeated=counts.repeated.counted,
            graded=counts.graded.counted,
            interval=within,
            gate=gate(
                self._job.item, tags, counts.tally, within, options.thresholds, options.gate_on, options.max_unread
            ),
            pairs=counts.pairs.counted if counts.pairs else None,
            figures=counts.figures,
            clusters=clusters,
            paired=stratum.paired,
            change=stratum.change,
        )

    def _grounded_result(self) -> Grounded | None:
        """The cases with a contrast; None if there are none."""
        info = self._job.relation.info
        # A directional case is its own contrast: its change is that of the pass rate already.
        baseline = None if info.is_directional(self._job.variant) else self._job.baseline
        sure, presumed = (
            GroundedCounts(each.cells, each.chance, each.spread.clusters, each.spread.paired)
            for each in (self._grounded, self._presumed_grounded)
        )
        return grounded_result(
            self._job.item,
            info.tags,
            sure,
            presumed,
            self._options.grounded_thresholds,
            self._options.gate_on,
            # An item may have presumed cases alone, as on data whose annotations list no absences.
            tally=(self._ordinary if self._ordinary.counts.tally.cases else self._presumed).counts.tally,
            max_unread=self._options.max_unread,
            version_before=baseline.item.version if baseline else None,
        )

    def _run_window(self, window: list[PlannedCase]) -> None:
        repeats = self._options.sampling.repeats
        outcomes = ask_in_waves([each.case.trials(repeats) for each in window], partial(self._ask, window))
        uses = [each for of_case in outcomes for trials in of_case for each in trials]
        self.usage.add_uses(sum(each is not None for each in uses))
        self._has_answers = self._has_answers or any(isinstance(each, Answer) for each in uses)
        for planned, of_case in zip(window, outcomes, strict=True):
            own = len(planned.case.queries)
            answered = [trials for trials in of_case if None not in trials]
            # A case without an answer to its contrast is judged all the same; one without its own is left out.
            if answered[:own] == list(of_case[:own]):
                found = cast("list[tuple[Answer | Failure, ...]]", answered)
                self._record(judge_trials(self._job.relation, planned.case, found, self._options.reader), planned)

    def _ask(self, window: list[PlannedCase], queries: Iterable[Query]) -> dict[str, Answer | Failure]:
        """Asks queries of a window; the answers by query id, without those that a model of written answers lacks."""
        known, lacking = self._runner.look_up(queries)
        # The second wave, and any that is empty, is of cases that were planned before.
        cases = len(window) if self._planned_window is not window else 0
        self._planned_window = window
        if cases or known or lacking:
            total = len(known) + len(lacking)
            self._listen(Planned(item=self._job.item, cases=cases, queries=total, cached=len(known)))
        unwritten = unwritten_queries(self._job.model, tuple(lacking.values()))
        # A model of written answers is not run on what it lacks: the questions go to its list.
        if unwritten:
            self._defer(unwritten, lacking)
        if lacking:
            self._plan_next(window)
        answers: dict[str, Answer | Failure] = {**known, **self._runner.run(lacking)}
        if self._options.shrink:
            # Only shrinking looks at it: a query that cases have answered costs it nothing.
            self._needed.add(name for name, each in answers.items() if isinstance(each, Answer))
        return answers

    def _defer(self, unwritten: list[Query], lacking: dict[str, Query]) -> None:
        assert self._job.model.deferred is not None
        self._job.model.deferred.todo(unwritten)
        self._unwritten += len(unwritten)
        self._first_unwritten += unwritten[: MAX_NAMED - len(self._first_unwritten)]
        for query in unwritten:
            del lacking[query.id]

    def _record(self, judged: JudgedCase, planned: PlannedCase) -> None:
        # Order: counts, then listeners, then what only cases that are not waived go into.
        case, outcome = judged.case, judged.verdict.outcome
        waived = case.id in self._options.waived
        stratum = self._presumed if case.is_presumed else self._ordinary
        before = None
        if planned.baseline is not None:
            # Judged anew, so that a change of the reading rules is no change of the model.
            before = baseline_verdict(self._job.relation, planned.baseline, self._options.reader)
            stratum.before.add(before, waived=waived, truncated=False)
            stratum.judged_differently += before.outcome is not planned.baseline.outcome and not waived
        stratum.counts.add(
            case,
            judged.verdict,
            self._job.relation.info.breakdown,
            waived=waived,
            answers=judged.answers,
            position=planned.position,
            before=before.outcome if before else None,
        )
        self._listen(
            Judged(
                case=case,
                answers=judged.answers,
                verdict=judged.verdict,
                model=self._job.model.name,
                data=self._job.data,
                data_spec=self._job.data_spec,
                waived=waived,
                before=before,
            )
        )
        # A waived case is reported and counted as such, and in no rate, violation or comparison.
        if waived:
            return
        self._count_grounded(judged, before)
        if outcome.is_judged and judged.verdict.contrast and judged.verdict.contrast.violates:
            grounded_before = before.grounded if before and before.contrast else None
            self._ungrounded.consider(judged, part=planned.part, baseline=grounded_before)
        if self._judged_cases is not None:
            self._judged_cases.add(
                case.id,
                case.scene,
                outcome,
                presumed=case.is_presumed,
                before=before.outcome if before else None,
            )
        self._record_right(case, judged.verdict, before)
        if outcome is Outcome.ERROR:
            self._error = self._error or judged.verdict.reason
        if judged.verdict.violates:
            self._violation.consider(judged, part=planned.part, baseline=before.outcome if before else None)

    def _record_right(self, case: Case, verdict: Verdict, before: Verdict | None) -> None:
        """Records a right or wrong answer to a source question that the data annotates and the case leaves as it is."""
        source = case.queries[0]
        # Only questions with an annotated answer can be right or wrong.
        if self._right is None or not isinstance(source.meaning, Annotated):
            return
        now, then = (dict(each.figures).get(RIGHT_SOURCE) if each else None for each in (verdict, before))
        # In a conversation the same words ask something else.
        shown = source.id if source.turns else source.picture.digest
        question = own_question(shown, bool(source.picture.edits), source.text, source.meaning.question)
        if now is not None and question:
            self._right.add_right(question, case.scene, right=now > 0, before=None if then is None else then > 0)

    def _count_grounded(self, judged: JudgedCase, before: Verdict | None) -> None:
        """Counts a case with a contrast; a case of a directional relation is its own."""
        case, verdict = judged.case, judged.verdict
        is_its_own = self._job.relation.info.is_directional(self._job.variant)
        # A run without contrasts has no grounded rate for any relation.
        directional = is_its_own and self._options.sampling.contrast > 0
        if not directional and verdict.contrast is None:
            return
        presumed = case.is_presumed or (case.contrast is not None and case.contrast.presumed)
        counter = self._presumed_grounded if presumed else self._grounded
        # A case may have been blessed before contrasts were on.
        comparable = before is not None and (directional or before.contrast is not None)
        counter.add(case.scene, verdict, self._chance.of(case), before.grounded if before and comparable else None)

    def _simplest_violation(self) -> ViolationPreview | None:
        drawn = self._violation.case
        # The cases of a baseline are fixed: a simplified case would be of none of them.
        if self._options.shrink and self._job.baseline is None:
            self._shrink(self._options.shrink)
        if (judged := self._violation.case) is None:
            return None
        line = self._store_preview(judged)
        # A simplified case is no case of the plan: listeners learn of it only here.
        if drawn is None or judged.case.id != drawn.case.id:
            self._listen(Simplified(line=line))
        return shown_case(judged)

    def _simplest_contrast_violation(self) -> ViolationPreview | None:
        if (judged := self._ungrounded.case) is None:
            return None
        self._store_preview(judged)
        return shown_contrast(judged)

    def _store_preview(self, judged: JudgedCase) -> str:
        """Stores a case that reports preview, so that it can be replayed without a report, and returns its line."""
        job = self._job
        row = case_row(
            judged.case,
            judged.answers,
            judged.verdict,
            model=job.model.name,
            data=job.data,
            data_spec=job.data_spec,
        )
        line = case_line(row)
        self._stores.of_shown_cases.keep_case(judged.case.id, line)
        return line

    def _shrink(self, budget: int) -> None:
        """Simplifies the violation with at most ``budget`` queries that the cases of this item did not need.

        A query counts even if it is cached, or if another item needs it too: the item ends with the same violation
        whatever was answered before, and by which process.
        """
        spent = 0
        tried: dict[str, Answer | Failure] = {}

        def attempt(case: Case) -> JudgedCase | None:
            # Without the contrast, which a smaller violation does not need.
            asked = case.trials(self._options.sampling.repeats)[: len(case.queries)]
            try:
                (found,) = ask_in_waves([asked], ask)
            except _SpentError:
                return None
            whole = cast("tuple[tuple[Answer | Failure, ...], ...]", found)
            return judge_trials(self._job.relation, case, whole, self._options.reader)

        def ask(queries: Iterable[Query]) -> dict[str, Answer | Failure]:
            nonlocal spent
            distinct = {query.id: query for query in queries}
            new = {name: query for name, query in distinct.items() if name not in tried}
            cost = sum(query_id not in self._needed for query_id in new)
            if spent + cost > budget or (cost and unwritten_queries(self._job.model, tuple(distinct.values()))):
                raise _SpentError
            spent += cost
            if new:
                known, lacking = self._runner.look_up(new.values())
                tried.update({**known, **self._runner.run(lacking)})
                # Queries that cases needed, too, are counted there already.
                self.usage.add_uses(cost)
            return tried

        self._violation.shrink(self._plan, self._options.waived, attempt)

    def _on_answered(self, queries: int) -> None:
        self._listen(Answered(item=self._job.item, queries=queries, cost=self._job.model.used().get("cost")))


# The collector starts after every 700 new objects or so, and now and then goes through all there are. A run keeps
# hundreds of thousands (scenes, annotations) and makes few cycles: a seventh of its time went there, which this halves.


class _GcThresholds:
    """Raises the collector's thresholds with the first run in this process, and restores them with the last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._runs = 0
        self._before = gc.get_threshold()
        self._ours = self._before

    def begin(self) -> None:
        with self._lock:
            self._runs += 1
            if self._runs == 1:
                self._before = self._ours = gc.get_threshold()
                # 0 disables the collector.
                if 0 < self._before[0] < GC_THRESHOLD:
                    gc.set_threshold(GC_THRESHOLD, *self._before[1:])
                    self._ours = gc.get_threshold()

    def end(self) -> None:
        with self._lock:
            self._runs -= 1
            # Thresholds that something else, such as a model, has set meanwhile stay.
            if self._runs == 0 and gc.get_threshold() == self._ours:
                gc.set_threshold(*self._before)


_gc_thresholds = _GcThresholds()


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Makes garbage collections rarer within the context."""
    _gc_thresholds.begin()
    try:
        yield
    finally:
        _gc_thresholds.end()


class UsageMeter:
    """Measures the queries, the time and the reported usage of an item's model."""

    def __init__(self, model: LoadedModel, runner: QueryRunner) -> None:
        self._model = model
        self._runner = runner
        self._began = time.monotonic()
        # From the end of the item before: requests that outlived it, as after a time limit, are paid for, too.
        before = model.health.used
        self._used_before = tuple((model.used() if before is None else before).items())
        self._counts_before = model.health.counted
        self._saved = 0
        self._counted = 0

    def add_uses(self, uses: int) -> None:
        """Adds the uses of queries by cases since the last call."""
        answered = self._runner.asked + self._runner.cached
        # What was used more often than it was answered: queries that several cases share.
        self._saved += uses - (answered - self._counted)
        self._counted = answered

    def use(self) -> ModelUse:
        """The total when the item ends; queries answered since the last ``add_uses`` count as needed once."""
        model, runner = self._model, self._runner
        used = model.health.used = model.used()
        counts = model.health.counted = model.health.counts
        counted: dict[str, Any] = {name: count - self._counts_before[name] for name, count in counts.items()}
        counted |= {example: getattr(model.health, example) for name, example in EXAMPLES.items() if counted[name]}
        return ModelUse(
            name=model.name,
            fingerprint=model.fingerprint,
            tasks=tuple(task.value for task in model.tasks),
            queries_needed=self._saved + runner.asked + runner.cached,
            queries_asked=runner.asked,
            queries_cached=runner.cached,
            busy_s=runner.busy_s,
            items_s=time.monotonic() - self._began,
            usage=add_usage(tuple(used.items()), self._used_before, -1),
            spec=model.spec,
            kind=model.kind,
            **counted,
        )


@dataclass(slots=True)
class Stratum:
    """The counts of an item's ordinary or presumed cases."""

    counts: CaseCounter
    baseline: BaselineItem | None
    """The item of the baseline, if there is one."""
    before: TallyBuilder = field(default_factory=TallyBuilder)
    """The same cases with their outcomes in the baseline."""
    judged_differently: int = 0
    """Cases whose baseline answers are judged differently now."""

    @classmethod
    def of(cls, job: Job) -> Stratum:
        """An empty stratum."""
        kind = job.relation.info.pairs
        return cls(CaseCounter(pairs=PairCounter(kind) if kind else None), job.baseline)

    @property
    def paired(self) -> PairedClusters | None:
        """The cases of the baseline with their outcomes then and now; None without a baseline."""
        return self.counts.spread.paired if self.baseline else None

    @property
    def change(self) -> BaselineChange | None:
        """The change since the baseline, before the correction over all items."""
        if self.baseline is None:
            return None
        return change_of(
            self.counts.spread.paired,
            version_before=self.baseline.item.version,
            other_judgement=self.judged_differently,
            unread_before=self.before.tally.unread_rate,
        )
