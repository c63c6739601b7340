"""Scores that are not numbers: the highest of them is an answer like any other, and says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def check_finite(scores: torch.Tensor) -> None:
    """Lets numbers pass.

    Raises:
        ArithmeticError: some are infinite or not a number.
    """
    if not bool(scores.isfinite().all()):
        raise ArithmeticError(
            "the model's scores are not finite numbers: the precision is too low for it (give --vqamt-dtype=float32), "
            "or its weights are damaged"
        )


def check_step(_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """The scores (inputs, words) of a next token, as they are: a logits processor of ``generate``.

    Raises:
        ArithmeticError: the highest of an input's is no number. Others may be minus infinity: words never to be said.
    """
    check_finite(scores.amax(dim=-1))
    return scores
