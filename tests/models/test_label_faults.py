"""Faults in judging hypotheses: each is wrong about labels as it says, and right about questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.meaning import Count, Entails, Exists, Group, Meaning, Unit
from pytest_vqamt.core.query import Task
from pytest_vqamt.models.base import ModelOptions, wrap_model
from pytest_vqamt.models.reference.faults import load

if TYPE_CHECKING:
    from tests.models.conftest import Ask


DOG, COW = Group(name="dog"), Group(name="cow")
TRUE = Entails(units=(Unit(group=DOG),))
UNSEEN = Entails(units=(Unit(group=DOG, unseen="is called Rex"),))
FALSE = Entails(units=(Unit(group=DOG), Unit(group=COW)))


def said(fault: str, ask: Ask, meaning: Meaning, task: Task = Task.ENTAILMENT) -> str:
    model = wrap_model(f"fault:{fault}", load(fault, ModelOptions()), ModelOptions())
    [answer] = model.ask(task, [ask(meaning, task=task)])
    return answer.text


@pytest.mark.parametrize(
    ("fault", "labels"),
    [
        ("entails-everything", ("entailment", "entailment", "entailment")),
        ("contradicts-everything", ("contradiction", "contradiction", "contradiction")),
        ("label-swap", ("contradiction", "neutral", "entailment")),
    ],
)
def test_the_labels_of_a_true_an_unseen_and_a_false_hypothesis(
    ask: Ask, fault: str, labels: tuple[str, str, str]
) -> None:
    assert tuple(said(fault, ask, meaning) for meaning in (TRUE, UNSEEN, FALSE)) == labels


@pytest.mark.parametrize("fault", ["entails-everything", "contradicts-everything", "label-swap"])
def test_questions_are_answered_right(ask: Ask, fault: str) -> None:
    assert said(fault, ask, Exists(group=DOG), Task.VQA) == "yes"
    assert said(fault, ask, Count(groups=(DOG,)), Task.VQA) == "3"


def test_who_ignores_attributes_takes_a_white_cat_for_the_black_one(ask: Ask) -> None:
    white = Entails(units=(Unit(group=Group(name="cat", attributes=("white",))),))
    assert said("ignores-attributes", ask, white) == "entailment"
