"""BLIP-2 and InstructBLIP: a Q-Former turns a picture into a few vectors before the words.

The language model is called directly with these vectors, so that it returns the completion alone and each picture is
encoded once, which in the smaller checkpoints is most of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.chat_settings import ChatSettings
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.inputs import (
    BatchPictures,
    PictureFeatureCache,
    TextTokens,
    load_tokenizer,
    tokenize,
)
from pytest_vqamt.models.transformers.prompted.base import (
    CheckpointFamily,
    PretrainedModel,
    int_setting,
)
from pytest_vqamt.models.transformers.prompted.image_token_model import PicturePixels, PicturePreprocessor
from pytest_vqamt.models.transformers.prompted.text import (
    Completions,
    Prompt,
    context_length,
    tokenize_prompts,
)
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


ENTAILMENT_PROMPT = f"Question: {INSTRUCTION_PROMPTS.entailment} Answer:"

OPT_PROMPTS = Prompts(question="Question: {text} Answer:", entailment=ENTAILMENT_PROMPT, caption="a photo of")
"""OPT continues a text (Li et al. 2023, section 4.1)."""

FLAN_T5_PROMPTS = Prompts(question="Question: {text} Short answer:", entailment=ENTAILMENT_PROMPT, caption="a photo of")
"""Flan-T5 follows instructions (same section)."""


class Blip2Model(PretrainedModel, Protocol):
    """The further interface of transformers' BLIP-2 classes."""

    language_model: PretrainedModel
    query_tokens: torch.Tensor


class Blip2(CheckpointFamily):
    """BLIP-2 with OPT or Flan-T5."""

    cls = "Blip2ForConditionalGeneration"
    model: Blip2Model

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, chat: ChatSettings | None = None) -> None:
        super().__init__(checkpoint, runtime, chat)
        self.cache: PictureFeatureCache[PicturePixels, torch.Tensor] = PictureFeatureCache(
            self._preprocess_images, self._encoded, lambda made: made.nbytes
        )

    def read_files(self, checkpoint: Checkpoint) -> None:
        self.pictures = PicturePreprocessor(checkpoint, self._runtime)

    @property
    def generator(self) -> PretrainedModel:
        return self.model.language_model

    @property
    def prompts(self) -> Prompts:
        return OPT_PROMPTS if self.is_decoder_only else FLAN_T5_PROMPTS

    @property
    def is_decoder_only(self) -> bool:
        """Whether the language model continues its input, unlike an encoder-decoder."""
        return not self.config.get_text_config().is_encoder_decoder

    def encode(self, pixels: torch.Tensor) -> torch.Tensor:
        """Encodings of pictures that depend on no prompt, along the first axis."""
        return cast("torch.Tensor", self.model.get_image_features(pixel_values=pixels).pooler_output)

    def query_tokens(self, _prompts: Sequence[Prompt]) -> TextTokens | None:
        """The prompts as the Q-Former reads them; None if it does not."""
        return None

    def conditioned(self, encoded: torch.Tensor, _tokens: TextTokens | None) -> torch.Tensor:
        """The vectors that the language model gets for each prompt: (prompts, vectors, width)."""
        return encoded

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        query_tokens = self.query_tokens(prompts)
        room = context_length(self.config)
        if room is not None:
            room -= self.model.query_tokens.shape[1] + (max_tokens if self.is_decoder_only else 0)
        tokens = tokenize_prompts(prompts, self.tokenizer, self._runtime, pad_left=self.is_decoder_only, room=room)
        return partial(self._generate, self.cache.preprocess(inputs), query_tokens, tokens, max_tokens)

    def release(self) -> bool:
        return self.cache.release()

    def _generate(
        self,
        inputs: BatchPictures[PicturePixels, torch.Tensor],
        query_tokens: TextTokens | None,
        prompt_tokens: TextTokens,
        max_tokens: int,
    ) -> Completions:
        import torch

        tokens = prompt_tokens.on(self._runtime)
        vectors = self.conditioned(
            torch.stack(self.cache.encoded(inputs)), query_tokens and query_tokens.on(self._runtime)
        )
        words = self.model.get_input_embeddings()(tokens.ids)
        cut = query_tokens.cut if query_tokens else (False,) * len(tokens.cut)
        return self.complete(
            max_tokens,
            [one or other for one, other in zip(tokens.cut, cut, strict=True)],
            prompt_tokens=0 if self.is_decoder_only else 1,
            inputs_embeds=torch.cat([vectors.to(words.dtype), words], dim=1),
            attention_mask=torch.cat([tokens.attended.new_ones(vectors.shape[:2]), tokens.attended], dim=1),
        )

    def _preprocess_images(self, images: Sequence[Image]) -> list[PicturePixels]:
        return [each.for_device(self._runtime, self.model.dtype) for each in self.pictures.each(images)]

    def _encoded(self, ready: Sequence[PicturePixels]) -> list[torch.Tensor]:
        import torch

        pixels = torch.cat([self._runtime.to_device(each.tensors["pixel_values"]) for each in ready])
        # Cloned, since a slice would keep all of them in memory.
        return [each.clone() for each in self.encode(pixels)]


INSTRUCTBLIP_PROMPTS = Prompts(
    question="Question: {text} Short answer:", entailment=ENTAILMENT_PROMPT, caption="A short image description:"
)
"""Templates of its training (Dai et al. 2023, appendix)."""

QFORMER_TOKENIZER = "qformer_tokenizer"
"""The subfolder of the Q-Former's tokenizer."""


class _Output(Protocol):
    last_hidden_state: torch.Tensor


class _InstructBlipModel(Blip2Model, Protocol):
    vision_model: Callable[..., _Output]
    qformer: Callable[..., _Output]
    language_projection: Callable[[torch.Tensor], torch.Tensor]


class InstructBlip(Blip2):
    """InstructBLIP with Vicuna or Flan-T5."""

    cls = "InstructBlipForConditionalGeneration"

    @property
    def prompts(self) -> Prompts:
        return INSTRUCTBLIP_PROMPTS

    def read_files(self, checkpoint: Checkpoint) -> None:
        super().read_files(checkpoint)
        qformer = self.config.qformer_config
        self._longest = int_setting(qformer, "max_position_embeddings")
        self._qformer_tokenizer = load_tokenizer(
            checkpoint, int_setting(qformer, "vocab_size"), subfolder=QFORMER_TOKENIZER
        )

    def encode(self, pixels: torch.Tensor) -> torch.Tensor:
        return cast(_InstructBlipModel, self.model).vision_model(pixel_values=pixels).last_hidden_state

    def query_tokens(self, prompts: Sequence[Prompt]) -> TextTokens:
        return tokenize([each.prompt for each in prompts], self._qformer_tokenizer, self._longest, self._runtime)

    def conditioned(self, encoded: torch.Tensor, query_tokens: TextTokens | None) -> torch.Tensor:
        import torch

        assert query_tokens is not None, "its Q-Former reads the prompts"
        model = cast(_InstructBlipModel, self.model)
        # Kept in 32 bits in a model of float16.
        queries = model.query_tokens.to(encoded.dtype).expand(len(encoded), -1, -1)
        found = model.qformer(
            input_ids=query_tokens.ids,
            attention_mask=torch.cat([query_tokens.attended.new_ones(queries.shape[:2]), query_tokens.attended], dim=1),
            query_embeds=queries,
            encoder_hidden_states=encoded,
            encoder_attention_mask=query_tokens.attended.new_ones(encoded.shape[:2]),
        ).last_hidden_state[:, : queries.shape[1]]
        return model.language_projection(found)
