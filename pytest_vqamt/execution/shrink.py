"""The simplest violation of an item, shrunk by Hypothesis within a budget of queries."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, Outcome, Verdict
from pytest_vqamt.core.edits import describe_edit
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import Answer, Failure
from pytest_vqamt.core.results import QueryPreview, ViolationPreview
from pytest_vqamt.execution.baseline import BaselineCase
from pytest_vqamt.execution.plan import Plan, SampledCase
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.sampling.samplers import Interesting, explore


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """A case with its answers and its verdict."""

    case: Case
    answers: tuple[Answer | Failure, ...]
    verdict: Verdict

    @property
    def complexity(self) -> tuple[bool, bool, int, int, str]:
        """What is simpler comes first: nothing presumed, an answer that was understood, few objects, short texts."""
        source = self.case.queries[0].picture.scene
        words = sum(len(query.text) for query in self.case.queries)
        unparsed = self.verdict.outcome is Outcome.UNPARSED
        return self.case.is_presumed, unparsed, len(source.objects), words, self.case.id


Attempt = Callable[[Case], "JudgedCase | None"]
"""Judges a case, or gives None where its answers are not known and may not be asked for any more."""


def shrink_violation(plan: Plan, part: int, attempt: Attempt, found: JudgedCase) -> JudgedCase:
    """The simplest violation that Hypothesis reaches from the draws of ``part``; at worst ``found``."""
    best = found

    def look(drawn: SampledCase) -> None:
        nonlocal best
        if isinstance(drawn.outcome, NotApplicable):
            return
        judged = attempt(drawn.outcome)
        if judged is not None and judged.verdict.violates:
            best = min(best, judged, key=lambda each: each.complexity)
            raise Interesting

    explore(plan.draw, look, plan.seed(part), shrink=True)
    return best


def verdict_of(relation: Relation, case: Case, answers: Sequence[Answer | Failure]) -> Verdict:
    """Whether the answers obey; an ERROR where one is missing.

    Raises:
        VqamtError: the relation cannot judge the case.
    """
    for answer in answers:
        if isinstance(answer, Failure):
            return Verdict(outcome=Outcome.ERROR, reason=answer.reason)
    try:
        return relation.judge(case, [answer for answer in answers if isinstance(answer, Answer)])
    except VqamtError:
        raise
    except Exception as error:
        raise VqamtError(
            f"Expected relation {case.relation!r} to judge case {case.id}, but it raised "
            f"{type(error).__name__}: {error}"
        ) from error


def judge_case(relation: Relation, case: Case, answers: tuple[Answer | Failure, ...]) -> JudgedCase:
    """The case with its answers and what the relation says of them.

    Raises:
        VqamtError: the relation cannot judge the case.
    """
    return JudgedCase(case=case, answers=answers, verdict=verdict_of(relation, case, answers))


def baseline_verdict(relation: Relation, blessed: BaselineCase) -> Verdict:
    """What became of a blessed case then, by how its answers are judged now: old and new ones are judged alike.

    Raises:
        VqamtError: the relation cannot judge the case any more.
    """
    try:
        return verdict_of(relation, blessed.case, blessed.answers)
    except VqamtError as error:
        raise VqamtError(f"{error} (of its blessed answers: bless a report of this version of the relation)") from error


class QueryIdSet:
    """Ids of queries: all are told first, and looked up afterwards.

    >>> needed = Needed()
    >>> needed.add(("00000000000000ff", "0000000000000001"))
    >>> "00000000000000ff" in needed, "00000000000000fe" in needed
    (True, False)
    """

    def __init__(self) -> None:
        self._numbers = array("Q")
        self._is_sorted = True

    def add(self, query_ids: Iterable[str]) -> None:
        """Some have been needed; one that has been before may be told again."""
        self._numbers.extend(int(query_id, 16) for query_id in query_ids)
        self._is_sorted = False

    def __contains__(self, query_id: str) -> bool:
        if not self._is_sorted:
            self._numbers, self._is_sorted = array("Q", sorted(self._numbers)), True
        number = int(query_id, 16)
        place = bisect_left(self._numbers, number)
        return place < len(self._numbers) and self._numbers[place] == number


class SimplestViolation:
    """The simplest violation so far; of those that were blessed one that held then, where there is one.

    Attributes:
        judgement: None as long as there is none.
    """

    def __init__(self) -> None:
        self.judgement: JudgedCase | None = None
        self._part = 0
        self._held = False

    def consider(self, judged: JudgedCase, *, part: int, before: Outcome | None) -> None:
        """Takes a violation where it is to be shown rather than the one at hand; ``part`` is that of the sampling run.

        ``before`` is what became of the case when it was blessed.
        """
        held = before is Outcome.HOLDS
        if self.judgement is None:
            self.judgement, self._part, self._held = judged, part, held
        elif _rank(judged, held) < _rank(self.judgement, self._held):
            self.judgement, self._held = judged, held

    def shrink(self, plan: Plan, waived: Collection[str], judge: Callable[[Case], JudgedCase | None]) -> None:
        """Makes it simpler by further draws of ``plan``: what ``judge`` can say of their cases."""

        def attempt(case: Case) -> JudgedCase | None:
            return None if case.id in waived else judge(case)

        if self.judgement is not None:
            self.judgement = shrink_violation(plan, self._part, attempt, self.judgement)


def _rank(judged: JudgedCase, held: bool) -> tuple[bool, bool, tuple[bool, bool, int, int, str]]:
    """What is to be shown comes first: nothing presumed, what held before, what is simple."""
    return judged.case.is_presumed, not held, judged.complexity


def shown_case(judged: JudgedCase) -> ViolationPreview:
    """The case as people read it."""
    case = judged.case
    return ViolationPreview(
        id=case.id,
        scene=case.scene,
        queries=tuple(
            QueryPreview(
                picture=query.picture.digest,
                text=query.text or f"({query.task})",
                answer=answer.text if isinstance(answer, Answer) else "",
                edits="; ".join(map(describe_edit, query.picture.edits)),
            )
            for query, answer in zip(case.queries, judged.answers, strict=True)
        ),
        expected=case.expected,
        reason=judged.verdict.reason,
    )
