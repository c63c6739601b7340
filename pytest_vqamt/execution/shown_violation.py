"""The violation of an item that people are shown."""

from __future__ import annotations

from collections.abc import Callable, Collection

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.edits import in_words
from pytest_vqamt.core.query import Answer
from pytest_vqamt.core.results import ShownCase, ShownQuery
from pytest_vqamt.execution.plan import Plan
from pytest_vqamt.execution.shrink import Judgement, shrunk


class ShownViolation:
    """The simplest violation so far; of those that were blessed one that held then, where there is one.

    Attributes:
        judgement: None as long as there is none.
    """

    def __init__(self) -> None:
        self.judgement: Judgement | None = None
        self._part = 0
        self._held = False

    def consider(self, judged: Judgement, *, part: int, before: Outcome | None) -> None:
        """Takes a violation where it is to be shown rather than the one at hand; ``part`` is that of the sampling run.

        ``before`` is what became of the case when it was blessed.
        """
        held = before is Outcome.HOLDS
        if self.judgement is None:
            self.judgement, self._part, self._held = judged, part, held
        elif _rank(judged, held) < _rank(self.judgement, self._held):
            self.judgement, self._held = judged, held

    def shrink(self, plan: Plan, waived: Collection[str], judge: Callable[[Case], Judgement | None]) -> None:
        """Makes it simpler by further draws of ``plan``: what ``judge`` can say of their cases."""

        def attempt(case: Case) -> Judgement | None:
            return None if case.id in waived else judge(case)

        if self.judgement is not None:
            self.judgement = shrunk(plan, self._part, attempt, self.judgement)


def _rank(judged: Judgement, held: bool) -> tuple[bool, bool, tuple[bool, bool, int, int, str]]:
    """What is to be shown comes first: nothing presumed, what held before, what is simple."""
    return judged.case.is_presumed, not held, judged.complexity


def shown(judged: Judgement) -> ShownCase:
    """The case as people read it."""
    case = judged.case
    return ShownCase(
        id=case.id,
        scene=case.scene,
        queries=tuple(
            ShownQuery(
                picture=query.picture.digest,
                text=query.text or f"({query.task})",
                answer=answer.text if isinstance(answer, Answer) else "",
                edits="; ".join(map(in_words, query.picture.edits)),
            )
            for query, answer in zip(case.queries, judged.answers, strict=True)
        ),
        expected=case.expected,
        reason=judged.verdict.reason,
    )
