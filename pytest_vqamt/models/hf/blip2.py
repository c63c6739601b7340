"""BLIP-2: the few vectors that a Q-Former takes from a picture come before the words.

The language model is asked directly, by vectors, so that what it returns is its answer alone, and each distinct picture
is encoded once: in the smaller checkpoints that is most of the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.models.finite_scores import check_step
from pytest_vqamt.models.hf.family import Heard, Model, Said, load_config, load_model
from pytest_vqamt.models.hf.pictures import Pictures
from pytest_vqamt.models.hf.reading import load_words, read, window_of
from pytest_vqamt.models.hf.stopping import Stopping
from pytest_vqamt.models.loading.places import Checkpoint
from pytest_vqamt.models.loading.runtime import Runtime
from pytest_vqamt.models.prompts import INSTRUCTED, Prompts

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image

ENTAILMENT = f"Question: {INSTRUCTED.entailment} Answer:"

CONTINUING = Prompts(question="Question: {text} Answer:", entailment=ENTAILMENT, caption="a photo of")
"""For OPT, which goes on with a text (Li et al. 2023, section 4.1)."""

INSTRUCTABLE = Prompts(question="Question: {text} Short answer:", entailment=ENTAILMENT, caption="a photo of")
"""For Flan-T5, which follows instructions (the same place)."""


class Blip2Model(Model, Protocol):
    """What is used of the model class beside what all have."""

    language_model: Model


class Blip2:
    """BLIP-2 with OPT or Flan-T5."""

    cls = "Blip2ForConditionalGeneration"

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads it, the small files first.

        Raises:
            ModelError: a file is missing, damaged, or of another model.
        """
        self.config = load_config(checkpoint)
        self.tokenizer = load_words(checkpoint, self.config)
        self.pictures = Pictures(checkpoint, runtime)
        self.prepare(checkpoint)
        self.model = cast(Blip2Model, load_model(self.cls, checkpoint, runtime))
        self.device = runtime.device
        self._stopping = Stopping(self.model.language_model, self.tokenizer, checkpoint, self.model)

    def prepare(self, checkpoint: Checkpoint) -> None:
        """What else a kind reads of the checkpoint before its weights."""

    @property
    def prompts(self) -> Prompts:
        """How the tasks are put to its language model."""
        return CONTINUING if self.goes_on else INSTRUCTABLE

    @property
    def goes_on(self) -> bool:
        """Whether its language model goes on with a text, rather than reading one and then answering."""
        return not self.config.get_text_config().is_encoder_decoder

    def seen(
        self, pixels: torch.Tensor, which: Sequence[int], _said: Sequence[Said]
    ) -> tuple[torch.Tensor, Sequence[bool]]:
        """What the language model sees of the picture of each prompt (prompts, vectors, width), and what was cut.

        Args:
            pixels: of the distinct pictures, as the encoder reads them.
            which: for each prompt, which of them it is about.
        """
        found = cast("torch.Tensor", self.model.get_image_features(pixel_values=pixels).pooler_output)
        return found[list(which)], [False] * len(which)

    def speak(self, images: Sequence[Image], which: Sequence[int], said: Sequence[Said], longest: int) -> Heard:
        import torch

        pixels = self.pictures.read(images).tensors["pixel_values"]
        seen, cut = self.seen(pixels.to(self.device, self.model.dtype), which, said)
        room = window_of(self.config)
        if room is not None:
            room -= seen.shape[1] + (longest if self.goes_on else 0)
        tokens = read(said, self.tokenizer, self.device, before=self.goes_on, room=room)
        words = self.model.get_input_embeddings()(tokens.ids)
        generated = self.model.language_model.generate(
            inputs_embeds=torch.cat([seen.to(words.dtype), words], dim=1),
            attention_mask=torch.cat([tokens.attended.new_ones(seen.shape[:2]), tokens.attended], dim=1),
            generation_config=self._stopping.after(longest),
            logits_processor=[check_step],
        )
        return Heard(
            texts=self._stopping.texts(generated if self.goes_on else generated[:, 1:]),
            cut=tuple(one or other for one, other in zip(tokens.cut, cut, strict=True)),
        )
