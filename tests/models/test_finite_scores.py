"""What a model says next is chosen among numbers."""

from __future__ import annotations

import pytest
import torch

from pytest_vqamt.models.transformers.classifier import check_finite, check_step_scores

IDS = torch.zeros((2, 1), dtype=torch.int64)
NONE, MOST, LEAST = float("nan"), float("inf"), float("-inf")


def test_numbers_pass_and_so_do_words_that_are_never_to_be_said() -> None:
    scores = torch.tensor([[1.0, LEAST, 2.0], [LEAST, LEAST, 0.0]])
    assert check_step_scores(IDS, scores) is scores
    check_finite(torch.tensor([[1.0, -2.0]]))


@pytest.mark.parametrize("row", [[NONE, 1.0], [1.0, NONE], [MOST, 1.0], [LEAST, LEAST]])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_an_input_with_no_number_to_choose_is_no_answer(row: list[float], dtype: torch.dtype) -> None:
    with pytest.raises(ArithmeticError, match="--vqamt-dtype=float32"):
        check_step_scores(IDS, torch.tensor([[1.0, 2.0], row], dtype=dtype))


@pytest.mark.parametrize("wrong", [NONE, MOST, LEAST])
def test_all_scores_of_given_answers_are_numbers(wrong: float) -> None:
    with pytest.raises(ArithmeticError, match="--vqamt-dtype=float32"):
        check_finite(torch.tensor([[1.0, 2.0], [wrong, 1.0]]))
