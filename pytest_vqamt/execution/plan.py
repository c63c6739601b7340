"""Which cases a run has: the same on every worker, whatever the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.identity import digest, seed_for
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.baseline import Blessed, BlessedCase
from pytest_vqamt.relations.base import PublishedRelation, Relation
from pytest_vqamt.sampling.chooser import Chooser
from pytest_vqamt.sampling.samplers import Sampler, draws

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
class Drawn:
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
    blessed: Blessed | None = None
    latest: BlessedCase | None = None
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

    def _blessed(self, blessed: Blessed) -> Iterator[Case]:
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

    def draw(self, choose: Chooser) -> Drawn:
        """One scene, the simpler the smaller the choice, and one case of it."""
        index = choose.one(self.source.corpus.simplest_first)
        corpus = self.source.corpus
        return Drawn(
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
