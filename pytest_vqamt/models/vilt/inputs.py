"""What both heads of ViLT have in common: patches of pictures and tokens of texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.loading.files import digest_of
from pytest_vqamt.models.loading.pixels import load_image_processor
from pytest_vqamt.models.loading.places import Checkpoint
from pytest_vqamt.models.loading.runtime import Runtime
from pytest_vqamt.models.loading.words import load_tokenizer
from pytest_vqamt.models.made_ready import made_ready
from pytest_vqamt.models.picture_memory import PictureMemory
from pytest_vqamt.models.text_tokens import TextTokens, tokens_of
from pytest_vqamt.models.vilt.patches import Patches, embed, padded, pixels_of

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import ViltForImagesAndTextClassification, ViltForQuestionAnswering

VERSION = 1
"""Goes up when answers change for the same weights and packages."""

KEPT_PICTURES = 256
"""So many pictures' patches are kept: 0.6 MB each at the published size in 32 bits."""


class ViltInputs:
    """Turns inputs into what both heads are given."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        model: ViltForQuestionAnswering | ViltForImagesAndTextClassification,
        runtime: Runtime,
    ) -> None:
        """Raises ModelError where the tokenizer or the image processor is missing or of another model."""
        config = model.config
        self._folder = checkpoint.folder
        self._runtime = runtime
        self._tokenizer = load_tokenizer(checkpoint, config.vocab_size)
        self._processor = load_image_processor(checkpoint)
        self._embeddings = model.vilt.embeddings
        self._longest = config.max_position_embeddings
        self._memory: PictureMemory[torch.Tensor] = PictureMemory(KEPT_PICTURES)

    @property
    def fingerprint(self) -> str:
        """What answers are filed under."""
        return self._runtime.fingerprint("vilt", VERSION, digest_of(self._folder))

    def of(self, batch: Sequence[ModelInput]) -> tuple[Patches, TextTokens]:
        """One row of each for each input."""
        tokens = tokens_of([asked.text for asked in batch], self._tokenizer, self._longest, self._runtime.device)
        return padded(self._memory.of(batch, self._embed)), tokens

    def _embed(self, images: Sequence[Image]) -> list[torch.Tensor]:
        pixels = made_ready(images, partial(pixels_of, processor=self._processor), self._runtime)
        return embed([each.to(self._runtime.device) for each in pixels], self._embeddings)
