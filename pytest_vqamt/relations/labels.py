"""How the labels of two hypotheses must relate, of which the first is always entailed; after Chang et al., VEglue.

Two readings are kept apart. What the paper calls an issue is that the second label is not the expected one, whatever
the first was; a case is inconsistent where the first was right, too. Both are figures of a verdict, of 1 or 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_vqamt.core.case import Amount, Case, Outcome, Verdict
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Entails, Label
from pytest_vqamt.core.query import Answer
from pytest_vqamt.language.answers.text import Unread
from pytest_vqamt.relations.expectations import Reading, read, same_answer, shown

ISSUE, INCONSISTENT, SOURCE_RIGHT = "issue", "inconsistent", "source right"
"""The second label is not as expected, or cannot be read; the first is entailment and the second an issue; it is so."""


def label_becomes(case: Case, answers: Sequence[Answer], label: Label) -> Verdict:
    """The second label is ``label``.

    UNPARSED where the second answer cannot be read. Of the first nothing is demanded: where it cannot be read, the case
    is just not inconsistent. Vacuous where the first is ``label`` already, and should not be.

    Raises:
        VqamtError: the case is not of two hypotheses.
    """
    first, second = readings = _label_readings(case, answers)
    told, figures = tuple(map(shown, readings)), _figures(first, second, label)
    if isinstance(second, Unread):
        return Verdict(outcome=Outcome.UNPARSED, reason=second.reason.value, readings=told, figures=figures)
    if second == label:
        shows_nothing = first == label and label is not Label.ENTAILMENT
        return Verdict(outcome=Outcome.HOLDS, vacuous=shows_nothing, readings=told, figures=figures)
    reason = f"the second label must be {label}, but got {', '.join(told)}"
    return Verdict(outcome=Outcome.VIOLATED, reason=reason, readings=told, figures=figures)


def same_label(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second label is the first. What the paper counts as an issue is a second one that is not entailment.

    Raises:
        VqamtError: the case is not of two hypotheses.
    """
    first, second = _label_readings(case, answers)
    return replace(same_answer(case, answers), figures=_figures(first, second, Label.ENTAILMENT))


def _label_readings(case: Case, answers: Sequence[Answer]) -> tuple[Reading, Reading]:
    asked = [query.meaning for query in case.queries]
    if len(asked) != 2 or not all(isinstance(meaning, Entails) for meaning in asked):
        kinds = ", ".join(type(meaning).__name__ for meaning in asked)
        raise VqamtError(f"Expected a case of two hypotheses in relation {case.relation!r}, but got {kinds}")
    first, second = (read(query, answer) for query, answer in zip(case.queries, answers, strict=True))
    return first, second


def _figures(first: Reading, second: Reading, expected: Label) -> tuple[Amount, ...]:
    right, issue = first == Label.ENTAILMENT, second != expected
    return ((ISSUE, float(issue)), (INCONSISTENT, float(right and issue)), (SOURCE_RIGHT, float(right)))
