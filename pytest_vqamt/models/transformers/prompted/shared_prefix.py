"""One computation of a picture's tokens for all questions about it.

A chat template puts the picture first, so the prompts of its questions begin alike: that beginning is most of a prompt,
and is computed once. Its keys and values are kept, and repeated for each question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.models.transformers.inputs import TextTokens

if TYPE_CHECKING:
    import torch
    from transformers import DynamicCache, GenerationConfig, PreTrainedConfig
    from transformers.cache_utils import DynamicLayer


LayerStates: TypeAlias = "tuple[tuple[torch.Tensor, torch.Tensor], ...]"
"""The keys and values of one beginning, (heads, tokens, width) each, layer by layer."""


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
    def keys(self) -> list[tuple[int, ...]]:
        """The tokens of each beginning, without padding."""
        rows = zip(self.beginnings.ids, self.beginnings.attended, strict=True)
        return [tuple(ids[attended == 1].tolist()) for ids, attended in rows]

    @property
    def length(self) -> int:
        """The tokens of a beginning, with its padding."""
        return self.beginnings.ids.shape[1]


def is_shareable(config: PreTrainedConfig, generation: GenerationConfig) -> bool:
    """True if each layer attends to all tokens before one, and the checkpoint names no cache of another kind.

    The padding between a beginning and an end would move a window of the latest tokens, and a recurrent state cannot
    leave it out.
    """
    from transformers.cache_utils import DynamicCache, DynamicLayer

    if generation.cache_implementation not in (None, "dynamic"):
        return False
    text = config.get_text_config()
    if getattr(text, "is_encoder_decoder", False):
        return False
    layers = DynamicCache(config=text).layers
    return bool(layers) and all(type(layer) is DynamicLayer for layer in layers)


def shared_prefix(tokens: TextTokens, which: Sequence[int], image_id: int) -> SharedPrefix | None:
    """Divides the prompts behind their pictures; None where the text comes first, or nothing stands behind a picture.

    A beginning is the same in every batch, so a picture that has one question in this one is divided, too: others may
    follow, and two computations of a prompt's parts take no longer than one of it.

    Args:
        tokens: the prompts, padded on the left, not on the device.
        which: the picture of each prompt, numbered from 0 in the order of their first prompts.
        image_id: the token that stands for a part of a picture.
    """
    import torch

    # As lists: a row has a thousand tokens, and each is looked at once.
    rows = [ids[attended == 1].tolist() for ids, attended in zip(tokens.ids, tokens.attended, strict=True)]
    if any(image_id not in row for row in rows):
        return None
    behind = [len(row) - row[::-1].index(image_id) for row in rows]
    ends = [row[place:] for row, place in zip(rows, behind, strict=True)]
    beginnings: dict[int, list[int]] = {}
    for row, place, picture in zip(rows, behind, which, strict=True):
        if beginnings.setdefault(picture, row[:place]) != row[:place] or place == len(row):
            return None
    fill = int(tokens.ids[tokens.attended == 0][0]) if bool((tokens.attended == 0).any()) else 0

    def padded(some: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        size = max(map(len, some))
        ids = torch.tensor([[*[fill] * (size - len(each)), *each] for each in some])
        return ids, torch.tensor([[*[0] * (size - len(each)), *[1] * len(each)] for each in some])

    before, attended_before = padded([beginnings[place] for place in range(len(beginnings))])
    after, attended_after = padded(ends)
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


class PrefixCache:
    """The keys and values of the beginnings that were used last, on the device."""

    def __init__(self, most_bytes: int) -> None:
        self._kept: LruCache[tuple[str, tuple[int, ...]], LayerStates] = LruCache(most_bytes, _size)

    def states(
        self,
        shared: SharedPrefix,
        names: Sequence[str],
        compute: Callable[[Sequence[int]], DynamicCache],
    ) -> list[LayerStates]:
        """The states of each beginning; ``compute`` makes those of new ones, whose places it is given, in a batch.

        ``names`` are the digests of the pictures, whose tokens alone do not tell them apart.
        """
        keys = list(zip(names, shared.keys, strict=True))
        found = {key: states for key in keys if (states := self._kept.get(key)) is not None}
        if new := [place for place, key in enumerate(keys) if key not in found]:
            # Of an attention to all tokens; see is_shareable.
            layers = [_states(cast("DynamicLayer", each)) for each in compute(new).layers]
            for row, place in enumerate(new):
                padding = shared.length - len(keys[place][1])
                # Cloned: a slice would keep the whole batch in memory.
                found[keys[place]] = tuple(
                    (each[row, :, padding:].clone(), values[row, :, padding:].clone()) for each, values in layers
                )
        for key in keys:  # all of them, so that those in use are not the first to be dropped
            self._kept.put(key, found[key])
        return [found[key] for key in keys]

    def release(self) -> bool:
        """Empties the cache; False if it was empty."""
        return self._kept.clear()

    def halve(self) -> None:
        self._kept.halve()


def repeated(states: Sequence[LayerStates], shared: SharedPrefix, config: PreTrainedConfig) -> DynamicCache:
    """A cache for the prompts of ``shared``, each of which begins as its picture does, padded on the left."""
    from transformers.cache_utils import DynamicCache

    cache = DynamicCache(config=config.get_text_config())
    for number, layer in enumerate(zip(*states, strict=True)):
        pair = []
        for kind in range(2):
            each = [states_of_layer[kind] for states_of_layer in layer]
            first = each[0]
            joined = first.new_zeros((len(each), first.shape[0], shared.length, first.shape[2]))
            for row, one in enumerate(each):
                joined[row, :, shared.length - one.shape[1] :] = one
            pair.append(joined[list(shared.which)])
        cache.update(*pair, number)
    return cache


def _states(layer: DynamicLayer) -> tuple[torch.Tensor, torch.Tensor]:
    assert layer.keys is not None
    assert layer.values is not None
    return layer.keys, layer.values


def _size(states: LayerStates) -> int:
    return sum(tensor.nbytes for pair in states for tensor in pair)
