"""What both heads of ViLT have in common: patches of pictures and tokens of texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.loading.files import digest_of
from pytest_vqamt.models.loading.words import load_tokenizer
from pytest_vqamt.models.made_ready import made_ready
from pytest_vqamt.models.text_tokens import TextTokens, tokens_of
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.feature_cache import PictureMemory, Shown
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.runtime import Runtime
from pytest_vqamt.models.transformers.vilt_patches import Patches, embed, padded, pixels_of

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import ViltForImagesAndTextClassification, ViltForQuestionAnswering


VERSION = 1
"""Goes up when answers change for the same weights and packages."""

ViltShown: TypeAlias = "Shown[torch.Tensor, torch.Tensor]"
"""The pictures of a batch: pixels (3, height, width), and what is made of them, (1 + patches, width)."""


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
        self.memory: PictureMemory[torch.Tensor, torch.Tensor] = PictureMemory(
            self._made_ready, self._embed, lambda patches: patches.nbytes
        )

    @property
    def fingerprint(self) -> str:
        """What answers are filed under."""
        return self._runtime.fingerprint("vilt", VERSION, digest_of(self._folder))

    def ready(self, batch: Sequence[ModelInput]) -> tuple[ViltShown, TextTokens]:
        """New pictures resized, and the tokens of the texts; nothing is on the device yet."""
        tokens = tokens_of([asked.text for asked in batch], self._tokenizer, self._longest, self._runtime)
        return self.memory.ready(batch), tokens

    def of(self, shown: ViltShown, texts: TextTokens) -> tuple[Patches, TextTokens]:
        """One row of each for each input."""
        return padded(self.memory.of(shown)), texts.on(self._runtime)

    def _made_ready(self, images: Sequence[Image]) -> list[torch.Tensor]:
        """In 32 bits, as the patches are cut: 2.8 MB a picture at the published size."""
        pixels = made_ready(images, partial(pixels_of, processor=self._processor), self._runtime)
        return [self._runtime.pinned(each) for each in pixels]

    def _embed(self, ready: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return embed([self._runtime.here(each) for each in ready], self._embeddings)
