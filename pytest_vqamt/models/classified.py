"""The answers of a model that chooses among given ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vqamt.core.query import Answer
from pytest_vqamt.models.finite_scores import check_finite

if TYPE_CHECKING:
    import torch

SHOWN = 5
"""So many of the candidates are told with their scores."""

DECIMALS = 3
"""Of a score: what else is in the batch moves one by 1e-6."""


def classified(
    logits: torch.Tensor, probabilities: torch.Tensor, labels: Sequence[str], cut: Sequence[bool]
) -> tuple[Answer, ...]:
    """The label of the highest logit for each input, and the probabilities of the five best, to three decimals.

    The logits decide, because probabilities near 1 are equal in 32 bits where logits are not.

    Args:
        logits: float (inputs, labels).
        probabilities: float (inputs, labels) in [0, 1], of the same order.
        labels: the answers, one for each column.
        cut: for each input, whether the model read only part of its text.

    Raises:
        ArithmeticError: some are not finite, so that no answer is the best.
    """
    check_finite(logits)
    places = logits.topk(min(SHOWN, len(labels)), dim=1).indices
    scores = probabilities.double().gather(1, places).tolist()
    return tuple(
        Answer(
            labels[best[0]],
            tuple((labels[place], round(score, DECIMALS)) for place, score in zip(best, of_best, strict=True)),
            truncated,
        )
        for best, of_best, truncated in zip(places.tolist(), scores, cut, strict=True)
    )
