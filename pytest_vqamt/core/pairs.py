"""Counts of pairs: two queries whose answers are compared with each other and with the truth.

The metrics of CARETS (Jimenez et al., ACL 2022, section 5.3) are shares of these counts. The counts of shards, or of
variants, add up to those of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from pytest_vqamt.core.case import Case, PairKind, Verdict
from pytest_vqamt.core.codec import Count
from pytest_vqamt.core.meaning import YES_OR_NO, Truth, truth
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.core.text import one_line

_QUERIES = 2
_UNREAD = "unparsed"
"""The reading of an answer of the wrong kind."""


class PairTally(Struct, frozen=True, kw_only=True):
    """The number of pairs by outcome.

    An answer is right if its reading is the truth about the picture of its query.
    """

    pairs: Count = 0
    """All pairs."""
    right_first: Count = 0
    """The answer to the original query is right."""
    right_second: Count = 0
    """The answer to the perturbed query is right."""
    both_right: Count = 0
    """Both are."""
    consistent: Count = 0
    """The answers keep the relation."""
    consistent_authors: Count = 0
    """They do as the authors score it."""
    both_right_authors: Count = 0
    """They do as the authors score it, and the first is right."""
    yes: Count = 0
    """Answers to yes/no questions that are yes."""
    no: Count = 0
    """Answers to yes/no questions that are no."""
    other: Count = 0
    """Answers to yes/no questions that are neither."""

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


PAIR_COUNT_NAMES: tuple[str, ...] = PairTally.__struct_fields__


class _ReadAnswer(Struct, frozen=True):
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


class Pairs(Struct, frozen=True, kw_only=True):
    """The pairs of one relation variant, model and data source."""

    tally: PairTally = field(default_factory=PairTally)
    """Over all judged pairs."""
    by: Mapping[str, Mapping[str, PairTally]] = field(default_factory=dict)
    """A tally for each value of each fact by which the relation breaks verdicts down."""
    right: int = 0
    """Bit n is set if both answers to the case at position n of the whole plan are right. The plan does not depend on
    the model, so the bits of two models can be compared.
    """
    unanswered: int = 0
    """Bit n is set if that case had an error, was declined or is flaky."""

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


class PairCounter(Struct):
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
