"""Which cases a run has: the same on every worker, whatever the model."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, TypeVar

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.identity import digest, seed_for
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.base import PublishedPairs, SceneSource
from pytest_vqamt.execution.baseline import BaselineCase, BaselineItem
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.relations.base import PublishedRelation, Relation
from pytest_vqamt.sampling.chooser import Chooser
from pytest_vqamt.sampling.samplers import Sampler, draws
from pytest_vqamt.stats.gates import GateOn, Threshold

T = TypeVar("T")

MAX_CASES = 100
"""So many cases a relation variant has where nothing is said."""

_DRAWS_PER_CASE = 20
_FRUITLESS_DRAWS = 1_000
"""After so many draws in a row that gave nothing new, the source has no more to give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How many cases, and how they are drawn.

    With ``all_published``, a relation of published cases has every one of them, whatever ``max_cases``. ``shard`` is
    (I, N), counted from 1: this run keeps the I-th of N shares of the cases, by case id. With ``allow_bad_records``, a
    scene that turns out to be broken gives no case, and does not end the run.
    """

    max_cases: int = MAX_CASES
    all_published: bool = False
    seed: int = 0
    sampler: Sampler = Sampler.HYPOTHESIS
    shard: tuple[int, int] = (1, 1)
    allow_bad_records: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether this run has all the cases, and not a share of them."""
        return self.shard[1] == 1

    def owns(self, name: str) -> bool:
        """Whether the case (or scene) of this id belongs to this run's shard."""
        number, of = self.shard
        return self.is_whole or int(digest(name), 16) % of == number - 1


@dataclass(frozen=True, slots=True)
class SampledCase:
    """One draw: the scene's index, and the case it gave or why it gave none."""

    index: int
    outcome: Case | NotApplicable


@dataclass(slots=True)
class Plan:
    """The distinct cases of one relation variant on one source, drawn one by one as they are iterated over.

    Where all that are published are wanted, they come in the order of the source's scenes, and none is drawn. Where the
    variant is ``blessed``, its cases are those that were, whatever the sampling says of their number and their seed.

    ``latest`` is the latest case with what became of it when it was blessed, None where it was not. ``part`` is that of
    the sampling run that the case comes from, and ``position`` its place among the cases of all shards. Afterwards
    ``not_applicable`` tells, for this run's shard, how many of the scenes drawn never gave a case, by reason, and
    ``bad_records`` what was wrong with those that turned out to be broken.
    """

    relation: Relation
    variant: str
    source: SceneSource
    sampling: Sampling
    blessed: BaselineItem | None = None
    latest: BaselineCase | None = None
    part: int = 0
    position: int = 0
    not_applicable: Counter[str] = field(default_factory=Counter)
    bad_records: dict[str, None] = field(default_factory=dict)
    _scene: str = ""

    def __iter__(self) -> Iterator[Case]:
        """The cases.

        Raises:
            VqamtError: the relation raised an error of its own.
            DataError: a scene cannot be read.
        """
        try:
            if self.blessed is not None:
                yield from self._blessed(self.blessed)
            elif self.sampling.all_published and isinstance(self.relation, PublishedRelation):
                yield from self._published(self.relation)
            else:
                yield from self._cases()
        except (VqamtError, GeneratorExit):
            raise
        except Exception as error:
            raise VqamtError(
                f"Expected relation {self.relation.info.name!r} to derive a case, but it raised "
                f"{type(error).__name__}: {error} (scene {self._scene!r} of {self.source.spec})"
            ) from error

    def _blessed(self, blessed: BaselineItem) -> Iterator[Case]:
        for position, each in enumerate(blessed.cases(self.source)):
            if self.sampling.owns(each.case.id):
                self.position, self.latest = position, each
                yield each.case

    def _published(self, relation: PublishedRelation) -> Iterator[Case]:
        known: set[str] = set()
        self.not_applicable = Counter()
        for index in range(len(self.source)):
            found = self._made_of(index, lambda scene: relation.every(scene, self.variant))
            if isinstance(found, NotApplicable):
                if self.sampling.owns(f"scene {index}"):
                    self.not_applicable[found.reason] += 1
                continue
            for case in found:
                if case.id not in known:
                    self.position = len(known)
                    known.add(case.id)
                    if self.sampling.owns(case.id):
                        yield case

    def _cases(self) -> Iterator[Case]:
        limit = self.sampling.max_cases
        if limit < 1 or not len(self.source):
            return
        whole = self.sampling.is_whole
        reasons: dict[int, str] = {}
        fruitful: set[int] = set()
        known: set[str] = set()
        made = fruitless = 0
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
                        yield outcome
            if made == limit or fruitless == _FRUITLESS_DRAWS or attempts == limit * _DRAWS_PER_CASE + _FRUITLESS_DRAWS:
                break
        self.not_applicable = Counter(
            reason
            for index, reason in sorted(reasons.items())
            if index not in fruitful and self.sampling.owns(f"scene {index}")
        )

    def draw(self, choose: Chooser) -> SampledCase:
        """One scene, the simpler the smaller the choice, and one case of it."""
        index = choose.one(self.source.corpus.simplest_first)
        corpus = self.source.corpus
        return SampledCase(
            index, self._made_of(index, lambda scene: self.relation.derive(scene, corpus, choose, self.variant))
        )

    def _made_of(self, index: int, made: Callable[[Scene], T]) -> T | NotApplicable:
        """What is ``made`` of the scene at ``index``."""
        try:
            scene = self.source.scene(index)
            self._scene = scene.id
            return made(scene)
        except DataError as error:
            if not self.sampling.allow_bad_records:
                raise
            self.bad_records.setdefault(str(error))
            return NotApplicable(reason="a record that cannot be used")

    def seed(self, part: int) -> int:
        """What seeds a part of the sampling run."""
        info = self.relation.info
        named = (info.draws_as, "") if info.draws_as else (info.name, self.variant)
        return seed_for(*named, self.sampling.seed, part)

    def _next_part(self, part: int) -> int:
        self.part = part
        return self.seed(part)


def windows(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values in lists of ``size``, the last of what is left."""
    iterator = iter(values)
    while window := list(islice(iterator, size)):
        yield window


class PlannedCase(NamedTuple):
    """A case, the part of the sampling run that it comes from, its place in the whole plan, and how it was blessed."""

    case: Case
    part: int
    position: int
    blessed: BaselineCase | None


class CaseStream:
    """Draws the cases of a plan, each once, and gives them out in their order.

    An error that ends the plan is raised in its place, after the cases before it: it is that of the item whose plan
    this is, whoever looked ahead.

    Attributes:
        plan: what is drawn from.
        is_spoilt: whether drawing was broken off, as by a time limit: what would come next is not known any more.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.is_spoilt = False
        self._cases = iter(plan)
        self._has_ended = False
        self._error: VqamtError | None = None
        self._waiting: deque[PlannedCase] = deque()
        self._seen = 0
        self._rest: deque[Query] = deque()

    def __iter__(self) -> Iterator[PlannedCase]:
        return self

    def __next__(self) -> PlannedCase:
        """The next case of the item, whose turn has come.

        Raises:
            VqamtError: the relation raised an error of its own, or a scene cannot be read.
        """
        if not self._waiting and not self._draw():
            if self._error is not None:
                raise self._error
            raise StopIteration
        self._seen = max(0, self._seen - 1)
        if not self._seen:
            self._rest.clear()
        return self._waiting.popleft()

    @property
    def waiting(self) -> int:
        """How many cases were drawn before their turn."""
        return len(self._waiting)

    def look_ahead(self, task: Task, room: int) -> Query | None:
        """The next query of ``task``, of a case whose turn has not come; each is given once.

        None where there is none left, or none without having more than ``room`` cases wait.
        """
        while True:
            while self._rest:
                query = self._rest.popleft()
                if query.task is task:
                    return query
            if self._seen == len(self._waiting) and (self._seen >= room or not self._draw()):
                return None
            self._rest.extend(self._waiting[self._seen].case.queries)
            self._seen += 1

    def put_back(self, queries: Sequence[Query]) -> None:
        """Has ``look_ahead`` give these, its latest, once more."""
        self._rest.extendleft(reversed(queries))

    def _draw(self) -> bool:
        """Draws one case more; False where there is none."""
        if self._has_ended:
            return False
        try:
            case = next(self._cases)
        except StopIteration:
            self._has_ended = True
            return False
        except VqamtError as error:
            self._has_ended, self._error = True, error
            return False
        except BaseException:
            self._has_ended = self.is_spoilt = True  # a generator that an exception has left gives no more
            raise
        self._waiting.append(PlannedCase(case, self.plan.part, self.plan.position, self.plan.latest))
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One relation variant on one model and one data source; ``position`` is its place among the items of the run.

    Where it is ``blessed``, the cases that were blessed are asked, and no others are drawn.
    """

    relation: Relation
    variant: str
    model: LoadedModel
    source: SceneSource
    position: int = 0
    blessed: BaselineItem | None = None

    @property
    def item(self) -> str:
        return self.relation.info.item(self.variant)

    def plan(self, sampling: Sampling) -> Plan:
        """Its cases."""
        return Plan(self.relation, self.variant, self.source, sampling, self.blessed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a run is made, the same for all its items.

    ``waived`` maps case ids to reasons. With ``keeps_judged``, results tell of their cases one by one.
    """

    sampling: Sampling = field(default_factory=Sampling)
    thresholds: tuple[Threshold, ...] = ()
    gate_on: GateOn = GateOn.POINT
    shrink: int = 30
    waived: Mapping[str, str] = field(default_factory=dict)
    keeps_judged: bool = False


def is_left_out(relation: Relation, source: SceneSource, wanted: Sequence[str]) -> bool:
    """Whether the relation is not run on the source, as the patterns ``wanted`` by the user are.

    Where the source has published pairs and no pattern is given, relations of published cases alone are run on it:
    whoever takes such a set asks for its figures, and each other relation would put more questions to the model. Where
    it has none, a relation of published cases is left out unless a pattern names it; one that only takes it along with
    others ("carets.*") does not.
    """
    if isinstance(source, PublishedPairs):
        return not wanted and not isinstance(relation, PublishedRelation)
    if not isinstance(relation, PublishedRelation):
        return False
    return all(pattern.partition("[")[0] != relation.info.name for pattern in wanted)
