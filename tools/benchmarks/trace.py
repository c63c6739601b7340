"""What a run of ``today`` on photos asks of a GPU: encodings a picture, tokens of prompts, and padding.

Counts, and no times. Tokens and encodings are those of ``tiny``, whose pictures have 49 tokens; padding is that of a
model which makes a token of 28 x 28 pixels, as Qwen2.5-VL does, with batches of up to so many.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest_vqamt as vqamt
from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.models.protocol import ModelOptions
from tools.benchmarks.measuring import show

if TYPE_CHECKING:
    import torch

PHOTOS = Path(__file__).parents[2] / "../shared/data/coco"
_BATCHES = (8, 32, 128)
_PATCH_PX = 28


def main() -> None:
    data = f"coco:{PHOTOS}" if PHOTOS.is_dir() else "pictures"
    asked = [padding(data, largest) for largest in _BATCHES]
    show(
        f"Padding of today on {data.partition(':')[0]}",
        ("batches of up to", "batches", "mean size", "padding"),
        [
            (str(largest), str(batches), f"{size:.0f}", f"{share:.1%}")
            for largest, (batches, size, share) in zip(_BATCHES, asked, strict=True)
        ],
    )
    whole, shared = (_computed(data, shares=shares) for shares in (False, True))
    show(
        f"tiny, today on {data.partition(':')[0]}",
        ("", "tokens of prompts", "encodings", "pictures", "encodings a picture"),
        [
            (name, f"{tokens:,}", f"{encodings:,}", f"{pictures:,}", f"{encodings / pictures:.2f}")
            for name, (tokens, encodings, pictures) in (("whole prompts", whole), ("shared beginnings", shared))
        ],
    )


def padding(data: str, largest: int) -> tuple[int, float, float]:
    """The number of batches, their mean size, and the share of padding in their tokens."""

    class Trace:
        batch_size = 8
        largest_batch = largest

        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            scenes = (each.query.picture.scene for each in batch)
            sizes.append([ceil(each.width / _PATCH_PX) * ceil(each.height / _PATCH_PX) for each in scenes])
            return ["yes"] * len(batch)

    sizes: list[list[int]] = []
    vqamt.run(model=Trace(), data=data, preset="today", shrink=0)
    computed = sum(len(each) * max(each) for each in sizes)
    return len(sizes), sum(map(len, sizes)) / len(sizes), 1 - sum(map(sum, sizes)) / computed


def _computed(data: str, *, shares: bool) -> tuple[int, int, int]:
    """The tokens of prompts that the language model computes, with padding; encodings; and distinct pictures."""
    from pytest_vqamt.models.transformers import tiny  # brings torch, which tests of padding do without

    model = tiny.load("", ModelOptions(device="cpu"))
    family: Any = model._family  # a LlavaChat
    tokens, encoded, seen = 0, 0, set[str]()
    encode, answer = family.encoder._encode, model._preprocess_alike

    def count_tokens(_module: object, _args: object, given: dict[str, torch.Tensor]) -> None:
        nonlocal tokens
        rows, length = given["inputs_embeds"].shape[:2]
        tokens += rows * length if length > 1 else 0

    def count_encodings(ready: Sequence[object]) -> object:
        nonlocal encoded
        encoded += len(ready)
        return encode(ready)

    def count_pictures(task: Task, batch: Sequence[ModelInput], reasoning: bool | None) -> object:
        seen.update(each.query.picture.digest for each in batch)
        return answer(task, batch, reasoning)

    hook = family.model.model.language_model.register_forward_pre_hook(count_tokens, with_kwargs=True)
    with (
        patch.object(family, "_shares_prefix", shares),
        patch.object(family.encoder.cache, "_encode", count_encodings),
        patch.object(model, "_preprocess_alike", count_pictures),
    ):
        vqamt.run(model=model, data=data, preset="today", shrink=0)
    hook.remove()
    return tokens, encoded, len(seen)
