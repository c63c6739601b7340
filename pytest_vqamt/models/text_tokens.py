"""Texts as a model of fixed length reads them, and which of them it cannot read to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TextTokens:
    """The tokens of some texts.

    Attributes:
        ids: int64 (texts, tokens), padded on the right.
        attended: int64 (texts, tokens), 1 for a token of the text and 0 for padding.
        cut: for each text, whether it was longer than the model takes.
    """

    ids: torch.Tensor
    attended: torch.Tensor
    cut: tuple[bool, ...]


def tokens_of(
    texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, longest: int, device: torch.device
) -> TextTokens:
    """The tokens of ``texts``, of which each gives at most ``longest``, those that begin and end it included."""
    longest = min(longest, tokenizer.model_max_length)
    whole = tokenizer(list(texts), verbose=False)["input_ids"]  # it would warn of what is cut here and counted
    tokens = tokenizer(
        list(texts), padding=True, padding_side="right", truncation=True, max_length=longest, return_tensors="pt"
    )
    return TextTokens(
        ids=tokens["input_ids"].to(device),
        attended=tokens["attention_mask"].to(device),
        cut=tuple(len(ids) > longest for ids in whole),
    )
