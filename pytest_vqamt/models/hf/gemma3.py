"""Gemma 3: each picture between tokens that begin and end it, its tokens attending to each other both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_vqamt.models.hf.pictures import Pictures, Pixels
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.prompted.base import setting
from pytest_vqamt.models.transformers.prompted.families import Chat
from pytest_vqamt.models.transformers.prompted.text import Tokens
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch


class Gemma3Chat(Chat):
    """Gemma 3 with pictures. "Pan and scan", which adds crops of long pictures, is off, as in its processor."""

    cls = "Gemma3ForConditionalGeneration"

    def reader(self, checkpoint: Checkpoint, runtime: Runtime) -> Pictures:
        return Pictures(checkpoint, runtime, do_pan_and_scan=False, do_convert_rgb=True)

    def learn(self, checkpoint: Checkpoint) -> None:
        self._begin = self._word(setting(self.config, "boi_token_index"), checkpoint)
        self._end = self._word(setting(self.config, "eoi_token_index"), checkpoint)
        super().learn(checkpoint)

    @property
    def mark(self) -> str:
        return self._begin

    def block(self, _told: Pixels, length: int) -> str:
        return f"\n\n{self._begin}{self.image_word * length}{self._end}\n\n"

    def further(self, tokens: Tokens, _told: Sequence[Pixels]) -> Mapping[str, torch.Tensor]:
        return {"token_type_ids": (tokens.ids == self.image_id).to(tokens.ids.dtype)}
