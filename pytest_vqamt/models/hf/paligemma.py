"""PaliGemma: no chat, but prompts that begin with the name of a task; all of the prompt attends both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_vqamt.models.hf.pictures import Pixels
from pytest_vqamt.models.prompts import Prompts
from pytest_vqamt.models.transformers.prompted.image_token_model import Marked
from pytest_vqamt.models.transformers.prompted.text import Tokens

if TYPE_CHECKING:
    import torch


PALIGEMMA_PROMPTS = Prompts(question="answer en {text}", entailment="", caption="caption en")
"""The tasks that the "mix" checkpoints were trained on; there is none for hypotheses.

https://ai.google.dev/gemma/docs/paligemma/prompt-system-instructions
"""


class PaliGemma(Marked):
    """PaliGemma and PaliGemma 2 (Beyer et al. 2024; Steiner et al. 2024)."""

    cls = "PaliGemmaForConditionalGeneration"
    prompts = PALIGEMMA_PROMPTS

    @property
    def special(self) -> bool:
        return False

    def prompt(self, text: str) -> str:
        return f"{self.mark}{self.tokenizer.bos_token}{text}\n"

    def further(self, tokens: Tokens, _told: Sequence[Pixels]) -> Mapping[str, torch.Tensor]:
        return {"token_type_ids": tokens.ids * 0}
