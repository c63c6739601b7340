"""Counts of a relation's cases. The counts of two shards add up to those of the whole.

An item keeps how many scenes have the same counts, not which: enough for every interval and test, and small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import add
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from pytest_vqamt.core.case import MILLION, Case, Fact, Figure, Outcome, Verdict
from pytest_vqamt.core.codec import Count
from pytest_vqamt.core.pairs import PairCounter
from pytest_vqamt.core.query import Answer, Failure, is_truncated
from pytest_vqamt.core.text import shortened

_MISSING = {Outcome.ERROR: "errors", Outcome.DECLINED: "declined", Outcome.FLAKY: "flaky"}

DECLINED_CAUSE = "declined"
"""Why an answer has no reading if the model's adapter declined the query; other causes are in the model's words."""
MAX_WORD = 40
"""The characters of a counted unknown word; longer ones are shortened."""


class SceneTally(NamedTuple):
    """The number of ``scenes`` with the same counts: ``judged`` cases, in ``holds`` of which the relation holds."""

    holds: Count
    judged: Count
    scenes: Count


class PairedSceneTally(NamedTuple):
    """The number of ``scenes`` with the same counts of cases that two runs judged.

    The counts are of cases that hold in ``both`` runs, the ``first_only``, the ``second_only``, or ``neither``.
    """

    both: Count
    first_only: Count
    second_only: Count
    neither: Count
    scenes: Count


class Clusters(Struct, frozen=True):
    """The judged cases of an item, grouped by the counts of their scene in ascending order.

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


class PairedClusters(Struct, frozen=True):
    """The cases that two runs judged, grouped by the counts of their scene in ascending order."""

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
        """The number of cases that both runs judged."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def first_rate(self) -> float | None:
        """The pass rate of the first run on these cases; None without any."""
        return (self.both + self.first_only) / self.shared if self.shared else None

    @property
    def second_rate(self) -> float | None:
        """The pass rate of the second run on these cases; None without any."""
        return (self.both + self.second_only) / self.shared if self.shared else None

    @property
    def difference(self) -> float | None:
        """The second pass rate minus the first; negative if the second run is worse."""
        return (self.second_only - self.first_only) / self.shared if self.shared else None


class SceneCounter(Struct):
    """Counts judged cases by scene. Waived cases must not be added."""

    _by_scene: dict[str, list[int]] = field(default_factory=dict)
    _twice: dict[str, list[int]] = field(default_factory=dict)

    def add(self, scene: str, outcome: Outcome, before: Outcome | None = None) -> None:
        """Counts a case if it is judged; ``before`` is its outcome in an earlier run."""
        if not outcome.is_judged:
            return
        here = self._by_scene.setdefault(scene, [0, 0])
        holds = outcome is Outcome.HOLDS
        here[0] += holds
        here[1] += 1
        if before is not None and before.is_judged:
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
"""Up to this number of distinct readings, those of all cases are counted. Captions have more."""
MAX_READING = 200
"""The characters of a counted reading; longer ones are shortened."""
READINGS_SAMPLE_CASES = 5_000
"""Beyond that, only this many cases are counted: those with the first ids, which are digests and so a random sample."""


class ReadingCounter(Struct):
    """Counts the readings of cases; the order of cases does not matter, and few are kept in memory.

    >>> seen = ReadingCounter()
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
        """Adds the readings of a case; a case without an answer has none."""
        if not readings:
            return
        readings = [shortened(each, MAX_READING) for each in readings]
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
        """The count of each reading, over all cases or over the sample."""
        if self._all is not None:
            return self._all
        self._keep_first()
        return Counter(reading for _, readings in self._first for reading in readings)

    @property
    def sample(self) -> int | None:
        """The size of the sample; None if all cases are counted."""
        return None if self._all is not None or self._cases <= READINGS_SAMPLE_CASES else READINGS_SAMPLE_CASES

    def _keep_first(self) -> None:
        self._first.sort()
        del self._first[READINGS_SAMPLE_CASES:]
        if len(self._first) == READINGS_SAMPLE_CASES:
            self._last_id = self._first[-1][0]


class Tally(Struct, frozen=True, kw_only=True):
    """The number of cases by outcome."""

    cases: Count = 0
    """All cases: the sum of holds, violated, unparsed, errors, declined, flaky and waived."""
    holds: Count = 0
    """The answers obey the relation."""
    violated: Count = 0
    """They do not."""
    unparsed: Count = 0
    """An answer is of the wrong kind; counts as a violation in the pass rate."""
    errors: Count = 0
    """The model or a file failed; no part of the pass rate."""
    waived: Count = 0
    """Judged invalid by a person; no part of the pass rate."""
    vacuous: Count = 0
    """Of those that hold, how many show nothing of the model, such as 0 = 0 + 0."""
    truncated: Count = 0
    """In so many the model read only part of a question, which is longer than it takes."""
    declined: Count = 0
    """The model refused all queries, or its adapter declined one; no part of the pass rate."""
    refused: Count = 0
    """Of those declined, how many were refused in words."""
    flaky: Count = 0
    """The verdict depends on which of several answers to the same query is taken; no part of the pass rate."""
    unread_cases: Count = 0
    """Of holds, violated, unparsed and refused, how many have an answer that could not be read."""
    unread_holds: Count = 0
    """Of these, how many hold."""

    @property
    def judged(self) -> int:
        """The denominator of the pass rate: cases that are neither errors, declined, flaky nor waived."""
        return self.holds + self.violated + self.unparsed

    @property
    def pass_rate(self) -> float | None:
        """HOLDS over HOLDS + VIOLATED + UNPARSED; None if nothing was judged."""
        return self.holds / self.judged if self.judged else None

    @property
    def answered(self) -> int:
        """The denominator of the unread rate: the judged cases, and those that the model refused in words."""
        return self.judged + self.refused

    @property
    def unread_rate(self) -> float | None:
        """The share of answered cases with an answer that has no reading; None without any.

        >>> Tally(cases=10, holds=5, violated=1, unparsed=2, declined=2, refused=2, unread_cases=4).unread_rate
        0.4
        """
        return self.unread_cases / self.answered if self.answered else None

    @property
    def readable(self) -> int:
        """The answered cases whose answers all have a reading."""
        return self.answered - self.unread_cases

    @property
    def violations(self) -> int:
        """The readable cases that do not hold. What does not hold is either a violation or unread.

        >>> Tally(cases=10, holds=5, violated=1, unparsed=2, declined=2, refused=2, unread_cases=4).violations
        1
        """
        return self.readable - (self.holds - self.unread_holds)

    @property
    def readable_rate(self) -> float | None:
        """The pass rate of the readable cases; None without any.

        >>> tally = Tally(cases=8, holds=6, unparsed=2, unread_cases=2)
        >>> tally.pass_rate, tally.readable_rate
        (0.75, 1.0)
        """
        return (self.holds - self.unread_holds) / self.readable if self.readable else None

    def __add__(self, other: Tally) -> Tally:
        return Tally(**{name: getattr(self, name) + getattr(other, name) for name in _COUNT_NAMES})

    def __mul__(self, times: int) -> Tally:
        """The tally of ``times`` equal cases."""
        return Tally(**{name: getattr(self, name) * times for name in _COUNT_NAMES})

    @classmethod
    def of(cls, verdict: Verdict, *, waived: bool = False, truncated: bool = False) -> Tally:
        """The tally of one case. A waived case counts only as waived, whatever its verdict."""
        if waived:
            return cls(cases=1, waived=1)
        outcome = verdict.outcome
        declined = outcome is Outcome.DECLINED
        refused = declined and DECLINED_CAUSE not in verdict.unread
        unread = any(verdict.unread) and (outcome.is_judged or refused)
        return cls(
            cases=1,
            holds=int(outcome is Outcome.HOLDS),
            violated=int(outcome is Outcome.VIOLATED),
            unparsed=int(outcome is Outcome.UNPARSED),
            errors=int(outcome is Outcome.ERROR),
            vacuous=int(outcome is Outcome.HOLDS and verdict.vacuous),
            truncated=int(truncated),
            declined=int(declined),
            refused=int(refused),
            flaky=int(outcome is Outcome.FLAKY),
            unread_cases=int(unread),
            unread_holds=int(unread and outcome is Outcome.HOLDS),
        )


_COUNT_NAMES = Tally.__struct_fields__


class GroundedCells(Struct, frozen=True, kw_only=True):
    """Counts of the cases with a contrast.

    Four cells: the relation holds (consistent) or not, and the answer to the contrast differs as it must (changed) or
    not. A case without a verdict on both is in no cell.
    """

    consistent_changed: int = 0
    consistent_unchanged: int = 0
    inconsistent_changed: int = 0
    inconsistent_unchanged: int = 0
    errors: int = 0
    """Cases that lack an answer."""
    declined: int = 0
    """Cases with a declined query, or whose queries were all refused."""
    flaky: int = 0
    """Cases with a flaky verdict on the relation or on the contrast."""

    @property
    def cases(self) -> int:
        """The denominator of the grounded rate."""
        return self.consistent + self.inconsistent_changed + self.inconsistent_unchanged

    @property
    def total(self) -> int:
        """All cases with a contrast, those in no cell included."""
        return self.cases + self.errors + self.declined + self.flaky

    @property
    def consistent(self) -> int:
        return self.consistent_changed + self.consistent_unchanged

    @property
    def rate(self) -> float | None:
        """The share of cases in which the relation holds and the answer changed; None without any case."""
        return self.consistent_changed / self.cases if self.cases else None

    def __add__(self, other: GroundedCells) -> GroundedCells:
        return GroundedCells(**{name: getattr(self, name) + getattr(other, name) for name in _CELL_NAMES})


_CELL_NAMES = GroundedCells.__struct_fields__


class GroundedCounter(Struct):
    """Counts cases with a contrast. Waived cases must not be added.

    Attributes:
        chance: the sum of the chances that a model that guesses is grounded in each case.
        spread: the cases, by scene; a grounded one holds.
    """

    chance: Figure = field(default_factory=Figure)
    spread: SceneCounter = field(default_factory=SceneCounter)
    _cells: Counter[str] = field(default_factory=Counter)

    def add(self, scene: str, verdict: Verdict, chance: float, before: Outcome | None = None) -> None:
        """Counts a case with a contrast, or a case of a directional relation, which is its own contrast.

        ``before`` is its grounded outcome in the baseline, if it has one there.
        """
        outcome = verdict.grounded
        self.spread.add(scene, outcome, before)
        if outcome in _MISSING:
            self._cells[_MISSING[outcome]] += 1
            return
        changed = verdict.contrast.outcome is Outcome.HOLDS if verdict.contrast else verdict.obeys
        consistent = "consistent" if verdict.obeys else "inconsistent"
        self._cells[f"{consistent}_{'changed' if changed else 'unchanged'}"] += 1
        self.chance += Figure.of(chance)

    @property
    def cells(self) -> GroundedCells:
        return GroundedCells(**self._cells)


class TallyBuilder(Struct):
    """A tally to which cases are added one by one."""

    _alike: Counter[Tally] = field(default_factory=Counter)

    def add(self, verdict: Verdict, *, waived: bool, truncated: bool) -> None:
        self._alike[Tally.of(verdict, waived=waived, truncated=truncated)] += 1

    @property
    def tally(self) -> Tally:
        """The tally of the cases so far."""
        total = Tally()
        for one, cases in self._alike.items():
            total += one * cases
        return total


class UnreadExample(Struct, frozen=True, order=True):
    """An answer without a reading, and the text that it answers."""

    case_id: str
    """The case with the smallest id that has such an answer."""
    text: str
    """The question."""
    answer: str
    """The answer, of which a long one is shortened."""


class UnreadCount(Struct, frozen=True):
    """How many answers to source queries, and to follow-up queries, have no reading."""

    source: Count = 0
    """Answers to the first query of a case."""
    follow_up: Count = 0
    """Answers to its other queries."""
    example: UnreadExample | None = None
    """One such answer; None where there was none to keep."""

    @property
    def answers(self) -> int:
        return self.source + self.follow_up

    def plus(self, other: UnreadCount) -> UnreadCount:
        examples = [each.example for each in (self, other) if each.example]
        return UnreadCount(
            self.source + other.source, self.follow_up + other.follow_up, min(examples) if examples else None
        )


Unread: TypeAlias = Mapping[str, UnreadCount]
"""Answers without a reading, by cause ("refusal")."""


def add_unread(one: Unread, other: Unread) -> dict[str, UnreadCount]:
    """The sums of both, by cause."""
    total = dict(one)
    for cause, count in other.items():
        total[cause] = total.get(cause, UnreadCount()).plus(count)
    return total


class TrialTally(NamedTuple):
    """The number of ``cases`` with the same counts: ``judged`` trials, in ``holds`` of which the relation holds."""

    holds: Count
    judged: Count
    cases: Count


class RepeatedCases(Struct, frozen=True):
    """The cases whose queries were asked several times, by the outcomes of their trials.

    The k-th trial of a case has the k-th answers to its queries. These cases are the judged ones and the flaky ones.

    Attributes:
        rows: the cases, grouped by the counts of their trials.
        noise: the expected number of violations that the model's noise causes in them.

    >>> steady_but_one = RepeatedCases((TrialTally(0, 5, 1), TrialTally(4, 5, 1), TrialTally(5, 5, 8)))
    >>> steady_but_one.pass_all_rate, steady_but_one.trial_rate
    (0.8, 0.88)
    >>> f"{steady_but_one.within:.3f} {steady_but_one.between:.3f}"
    '0.020 0.096'
    """

    rows: tuple[TrialTally, ...] = ()
    noise: Figure = field(default_factory=Figure)

    @property
    def cases(self) -> int:
        return sum(row.cases for row in self.rows)

    @property
    def pass_all(self) -> int:
        """The cases in which every trial holds."""
        return sum(row.cases for row in self.rows if row.holds == row.judged)

    @property
    def pass_all_rate(self) -> float | None:
        """The share of cases in which every trial holds (pass@all); None without a case."""
        return self.pass_all / self.cases if self.rows else None

    @property
    def trial_rate(self) -> float | None:
        """The share of trials that hold: the expected pass rate of a run that asks each query once."""
        return self._sum(lambda row: row.holds) / self._trials if self.rows else None

    @property
    def within(self) -> float | None:
        """The variance of a trial (1 if it holds, else 0) within a case; None if no case has two trials.

        The mean square within groups of a one-way analysis of variance (Searle, Casella and McCulloch, Variance
        Components, 1992, section 3.6): the sum over the cases of h (n - h) / n, over that of n - 1, for h of n trials.
        """
        free = self._trials - self.cases
        return self._sum(lambda row: row.holds * (row.judged - row.holds) / row.judged) / free if free else None

    @property
    def between(self) -> float | None:
        """The variance of a case's own rate between the cases, 0 or more; None with less than two cases.

        The analysis of variance's estimate for groups of unequal size (the same source): (MSB - MSW) / n0, where n0 is
        (N - sum n^2 / N) / (cases - 1).
        """
        within, trials, rate = self.within, self._trials, self.trial_rate
        if within is None or rate is None or self.cases == 1:
            return None
        free = self.cases - 1
        square = self._sum(lambda row: row.judged * (row.holds / row.judged - rate) ** 2) / free
        size = (trials - self._sum(lambda row: row.judged**2) / trials) / free
        return max(0.0, (square - within) / size)

    @property
    def _trials(self) -> int:
        return sum(row.judged * row.cases for row in self.rows)

    def _sum(self, of: Callable[[TrialTally], float]) -> float:
        return sum(of(row) * row.cases for row in self.rows)

    def __add__(self, other: RepeatedCases) -> RepeatedCases:
        cases: Counter[tuple[int, int]] = Counter()
        for row in (*self.rows, *other.rows):
            cases[row.holds, row.judged] += row.cases
        rows = tuple(TrialTally(*kind, number) for kind, number in sorted(cases.items()))
        return RepeatedCases(rows, self.noise + other.noise)


class RepeatCounter(Struct):
    """Counts the cases whose queries were asked several times."""

    _alike: Counter[tuple[int, int]] = field(default_factory=Counter)
    _noise: Figure = field(default_factory=Figure)

    def add(self, verdict: Verdict) -> None:
        """Counts a case with several trials, if it is judged or flaky."""
        if verdict.trials is None or not (verdict.outcome.is_judged or verdict.outcome is Outcome.FLAKY):
            return
        judged = [outcome for outcome in verdict.trials.outcomes if outcome.is_judged]
        if judged:
            self._alike[judged.count(Outcome.HOLDS), len(judged)] += 1
            self._noise += Figure.of(verdict.trials.noise)

    @property
    def counted(self) -> RepeatedCases | None:
        """The cases so far; None if there are none."""
        rows = tuple(TrialTally(*kind, cases) for kind, cases in sorted(self._alike.items()))
        return RepeatedCases(rows, self._noise) if rows else None


CALIBRATION_BINS = 10


class CalibrationBin(NamedTuple):
    """The graded answers whose probability falls into one bin.

    Attributes:
        answers: their number.
        right: the number of right ones.
        millionths: the sum of their probabilities, in millionths.
    """

    answers: int = 0
    right: int = 0
    millionths: int = 0


class GradedCases(Struct, frozen=True):
    """Cases whose answers all have scores, so that it is known how sure the model was.

    Attributes:
        violated, held: the sums of the margins of violated cases and of cases that hold.
        confident: the violated cases with a margin of at least ``CONFIDENT``.
        calibration: the answers to queries with a known truth, in bins of equal width by their probability.

    >>> GradedCases(calibration=(CalibrationBin(4, 1, 1_000_000), CalibrationBin(6, 6, 5_400_000))).calibration_error
    0.06
    """

    violated: Figure = field(default_factory=Figure)
    held: Figure = field(default_factory=Figure)
    confident: int = 0
    calibration: tuple[CalibrationBin, ...] = (CalibrationBin(),) * CALIBRATION_BINS

    @property
    def calibration_error(self) -> float | None:
        """The expected calibration error (Guo et al., On Calibration of Modern Neural Networks, ICML 2017).

        The mean over the answers of the distance between the share of right answers in their bin and the mean
        probability there; None without an answer.
        """
        answers = sum(each.answers for each in self.calibration)
        gaps = sum(abs(each.right * MILLION - each.millionths) for each in self.calibration)
        return gaps / MILLION / answers if answers else None

    def __add__(self, other: GradedCases) -> GradedCases:
        return GradedCases(
            self.violated + other.violated,
            self.held + other.held,
            self.confident + other.confident,
            tuple(CalibrationBin(*map(add, *pair)) for pair in zip(self.calibration, other.calibration, strict=True)),
        )


class GradeCounter(Struct):
    """Counts the cases whose answers have scores."""

    _violated: Figure = field(default_factory=Figure)
    _held: Figure = field(default_factory=Figure)
    _confident: int = 0
    _bins: list[CalibrationBin] = field(default_factory=lambda: [CalibrationBin()] * CALIBRATION_BINS)
    _has_any: bool = False

    def add(self, verdict: Verdict) -> None:
        """Counts a case, if it is judged."""
        for grade in verdict.grades:
            if grade is not None and grade.right is not None:
                place = min(CALIBRATION_BINS - 1, int(grade.probability * CALIBRATION_BINS))
                one = CalibrationBin(1, int(grade.right), round(grade.probability * MILLION))
                self._bins[place] = CalibrationBin(*map(add, self._bins[place], one))
                self._has_any = True
        if (margin := verdict.margin) is not None and verdict.outcome.is_judged:
            self._has_any = True
            if verdict.violates:
                self._violated += Figure.of(margin)
                self._confident += verdict.is_confident_violation
            else:
                self._held += Figure.of(margin)

    @property
    def counted(self) -> GradedCases | None:
        """The cases so far; None if there are none."""
        return GradedCases(self._violated, self._held, self._confident, tuple(self._bins)) if self._has_any else None


class CaseCounter(Struct):
    """Counts the cases of one relation variant, model and data source.

    Attributes:
        readings: counts of the readings of answers ("3", "yes", "unparsed").
        unread: answers without a reading, by cause.
        unknown_words: declined cases, by each word that the model does not know.
        pairs: counts of pairs; None if the relation has no pairs.
        figures: sums for the figures of the relation's paper, by name.
        spread: the judged cases, by scene.
        repeated: the cases whose queries were asked several times.
        graded: the cases whose answers have scores.
    """

    readings: ReadingCounter = field(default_factory=ReadingCounter)
    unread: dict[str, UnreadCount] = field(default_factory=dict)
    unknown_words: Counter[str] = field(default_factory=Counter)
    pairs: PairCounter | None = None
    figures: dict[str, Figure] = field(default_factory=dict)
    spread: SceneCounter = field(default_factory=SceneCounter)
    repeated: RepeatCounter = field(default_factory=RepeatCounter)
    graded: GradeCounter = field(default_factory=GradeCounter)
    _all: TallyBuilder = field(default_factory=TallyBuilder)
    _by: dict[str, dict[str, TallyBuilder]] = field(default_factory=dict)

    @property
    def tally(self) -> Tally:
        """Over all cases."""
        return self._all.tally

    @property
    def breakdown(self) -> dict[str, dict[str, Tally]]:
        """A tally for each value of each fact by which the relation breaks verdicts down."""
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
        """Counts one case; ``facts`` are the names to break it down by, ``position`` its index in the whole plan.

        ``before`` is its outcome in the baseline, if it has the case.
        """
        truncated = is_truncated(answers)
        self._all.add(verdict, waived=waived, truncated=truncated)
        if waived:
            return
        self.spread.add(case.scene, verdict.outcome, before)
        self.repeated.add(verdict)
        self.graded.add(verdict)
        facts_here = [(name, _key(value)) for name in facts if (value := case.fact(name)) is not None]
        for name, key in facts_here:
            values = self._by.setdefault(name, {})
            if key not in values:
                values[key] = TallyBuilder()
            values[key].add(verdict, waived=False, truncated=truncated)
        self.readings.add(case.id, verdict.readings)
        if any(verdict.unread):
            self._add_unread(case, verdict, answers)
        for name, amount in verdict.figures:
            self.figures[name] = self.figures.get(name, Figure()) + Figure.of(amount)
        if self.pairs is not None:
            self.pairs.add(case, answers, verdict, facts_here, position)

    def _add_unread(self, case: Case, verdict: Verdict, answers: Sequence[Answer | Failure]) -> None:
        for place, cause in enumerate(verdict.unread):
            if cause:
                answer = answers[place] if place < len(answers) else None
                example = (
                    UnreadExample(
                        case.id,
                        *(
                            shortened(each, MAX_READING)
                            for each in (case.queries[place].text, answer.text or answer.declined)
                        ),
                    )
                    if isinstance(answer, Answer)
                    else None
                )
                before = self.unread.get(cause, UnreadCount())
                self.unread[cause] = before.plus(UnreadCount(int(place == 0), int(place > 0), example))
        if verdict.outcome is Outcome.DECLINED:
            words = {word for answer in answers if isinstance(answer, Answer) for word in answer.unknown_words}
            self.unknown_words.update(sorted({shortened(word, MAX_WORD) for word in words}))


def _key(value: Fact) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
