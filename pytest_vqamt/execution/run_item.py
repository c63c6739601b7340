"""One relation variant on one model and one data source: from its plan to its result."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from threading import Lock

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.events import Answered, Finished, Judged, Listener, Planned, Stopped
from pytest_vqamt.core.pairs import PairCounter
from pytest_vqamt.core.query import Answer, Failure, Query, Task
from pytest_vqamt.core.report_json import case_line, case_row
from pytest_vqamt.core.results import (
    BaselineChange,
    DataUse,
    Gate,
    JudgedCases,
    ModelUse,
    RelationResult,
    StratumResult,
    ViolationPreview,
    add_usage,
)
from pytest_vqamt.core.tallies import CaseCounter, PairedClusters, Tally
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.baseline import BaselineItem
from pytest_vqamt.execution.inference import QueryRunner, unwritten_queries
from pytest_vqamt.execution.lookahead import LookAhead
from pytest_vqamt.execution.plan import Job, PlannedCase, RunOptions, windows
from pytest_vqamt.execution.shrink import (
    JudgedCase,
    QueryIdSet,
    SimplestViolation,
    baseline_verdict,
    judge_case,
    shown_case,
)
from pytest_vqamt.models.answers_file import MAX_NAMED, name_queries
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.relations.base import Relation, resources_of
from pytest_vqamt.stats.gates import gate
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.paired import change_of
from pytest_vqamt.stats.papers import human_reference

WINDOW = 1024
"""Cases that are planned, asked and judged together; so many are in memory at once."""


def run_item(
    job: Job, terms: RunOptions, stores: AnswerStores, listen: Listener, ahead: LookAhead | None = None
) -> RelationResult:
    """Runs all cases of ``job`` and tells ``listen`` what happens.

    Batches that would not be full are filled up out of ``ahead``, which knows the items that come next.

    Raises:
        ModelError: the model cannot be asked, or lacks written answers.
        DataError: a scene cannot be read.
    """
    with infrequent_gc(), nullcontext(ahead) if ahead else closing(LookAhead(terms.sampling)) as coming:
        run = _Run(job, terms, stores, listen, coming)
        try:
            return run.result()
        except BaseException:  # a time limit, too: what was asked is paid for
            listen(Stopped(use=run.account.use()))
            raise


class _Run:
    def __init__(self, job: Job, terms: RunOptions, stores: AnswerStores, listen: Listener, ahead: LookAhead) -> None:
        self._job = job
        self._terms = terms
        self._stores = stores
        self._listen = listen
        self._ordinary = Stratum.of(job.relation, job.blessed)
        self._presumed = Stratum.of(job.relation, job.blessed)
        self._ahead = ahead
        self._drawing = ahead.turn_of(job)
        self._plan = self._drawing.plan
        self._asker = QueryRunner(
            job.model, stores.of(job.model), ahead.showing(job), self._answered, self._more, self._later
        )
        self.account = UsageMeter(job.model, self._asker)
        self._needed = QueryIdSet()
        self._is_simplifying = False
        self._has_answers = False
        self._violation = SimplestViolation()
        self._judged_cases = JudgedCases() if terms.keeps_judged else None
        self._error = ""
        self._lacking = 0
        self._first_lacking: list[Query] = []

    def result(self) -> RelationResult:
        for window in windows(self._drawing, WINDOW):
            self._run_window(window)
        if self._lacking and (deferred := self._job.model.deferred):
            raise ModelError(
                f"Expected model {self._job.model.name!r} to hold an answer to every query, but it lacks "
                f"{self._lacking} ({name_queries(self._first_lacking)}): they are listed in {deferred.todo_file}; add "
                "their answers and run again"
            )
        if self._asker.last_failure and not self._has_answers:
            raise self._asker.hopeless()
        violation = self._shown_violation()
        counts, info = self._ordinary.counts, self._job.relation.info
        presumed = self._presumed_result()
        clusters = counts.spread.clusters
        within = pass_rate_interval(clusters)
        result = RelationResult(
            position=self._job.position,
            item=self._job.item,
            version=info.version,
            claim=info.claim,
            model=self.account.use(),
            data=self._data(),
            tags=info.tags,
            resources=resources_of(self._job.relation),
            tally=counts.tally,
            scenes_not_applicable=self._plan.not_applicable.total(),
            not_applicable=dict(self._plan.not_applicable),
            breakdown=counts.breakdown,
            readings=counts.readings.counted,
            readings_sample=counts.readings.sample,
            interval=within,
            gate=None if presumed and self._holds_no_other else self._gate(info.tags, counts.tally, within),
            error=self._error,
            violation=violation,
            presumed=presumed,
            pairs=counts.pairs.counted if counts.pairs else None,
            reference=human_reference(self._job.item),
            figures=counts.figures,
            clusters=clusters,
            paired=self._ordinary.paired,
            change=self._ordinary.change,
            judged=self._judged_cases,
        )
        self._listen(Finished(result=result))
        return result

    def _data(self) -> DataUse:
        source = self._job.source
        bad = tuple(sorted({*source.bad_records, *self._plan.bad_records}))
        return DataUse(spec=source.spec, scenes=len(source), digest=source.digest, bad_records=bad)

    @property
    def _holds_no_other(self) -> bool:
        """Whether the whole run has none but presumed cases: nothing else is there to be held against a gate."""
        return not self._ordinary.counts.tally.cases and self._terms.sampling.is_whole

    def _presumed_result(self) -> StratumResult | None:
        counts = self._presumed.counts
        if not counts.tally.cases:
            return None
        clusters = counts.spread.clusters
        within = pass_rate_interval(clusters)
        return StratumResult(
            tally=counts.tally,
            breakdown=counts.breakdown,
            readings=counts.readings.counted,
            readings_sample=counts.readings.sample,
            interval=within,
            gate=self._gate((*self._job.relation.info.tags, "presumed"), counts.tally, within),
            pairs=counts.pairs.counted if counts.pairs else None,
            figures=counts.figures,
            clusters=clusters,
            paired=self._presumed.paired,
            change=self._presumed.change,
        )

    def _gate(self, tags: Sequence[str], tally: Tally, within: tuple[float, float]) -> Gate | None:
        return gate(self._job.item, tags, tally, within, self._terms.thresholds, self._terms.gate_on)

    def _run_window(self, window: list[PlannedCase]) -> None:
        known, lacking = self._asker.look_up(query for each in window for query in each.case.queries)
        self._listen(
            Planned(item=self._job.item, cases=len(window), queries=len(known) + len(lacking), cached=len(known))
        )
        unwritten = unwritten_queries(self._job.model, tuple(lacking.values()))
        if unwritten:
            self._put_off(unwritten, lacking)
        answers: dict[str, Answer | Failure] = {**known, **self._asker.ask(lacking)}
        self._has_answers = self._has_answers or any(isinstance(each, Answer) for each in answers.values())
        self.account.met(sum(query.id in answers for each in window for query in each.case.queries))
        if self._terms.shrink:
            self._needed.add(name for name, each in answers.items() if isinstance(each, Answer))
        for planned in window:
            case = planned.case
            found = tuple(answers[query.id] for query in case.queries if query.id in answers)
            if len(found) == len(case.queries):
                self._judged(judge_case(self._job.relation, case, found), planned)

    def _put_off(self, unwritten: list[Query], lacking: dict[str, Query]) -> None:
        assert self._job.model.deferred is not None
        self._job.model.deferred.todo(unwritten)
        self._lacking += len(unwritten)
        self._first_lacking += unwritten[: MAX_NAMED - len(self._first_lacking)]
        for query in unwritten:
            del lacking[query.id]

    def _judged(self, judged: JudgedCase, planned: PlannedCase) -> None:
        case, outcome = judged.case, judged.verdict.outcome
        waived = case.id in self._terms.waived
        counted = self._presumed if case.is_presumed else self._ordinary
        before = None
        if (then := planned.blessed) is not None:
            before = baseline_verdict(self._job.relation, then).outcome
            counted.judged_otherwise += before is not then.outcome and not waived
        counted.counts.add(
            case,
            judged.verdict,
            self._job.relation.info.breakdown,
            waived=waived,
            answers=judged.answers,
            position=planned.position,
            before=before,
        )
        self._listen(
            Judged(
                case=case,
                answers=judged.answers,
                verdict=judged.verdict,
                model=self._job.model.name,
                data=self._job.source.spec,
                waived=waived,
                before=before,
            )
        )
        if waived:
            return
        if self._judged_cases is not None:
            self._judged_cases.add(case.id, case.scene, outcome, presumed=case.is_presumed)
        if outcome is Outcome.ERROR:
            self._error = self._error or judged.verdict.reason
        if judged.verdict.violates:
            self._violation.consider(judged, part=planned.part, before=before)

    def _shown_violation(self) -> ViolationPreview | None:
        if self._terms.shrink and self._job.blessed is None:
            self._shrink(self._terms.shrink)
        if (judged := self._violation.judgement) is None:
            return None
        model, data = self._job.model.name, self._job.source.spec
        row = case_row(judged.case, judged.answers, judged.verdict, model=model, data=data)
        self._stores.of_shown_cases.keep_case(judged.case.id, case_line(row))
        return shown_case(judged)

    def _shrink(self, budget: int) -> None:
        """Makes the violation simpler, for no more than ``budget`` queries that the cases of this item did not need.

        Each such query is paid for as if it were asked now, whether an earlier run has kept its answer, another item
        needs it too, or it was asked ahead of its turn: the item comes to the same violation whatever has been asked
        by then, and by whom.
        """
        spent = 0
        tried: dict[str, Answer | Failure] = {}

        def attempt(case: Case) -> JudgedCase | None:
            nonlocal spent
            new = {query.id: query for query in case.queries if query.id not in tried}
            cost = sum(query_id not in self._needed for query_id in new)
            if spent + cost > budget or (cost and unwritten_queries(self._job.model, case.queries)):
                return None
            spent += cost
            if new:
                known, lacking = self._asker.look_up(new.values())
                tried.update({**known, **self._asker.ask(lacking)})
                self.account.met(cost)
            return judge_case(self._job.relation, case, tuple(tried[query.id] for query in case.queries))

        self._is_simplifying = True
        self._violation.shrink(self._plan, self._terms.waived, attempt)

    def _more(self, task: Task, n: int) -> Sequence[Query]:
        return self._ahead.more(task, n) if self._looks_ahead else ()

    def _later(self, task: Task, n: int) -> Sequence[Query]:
        return self._ahead.later(task, n) if self._looks_ahead else ()

    @property
    def _looks_ahead(self) -> bool:
        """Whether queries may be drawn before their turn: not while a violation is made simpler.

        Hypothesis draws then, on this very thread, and must not be made to draw other cases in between. It also stops
        after five minutes, however few queries that were: they must not be held up by others.
        """
        return not (self._is_simplifying or self._job.model.deferred)

    def _answered(self, queries: int) -> None:
        self._listen(Answered(item=self._job.item, queries=queries))


# It starts whenever there are 700 objects or so more than at the last time, and now and then goes through all there
# are. A run keeps hundreds of thousands of them (scenes, and what is known of them) and makes hardly a cycle: a
# seventh of its time went there, of which this leaves about half. What is no part of a cycle goes at once, as ever.


GC_THRESHOLD = 10_000
"""So many objects more there are until the next look. Five times as many gained hardly more, and what a model leaves
behind in cycles, such as its tensors, waits for that look."""


class _GcThresholds:
    """The collector's settings, which belong to the process.

    The first run that begins changes them, and the last one that ends puts them back.
    """

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
                # Nought means never.
                if 0 < self._before[0] < GC_THRESHOLD:
                    gc.set_threshold(GC_THRESHOLD, *self._before[1:])
                    self._ours = gc.get_threshold()

    def end(self) -> None:
        with self._lock:
            self._runs -= 1
            # What somebody else, such as a model, has set meanwhile stays.
            if self._runs == 0 and gc.get_threshold() == self._ours:
                gc.set_threshold(*self._before)


_gc_thresholds = _GcThresholds()


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Within, cycles are looked for less often; afterwards as often as before."""
    _gc_thresholds.begin()
    try:
        yield
    finally:
        _gc_thresholds.end()


class UsageMeter:
    """Kept from when the item begins; what an ``asker`` has asked and found is entered as cases get their answers."""

    def __init__(self, model: LoadedModel, asker: QueryRunner) -> None:
        self._model = model
        self._asker = asker
        self._began = time.monotonic()
        # From where the item before left off: what comes next may be prepared between the two.
        before = model.health.used
        self._used_before = tuple((model.used() if before is None else before).items())
        self._saved = 0
        self._entered = 0

    def met(self, uses: int) -> None:
        """So many uses of queries by cases have been met since this was last told."""
        found = self._asker.asked + self._asker.cached
        self._saved += uses - (found - self._entered)
        self._entered = found

    def use(self) -> ModelUse:
        """All of it, when the item ends; what was asked or found since ``met`` was told last counts as needed once."""
        model, asker = self._model, self._asker
        used = model.health.used = model.used()
        return ModelUse(
            name=model.name,
            fingerprint=model.fingerprint,
            tasks=tuple(task.value for task in model.tasks),
            queries_needed=self._saved + asker.asked + asker.cached,
            queries_asked=asker.asked,
            queries_cached=asker.cached,
            busy_s=asker.busy_s,
            items_s=time.monotonic() - self._began,
            usage=add_usage(tuple(used.items()), self._used_before, -1),
        )


@dataclass(slots=True)
class Stratum:
    """Their counts.

    Attributes:
        blessed: what they are held against, where the item was blessed.
        judged_otherwise: how many of them came out otherwise when they were blessed, from the same answers.
    """

    counts: CaseCounter
    blessed: BaselineItem | None = None
    judged_otherwise: int = 0

    @classmethod
    def of(cls, relation: Relation, blessed: BaselineItem | None) -> Stratum:
        """None so far, of cases of ``relation``."""
        kind = relation.info.pairs
        return cls(CaseCounter(pairs=PairCounter(kind) if kind else None), blessed)

    @property
    def paired(self) -> PairedClusters | None:
        """The cases that were blessed, as they came out then and now; None where the item was not blessed."""
        return self.counts.spread.paired if self.blessed else None

    @property
    def change(self) -> BaselineChange | None:
        """What became of them since, by themselves: without what needs all items of the run."""
        if self.blessed is None:
            return None
        return change_of(
            self.counts.spread.paired,
            version_before=self.blessed.item.version,
            other_judgement=self.judged_otherwise,
        )
