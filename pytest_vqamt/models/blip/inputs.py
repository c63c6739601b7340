"""What all heads of BLIP have in common: features of pictures, tokens of texts, and texts of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer
from pytest_vqamt.models.loading.alone import alone
from pytest_vqamt.models.loading.files import digest_of
from pytest_vqamt.models.loading.words import load_tokenizer
from pytest_vqamt.models.made_ready import made_ready
from pytest_vqamt.models.text_tokens import TextTokens, tokens_of
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.feature_cache import PictureMemory, Shown
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import BlipConfig, BlipTextConfig, BlipVisionConfig, BlipVisionModel


VERSION = 1
"""Goes up when answers change for the same weights and packages."""

BlipShown: TypeAlias = "Shown[torch.Tensor, torch.Tensor]"
"""The pictures of a batch: pixels (1, 3, side, side), and what the tower makes of them, (patches + 1, width)."""


class BlipInputs:
    """Turns inputs into what BLIP's language model is given, and its tokens into answers."""

    def __init__(self, checkpoint: Checkpoint, tower: BlipVisionModel, config: BlipConfig, runtime: Runtime) -> None:
        """Raises ModelError where the tokenizer or the image processor is missing or of another model."""
        self._folder = checkpoint.folder
        self._tower = tower
        self._runtime = runtime
        # Declared as whatever a configuration may be made from.
        self._text = cast("BlipTextConfig", config.text_config)
        vision = cast("BlipVisionConfig", config.vision_config)
        self._tokenizer = load_tokenizer(checkpoint, self._text.vocab_size)
        self._processor = load_image_processor(checkpoint)
        self.memory: PictureMemory[torch.Tensor, torch.Tensor] = PictureMemory(
            self._made_ready, self._encode, lambda features: features.nbytes
        )
        _check_size(checkpoint, getattr(self._processor, "size", None), vision.image_size)

    def fingerprint(self, *settings: str) -> str:
        """What answers are filed under."""
        return self._runtime.fingerprint("blip", VERSION, digest_of(self._folder), *settings)

    def features(self, shown: BlipShown) -> torch.Tensor:
        """What the vision tower makes of each input's picture: (inputs, patches + 1, width)."""
        import torch

        return torch.stack(self.memory.of(shown))

    def tokens(self, texts: Sequence[str]) -> TextTokens:
        """Not on the device yet."""
        return tokens_of(texts, self._tokenizer, self._text.max_position_embeddings, self._runtime)

    def begun(self, rows: int, prompt: str = "") -> torch.Tensor:
        """How each of so many texts to be generated begins: int64 (rows, 1 + the prompt's tokens)."""
        import torch

        with alone(self._tokenizer):
            prompted = self._tokenizer(prompt, add_special_tokens=False)["input_ids"] if prompt else []
        return torch.tensor([[self._text.bos_token_id, *prompted]] * rows, device=self._runtime.device)

    def answers(self, said: torch.Tensor, cut: Sequence[bool]) -> tuple[Answer, ...]:
        """Generated tokens, int64 (inputs, tokens), as text."""
        with alone(self._tokenizer):
            texts = self._tokenizer.batch_decode(said, skip_special_tokens=True)
        # A piece that goes on a word is written "##ing" where it comes first.
        return tuple(
            Answer(text.strip().removeprefix("##"), None, truncated) for text, truncated in zip(texts, cut, strict=True)
        )

    def _made_ready(self, images: Sequence[Image]) -> list[torch.Tensor]:
        """In the tower's precision: 0.9 or 1.8 MB a picture at the published size."""
        return [
            self._runtime.pinned(pixels.to(self._tower.dtype))
            for pixels in made_ready(images, self._pixels, self._runtime)
        ]

    def _encode(self, ready: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        import torch

        pixels = torch.cat([self._runtime.here(each) for each in ready])
        features = self._tower(pixel_values=pixels).last_hidden_state
        # Cloned, since a slice would keep all of them in memory.
        return [each.clone() for each in features]

    def _pixels(self, image: Image) -> torch.Tensor:
        """float32 (1, 3, side, side), RGB, normalized."""
        return cast("torch.Tensor", self._processor(image, return_tensors="pt")["pixel_values"])


def _check_size(checkpoint: Checkpoint, resized: object, wanted: object) -> None:
    """Holds the size that pictures are resized to against the one that the vision tower takes.

    Raises:
        ModelError: they differ.
    """
    sizes = tuple(getattr(resized, side, None) for side in ("height", "width"))
    if sizes != (wanted, wanted):
        raise ModelError(
            f"Expected the image processor in {checkpoint.folder} to resize pictures to {wanted} x {wanted}, which the "
            f"model's vision tower takes, but got size={resized!r}: it belongs to another checkpoint"
        )
