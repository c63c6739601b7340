"""Writes a small checkpoint to disk as published ones are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from tests.models.small.weights import shaken

T = TypeVar("T")

Settings = dict[str, Any]
"""Keyword arguments of configurations, each of which declares its own."""


class Saves(Protocol):
    def save_pretrained(self, folder: Path, /) -> object: ...


def made(cls: Callable[..., T], *given: object, **settings: object) -> T:
    """``cls(...)``: many classes of transformers take more than they declare, or declare nothing."""
    return cls(*given, **settings)


def number(tokenizer: PreTrainedTokenizerBase, token: str) -> int:
    """Which of its tokens this is."""
    return cast(int, tokenizer.convert_tokens_to_ids(token))


def saved(
    cls: Callable[..., PreTrainedModel],
    config: object,
    processor: Saves,
    folder: Path,
    *,
    seed: int = 0,
    words: float = 1.0,
) -> Path:
    """A model of ``cls`` with random weights, and what prepares its inputs, in ``folder``.

    ``words`` scales the table of words: where words are read and said by the same table, as large a one as the others
    makes a model repeat the last word for ever.
    """
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        model = shaken(cls(config))
        cast(torch.nn.Embedding, model.get_input_embeddings()).weight *= words
        model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder
