"""GIT: continues a text after a picture; after a question, with its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.batching import distinct_pictures
from pytest_vqamt.models.prompts import Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.classifier import check_step_scores
from pytest_vqamt.models.transformers.inputs import TextTokens
from pytest_vqamt.models.transformers.prompted.base import Completions, Prompt, load_pretrained, load_pretrained_config
from pytest_vqamt.models.transformers.prompted.image_token_model import PicturePixels, PicturePreprocessor
from pytest_vqamt.models.transformers.prompted.text import (
    GreedyDecoding,
    context_length,
    load_prompt_tokenizer,
    tokenize_prompts,
)
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch


GIT_PROMPTS = Prompts(question="{text}", entailment="", caption="")
"""As in its fine-tuning: for questions, the question; for captions, nothing (Wang et al. 2022)."""


class Git:
    """GIT, fine-tuned for questions or captions. The picture is encoded again for each question."""

    prompts = GIT_PROMPTS

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads the checkpoint, the small files first.

        Raises:
            ModelError: a file is missing, damaged, or of another model.
        """
        self.config = load_pretrained_config(checkpoint)
        self.tokenizer = load_prompt_tokenizer(checkpoint, self.config)
        self.pictures = PicturePreprocessor(checkpoint, runtime)
        self.model = load_pretrained("GitForCausalLM", checkpoint, runtime)
        self._runtime = runtime
        self._decoding = GreedyDecoding(self.model, self.tokenizer, checkpoint)

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        firsts, which = distinct_pictures(inputs)
        pictures = self.pictures.each([item.image for item in firsts])
        window = context_length(self.config)
        tokens = tokenize_prompts(
            prompts,
            self.tokenizer,
            self._runtime,
            written=lambda _place, prompt: f"{self.tokenizer.cls_token}{prompt}",
            adds_special_tokens=False,  # the one that ends a text would end the question and leave nothing to say
            room=None if window is None else window - max_tokens,
        )
        pixels = PicturePixels.together(pictures).for_device(self._runtime, self.model.dtype)
        return partial(self._generate, pixels.tensors["pixel_values"], which, tokens, max_tokens)

    def release(self) -> bool:
        return False

    def _generate(
        self, pixels: torch.Tensor, which: Sequence[int], prompt_tokens: TextTokens, max_tokens: int
    ) -> Completions:
        tokens = prompt_tokens.on(self._runtime)
        generated = self.model.generate(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            pixel_values=self._runtime.to_device(pixels)[list(which)],
            generation_config=self._decoding.generation_config_for(max_tokens),
            logits_processor=[check_step_scores],
        )
        return Completions(texts=self._decoding.texts(generated[:, tokens.ids.shape[1] :]), cut=tokens.cut)
