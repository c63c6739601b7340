"""One computation of a picture's tokens for all questions about it in a batch.

A chat template puts the picture first, so the prompts of its questions begin alike: that beginning is most of a prompt,
and is computed once. Its keys and values are then repeated for each question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vqamt.models.transformers.inputs import TextTokens

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig


_LEAST_SAVED = 0.2
"""The share of the tokens that must be saved: two computations of few tokens take longer than one of all."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SharedPrefix:
    """Prompts that are divided into beginnings, one for each picture, and what is left of each prompt."""

    beginnings: TextTokens
    """A row for each picture, padded on the left."""
    whole: TextTokens
    """A row for each prompt: its beginning as above, then its end, each padded on the left."""
    which: tuple[int, ...]
    """The picture of each prompt."""

    @property
    def length(self) -> int:
        """The tokens of a beginning, with its padding."""
        return self.beginnings.ids.shape[1]

    @property
    def firsts(self) -> list[int]:
        """For each picture its first prompt."""
        return [self.which.index(place) for place in range(len(self.beginnings.cut))]


def is_shareable(config: PreTrainedConfig) -> bool:
    """True if each layer attends to all tokens before one.

    The padding between a beginning and an end would move a window of the latest tokens, and a recurrent state cannot
    leave it out.
    """
    from transformers.cache_utils import DynamicCache, DynamicLayer

    text = config.get_text_config()
    if getattr(text, "is_encoder_decoder", False):
        return False
    layers = DynamicCache(config=text).layers
    return bool(layers) and all(type(layer) is DynamicLayer for layer in layers)


def shared_prefix(tokens: TextTokens, which: Sequence[int], image_id: int) -> SharedPrefix | None:
    """Divides the prompts behind their pictures; None where that is of no use, or a picture's prompts begin otherwise.

    Args:
        tokens: the prompts, padded on the left, not on the device.
        which: the picture of each prompt, numbered from 0 in the order of their first prompts.
        image_id: the token that stands for a part of a picture.
    """
    import torch

    # As lists: a row has a thousand tokens, and each is looked at once.
    rows = [
        ids[attended == 1].tolist() for ids, attended in zip(tokens.ids, tokens.attended, strict=True)
    ]
    if len(set(which)) == len(rows) or any(image_id not in row for row in rows):
        return None
    behind = [len(row) - row[::-1].index(image_id) for row in rows]
    ends = [row[place:] for row, place in zip(rows, behind, strict=True)]
    # The mark that ends a picture, and the words before every question. At least one token is left to each end.
    alike = min(_common(ends), min(map(len, ends)) - 1)
    if alike < 0:
        return None
    behind = [place + alike for place in behind]
    beginnings: dict[int, list[int]] = {}
    for row, place, picture in zip(rows, behind, which, strict=True):
        if beginnings.setdefault(picture, row[:place]) != row[:place]:
            return None  # a template that puts the text before the picture
    ends = [row[place:] for row, place in zip(rows, behind, strict=True)]
    first, rest = max(map(len, beginnings.values())), max(map(len, ends))
    if len(beginnings) * first + len(rows) * rest > (1 - _LEAST_SAVED) * tokens.ids.numel():
        return None
    fill = int(tokens.ids[tokens.attended == 0][0]) if bool((tokens.attended == 0).any()) else 0

    def padded(some: Sequence[Sequence[int]], size: int) -> tuple[torch.Tensor, torch.Tensor]:
        ids = torch.tensor([[*[fill] * (size - len(each)), *each] for each in some])
        return ids, torch.tensor([[*[0] * (size - len(each)), *[1] * len(each)] for each in some])

    before, attended_before = padded([beginnings[place] for place in range(len(beginnings))], first)
    after, attended_after = padded(ends, rest)
    each = torch.tensor(which)
    return SharedPrefix(
        beginnings=TextTokens(ids=before, attended=attended_before, cut=(False,) * len(beginnings)),
        whole=TextTokens(
            ids=torch.cat([before[each], after], dim=1),
            attended=torch.cat([attended_before[each], attended_after], dim=1),
            cut=tokens.cut,
        ),
        which=tuple(which),
    )


def _common(some: Sequence[Sequence[int]]) -> int:
    """How many tokens all of ``some`` begin with."""
    for place, column in enumerate(zip(*some, strict=False)):
        if len(set(column)) > 1:
            return place
    return min(map(len, some))
