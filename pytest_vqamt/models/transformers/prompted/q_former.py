"""BLIP-2: the few vectors that a Q-Former takes from a picture come before the words.

The language model is asked directly, by vectors, so that what it returns is its answer alone, and each picture is
encoded once: in the smaller checkpoints that is most of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.classifier import check_step_scores
from pytest_vqamt.models.transformers.feature_cache import BatchPictures, PictureFeatureCache
from pytest_vqamt.models.transformers.inputs import TextTokens, load_tokenizer, tokenize
from pytest_vqamt.models.transformers.prompted.base import (
    Completions,
    PretrainedModel,
    Prompt,
    int_setting,
    load_pretrained,
    load_pretrained_config,
)
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
    from PIL.Image import Image


ENTAILMENT_PROMPT = f"Question: {INSTRUCTION_PROMPTS.entailment} Answer:"

OPT_PROMPTS = Prompts(question="Question: {text} Answer:", entailment=ENTAILMENT_PROMPT, caption="a photo of")
"""For OPT, which goes on with a text (Li et al. 2023, section 4.1)."""

FLAN_T5_PROMPTS = Prompts(question="Question: {text} Short answer:", entailment=ENTAILMENT_PROMPT, caption="a photo of")
"""For Flan-T5, which follows instructions (the same place)."""


class Blip2Model(PretrainedModel, Protocol):
    """What is used of the model class beside what all have."""

    language_model: PretrainedModel
    query_tokens: torch.Tensor


class Blip2:
    """BLIP-2 with OPT or Flan-T5."""

    cls = "Blip2ForConditionalGeneration"

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads it, the small files first.

        Raises:
            ModelError: a file is missing, damaged, or of another model.
        """
        self.config = load_pretrained_config(checkpoint)
        self.tokenizer = load_prompt_tokenizer(checkpoint, self.config)
        self.pictures = PicturePreprocessor(checkpoint, runtime)
        self.learn(checkpoint)
        self.model = cast(Blip2Model, load_pretrained(self.cls, checkpoint, runtime))
        self.runtime = runtime
        self.memory: PictureFeatureCache[PicturePixels, torch.Tensor] = PictureFeatureCache(
            self._ready_pixels, self._encoded, lambda made: made.nbytes
        )
        self._stopping = GreedyDecoding(self.model.language_model, self.tokenizer, checkpoint, self.model)

    def learn(self, checkpoint: Checkpoint) -> None:
        """What else a kind reads of the checkpoint before its weights."""

    @property
    def prompts(self) -> Prompts:
        """How the tasks are put to its language model."""
        return OPT_PROMPTS if self.goes_on else FLAN_T5_PROMPTS

    @property
    def goes_on(self) -> bool:
        """Whether its language model goes on with a text, rather than reading one and then answering."""
        return not self.config.get_text_config().is_encoder_decoder

    def encode(self, pixels: torch.Tensor) -> torch.Tensor:
        """What is made of pictures whatever is said about them, along the first axis."""
        return cast("torch.Tensor", self.model.get_image_features(pixel_values=pixels).pooler_output)

    def asking(self, _said: Sequence[Prompt]) -> TextTokens | None:
        """The prompts as what looks at the picture reads them, where it does."""
        return None

    def seen(self, encoded: torch.Tensor, _asking: TextTokens | None) -> torch.Tensor:
        """What the language model sees of each prompt's picture, whose encoding is given: (prompts, vectors, width)."""
        return encoded

    def ready(self, shown: Sequence[ModelInput], said: Sequence[Prompt], longest: int) -> Callable[[], Completions]:
        asking = self.asking(said)
        room = context_length(self.config)
        if room is not None:
            room -= self.model.query_tokens.shape[1] + (longest if self.goes_on else 0)
        tokens = tokenize_prompts(said, self.tokenizer, self.runtime, before=self.goes_on, room=room)
        return partial(self._speak, self.memory.ready(shown), asking, tokens, longest)

    def give_up(self) -> bool:
        return self.memory.give_up()

    def _speak(
        self, shown: BatchPictures[PicturePixels, torch.Tensor], asking: TextTokens | None, read: Tokens, longest: int
    ) -> Completions:
        import torch

        tokens = read.on(self.runtime)
        seen = self.seen(torch.stack(self.memory.of(shown)), asking and asking.on(self.runtime))
        words = self.model.get_input_embeddings()(tokens.ids)
        generated = self.model.language_model.generate(
            inputs_embeds=torch.cat([seen.to(words.dtype), words], dim=1),
            attention_mask=torch.cat([tokens.attended.new_ones(seen.shape[:2]), tokens.attended], dim=1),
            generation_config=self._stopping.after(longest),
            logits_processor=[check_step_scores],
        )
        cut = asking.cut if asking else (False,) * len(tokens.cut)
        return Completions(
            texts=self._stopping.texts(generated if self.goes_on else generated[:, 1:]),
            cut=tuple(one or other for one, other in zip(tokens.cut, cut, strict=True)),
        )

    def _ready_pixels(self, images: Sequence[Image]) -> list[PicturePixels]:
        return [each.ready(self.runtime, self.model.dtype) for each in self.pictures.each(images)]

    def _encoded(self, ready: Sequence[PicturePixels]) -> list[torch.Tensor]:
        import torch

        pixels = torch.cat([self.runtime.here(each.tensors["pixel_values"]) for each in ready])
        # Cloned, since a slice would keep all of them in memory.
        return [each.clone() for each in self.encode(pixels)]


INSTRUCTBLIP_PROMPTS = Prompts(
    question="Question: {text} Short answer:", entailment=ENTAILMENT_PROMPT, caption="A short image description:"
)
"""Templates of its training (Dai et al. 2023, appendix)."""

QFORMER_TOKENIZER = "qformer_tokenizer"
"""The folder of the Q-Former's tokenizer, in that of the checkpoint."""


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

    def learn(self, checkpoint: Checkpoint) -> None:
        qformer = self.config.qformer_config
        self._longest = int_setting(qformer, "max_position_embeddings")
        self._qformer_tokenizer = load_tokenizer(
            checkpoint, int_setting(qformer, "vocab_size"), subfolder=QFORMER_TOKENIZER
        )

    def encode(self, pixels: torch.Tensor) -> torch.Tensor:
        return cast(_InstructBlipModel, self.model).vision_model(pixel_values=pixels).last_hidden_state

    def asking(self, said: Sequence[Prompt]) -> TextTokens:
        return tokenize([each.prompt for each in said], self._qformer_tokenizer, self._longest, self.runtime)

    def seen(self, encoded: torch.Tensor, asking: TextTokens | None) -> torch.Tensor:
        import torch

        assert asking is not None, "its Q-Former reads the prompts"
        model = cast(_InstructBlipModel, self.model)
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
