"""One relation variant on one model and one data source: from its plan to its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.case_rows import case_line, case_row
from pytest_vqamt.core.counts import Counts, Tally
from pytest_vqamt.core.edit_words import in_words
from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.events import Answered, Finished, Judged, Listener, Planned, Stopped
from pytest_vqamt.core.gate import Gate
from pytest_vqamt.core.pairs import PairCounts
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.core.reports import added
from pytest_vqamt.core.results import DataUse, ModelUse, Presumed, RelationResult, ShownCase, ShownQuery
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.asking import Asker, missing
from pytest_vqamt.execution.plan import Plan, Sampling, windows
from pytest_vqamt.execution.render_ahead import RenderAhead
from pytest_vqamt.execution.simplest import Judgement, shrunk
from pytest_vqamt.execution.stores import Stores
from pytest_vqamt.models.answer_rows import NAMED, first_of
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.relations.base import Relation, resources_of
from pytest_vqamt.stats.carets import human
from pytest_vqamt.stats.gates import GateOn, Threshold, gate
from pytest_vqamt.stats.intervals import interval

WINDOW = 1024
"""Cases that are planned, asked and judged together; so many are in memory at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is to be run; ``position`` is its place among the items of the run."""

    relation: Relation
    variant: str
    model: LoadedModel
    source: SceneSource
    position: int = 0

    @property
    def item(self) -> str:
        return self.relation.info.item(self.variant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a run is made, the same for all its items. ``waived`` maps case ids to reasons."""

    sampling: Sampling = field(default_factory=Sampling)
    thresholds: tuple[Threshold, ...] = ()
    gate_on: GateOn = GateOn.POINT
    shrink: int = 30
    waived: Mapping[str, str] = field(default_factory=dict)


def run_item(job: Job, terms: Terms, stores: Stores, listen: Listener) -> RelationResult:
    """Runs all cases of ``job`` and tells ``listen`` what happens.

    Raises:
        ModelError: the model cannot be asked, or lacks written answers.
        DataError: a scene cannot be read.
    """
    with closing(RenderAhead(job.source, job.model.batch_size)) as pictures:
        run = _Run(job, terms, stores, listen, pictures)
        try:
            return run.result()
        except VqamtError:
            listen(Stopped(use=run.use))
            raise


class _Planned(NamedTuple):
    """A case, the part of the sampling run that it comes from, and its place in the whole plan."""

    case: Case
    part: int
    position: int


class _Run:
    def __init__(self, job: Job, terms: Terms, stores: Stores, listen: Listener, pictures: RenderAhead) -> None:
        self._job = job
        self._terms = terms
        self._stores = stores
        self._listen = listen
        self._counts, self._presumed = _counts_for(job.relation), _counts_for(job.relation)
        self._plan = Plan(relation=job.relation, variant=job.variant, source=job.source, sampling=terms.sampling)
        self._asker = Asker(job.model, stores.of(job.model), pictures, self._answered)
        self._used_before = tuple(job.model.used().items())
        self._simplest: Judgement | None = None
        self._part_of_first = 0
        self._error = ""
        self._lacking = 0
        self._first_lacking: list[Query] = []

    def result(self) -> RelationResult:
        planned = (_Planned(case, self._plan.part, self._plan.position) for case in self._plan)
        for window in windows(planned, WINDOW):
            self._run_window(window)
        if self._lacking and (deferred := self._job.model.deferred):
            raise ModelError(
                f"Expected model {self._job.model.name!r} to hold an answer to every query, but it lacks "
                f"{self._lacking} ({first_of(self._first_lacking)}): they are listed in {deferred.todo_file}; add "
                "their answers and run again"
            )
        cached = self._asker.cached
        if self._asker.last_failure and not self._counts.tally.judged + self._presumed.tally.judged:
            raise self._asker.hopeless()
        violation = self._shown(self._shrunk(self._simplest)) if self._simplest else None
        tally, info = self._counts.tally, self._job.relation.info
        presumed = self._presumed_result()
        clusters = self._counts.spread.clusters
        within = interval(clusters)
        result = RelationResult(
            position=self._job.position,
            item=self._job.item,
            version=info.version,
            claim=info.claim,
            model=replace(self.use, queries_cached=cached),
            data=self._data(),
            tags=info.tags,
            resources=resources_of(self._job.relation),
            tally=tally,
            scenes_not_applicable=self._plan.not_applicable.total(),
            not_applicable=dict(self._plan.not_applicable),
            breakdown=self._counts.breakdown,
            readings=self._counts.readings,
            interval=within,
            gate=None if presumed and self._holds_no_other else self._gate(info.tags, tally, within),
            error=self._error,
            violation=violation,
            presumed=presumed,
            pairs=self._counts.pairs.counted if self._counts.pairs else None,
            reference=human(self._job.item),
            figures=self._counts.figures,
            clusters=clusters,
        )
        self._listen(Finished(result=result))
        return result

    @property
    def use(self) -> ModelUse:
        """What the model was asked for this item so far, and what it cost."""
        model = self._job.model
        return ModelUse(
            name=model.name,
            fingerprint=model.fingerprint,
            tasks=tuple(task.value for task in model.tasks),
            queries_asked=self._asker.asked,
            queries_cached=self._asker.cached,
            usage=added(tuple(model.used().items()), self._used_before, -1),
        )

    def _data(self) -> DataUse:
        source = self._job.source
        bad = tuple(sorted({*source.bad_records, *self._plan.bad_records}))
        return DataUse(spec=source.spec, scenes=len(source), digest=source.digest, bad_records=bad)

    @property
    def _holds_no_other(self) -> bool:
        """Whether the whole run has none but presumed cases: nothing else is there to be held against a gate."""
        return not self._counts.tally.cases and self._terms.sampling.is_whole

    def _presumed_result(self) -> Presumed | None:
        counts = self._presumed
        tally = counts.tally
        if not tally.cases:
            return None
        clusters = counts.spread.clusters
        within = interval(clusters)
        return Presumed(
            tally=tally,
            breakdown=counts.breakdown,
            readings=counts.readings,
            interval=within,
            gate=self._gate((*self._job.relation.info.tags, "presumed"), tally, within),
            pairs=counts.pairs.counted if counts.pairs else None,
            figures=counts.figures,
            clusters=clusters,
        )

    def _gate(self, tags: Sequence[str], tally: Tally, within: tuple[float, float]) -> Gate | None:
        return gate(self._job.item, tags, tally, within, self._terms.thresholds, self._terms.gate_on)

    def _run_window(self, window: list[_Planned]) -> None:
        known, lacking = self._asker.look_up(query for each in window for query in each.case.queries)
        self._listen(
            Planned(item=self._job.item, cases=len(window), queries=len(known) + len(lacking), cached=len(known))
        )
        unwritten = missing(self._job.model, tuple(lacking.values()))
        if unwritten:
            self._put_off(unwritten, lacking)
        answers: dict[str, Answer | Failure] = {**known, **self._asker.ask(lacking)}
        for planned in window:
            case = planned.case
            found = tuple(answers[query.id] for query in case.queries if query.id in answers)
            if len(found) == len(case.queries):
                self._judged(Judgement(case=case, answers=found, verdict=self._verdict(case, found)), planned)

    def _put_off(self, unwritten: list[Query], lacking: dict[str, Query]) -> None:
        assert self._job.model.deferred is not None
        self._job.model.deferred.todo(unwritten)
        self._lacking += len(unwritten)
        self._first_lacking += unwritten[: NAMED - len(self._first_lacking)]
        for query in unwritten:
            del lacking[query.id]

    def _verdict(self, case: Case, answers: tuple[Answer | Failure, ...]) -> Verdict:
        for answer in answers:
            if isinstance(answer, Failure):
                return Verdict(outcome=Outcome.ERROR, reason=answer.reason)
        try:
            return self._job.relation.judge(case, [answer for answer in answers if isinstance(answer, Answer)])
        except VqamtError:
            raise
        except Exception as error:
            raise VqamtError(
                f"Expected relation {case.relation!r} to judge case {case.id}, but it raised "
                f"{type(error).__name__}: {error}"
            ) from error

    def _judged(self, judged: Judgement, planned: _Planned) -> None:
        waived = judged.case.id in self._terms.waived
        counts = self._presumed if judged.case.is_presumed else self._counts
        counts.add(
            judged.case,
            judged.verdict,
            self._job.relation.info.breakdown,
            waived=waived,
            answers=judged.answers,
            position=planned.position,
        )
        self._listen(
            Judged(
                case=judged.case,
                answers=judged.answers,
                verdict=judged.verdict,
                model=self._job.model.name,
                data=self._job.source.spec,
                waived=waived,
            )
        )
        if waived:
            return
        if judged.verdict.outcome is Outcome.ERROR:
            self._error = self._error or judged.verdict.reason
        if judged.verdict.violates:
            if self._simplest is None:
                self._part_of_first = planned.part
                self._simplest = judged
            else:
                self._simplest = min(self._simplest, judged, key=lambda each: each.complexity)

    def _shrunk(self, found: Judgement) -> Judgement:
        if self._terms.shrink < 1:
            return found
        budget = self._asker.asked + self._terms.shrink

        def attempt(case: Case) -> Judgement | None:
            if case.id in self._terms.waived:
                return None
            known, lacking = self._asker.look_up(case.queries)
            if lacking and (self._asker.asked + len(lacking) > budget or missing(self._job.model, case.queries)):
                return None
            answers: dict[str, Answer | Failure] = {**known, **self._asker.ask(lacking)}
            found = tuple(answers[query.id] for query in case.queries)
            return Judgement(case=case, answers=found, verdict=self._verdict(case, found))

        return shrunk(self._plan, self._part_of_first, attempt, found)

    def _shown(self, judged: Judgement) -> ShownCase:
        case = judged.case
        row = case_row(case, judged.answers, judged.verdict, model=self._job.model.name, data=self._job.source.spec)
        self._stores.of_shown_cases.keep_case(case.id, case_line(row))
        return ShownCase(
            id=case.id,
            scene=case.scene,
            queries=tuple(
                ShownQuery(
                    picture=query.picture.digest,
                    text=query.text or f"({query.task})",
                    answer=answer.text if isinstance(answer, Answer) else "",
                    edits="; ".join(map(in_words, query.picture.edits)),
                )
                for query, answer in zip(case.queries, judged.answers, strict=True)
            ),
            expected=case.expected,
            reason=judged.verdict.reason,
        )

    def _answered(self, queries: int) -> None:
        self._listen(Answered(item=self._job.item, queries=queries))


def _counts_for(relation: Relation) -> Counts:
    kind = relation.info.pairs
    return Counts(pairs=PairCounts(kind) if kind else None)
