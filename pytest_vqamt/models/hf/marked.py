"""Checkpoints that read a picture in the place of a token that stands for it, which is most of them.

Each distinct picture of a batch is encoded once. How many tokens it takes is how many its encoding has, so that no
formula of a processor is needed, and nothing of torchvision, which the processors of several kinds want for videos.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from reprlib import repr as shortened
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.models.finite_scores import check_step
from pytest_vqamt.models.hf.family import (
    Encoded,
    Heard,
    Said,
    load_config,
    load_model,
    setting,
)
from pytest_vqamt.models.hf.pictures import Pictures, Pixels
from pytest_vqamt.models.hf.reading import Tokens, load_words, read, window_of
from pytest_vqamt.models.hf.stopping import Stopping
from pytest_vqamt.models.loading.places import Checkpoint
from pytest_vqamt.models.loading.runtime import Runtime
from pytest_vqamt.models.prompts import INSTRUCTED

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


class Marked:
    """A checkpoint of the class ``cls`` of transformers. Kinds differ in the methods that say so."""

    cls = ""
    prompts = INSTRUCTED

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads it, the small files first.

        Raises:
            ModelError: a file is missing, damaged, or of another model.
        """
        self.config = load_config(checkpoint)
        self.tokenizer = load_words(checkpoint, self.config)
        self.pictures = self.reader(checkpoint, runtime)
        self.image_id = setting(self.config, "image_token_id")
        self.image_word = self._word(self.image_id, checkpoint)
        self.prepare(checkpoint)
        self.model = load_model(self.cls, checkpoint, runtime)
        self._stopping = Stopping(self.model, self.tokenizer, checkpoint)
        self._device = runtime.device
        self._window = window_of(self.config)

    def prepare(self, checkpoint: Checkpoint) -> None:
        """What else a kind reads of the checkpoint before its weights."""

    def reader(self, checkpoint: Checkpoint, runtime: Runtime) -> Pictures:
        """What makes pictures ready for the encoder."""
        return Pictures(checkpoint, runtime)

    @property
    def mark(self) -> str:
        """What stands for the picture in a prompt."""
        return self.image_word

    @property
    def special(self) -> bool:
        """Whether the tokenizer is to add the tokens that begin and end a text."""
        return True

    def prompt(self, text: str) -> str:
        """All that the model reads, with one mark for the picture."""
        raise NotImplementedError

    def parts(self, _pixels: Pixels) -> int | list[int]:
        """How many parts of it each picture is encoded in, where the encoder gives all in one tensor."""
        return 1

    def block(self, _pixels: Pixels, _place: int, length: int) -> str:
        """What stands in place of the mark for the picture at a place, whose encoding has so many tokens."""
        return self.image_word * length

    def further(self, _tokens: Tokens, _pixels: Pixels, _which: Sequence[int]) -> Mapping[str, torch.Tensor]:
        """What else the model needs to be told."""
        return {}

    def speak(self, images: Sequence[Image], which: Sequence[int], said: Sequence[Said], longest: int) -> Heard:
        pixels = self.pictures.read(images)
        encoded = self._encoded(pixels)
        encodings = self._encodings(encoded, pixels)
        blocks = [self.block(pixels, place, each.shape[:-1].numel()) for place, each in enumerate(encodings)]
        tokens = self._tokens(said, [blocks[place] for place in which], longest)
        repeat(encoded, encodings, which)
        generated = self.model.generate(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            mm_encoder_outputs={"image": encoded},
            generation_config=self._stopping.after(longest),
            logits_processor=[check_step],
            **self.further(tokens, pixels, which),
        )
        before = 1 if self.config.is_encoder_decoder else tokens.ids.shape[1]
        return Heard(texts=self._stopping.texts(generated[:, before:]), cut=tokens.cut)

    def _encoded(self, pixels: Pixels) -> Encoded:
        wanted = inspect.signature(self.model.get_image_features).parameters
        given = {name: value.to(self._device) for name, value in pixels.tensors.items() if name in wanted}
        given["pixel_values"] = given["pixel_values"].to(self.model.dtype)
        return self.model.get_image_features(**given)

    def _encodings(self, encoded: Encoded, pixels: Pixels) -> Sequence[torch.Tensor]:
        import torch

        found = encoded.pooler_output
        if not isinstance(found, torch.Tensor):
            return found
        return cast("Sequence[torch.Tensor]", torch.split(found, self.parts(pixels)))

    def _tokens(self, said: Sequence[Said], blocks: Sequence[str], longest: int) -> Tokens:
        for each in said:
            if self.mark in each.prompt or self.image_word in each.prompt:
                raise DataError(
                    f"Expected a text without {self.image_word}, which stands for a picture to this model, but got "
                    f"text={shortened(each.prompt)}"
                )
        room = self._window
        if room is not None and not self.config.is_encoder_decoder:
            room -= longest
        return read(
            said,
            self.tokenizer,
            self._device,
            written=lambda place, prompt: self.prompt(prompt).replace(self.mark, blocks[place]),
            special=self.special,
            before=not self.config.is_encoder_decoder,
            room=room,
        )

    def _word(self, number: int, checkpoint: Checkpoint) -> str:
        """The token of a number that config.json gives.

        Raises:
            ModelError: there is no such token, or it is one that may come up in a text.
        """
        added = self.tokenizer.added_tokens_decoder.get(number)
        if added is None:
            raise ModelError(
                f"Expected the tokenizer in {checkpoint.folder} to know the token that stands for a picture, number "
                f"{number} in config.json, but it has {self.tokenizer.convert_ids_to_tokens(number)!r} there, which is "
                "a word or nothing: its files are incomplete (tokenizer.json, added_tokens.json) or of another model"
            )
        return str(added.content)


def repeat(encoded: Encoded, encodings: Sequence[torch.Tensor], which: Sequence[int]) -> None:
    """Puts into ``encoded`` the encoding of each prompt's picture, in place of one of each distinct picture."""
    import torch

    chosen = [encodings[place] for place in which]
    encoded.pooler_output = torch.cat(chosen) if isinstance(encoded.pooler_output, torch.Tensor) else chosen
    layers: Sequence[Sequence[torch.Tensor]] | None = getattr(encoded, "deepstack_features", None)
    if layers is not None:  # what Qwen3-VL adds to the pictures' places further up
        encoded.deepstack_features = [[layer[place] for place in which] for layer in layers]  # type: ignore[attr-defined]
