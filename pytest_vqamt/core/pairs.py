"""Counts of pairs: two queries whose answers are compared with each other and with the truth.

The metrics of CARETS (Jimenez et al., ACL 2022, section 5.3) are shares of these counts. The counts of shards, or of
variants, add up to those of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields

from pytest_vqamt.core.case import Case, PairKind, Verdict
from pytest_vqamt.core.meaning import YES_OR_NO, Truth, truth
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.core.text import one_line

_QUERIES = 2
_UNREAD = "unparsed"
"""The reading of an answer of the wrong kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTally:
    """The number of pairs by outcome.

    An answer is right if its reading is the truth about the picture of its query.

    Attributes:
        right_first, right_second: the answer to the original, to the perturbed query is right.
        both_right: both are.
        consistent: the two readings are equal, where an unparsed answer is compared by its text; of opposites, one is
            yes and the other no.
        consistent_authors: by the authors' own scorer, which compares raw answers: equal; of opposites, different; of
            implied ones, equal or the first is wrong.
        both_right_authors: consistent by the authors' scorer, and the first is right.
        yes, no, other: answers to yes/no questions.
    """

    pairs: int = 0
    right_first: int = 0
    right_second: int = 0
    both_right: int = 0
    consistent: int = 0
    consistent_authors: int = 0
    both_right_authors: int = 0
    yes: int = 0
    no: int = 0
    other: int = 0

    @property
    def acc(self) -> float | None:
        """ACC: the share of right answers, of two for each pair."""
        return _share(self.right_first + self.right_second, _QUERIES * self.pairs)

    @property
    def acc_original(self) -> float | None:
        return _share(self.right_first, self.pairs)

    @property
    def acc_perturbed(self) -> float | None:
        return _share(self.right_second, self.pairs)

    @property
    def cons(self) -> float | None:
        """CONS: the share of consistent pairs."""
        return _share(self.consistent, self.pairs)

    @property
    def c_acc(self) -> float | None:
        """C-ACC: the share of pairs with both answers right."""
        return _share(self.both_right, self.pairs)

    @property
    def cons_authors(self) -> float | None:
        return _share(self.consistent_authors, self.pairs)

    @property
    def c_acc_authors(self) -> float | None:
        return _share(self.both_right_authors, self.pairs)

    @property
    def binary_answers(self) -> int:
        """The number of answers to yes/no questions."""
        return self.yes + self.no + self.other

    def __add__(self, other: PairTally) -> PairTally:
        return PairTally(**{name: getattr(self, name) + getattr(other, name) for name in PAIR_COUNT_NAMES})

    @classmethod
    def of(cls, kind: PairKind, case: Case, answers: Sequence[Answer], readings: Sequence[str]) -> PairTally:
        """The tally of a case of two queries; ``readings`` are those of its verdict."""
        first, second = (_ReadAnswer.of(*each) for each in zip(case.queries, answers, readings, strict=True))
        equal = first.raw == second.raw
        if kind is PairKind.OPPOSITE:
            consistent, by_authors = {first.reading, second.reading} == set(YES_OR_NO), not equal
        else:
            consistent = first.understood == second.understood
            by_authors = equal or (kind is PairKind.IMPLIED and not first.is_right)
        binary = [each.reading for each in (first, second) if each.truth in YES_OR_NO]
        yes, no = (binary.count(answer) for answer in YES_OR_NO)
        return cls(
            pairs=1,
            right_first=int(first.is_right),
            right_second=int(second.is_right),
            both_right=int(first.is_right and second.is_right),
            consistent=int(consistent),
            consistent_authors=int(by_authors),
            both_right_authors=int(by_authors and first.is_right),
            yes=yes,
            no=no,
            other=len(binary) - yes - no,
        )


PAIR_COUNT_NAMES: tuple[str, ...] = tuple(each.name for each in fields(PairTally))


@dataclass(frozen=True, slots=True)
class _ReadAnswer:
    reading: str
    raw: str
    truth: str | None

    @classmethod
    def of(cls, query: Query, answer: Answer, reading: str) -> _ReadAnswer:
        return cls(
            _plain(reading), answer.text.strip().casefold(), _in_words(truth(query.meaning, query.picture.scene))
        )

    @property
    def is_right(self) -> bool:
        return self.reading == self.truth

    @property
    def understood(self) -> str:
        """The reading of the answer, or its text if it is unparsed."""
        return one_line(self.raw) if self.reading == _UNREAD else self.reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """The pairs of one relation variant, model and data source.

    Attributes:
        tally: over all judged pairs.
        by: a tally for each value of each fact by which the relation breaks verdicts down.
        right: bit n is set if both answers to the case at position n of the whole plan are right. The plan does not
            depend on the model, so the bits of two models can be compared.
        unanswered: bit n is set if that case had an error, was declined or is flaky.
    """

    tally: PairTally = field(default_factory=PairTally)
    by: Mapping[str, Mapping[str, PairTally]] = field(default_factory=dict)
    right: int = 0
    unanswered: int = 0

    def __add__(self, other: Pairs) -> Pairs:
        by = {fact: dict(values) for fact, values in self.by.items()}
        for fact, values in other.by.items():
            here = by.setdefault(fact, {})
            for value, tally in values.items():
                here[value] = here.get(value, PairTally()) + tally
        return Pairs(
            tally=self.tally + other.tally,
            by=by,
            right=self.right | other.right,
            unanswered=self.unanswered | other.unanswered,
        )


@dataclass(slots=True)
class PairCounter:
    """Counts pairs; ``kind`` is the relation's."""

    kind: PairKind
    _tally: PairTally = field(default_factory=PairTally)
    _by: dict[str, dict[str, PairTally]] = field(default_factory=dict)
    _right: bytearray = field(default_factory=bytearray)
    _unanswered: bytearray = field(default_factory=bytearray)

    def add(
        self,
        case: Case,
        answers: Sequence[Answer | Failure],
        verdict: Verdict,
        values: Iterable[tuple[str, str]],
        position: int,
    ) -> None:
        """Counts the case at ``position`` of the whole plan; ``values`` are the facts to break it down by."""
        if len(case.queries) != _QUERIES:
            return
        if not verdict.outcome.is_judged:
            _set(self._unanswered, position)
            return
        given = [answer for answer in answers if isinstance(answer, Answer)]
        one = PairTally.of(PairKind(str(case.fact("pairs") or self.kind)), case, given, verdict.readings)
        self._tally += one
        for fact, value in values:
            here = self._by.setdefault(fact, {})
            here[value] = here.get(value, PairTally()) + one
        if one.both_right:
            _set(self._right, position)

    @property
    def counted(self) -> Pairs:
        """The pairs so far."""
        return Pairs(
            tally=self._tally,
            by=self._by,
            right=int.from_bytes(self._right, "little"),
            unanswered=int.from_bytes(self._unanswered, "little"),
        )


def _set(bits: bytearray, position: int) -> None:
    """Sets a bit in place: a million shifts of one long number would take hours."""
    place, bit = divmod(position, 8)
    if place >= len(bits):
        bits.extend(bytes(place + 1 - len(bits)))
    bits[place] |= 1 << bit


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _in_words(right: Truth) -> str | None:
    """The truth in the form of a reading."""
    if isinstance(right, bool):
        return YES_OR_NO[not right]
    return None if right is None else _plain(str(right))
