"""The simplest violation of an item, shrunk by Hypothesis within a budget of queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, Outcome, Verdict
from pytest_vqamt.core.query import Answer, Failure
from pytest_vqamt.execution.plan import Drawn, Plan
from pytest_vqamt.sampling.samplers import Interesting, explore


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
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


Attempt = Callable[[Case], "Judgement | None"]
"""Judges a case, or gives None where its answers are not known and may not be asked for any more."""


def shrunk(plan: Plan, part: int, attempt: Attempt, found: Judgement) -> Judgement:
    """The simplest violation that Hypothesis reaches from the draws of ``part``; at worst ``found``."""
    best = found

    def look(drawn: Drawn) -> None:
        nonlocal best
        if isinstance(drawn.outcome, NotApplicable):
            return
        judged = attempt(drawn.outcome)
        if judged is not None and judged.verdict.violates:
            best = min(best, judged, key=lambda each: each.complexity)
            raise Interesting

    explore(plan.draw, look, plan.seed(part), shrink=True)
    return best
