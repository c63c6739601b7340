"""What is counted of a relation's cases. Counts are summable: those of two shards added are those of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pytest_vqamt.core.case import Case, Fact, Figure, Outcome, Verdict
from pytest_vqamt.core.pairs import PairCounter
from pytest_vqamt.core.query import Answer, Failure, is_truncated

# What is kept of an item is how many scenes are alike, not which: enough for every interval and test, and small.


_JUDGED = (Outcome.HOLDS, Outcome.VIOLATED, Outcome.UNPARSED)


class SceneTally(NamedTuple):
    """So many ``scenes`` have ``judged`` judged cases each, of which ``holds`` hold."""

    holds: int
    judged: int
    scenes: int


class PairedSceneTally(NamedTuple):
    """So many ``scenes`` have each, of the cases that two runs have judged, so many that hold in both (``kept``).

    ``lost`` ones held in the first alone, ``won`` ones in the second alone, and ``neither`` in none of them.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    scenes: int


@dataclass(frozen=True, slots=True)
class Clusters:
    """The judged cases of an item, by scene: each kind of scene once, in ascending order.

    >>> Clusters((SceneTally(0, 1, 3), SceneTally(2, 2, 5))).scenes
    8
    """

    rows: tuple[SceneTally, ...] = ()

    @property
    def scenes(self) -> int:
        return sum(row.scenes for row in self.rows)

    @property
    def judged(self) -> int:
        return sum(row.judged * row.scenes for row in self.rows)

    @property
    def holds(self) -> int:
        return sum(row.holds * row.scenes for row in self.rows)


@dataclass(frozen=True, slots=True)
class PairedClusters:
    """The cases that two runs have judged, by scene: each kind of scene once, in ascending order."""

    rows: tuple[PairedSceneTally, ...] = ()

    @property
    def scenes(self) -> int:
        return sum(row.scenes for row in self.rows)

    @property
    def both(self) -> int:
        return sum(row.both * row.scenes for row in self.rows)

    @property
    def first_only(self) -> int:
        return sum(row.first_only * row.scenes for row in self.rows)

    @property
    def second_only(self) -> int:
        return sum(row.second_only * row.scenes for row in self.rows)

    @property
    def neither(self) -> int:
        return sum(row.neither * row.scenes for row in self.rows)

    @property
    def shared(self) -> int:
        """How many cases both runs have judged."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def first_rate(self) -> float | None:
        """The pass rate of the first run on them, None where there are none."""
        return (self.both + self.first_only) / self.shared if self.shared else None

    @property
    def second_rate(self) -> float | None:
        """The pass rate of the second run on them, None where there are none."""
        return (self.both + self.second_only) / self.shared if self.shared else None

    @property
    def difference(self) -> float | None:
        """The second pass rate less the first: negative where it has got worse."""
        return (self.second_only - self.first_only) / self.shared if self.shared else None


@dataclass(slots=True)
class SceneCounter:
    """Cases by scene, as they come; one that is waived is not to be added."""

    _by_scene: dict[str, list[int]] = field(default_factory=dict)
    _twice: dict[str, list[int]] = field(default_factory=dict)

    def add(self, scene: str, outcome: Outcome, before: Outcome | None = None) -> None:
        """Counts a case of ``scene``, unless it is an error; ``before`` is what became of it in an earlier run."""
        if outcome not in _JUDGED:
            return
        here = self._by_scene.setdefault(scene, [0, 0])
        holds = outcome is Outcome.HOLDS
        here[0] += holds
        here[1] += 1
        if before in _JUDGED:
            held = before is Outcome.HOLDS
            place = 2 * (not held) + (not holds)  # both, first_only, second_only, neither
            self._twice.setdefault(scene, [0, 0, 0, 0])[place] += 1

    @property
    def clusters(self) -> Clusters:
        counted = Counter((holds, judged) for holds, judged in self._by_scene.values())
        return Clusters(tuple(SceneTally(*kind, scenes) for kind, scenes in sorted(counted.items())))

    @property
    def paired(self) -> PairedClusters:
        counted = Counter(
            (both, first_only, second_only, neither) for both, first_only, second_only, neither in self._twice.values()
        )
        return PairedClusters(tuple(PairedSceneTally(*kind, scenes) for kind, scenes in sorted(counted.items())))


MAX_DISTINCT_READINGS = 1_000
"""So many different readings are counted over all cases, however many these are. Captions have more."""
READINGS_SAMPLE_CASES = 5_000
"""So many cases are counted else: those whose ids come first, which are digests, so as good as drawn at random."""


@dataclass(slots=True)
class ReadingCounter:
    """The readings as they come, case by case; in what order does not matter, and few cases are in memory.

    >>> seen = Readings()
    >>> seen.add("1", ("yes", "no"))
    >>> seen.add("2", ("yes",))
    >>> seen.counted["yes"], seen.sample
    (2, None)
    """

    _all: Counter[str] | None = field(default_factory=Counter)
    _first: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    _last_id: str = ""
    _cases: int = 0

    def add(self, case_id: str, readings: Sequence[str]) -> None:
        """Adds those of a case; one without an answer has none."""
        if not readings:
            return
        self._cases += 1
        if self._all is not None:
            self._all.update(readings)
            if len(self._all) > MAX_DISTINCT_READINGS:
                self._all = None
        if not self._last_id or case_id < self._last_id:
            self._first.append((case_id, tuple(readings)))
            if len(self._first) == 2 * READINGS_SAMPLE_CASES:
                self._keep_first()

    @property
    def counted(self) -> Counter[str]:
        """How often each occurred, of all cases or of the sample."""
        if self._all is not None:
            return self._all
        self._keep_first()
        return Counter(reading for _, readings in self._first for reading in readings)

    @property
    def sample(self) -> int | None:
        """Of how many cases they are counted; None where it is all."""
        return None if self._all is not None or self._cases <= READINGS_SAMPLE_CASES else READINGS_SAMPLE_CASES

    def _keep_first(self) -> None:
        self._first.sort()
        del self._first[READINGS_SAMPLE_CASES:]
        if len(self._first) == READINGS_SAMPLE_CASES:
            self._last_id = self._first[-1][0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many cases came out how; of ``truncated`` ones the model read only part of a question."""

    cases: int = 0
    holds: int = 0
    violated: int = 0
    unparsed: int = 0
    errors: int = 0
    waived: int = 0
    vacuous: int = 0
    truncated: int = 0

    @property
    def judged(self) -> int:
        """The cases that the pass rate is over: neither errors nor waived."""
        return self.holds + self.violated + self.unparsed

    @property
    def pass_rate(self) -> float | None:
        """HOLDS over HOLDS + VIOLATED + UNPARSED; None where nothing was judged."""
        return self.holds / self.judged if self.judged else None

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            cases=self.cases + other.cases,
            holds=self.holds + other.holds,
            violated=self.violated + other.violated,
            unparsed=self.unparsed + other.unparsed,
            errors=self.errors + other.errors,
            waived=self.waived + other.waived,
            vacuous=self.vacuous + other.vacuous,
            truncated=self.truncated + other.truncated,
        )

    def __mul__(self, times: int) -> Tally:
        """That of so many cases that are all alike."""
        return Tally(
            cases=self.cases * times,
            holds=self.holds * times,
            violated=self.violated * times,
            unparsed=self.unparsed * times,
            errors=self.errors * times,
            waived=self.waived * times,
            vacuous=self.vacuous * times,
            truncated=self.truncated * times,
        )

    @classmethod
    def of(cls, verdict: Verdict, *, waived: bool = False, truncated: bool = False) -> Tally:
        """The tally of one case. A waived case counts as waived alone, whatever its verdict."""
        if waived:
            return cls(cases=1, waived=1)
        outcome = verdict.outcome
        return cls(
            cases=1,
            holds=int(outcome is Outcome.HOLDS),
            violated=int(outcome is Outcome.VIOLATED),
            unparsed=int(outcome is Outcome.UNPARSED),
            errors=int(outcome is Outcome.ERROR),
            vacuous=int(outcome is Outcome.HOLDS and verdict.vacuous),
            truncated=int(truncated),
        )


@dataclass(slots=True)
class TallyBuilder:
    """A tally that cases are added to one by one: how many came out alike, by all that a tally tells apart."""

    _alike: Counter[tuple[Outcome, bool, bool, bool]] = field(default_factory=Counter)

    def add(self, verdict: Verdict, *, waived: bool, truncated: bool) -> None:
        self._alike[verdict.outcome, verdict.vacuous, waived, truncated] += 1

    @property
    def tally(self) -> Tally:
        """All that was added so far."""
        total = Tally()
        for (outcome, vacuous, waived, truncated), cases in self._alike.items():
            one = Tally.of(Verdict(outcome=outcome, vacuous=vacuous), waived=waived, truncated=truncated)
            total += one * cases
        return total


@dataclass(slots=True)
class CaseCounter:
    """The growing counts of one relation variant, model and data source.

    Attributes:
        readings: how often each reading of an answer ("3", "yes", "unparsed") occurred.
        pairs: the counts of pairs, where the relation feeds them.
        figures: what the cases add to figures of the relation's paper, by name.
        spread: the judged cases, by scene.
    """

    readings: ReadingCounter = field(default_factory=ReadingCounter)
    pairs: PairCounter | None = None
    figures: dict[str, Figure] = field(default_factory=dict)
    spread: SceneCounter = field(default_factory=SceneCounter)
    _all: TallyBuilder = field(default_factory=TallyBuilder)
    _by: dict[str, dict[str, TallyBuilder]] = field(default_factory=dict)

    @property
    def tally(self) -> Tally:
        """Over all cases."""
        return self._all.tally

    @property
    def breakdown(self) -> dict[str, dict[str, Tally]]:
        """A tally for each value of each fact that the relation breaks its verdicts down by."""
        return {name: {key: each.tally for key, each in values.items()} for name, values in self._by.items()}

    def add(
        self,
        case: Case,
        verdict: Verdict,
        facts: tuple[str, ...],
        *,
        waived: bool = False,
        answers: Sequence[Answer | Failure] = (),
        position: int = 0,
        before: Outcome | None = None,
    ) -> None:
        """Count one case; ``facts`` names what to break it down by, ``position`` is its place in the whole plan.

        ``before`` is what became of it in the blessed run, where there is one.
        """
        truncated = is_truncated(answers)
        self._all.add(verdict, waived=waived, truncated=truncated)
        if waived:
            return
        self.spread.add(case.scene, verdict.outcome, before)
        told = [(name, _key(value)) for name in facts if (value := case.fact(name)) is not None]
        for name, key in told:
            values = self._by.setdefault(name, {})
            if key not in values:
                values[key] = TallyBuilder()
            values[key].add(verdict, waived=False, truncated=truncated)
        self.readings.add(case.id, verdict.readings)
        for name, amount in verdict.figures:
            self.figures[name] = self.figures.get(name, Figure()) + Figure.of(amount)
        if self.pairs is not None:
            self.pairs.add(case, answers, verdict, told, position)


def _key(value: Fact) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
