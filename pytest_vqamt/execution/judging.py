"""What a relation says of answers: those of this run, and those that were blessed."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import Answer, Failure
from pytest_vqamt.execution.baseline import BlessedCase
from pytest_vqamt.execution.shrink import Judgement
from pytest_vqamt.relations.base import Relation


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


def judgement(relation: Relation, case: Case, answers: tuple[Answer | Failure, ...]) -> Judgement:
    """The case with its answers and what the relation says of them.

    Raises:
        VqamtError: the relation cannot judge the case.
    """
    return Judgement(case=case, answers=answers, verdict=verdict_of(relation, case, answers))


def verdict_before(relation: Relation, blessed: BlessedCase) -> Verdict:
    """What became of a blessed case then, by how its answers are judged now: old and new ones are judged alike.

    Raises:
        VqamtError: the relation cannot judge the case any more.
    """
    try:
        return verdict_of(relation, blessed.case, blessed.answers)
    except VqamtError as error:
        raise VqamtError(f"{error} (of its blessed answers: bless a report of this version of the relation)") from error
