"""The simplest violation of an item, shrunk by Hypothesis within a budget of queries."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable

from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.core.results import QueryPreview, ViolationPreview
from pytest_vqamt.core.text import shortened
from pytest_vqamt.execution.judging import JudgedCase
from pytest_vqamt.execution.plan import Plan, SampledCase
from pytest_vqamt.sampling.chooser import Interesting, explore

Attempt = Callable[[Case], "JudgedCase | None"]
"""Judges a case; None if it needs more queries than the budget allows."""

_MAX_PREVIEW = 2_000
"""The characters of a text in a report; its line in ``cases.jsonl`` has all."""


def shrink_violation(plan: Plan, part: int, attempt: Attempt, found: JudgedCase) -> JudgedCase:
    """The simplest violation that Hypothesis reaches from the cases of ``part``; at worst ``found``."""
    best = found

    def check(sampled: SampledCase) -> None:
        nonlocal best
        if isinstance(sampled.outcome, NotApplicable):
            return
        # None where the budget is spent: for Hypothesis such a case is as good as one that holds.
        judged = attempt(sampled.outcome)
        if judged is not None and judged.verdict.violates:
            best = min(best, judged, key=lambda each: each.complexity)
            raise Interesting

    explore(plan.draw, check, plan.seed(part))
    return best


class QueryIdSet:
    """A compact set of query ids.

    >>> needed = QueryIdSet()
    >>> needed.add(("00000000000000ff", "0000000000000001"))
    >>> "00000000000000ff" in needed, "00000000000000fe" in needed
    (True, False)
    """

    def __init__(self) -> None:
        self._numbers = array("Q")
        self._is_sorted = True

    def add(self, query_ids: Iterable[str]) -> None:
        self._numbers.extend(int(query_id, 16) for query_id in query_ids)
        self._is_sorted = False

    def __contains__(self, query_id: str) -> bool:
        if not self._is_sorted:
            self._numbers, self._is_sorted = array("Q", sorted(self._numbers)), True
        # Sorted only when it is queried: an item adds all its queries first, a window at a time.
        number = int(query_id, 16)
        place = bisect_left(self._numbers, number)
        return place < len(self._numbers) and self._numbers[place] == number


class SimplestViolation:
    """The simplest violation so far; with a baseline, a regression is preferred.

    Attributes:
        case: the violation; None if there is none.
    """

    def __init__(self, *, of_contrast: bool = False) -> None:
        self.case: JudgedCase | None = None
        self._rank = _contrast_rank if of_contrast else _rank
        self._part = 0
        self._is_regression = False

    def consider(self, judged: JudgedCase, *, part: int, baseline: Outcome | None) -> None:
        """Takes a violation from ``part`` of the sampling run if it is simpler; ``baseline`` is its outcome there."""
        regression = baseline is Outcome.HOLDS
        # Strictly less, so that of equal cases the first stays.
        if self.case is None or self._rank(judged, regression) < self._rank(self.case, self._is_regression):
            self.case, self._part, self._is_regression = judged, part, regression

    def shrink(self, plan: Plan, waived: Collection[str], judge: Callable[[Case], JudgedCase | None]) -> None:
        """Simplifies the violation with further cases of ``plan``, as far as ``judge`` can judge them."""

        def attempt(case: Case) -> JudgedCase | None:
            return None if case.id in waived else judge(case)

        if self.case is not None:
            self.case = shrink_violation(plan, self._part, attempt, self.case)


def _rank(judged: JudgedCase, regression: bool) -> tuple[object, ...]:
    return judged.case.is_presumed, not regression, judged.complexity


def _contrast_rank(judged: JudgedCase, regression: bool) -> tuple[object, ...]:
    """Prefers sure contrasts, then regressions, then cases that hold, then answers that can be read."""
    contrast, verdict = judged.case.contrast, judged.verdict.contrast
    assert contrast is not None
    assert verdict is not None
    unparsed = verdict.outcome is Outcome.UNPARSED
    presumed = judged.case.is_presumed or contrast.presumed
    return presumed, not regression, not judged.verdict.obeys, unparsed, *judged.complexity[3:]


def shown_case(judged: JudgedCase) -> ViolationPreview:
    """The preview of a violation."""
    case = judged.case
    return ViolationPreview(
        id=case.id,
        scene=case.scene,
        queries=tuple(map(_query_preview, case.queries, judged.answers)),
        expected=shortened(case.expected, _MAX_PREVIEW),
        reason=shortened(judged.verdict.reason, _MAX_PREVIEW),
    )


def shown_contrast(judged: JudgedCase) -> ViolationPreview:
    """The preview of a violated contrast: the case's query and the contrast's."""
    case, contrast, verdict = judged.case, judged.case.contrast, judged.verdict.contrast
    assert contrast is not None
    assert verdict is not None
    about = _query_preview(contrast.query, verdict.answer)
    elsewhere = f"scene {contrast.scene}" if contrast.scene != case.scene else ""
    return ViolationPreview(
        id=case.id,
        scene=case.scene,
        queries=(
            _query_preview(case.queries[contrast.of], judged.answers[contrast.of]),
            replace(about, edits="; ".join(filter(None, (elsewhere, about.edits)))),
        ),
        expected=shortened(contrast.expected, _MAX_PREVIEW),
        reason=shortened(verdict.reason, _MAX_PREVIEW),
    )


def _query_preview(query: Query, answer: Answer | Failure) -> QueryPreview:
    return QueryPreview(
        picture=query.picture.digest,
        text=shortened(query.words if query.turns else query.text or f"({query.task})", _MAX_PREVIEW),
        answer=shortened(answer.text, _MAX_PREVIEW) if isinstance(answer, Answer) else "",
        edits=query.notes,
    )
