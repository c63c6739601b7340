"""InstructBLIP: a BLIP-2 whose Q-Former reads the question too, with a tokenizer of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.models.loading.words import load_tokenizer
from pytest_vqamt.models.prompts import Prompts
from pytest_vqamt.models.text_tokens import TextTokens, tokens_of
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.prompted.base import Said, setting
from pytest_vqamt.models.transformers.prompted.q_former import ENTAILMENT, Blip2, Blip2Model

if TYPE_CHECKING:
    import torch


PROMPTS = Prompts(
    question="Question: {text} Short answer:", entailment=ENTAILMENT, caption="A short image description:"
)
"""Templates of its training (Dai et al. 2023, appendix)."""

QFORMER_TOKENIZER = "qformer_tokenizer"
"""The folder of the Q-Former's tokenizer, in that of the checkpoint."""


class _Output(Protocol):
    last_hidden_state: torch.Tensor


class _InstructBlip(Blip2Model, Protocol):
    vision_model: Callable[..., _Output]
    qformer: Callable[..., _Output]
    language_projection: Callable[[torch.Tensor], torch.Tensor]


class InstructBlip(Blip2):
    """InstructBLIP with Vicuna or Flan-T5."""

    cls = "InstructBlipForConditionalGeneration"

    @property
    def prompts(self) -> Prompts:
        return PROMPTS

    def learn(self, checkpoint: Checkpoint) -> None:
        qformer = self.config.qformer_config
        self._longest = setting(qformer, "max_position_embeddings")
        self._qformer_tokenizer = load_tokenizer(
            checkpoint, setting(qformer, "vocab_size"), subfolder=QFORMER_TOKENIZER
        )

    def encode(self, pixels: torch.Tensor) -> torch.Tensor:
        return cast(_InstructBlip, self.model).vision_model(pixel_values=pixels).last_hidden_state

    def asking(self, said: Sequence[Said]) -> TextTokens:
        return tokens_of([each.prompt for each in said], self._qformer_tokenizer, self._longest, self.runtime)

    def seen(self, encoded: torch.Tensor, asking: TextTokens | None) -> torch.Tensor:
        import torch

        assert asking is not None, "its Q-Former reads the prompts"
        model = cast(_InstructBlip, self.model)
        # Kept in 32 bits in a model of float16.
        queries = model.query_tokens.to(encoded.dtype).expand(len(encoded), -1, -1)
        found = model.qformer(
            input_ids=asking.ids,
            attention_mask=torch.cat([asking.attended.new_ones(queries.shape[:2]), asking.attended], dim=1),
            query_embeds=queries,
            encoder_hidden_states=encoded,
            encoder_attention_mask=asking.attended.new_ones(encoded.shape[:2]),
        ).last_hidden_state[:, : queries.shape[1]]
        return model.language_projection(found)
