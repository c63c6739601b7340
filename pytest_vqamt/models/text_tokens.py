"""Texts as a model of fixed length reads them, and which of them it cannot read to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_vqamt.models.loading.alone import alone
from pytest_vqamt.models.transformers.runtime import Runtime

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

    def on(self, runtime: Runtime) -> TextTokens:
        """The same on the device."""
        return replace(self, ids=runtime.here(self.ids), attended=runtime.here(self.attended))


def tokens_of(texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, longest: int, runtime: Runtime) -> TextTokens:
    """The tokens of ``texts``, of which each gives at most ``longest``, those that begin and end it included.

    They are not on the device yet, but where it gets them without a wait.
    """
    import torch
    from torch.nn.utils.rnn import pad_sequence

    longest = min(longest, tokenizer.model_max_length)
    with alone(tokenizer):
        # Not verbose: it would warn of what is cut here and counted.
        rows: list[list[int]] = tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]
        cut = [len(row) > longest for row in rows]
        if any(cut):
            rows = tokenizer(list(texts), truncation=True, max_length=longest)["input_ids"]
    ids = [torch.tensor(row) for row in rows]
    fill = tokenizer.pad_token_id
    return TextTokens(
        ids=runtime.pinned(pad_sequence(ids, batch_first=True, padding_value=float(0 if fill is None else fill))),
        attended=runtime.pinned(pad_sequence([torch.ones_like(row) for row in ids], batch_first=True)),
        cut=tuple(cut),
    )
