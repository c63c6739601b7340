"""The best of given answers, with the five best told."""

from __future__ import annotations

import pytest
import torch

from pytest_vqamt.core.query import Answer
from pytest_vqamt.models.transformers.classifier import answers_from_logits

LABELS = ("a", "b", "c", "d", "e", "f", "g")


def test_the_highest_wins_and_five_are_told_in_order() -> None:
    probabilities = torch.tensor([[0.1, 0.9, 0.2, 0.3, 0.05, 0.8, 0.12345]])
    (said,) = answers_from_logits(probabilities.logit(), probabilities, LABELS, [False])
    assert said.text == "b"
    assert said.scores == (("b", 0.9), ("f", 0.8), ("d", 0.3), ("c", 0.2), ("g", 0.123))
    assert not said.truncated


def test_fewer_labels_are_all_told_and_each_input_has_its_own_answer() -> None:
    logits = torch.tensor([[2.0, 1.0], [0.0, 1.0]])
    said = answers_from_logits(logits, torch.tensor([[0.75, 0.25], [0.25, 0.75]]), ("yes", "no"), [False, True])
    assert said == (
        Answer("yes", (("yes", 0.75), ("no", 0.25))),
        Answer("no", (("no", 0.75), ("yes", 0.25)), truncated=True),
    )


def test_logits_decide_where_probabilities_are_equal() -> None:
    """Above 17 or so, 1 / (1 + exp(-x)) is 1 in 32 bits."""
    logits = torch.tensor([[20.0, 25.0, 22.0]])
    assert set(logits.sigmoid()[0].tolist()) == {1.0}
    (said,) = answers_from_logits(logits, logits.sigmoid(), ("a", "b", "c"), [False])
    assert said.scores is not None
    assert [name for name, _ in said.scores] == ["b", "c", "a"]


def test_scores_that_are_no_numbers_are_no_answer() -> None:
    logits = torch.tensor([[1.0, 2.0], [float("nan"), 1.0]])
    with pytest.raises(ArithmeticError, match=r"--vqamt-dtype=float32"):
        answers_from_logits(logits, logits.sigmoid(), ("a", "b"), [False, False])
