"""GIT: a picture before a text that the model goes on with; to a question it goes on with the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.batching import distinct_pictures
from pytest_vqamt.models.prompts import Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.classifier import check_step_scores
from pytest_vqamt.models.transformers.prompted.base import Completions, Prompt, load_pretrained, load_pretrained_config
from pytest_vqamt.models.transformers.prompted.image_token_model import PicturePixels, PicturePreprocessor
from pytest_vqamt.models.transformers.prompted.text import (
    GreedyDecoding,
    Tokens,
    context_length,
    load_prompt_tokenizer,
    tokenize_prompts,
)
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch


GIT_PROMPTS = Prompts(question="{text}", entailment="", caption="")
"""As it was fine-tuned: for questions, the question; for captions, nothing (Wang et al. 2022)."""


class Git:
    """GIT, fine-tuned for questions or for captions. Each question has its picture encoded again."""

    prompts = GIT_PROMPTS

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads it, the small files first.

        Raises:
            ModelError: a file is missing, damaged, or of another model.
        """
        self.config = load_pretrained_config(checkpoint)
        self.tokenizer = load_prompt_tokenizer(checkpoint, self.config)
        self.pictures = PicturePreprocessor(checkpoint, runtime)
        self.model = load_pretrained("GitForCausalLM", checkpoint, runtime)
        self._runtime = runtime
        self._stopping = GreedyDecoding(self.model, self.tokenizer, checkpoint)

    def ready(self, shown: Sequence[ModelInput], said: Sequence[Prompt], longest: int) -> Callable[[], Completions]:
        firsts, which = distinct_pictures(shown)
        pictures = self.pictures.each([item.image for item in firsts])
        window = context_length(self.config)
        tokens = tokenize_prompts(
            said,
            self.tokenizer,
            self._runtime,
            written=lambda _place, prompt: f"{self.tokenizer.cls_token}{prompt}",
            special=False,  # the one that ends a text would end the question and leave nothing to say
            room=None if window is None else window - longest,
        )
        pixels = PicturePixels.together(pictures).ready(self._runtime, self.model.dtype)
        return partial(self._speak, pixels.tensors["pixel_values"], which, tokens, longest)

    def give_up(self) -> bool:
        return False

    def _speak(self, pixels: torch.Tensor, which: Sequence[int], read: Tokens, longest: int) -> Completions:
        tokens = read.on(self._runtime)
        generated = self.model.generate(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            pixel_values=self._runtime.here(pixels)[list(which)],
            generation_config=self._stopping.after(longest),
            logits_processor=[check_step_scores],
        )
        return Completions(texts=self._stopping.texts(generated[:, tokens.ids.shape[1] :]), cut=tokens.cut)
