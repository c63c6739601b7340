"""The Qwen-VL family: pictures of their own size, and positions in rows and columns.

The processor of these checkpoints wants torchvision, for videos, so its part for pictures is done here: one token for
each square of merged patches, and ``mm_token_type_ids``, without which positions would count the picture as a line of
text and every answer change in silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_vqamt.models.hf.pictures import Pixels
from pytest_vqamt.models.transformers.prompted.families import Chat
from pytest_vqamt.models.transformers.prompted.text import Tokens

if TYPE_CHECKING:
    import torch


class Qwen2VlChat(Chat):
    """Qwen2-VL (Wang et al. 2024)."""

    cls = "Qwen2VLForConditionalGeneration"

    def further(self, tokens: Tokens, told: Sequence[Pixels]) -> Mapping[str, torch.Tensor]:
        import torch

        return {
            "mm_token_type_ids": (tokens.ids == self.image_id).int(),
            "image_grid_thw": torch.cat([each.tensors["image_grid_thw"] for each in told]).to(tokens.ids.device),
        }


class Qwen25VlChat(Qwen2VlChat):
    """Qwen2.5-VL."""

    cls = "Qwen2_5_VLForConditionalGeneration"


class Qwen3VlChat(Qwen2VlChat):
    """Qwen3-VL."""

    cls = "Qwen3VLForConditionalGeneration"
