"""Checkpoints that read a picture in the place of a token that stands for it, which is most of them.

Each picture is encoded once for all that is said about it. How many tokens it takes is how many its encoding has, so
that no formula of a processor is needed, and nothing of torchvision, which the processors of several kinds want for
videos.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.classifier import check_step_scores
from pytest_vqamt.models.transformers.feature_cache import BatchPictures, PictureFeatureCache
from pytest_vqamt.models.transformers.inputs import load_image_processor, preprocess_images
from pytest_vqamt.models.transformers.prompted.base import (
    Completions,
    ImageFeatures,
    PretrainedModel,
    Prompt,
    int_setting,
    load_pretrained,
    load_pretrained_config,
)
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


class ImageTokenModel:
    """A checkpoint of the class ``cls`` of transformers. Kinds differ in the methods that say so."""

    cls = ""
    prompts = INSTRUCTION_PROMPTS

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads it, the small files first.

        Raises:
            ModelError: a file is missing, damaged, or of another model.
        """
        self.config = load_pretrained_config(checkpoint)
        self.tokenizer = load_prompt_tokenizer(checkpoint, self.config)
        self.pictures = self.reader(checkpoint, runtime)
        self.image_id = int_setting(self.config, "image_token_id")
        self.image_word = self._word(self.image_id, checkpoint)
        self.learn(checkpoint)
        self.model = load_pretrained(self.cls, checkpoint, runtime)
        self.encoder = PictureEncoder(self.pictures, self.model, runtime, self.parts)
        self._stopping = GreedyDecoding(self.model, self.tokenizer, checkpoint)
        self._runtime = runtime
        self._window = context_length(self.config)

    def learn(self, checkpoint: Checkpoint) -> None:
        """What else a kind reads of the checkpoint before its weights."""

    def reader(self, checkpoint: Checkpoint, runtime: Runtime) -> PicturePreprocessor:
        """What makes pictures ready for the encoder."""
        return PicturePreprocessor(checkpoint, runtime)

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

    def parts(self, _pixels: PicturePixels) -> int:
        """In how many parts a picture is encoded, where the encoder gives all in one tensor."""
        return 1

    def block(self, _told: PicturePixels, length: int) -> str:
        """What stands in place of the mark for a picture whose encoding has so many tokens."""
        return self.image_word * length

    def further(self, _tokens: Tokens, _told: Sequence[PicturePixels]) -> Mapping[str, torch.Tensor]:
        """What else the model needs to be told, of each prompt's picture."""
        return {}

    def ready(self, shown: Sequence[ModelInput], said: Sequence[Prompt], longest: int) -> Callable[[], Completions]:
        """How many tokens a picture takes is told by its encoding, or by that of another of its form."""
        self._check(said)
        pictures = self.encoder.memory.ready(shown)
        known = [self._length(pictures, name) for name in pictures.names]
        tokens = None
        if all(known):
            told = [(pictures.kept.get(name) or pictures.ready[name]).told for name in pictures.names]
            tokens = self._tokens(said, self._blocks(told, known, pictures.which), longest)
        return partial(self._speak, pictures, said, longest, known, tokens)

    def give_up(self) -> bool:
        return self.encoder.memory.give_up()

    def _speak(
        self,
        pictures: BatchPictures[PicturePixels, EncodedPicture],
        said: Sequence[Prompt],
        longest: int,
        known: Sequence[int],
        tokens: Tokens | None,
    ) -> Completions:
        seen = self.encoder.memory.of(pictures)
        of_each = dict(zip(pictures.which, seen, strict=True))
        distinct = [of_each[place] for place in range(len(pictures.names))]
        lengths = [each.length for each in distinct]
        if tokens is None or lengths != known:
            blocks = self._blocks([each.told for each in distinct], lengths, pictures.which)
            tokens = self._tokens(said, blocks, longest)
        tokens = tokens.on(self._runtime)
        generated = self.model.generate(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            mm_encoder_outputs={"image": self.encoder.together(seen)},
            generation_config=self._stopping.after(longest),
            logits_processor=[check_step_scores],
            **self.further(tokens, [each.told for each in seen]),
        )
        before = 1 if self.config.is_encoder_decoder else tokens.ids.shape[1]
        return Completions(texts=self._stopping.texts(generated[:, before:]), cut=tokens.cut)

    def _length(self, pictures: BatchPictures[PicturePixels, EncodedPicture], name: str) -> int:
        """How many tokens a picture takes; 0 where nobody knows yet."""
        kept = pictures.kept.get(name)
        return self.encoder.length(pictures.ready[name]) if kept is None else kept.length

    def _blocks(self, told: Sequence[PicturePixels], lengths: Sequence[int], which: Sequence[int]) -> list[str]:
        """What stands for the picture of each prompt."""
        blocks = [self.block(each, length) for each, length in zip(told, lengths, strict=True)]
        return [blocks[place] for place in which]

    def _check(self, said: Sequence[Prompt]) -> None:
        for each in said:
            if self.mark in each.prompt or self.image_word in each.prompt:
                raise DataError(
                    f"Expected a text without {self.image_word}, which stands for a picture to this model, but got "
                    f"text={shortened(each.prompt)}"
                )

    def _tokens(self, said: Sequence[Prompt], blocks: Sequence[str], longest: int) -> Tokens:
        room = self._window
        if room is not None and not self.config.is_encoder_decoder:
            room -= longest
        return tokenize_prompts(
            said,
            self.tokenizer,
            self._runtime,
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


_MAX_METADATA_NUMBERS = 16
"""A tensor of no more numbers than so many tells of a picture, such as its size."""


class _ImageProcessor(Protocol):
    def __call__(self, images: object, **settings: object) -> Mapping[str, object]: ...


@dataclass(frozen=True, slots=True, eq=False)
class PicturePixels:
    """What an encoder reads of a picture, or of some.

    Attributes:
        tensors: by the names that the model gives them, each with the pictures, or their parts, along its first axis.
        lists: what else is told of each picture.
    """

    tensors: Mapping[str, torch.Tensor]
    lists: Mapping[str, Sequence[object]]

    @classmethod
    def of(cls, found: Mapping[str, object]) -> PicturePixels:
        """What an image processor has made of a picture."""
        import torch

        return cls(
            {name: value for name, value in found.items() if isinstance(value, torch.Tensor)},
            {
                name: cast("Sequence[object]", value)
                for name, value in found.items()
                if not isinstance(value, torch.Tensor)
            },
        )

    @classmethod
    def together(cls, each: Sequence[PicturePixels]) -> PicturePixels:
        """What there is of several pictures; parts that some have fewer of are filled up with zeros."""
        first = each[0]
        return cls(
            {name: _concatenated([one.tensors[name] for one in each]) for name in first.tensors},
            {name: [told for one in each for told in one.lists[name]] for name in first.lists},
        )

    def ready(self, runtime: Runtime, dtype: torch.dtype) -> PicturePixels:
        """The same in the encoder's precision, where the device gets it without a wait."""
        rounded = {**self.tensors, "pixel_values": self.tensors["pixel_values"].to(dtype)}
        return PicturePixels({name: runtime.pinned(tensor) for name, tensor in rounded.items()}, self.lists)

    def here(self, runtime: Runtime, wanted: Container[str]) -> PicturePixels:
        """Those tensors that are wanted, on the device."""
        return PicturePixels(
            {name: runtime.here(tensor) for name, tensor in self.tensors.items() if name in wanted}, self.lists
        )

    @property
    def told(self) -> PicturePixels:
        """What it says of the picture rather than shows of it: how large it is, and in which parts it is seen."""
        return PicturePixels(
            {name: tensor.clone() for name, tensor in self.tensors.items() if tensor.numel() <= _MAX_METADATA_NUMBERS},
            self.lists,
        )

    @property
    def form(self) -> tuple[object, ...]:
        """Pictures of the same form are encoded in as many tokens."""
        return (
            *((name, *tensor.shape) for name, tensor in self.tensors.items()),
            *((name, *tensor.flatten().tolist()) for name, tensor in self.told.tensors.items()),
            repr(self.lists),
        )


class PicturePreprocessor:
    """Makes pictures ready for the encoder of one checkpoint."""

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, *, nested: bool = False, **settings: object) -> None:
        """Finds out how.

        Args:
            checkpoint: where the files are.
            runtime: where the encoder computes: on a CPU it needs the processor's cores for itself.
            nested: whether the image processor takes a list of pictures for each text.
            settings: what it is told beside the pictures.

        Raises:
            ModelError: the checkpoint does not say how.
        """
        self._process = cast(_ImageProcessor, load_image_processor(checkpoint))
        self._nested, self._settings = nested, settings
        self._runtime = runtime

    def each(self, images: Sequence[Image]) -> list[PicturePixels]:
        """What the encoder reads of each picture, RGB; float32 values of whatever range it was trained on."""
        return preprocess_images(images, self._one, self._runtime)

    def _one(self, image: Image) -> PicturePixels:
        found = self._process([[image]] if self._nested else [image], return_tensors="pt", **self._settings)
        return PicturePixels.of(found)


def _concatenated(parts: Sequence[torch.Tensor]) -> torch.Tensor:
    import torch

    sizes = [max(sizes) for sizes in zip(*(part.shape[1:] for part in parts), strict=True)]
    if all(list(part.shape[1:]) == sizes for part in parts):
        return torch.cat(list(parts))
    joined = parts[0].new_zeros((sum(len(part) for part in parts), *sizes))
    row = 0
    for part in parts:
        joined[(slice(row, row + len(part)), *(slice(size) for size in part.shape[1:]))] = part
        row += len(part)
    return joined


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EncodedPicture:
    """What the encoder makes of a picture.

    Attributes:
        encoding: (tokens, width), or (parts, tokens, width), on the device.
        layers: what Qwen3-VL adds to the picture's places further up, (tokens, width) each.
        told: what else is known of it.
    """

    encoding: torch.Tensor
    layers: tuple[torch.Tensor, ...]
    told: PicturePixels

    @property
    def length(self) -> int:
        """How many tokens it takes."""
        return self.encoding.shape[:-1].numel()

    @property
    def nbytes(self) -> int:
        return self.encoding.nbytes + sum(layer.nbytes for layer in self.layers)


class PictureEncoder:
    """Makes pictures ready, and has them encoded by the method ``get_image_features`` of a model.

    Attributes:
        memory: what it has made of the latest pictures.
    """

    def __init__(
        self,
        pictures: PicturePreprocessor,
        model: PretrainedModel,
        runtime: Runtime,
        parts: Callable[[PicturePixels], int],
    ) -> None:
        """Puts it together; ``parts`` says in how many parts a picture is encoded, where all are in one tensor."""
        self.memory: PictureFeatureCache[PicturePixels, EncodedPicture] = PictureFeatureCache(
            self._ready, self._encode, lambda seen: seen.nbytes
        )
        self._pictures = pictures
        self._model = model
        self._runtime = runtime
        self._parts = parts
        self._lengths: dict[tuple[object, ...], int] = {}
        self._form: Callable[[], ImageFeatures] | None = None
        self._in_one = False

    def length(self, pixels: PicturePixels) -> int:
        """How many tokens the picture will take, as others of its form did; 0 where none has been encoded yet."""
        return self._lengths.get(pixels.form, 0)

    def together(self, seen: Sequence[EncodedPicture]) -> ImageFeatures:
        """Encodings as the model has them of several pictures at once."""
        import torch

        assert self._form is not None, "what was seen has been encoded"
        chosen = [each.encoding for each in seen]
        encoded = self._form()
        encoded.pooler_output = torch.cat(chosen) if self._in_one else chosen
        if seen[0].layers:
            layers = zip(*(each.layers for each in seen), strict=True)
            encoded.deepstack_features = [list(layer) for layer in layers]  # type: ignore[attr-defined]  # of one kind
        return encoded

    def _ready(self, images: Sequence[Image]) -> list[PicturePixels]:
        return [each.ready(self._runtime, self._model.dtype) for each in self._pictures.each(images)]

    def _encode(self, ready: Sequence[PicturePixels]) -> list[EncodedPicture]:
        import torch

        wanted = inspect.signature(self._model.get_image_features).parameters
        pixels = PicturePixels.together([each.here(self._runtime, wanted) for each in ready])
        encoded = self._model.get_image_features(**pixels.tensors)
        found = encoded.pooler_output
        self._form, self._in_one = type(encoded), isinstance(found, torch.Tensor)
        if isinstance(found, torch.Tensor):
            found = cast("Sequence[torch.Tensor]", torch.split(found, [self._parts(each) for each in ready]))
        layers: Sequence[Sequence[torch.Tensor]] = getattr(encoded, "deepstack_features", None) or ()
        # Cloned, since a slice would keep all of them in memory.
        seen = [
            EncodedPicture(encoding=each.clone(), layers=tuple(layer[place].clone() for layer in layers), told=one.told)
            for place, (one, each) in enumerate(zip(ready, found, strict=True))
        ]
        self._lengths.update((one.form, each.length) for one, each in zip(ready, seen, strict=True))
        return seen
