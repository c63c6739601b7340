"""What is counted of a relation's cases. Counts are summable: those of two shards added are those of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_vqamt.core.case import Case, Fact, Outcome, Verdict
from pytest_vqamt.core.clusters import Spread
from pytest_vqamt.core.figures import Figure
from pytest_vqamt.core.pairs import PairCounts
from pytest_vqamt.core.query import Answer, Failure, is_truncated
from pytest_vqamt.core.readings import Readings


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
class GrowingTally:
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
class Counts:
    """The growing counts of one relation variant, model and data source.

    Attributes:
        readings: how often each reading of an answer ("3", "yes", "unparsed") occurred.
        pairs: the counts of pairs, where the relation feeds them.
        figures: what the cases add to figures of the relation's paper, by name.
        spread: the judged cases, by scene.
    """

    readings: Readings = field(default_factory=Readings)
    pairs: PairCounts | None = None
    figures: dict[str, Figure] = field(default_factory=dict)
    spread: Spread = field(default_factory=Spread)
    _all: GrowingTally = field(default_factory=GrowingTally)
    _by: dict[str, dict[str, GrowingTally]] = field(default_factory=dict)

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
                values[key] = GrowingTally()
            values[key].add(verdict, waived=False, truncated=truncated)
        self.readings.add(case.id, verdict.readings)
        for name, amount in verdict.figures:
            self.figures[name] = self.figures.get(name, Figure()) + Figure.of(amount)
        if self.pairs is not None:
            self.pairs.add(case, answers, verdict, told, position)


def _key(value: Fact) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
