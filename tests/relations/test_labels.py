"""How the labels of two hypotheses must relate, and what is counted of them."""

from __future__ import annotations

from typing import get_args

import pytest

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Entails, Exists, Group, Label, Unit
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import LabelName
from pytest_vqamt.relations.expectations import INCONSISTENT, ISSUE, SOURCE_RIGHT, label_becomes, same_label
from pytest_vqamt.stats import papers
from tests.making import answers_of, case_of

DOG = Entails(units=(Unit(group=Group(name="dog")),))
ENTAILMENT, NEUTRAL, CONTRADICTION = get_args(LabelName)
HOLDS, VIOLATED, UNPARSED = Outcome.HOLDS, Outcome.VIOLATED, Outcome.UNPARSED


@pytest.fixture
def case() -> Case:
    return case_of(DOG, DOG, task=Task.ENTAILMENT)


@pytest.mark.parametrize(
    ("label", "first", "second", "outcome", "vacuous", "issue", "inconsistent", "source_right"),
    [
        # MR1 and MR3: entailment must follow, whatever was said before.
        (Label.ENTAILMENT, ENTAILMENT, ENTAILMENT, HOLDS, False, 0, 0, 1),
        (Label.ENTAILMENT, NEUTRAL, ENTAILMENT, HOLDS, False, 0, 0, 0),
        (Label.ENTAILMENT, "no idea what", ENTAILMENT, HOLDS, False, 0, 0, 0),
        (Label.ENTAILMENT, ENTAILMENT, NEUTRAL, VIOLATED, False, 1, 1, 1),
        (Label.ENTAILMENT, NEUTRAL, NEUTRAL, VIOLATED, False, 1, 0, 0),
        (Label.ENTAILMENT, ENTAILMENT, "yes", UNPARSED, False, 1, 1, 1),
        # MR2: contradiction must follow; where it was there before, nothing is shown.
        (Label.CONTRADICTION, ENTAILMENT, CONTRADICTION, HOLDS, False, 0, 0, 1),
        (Label.CONTRADICTION, NEUTRAL, CONTRADICTION, HOLDS, False, 0, 0, 0),
        (Label.CONTRADICTION, CONTRADICTION, CONTRADICTION, HOLDS, True, 0, 0, 0),
        (Label.CONTRADICTION, ENTAILMENT, ENTAILMENT, VIOLATED, False, 1, 1, 1),
        (Label.CONTRADICTION, CONTRADICTION, ENTAILMENT, VIOLATED, False, 1, 0, 0),
        (Label.CONTRADICTION, "the dog", NEUTRAL, VIOLATED, False, 1, 0, 0),
        (Label.CONTRADICTION, ENTAILMENT, "", UNPARSED, False, 1, 1, 1),
    ],
)
def test_the_second_label_is_the_one(
    case: Case,
    label: Label,
    first: str,
    second: str,
    outcome: Outcome,
    vacuous: bool,
    issue: int,
    inconsistent: int,
    source_right: int,
) -> None:
    verdict = label_becomes(case, answers_of(first, second), label)
    assert (verdict.outcome, verdict.vacuous) == (outcome, vacuous)
    assert dict(verdict.figures) == {ISSUE: issue, INCONSISTENT: inconsistent, SOURCE_RIGHT: source_right}
    assert verdict.violates == bool(issue)


def test_readings_and_reasons_are_told(case: Case) -> None:
    answers = answers_of("I am not sure, maybe a dog", "It is neutral.")
    verdict = label_becomes(case, answers, Label.ENTAILMENT)
    assert verdict.readings == ("unparsed", "neutral")
    assert verdict.reason == "the second label must be entailment, but got unparsed, neutral"
    unread = label_becomes(case, answers_of("entailment", "yes"), Label.ENTAILMENT)
    assert unread.readings == ("entailment", "unparsed")
    assert unread.reason == "no label named"


@pytest.mark.parametrize(
    ("first", "second", "outcome", "issue", "inconsistent", "source_right"),
    [
        (ENTAILMENT, ENTAILMENT, HOLDS, 0, 0, 1),
        # The same, and wrong twice: an issue in the paper's reading.
        (NEUTRAL, NEUTRAL, HOLDS, 1, 0, 0),
        (ENTAILMENT, CONTRADICTION, VIOLATED, 1, 1, 1),
        (CONTRADICTION, ENTAILMENT, VIOLATED, 0, 0, 0),
        ("cannot say anything", ENTAILMENT, UNPARSED, 0, 0, 0),
        (ENTAILMENT, "yes", UNPARSED, 1, 1, 1),
    ],
)
def test_both_labels_are_the_same(
    case: Case, first: str, second: str, outcome: Outcome, issue: int, inconsistent: int, source_right: int
) -> None:
    verdict = same_label(case, answers_of(first, second))
    assert (verdict.outcome, verdict.vacuous) == (outcome, False)
    assert dict(verdict.figures) == {ISSUE: issue, INCONSISTENT: inconsistent, SOURCE_RIGHT: source_right}


@pytest.mark.parametrize("wrong", [case_of(DOG), case_of(DOG, Exists(group=Group(name="dog")))])
def test_they_are_for_two_hypotheses(wrong: Case) -> None:
    answers = answers_of(*("entailment" for _ in wrong.queries))
    with pytest.raises(VqamtError, match="two hypotheses"):
        label_becomes(wrong, answers, Label.ENTAILMENT)
    with pytest.raises(VqamtError, match="two hypotheses"):
        same_label(wrong, answers)


def test_summaries_know_the_figures_by_these_names() -> None:
    assert (papers.ISSUE, papers.INCONSISTENT, papers.SOURCE_RIGHT) == (ISSUE, INCONSISTENT, SOURCE_RIGHT)
