"""Random weights of a spread at which what a small model sees and reads shows in what it says."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import nn
from transformers import PreTrainedModel

M = TypeVar("M", bound=PreTrainedModel)


def shaken(model: M, spread: float = 3.0) -> M:
    """The model with weights drawn anew from torch's global generator, which the caller seeds.

    As transformers initializes them, all are so small that every picture gets the same answer, and a test that two
    answers are equal could not fail.

    Args:
        model: changed in place.
        spread: the standard deviation of a matrix's entries, times the root of its number of columns.
    """
    with torch.no_grad():
        for module in model.modules():
            for name, weight in module.named_parameters(recurse=False):
                if isinstance(module, nn.LayerNorm):
                    weight.normal_(1.0 if name == "weight" else 0.0, 0.1)
                elif isinstance(module, nn.Linear | nn.Conv2d) and name == "weight":
                    weight.normal_(0.0, spread / weight[0].numel() ** 0.5)
                else:
                    weight.normal_(0.0, 0.1 if name == "bias" else 1.0)
    model.tie_weights()
    return model
