"""Cases are asked in two waves: queries that quote the model's own answer come after those that they quote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.conversation import with_answers
from pytest_vqamt.core.query import Answer, Failure, Query

CaseTrials: TypeAlias = tuple[tuple[Query, ...], ...]
"""The trials of each query of a case, as ``Case.trials`` gives them."""

Outcomes: TypeAlias = tuple[tuple["Answer | Failure | None", ...], ...]
"""The outcomes of ``CaseTrials``; None for a query that was not asked."""

Ask: TypeAlias = Callable[[Iterable[Query]], Mapping[str, "Answer | Failure"]]
"""Asks queries; the answers by query id, without those of queries that are left for another run."""


def ask_in_waves(cases: Sequence[CaseTrials], ask: Ask) -> list[Outcomes]:
    """Asks the queries of some cases: first those that quote no answer, then those that quote one of these.

    A query that quotes an answer which is not there gets no better outcome itself: a failure, what the model declined,
    or None.
    """
    answers = ask(query for query in _all(cases) if not query.replies)
    if not any(query.replies for query in _all(cases)):
        return [tuple(tuple(answers.get(query.id) for query in trials) for trials in case) for case in cases]
    # The id of a query that quotes an answer is only known once that answer is there, and cases may share it before.
    asked = [_quoting(case, answers) for case in cases]
    later = ask(query for case in asked for trials in case for query in trials if isinstance(query, Query))
    return [
        tuple(tuple(later.get(each.id) if isinstance(each, Query) else each for each in trials) for trials in case)
        for case in asked
    ]


def _all(cases: Iterable[CaseTrials]) -> Iterator[Query]:
    return (query for case in cases for trials in case for query in trials)


def _quoting(
    case: CaseTrials, answers: Mapping[str, Answer | Failure]
) -> tuple[tuple[Query | Answer | Failure | None, ...], ...]:
    """The outcomes of a case so far, and in place of those that are left the queries with the answers they quote."""

    def quoted(query: Query, trial: int) -> Query | Answer | Failure | None:
        if not query.replies:
            return answers.get(query.id)
        texts: dict[int, str] = {}
        for place in sorted(query.replies):
            earlier = case[place]
            found = answers.get(earlier[min(trial, len(earlier) - 1)].id)
            if not isinstance(found, Answer) or found.declined:
                return found
            texts[place] = quotable(found)
        return replace(query, turns=with_answers(query.turns, texts))

    return tuple(tuple(quoted(query, trial) for trial, query in enumerate(trials)) for trials in case)


def quotable(answer: Answer) -> str:
    """The answer as it is put into a conversation: without its reasoning, cut where the reader ends."""
    from pytest_vqamt.language.answers.answer_text import prepare

    # A server refuses a turn that says nothing.
    return prepare(answer.text).said or "..."
