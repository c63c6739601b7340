"""The cases of a run: the same on every worker, whatever the model."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, TypeVar

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.identity import digest, seed_for
from pytest_vqamt.core.query import Answer, Query, cannot_take
from pytest_vqamt.core.results import MAX_UNREAD
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.scene_source import PairedSource, SceneSource
from pytest_vqamt.execution.baseline import BaselineCase, BaselineItem
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.relations.base import PublishedRelation, Relation
from pytest_vqamt.relations.catalogue import BUILT_IN
from pytest_vqamt.relations.contradictions import derive_case
from pytest_vqamt.relations.contrasts import with_contrast
from pytest_vqamt.relations.in_conversation import is_of_conversation
from pytest_vqamt.relations.presets import preset as preset_of
from pytest_vqamt.sampling.chooser import Chooser, Sampler, draws
from pytest_vqamt.stats.thresholds import GateOn, Threshold

T = TypeVar("T")

MAX_CASES = 100
"""Cases of a relation variant, by default."""

CONTRAST_SHARE = 0.5
"""The share of a run's cases that get a contrast, by default: over all relations a fifth more distinct queries."""

# Together with the next constant, the limit of draws; sources with few distinct cases reach one of them.
_DRAWS_PER_CASE = 20
_MAX_FRUITLESS_DRAWS = 1_000
"""Draws in a row without a new case, after which the source counts as exhausted."""


def default_contrast(preset: str | None) -> float:
    """The share of cases with a contrast where none is given; a paper's preset sends the paper's queries alone."""
    return CONTRAST_SHARE if preset is None or preset_of(preset).contrasts else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How many cases a run has, and how they are sampled."""

    max_cases: int = MAX_CASES
    """Cases of a relation variant, over all shards; 0 for none."""
    all_published: bool = False
    """True if a relation of published cases has all of them, whatever ``max_cases``."""
    seed: int = 0
    """Two runs with one seed have the same cases on the same data."""
    sampler: Sampler = Sampler.HYPOTHESIS
    """What draws the scenes and the choices of relations."""
    shard: tuple[int, int] = (1, 1)
    """(I, N), counted from 1: this run keeps the I-th of N shares of the cases, by case id."""
    allow_bad_records: bool = False
    """True if a broken scene is left out instead of ending the run."""
    contrast: float = 0.0
    """The share of cases that get a contrast, where there is one; by case id."""
    repeats: int = 1
    """How many times each distinct query is sent."""

    @property
    def is_whole(self) -> bool:
        """True if this run has all shards."""
        return self.shard[1] == 1

    def owns(self, name: str) -> bool:
        """True if the case or scene of this id belongs to this shard."""
        number, of = self.shard
        return self.is_whole or int(digest(name), 16) % of == number - 1


@dataclass(frozen=True, slots=True)
class SampledCase:
    """The index of a sampled scene, and its case or why it has none."""

    index: int
    """Its place in the source, from 0."""
    outcome: Case | NotApplicable
    """The case, or the reason why the scene has none."""


@dataclass(slots=True)
class Plan:
    """The distinct cases of one relation variant on one source, sampled one by one during iteration.

    If all published cases are wanted, they come in the order of the source's scenes. If the variant has a ``baseline``,
    its cases are those of the baseline, whatever the sampling.
    """

    relation: Relation
    """The relation that derives the cases."""
    variant: str
    """The part of the item's id in brackets; "" for a relation without variants."""
    source: SceneSource
    """The scenes that cases are derived from."""
    sampling: Sampling
    """How many cases there are, and their seed, shard and contrasts."""
    baseline: BaselineItem | None = None
    """The item whose cases are run instead of sampled ones; None to sample."""
    takes: frozenset[Ability] | None = None
    """What the model takes beside one picture and one text; None leaves out no question. It decides about conversations
    of the data alone: what a relation itself needs, ``RelationInfo.needs`` says."""
    latest: BaselineCase | None = None
    """The latest case with its answers in the baseline; None without a baseline."""
    part: int = 0
    """The part of the sampling run that the latest case comes from."""
    position: int = 0
    """The position of the latest case among the cases of all shards."""
    not_applicable: Counter[str] = field(default_factory=Counter)
    """After iteration, how many of this shard's scenes gave no case, by reason."""
    bad_records: dict[str, None] = field(default_factory=dict)
    """The errors of broken scenes."""
    _scene: str = ""
    """The id of the latest scene, for error messages."""

    def __iter__(self) -> Iterator[Case]:
        """Yields the cases.

        Raises:
            VqamtError: the relation raised an error.
            DataError: a scene cannot be read.
        """
        try:
            if self.baseline is not None:
                yield from self._baseline_cases(self.baseline)
            elif self.sampling.all_published and isinstance(self.relation, PublishedRelation):
                yield from self._published_cases(self.relation)
            else:
                yield from self._sampled_cases()
        except GeneratorExit:
            raise
        except VqamtError as error:
            # A subclass, such as DataError, says what it is about; tracebacks are for the user's own code.
            if type(error) is VqamtError and self.relation.info.name not in BUILT_IN:
                error.about(error, self._where)  # what the relation asks of this package cannot be
            raise
        except Exception as error:
            raised = VqamtError(
                f"Expected relation {self.relation.info.name!r} to derive a case, but it raised "
                f"{type(error).__name__}: {error} (scene {self._scene!r} of {self.source.spec})"
            )
            raise (raised if self.relation.info.name in BUILT_IN else raised.about(error, self._where)) from error

    @property
    def _where(self) -> str:
        return f"in relation {self.relation.info.name!r}, scene {self._scene!r} of {self.source.spec}"

    def _baseline_cases(self, baseline: BaselineItem) -> Iterator[Case]:
        for position, each in enumerate(baseline.cases(self.source)):
            # The position counts the cases of all shards, so that merged shards have the order of a whole run.
            if self.sampling.owns(each.case.id):
                self.position, self.latest = position, each
                yield each.case

    def _published_cases(self, relation: PublishedRelation) -> Iterator[Case]:
        known: set[str] = set()
        self.not_applicable = Counter()
        for index in range(len(self.source)):
            found = self._from_scene(index, lambda scene: relation.every(scene, self.variant))
            if isinstance(found, NotApplicable):
                # A scene without a case has no case id: by its own, each such scene counts in one shard only.
                if self.sampling.owns(f"scene {index}"):
                    self.not_applicable[found.reason] += 1
                continue
            # Two scenes may hold the same published pair: each case counts once.
            for case in found:
                if case.id not in known:
                    self.position = len(known)
                    known.add(case.id)
                    if self.sampling.owns(case.id):
                        yield self._with_contrast(case)

    def _sampled_cases(self) -> Iterator[Case]:
        limit = self.sampling.max_cases
        # Nothing to draw from.
        if limit < 1 or not len(self.source):
            return
        whole = self.sampling.is_whole
        reasons: dict[int, str] = {}
        fruitful: set[int] = set()
        known: set[str] = set()
        made = fruitless = 0
        max_attempts = limit * _DRAWS_PER_CASE + _MAX_FRUITLESS_DRAWS
        for attempts, drawn in enumerate(draws(self.sampling.sampler, self.draw, self._next_part), start=1):
            fruitless += 1
            outcome = drawn.outcome
            if isinstance(outcome, NotApplicable):
                reasons.setdefault(drawn.index, outcome.reason)
            else:
                case_id = outcome.id
                if case_id not in known:
                    known.add(case_id)
                    fruitful.add(drawn.index)
                    self.position = made
                    made += 1
                    fruitless = 0
                    if whole or self.sampling.owns(case_id):
                        yield self._with_contrast(outcome)
            # Every shard draws the cases of all shards and yields its own, so that N shards together are one run.
            if made == limit or fruitless == _MAX_FRUITLESS_DRAWS or attempts == max_attempts:
                break
        self.not_applicable = Counter(
            reason
            for index, reason in sorted(reasons.items())
            # Other draws of the same scene may have given a case: then it is applicable.
            if index not in fruitful and self.sampling.owns(f"scene {index}")
        )

    def draw(self, choose: Chooser) -> SampledCase:
        """Samples one scene, simpler ones for smaller choices, and one case of it."""
        corpus = self.source.corpus
        index = choose.one(corpus.simplest_first)

        def derive(scene: Scene) -> Case | NotApplicable:
            drawn = derived(scene)
            # The same draws whatever the model, so that the cases of two models can be compared.
            if self.takes is None or isinstance(drawn, NotApplicable):
                return drawn
            asked = (query.abilities for query in drawn.queries if is_of_conversation(query))
            lacking = frozenset[Ability]().union(*asked) - self.takes
            return NotApplicable(reason=cannot_take(lacking).reason) if lacking else drawn

        def derived(scene: Scene) -> Case | NotApplicable:
            # Ours draw from their chooser alone, and saving the generators would cost a fifth of a case.
            if self.relation.info.name in BUILT_IN:
                return derive_case(self.relation, scene, corpus, choose, self.variant)
            with repeatable():
                return derive_case(self.relation, scene, corpus, choose, self.variant)

        return SampledCase(index, self._from_scene(index, derive))

    def _with_contrast(self, case: Case) -> Case:
        if not self.sampling.contrast:
            return case
        try:
            return with_contrast(self.relation, case, self.source.corpus, self.sampling.contrast)
        except DataError as error:  # of another scene, which the contrast would show
            if not self.sampling.allow_bad_records:
                raise
            self.bad_records.setdefault(str(error))
            return case

    def _from_scene(self, index: int, derive: Callable[[Scene], T]) -> T | NotApplicable:
        try:
            scene = self.source.scene(index)
            self._scene = scene.id
            return derive(scene)
        except DataError as error:
            if not self.sampling.allow_bad_records:
                raise
            self.bad_records.setdefault(str(error))
            return NotApplicable(reason="a record that cannot be used")
        except Exception as error:
            # Of hypothesis.assume in a user's relation, whose engine passes over such a draw.
            if type(error).__name__ == "UnsatisfiedAssumption":
                return NotApplicable(reason="hypothesis.assume does not hold")
            raise

    def seed(self, part: int) -> int:
        """The seed of a part of the sampling run."""
        info = self.relation.info
        # Relations with the same ``draws_as`` get the same scenes and choices, which makes their rates comparable.
        named = (info.draws_as, "") if info.draws_as else (info.name, self.variant)
        return seed_for(*named, self.sampling.seed, part)

    def _next_part(self, part: int) -> int:
        self.part = part
        return self.seed(part)


@contextmanager
def repeatable() -> Iterator[None]:
    """Seeds the global generators of ``random`` and numpy within, and restores them.

    A user's relation that draws from them, past its chooser, has the same cases in every run, shard and worker all the
    same, as under Hypothesis's engine, which does this too while it shrinks.
    """
    numpy = sys.modules.get("numpy")
    state, of_numpy = random.getstate(), numpy.random.get_state() if numpy else None
    random.seed(0)
    if numpy:
        numpy.random.seed(0)
    try:
        yield
    finally:
        random.setstate(state)
        if numpy and of_numpy is not None:
            numpy.random.set_state(of_numpy)


def windows(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yields the values in lists of ``size``; the last may be shorter."""
    iterator = iter(values)
    while window := list(islice(iterator, size)):
        yield window


class PlannedCase(NamedTuple):
    """A case with its place in the plan."""

    case: Case
    """The case to run."""
    part: int
    """The part of the sampling run that it comes from; shrinking starts there."""
    position: int
    """Its position in the whole plan, from 0, over all shards."""
    baseline: BaselineCase | None
    """Its answers in the baseline; None without one."""


def planned_cases(plan: Plan) -> Iterator[PlannedCase]:
    """The cases of ``plan`` in their order.

    Raises:
        VqamtError: the relation raised an error, or a scene cannot be read; after the cases before it.
    """
    for case in plan:
        yield PlannedCase(case, plan.part, plan.position, plan.latest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One relation variant on one model and one data source."""

    relation: Relation
    """The relation that derives and judges the cases."""
    variant: str
    """The part of the item's id in brackets; "" for a relation without variants."""
    model: LoadedModel
    """The model that answers, loaded."""
    source: SceneSource
    """The scenes, opened."""
    position: int = 0
    """Its position among the items of the run."""
    baseline: BaselineItem | None = None
    """The baseline whose cases are run instead of sampled ones."""
    short_name: str = ""
    """The name that the user gave the data; "" for none."""
    given: str = ""
    """The spec of the data as the user gave it, without a short name."""

    @property
    def data(self) -> str:
        """The name of the data in results and cases."""
        return self.short_name or self.source.spec

    @property
    def data_spec(self) -> str:
        """The spec of data with a short name; "" without one."""
        return self.source.spec if self.short_name else ""

    @property
    def item(self) -> str:
        return self.relation.info.item(self.variant)

    @property
    def is_ours(self) -> bool:
        """True if neither the relation nor the data have code of the user's, which may depend on anything."""
        return self.relation.info.name in BUILT_IN and type(self.source).__module__.startswith("pytest_vqamt.")

    def plan(self, sampling: Sampling) -> Plan:
        return Plan(self.relation, self.variant, self.source, sampling, self.baseline, self.model.takes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options that all items of a run share."""

    sampling: Sampling = field(default_factory=Sampling)
    thresholds: tuple[Threshold, ...] = ()
    """The gates on pass rates, by relation or glob."""
    grounded_thresholds: tuple[Threshold, ...] = ()
    """The gates on grounded rates, by relation or glob."""
    gate_on: GateOn = GateOn.POINT
    """What must reach a threshold: the rate itself, or the lower end of its interval."""
    max_unread: float = MAX_UNREAD
    """The share of an item's cases that may be unread if it is to meet a gate."""
    shrink: int = 30
    """Extra queries that an item may spend on simplifying its violation; 0 to leave it as found."""
    waived: Mapping[str, str] = field(default_factory=dict)
    """The reasons for waived cases, by case id."""
    expired_waivers: tuple[tuple[str, str], ...] = ()
    """The case ids of waivers that no longer hold, with their last day."""
    keeps_judged: bool = False
    """True if results have the outcome of every single case, for comparisons over all relations."""
    reader: Callable[[Query, Answer], Answer] | None = None
    """Gives the answer that is judged in place of a model's."""


def is_left_out(relation: Relation, source: SceneSource, wanted: Sequence[str]) -> bool:
    """True if the relation is not run on the source, given the user's patterns ``wanted``.

    On a source with published pairs and without patterns, only relations of published cases run: its figures are
    wanted, and other relations would only add queries. On any other source, a relation of published cases runs only if
    a pattern names it exactly ("carets.*" does not).
    """
    if isinstance(source, PairedSource):
        # A paper's pairs are there to reproduce its figures.
        return not wanted and not isinstance(relation, PublishedRelation)
    if not isinstance(relation, PublishedRelation):
        return False
    return all(pattern.partition("[")[0] != relation.info.name for pattern in wanted)
