"""Checkpoints that read a picture in place of an image token, which is most of them.

Each picture is encoded once for all its prompts. Its number of tokens is that of its encoding, so no processor's
formula is needed, nor torchvision, which several processors require for videos.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.chat_settings import ChatSettings
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.inputs import (
    PICTURE_SHARE,
    BatchPictures,
    PictureFeatureCache,
    ShownPictures,
    TextTokens,
    load_image_processor,
    preprocess_images,
)
from pytest_vqamt.models.transformers.prompted.family import (
    CheckpointFamily,
    ImageFeatures,
    OtherPromptError,
    PretrainedModel,
    Processor,
    int_setting,
    load_processor,
    named_processor,
    trial_picture,
    usual_processor,
)
from pytest_vqamt.models.transformers.prompted.prompt_text import (
    Completions,
    Prompt,
    tokenize_prompts,
)
from pytest_vqamt.models.transformers.prompted.shared_prefix import (
    PrefixCache,
    SharedPrefix,
    is_shareable,
    repeated,
    shared_prefix,
)
from pytest_vqamt.models.transformers.runtime import Runtime, quiet

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import DynamicCache


_PREFIX_SHARE = 0.3
"""Of the memory that a device has left: the beginnings of prompts take most, and save most."""

_MAX_METADATA_NUMBERS = 16
"""A tensor of at most so many numbers is metadata, such as the picture's size."""


class ImageTokenModel(CheckpointFamily, ABC):
    """A checkpoint that reads pictures in place of image tokens."""

    spreads = True

    processor_name = ""
    """The class of transformers whose prompts this family writes; "" for the usual one of the model type."""

    prefix_is_causal = True
    """True if no token before the question depends on it, as where a prompt is read in both directions."""

    encoder_inputs: tuple[str, ...] = ()
    """Arguments of ``get_image_features`` that its signature does not name, such as Pixtral's ``image_sizes``."""

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, chat: ChatSettings | None = None) -> None:
        super().__init__(checkpoint, runtime, chat)
        self.encoder = PictureEncoder(self.pictures, self.model, runtime, self.parts, self.encoder_inputs)
        self._shares_prefix = self.prefix_is_causal and is_shareable(self.config, self.model.generation_config)
        self._prefixes = PrefixCache(runtime.cache_bytes(_PREFIX_SHARE))
        self.caches = (self.encoder.cache, self._prefixes)

    def read_files(self, checkpoint: Checkpoint) -> None:
        self.pictures = self.picture_preprocessor(checkpoint, self._runtime)
        self.image_id = int_setting(self.config, "image_token_id")
        self.image_token = self._word(self.image_id, checkpoint)

    def picture_preprocessor(self, checkpoint: Checkpoint, runtime: Runtime) -> PicturePreprocessor:
        return PicturePreprocessor(checkpoint, runtime)

    def check_prompt(self, checkpoint: Checkpoint) -> None:
        try:
            processor = load_processor(checkpoint, self.config, self.tokenizer)
        except ModelError as error:
            # An unusual class may write other prompts, and cannot be compared here.
            named, usual = named_processor(checkpoint), self.processor_name or usual_processor(self.config)
            if named not in ("", usual):
                raise OtherPromptError(
                    f"Expected a checkpoint of model_type={self.config.model_type!r} with a {usual}, but got one with "
                    f"a {named}, which cannot be made to compare their prompts"
                ) from error
            return  # it needs a package that is not installed, and that nothing here needs
        # The tokens of one trial prompt must be those of the checkpoint's own processor: with others the model answers,
        # but worse.
        if found := self.compare_prompts(processor):
            ours, theirs = map(self.tokenizer.decode, found)
            raise OtherPromptError(
                f"Expected a checkpoint whose prompts are those of model_type={self.config.model_type!r}, but its own "
                f"processor in {checkpoint.folder} writes {shortened(theirs)} in place of {shortened(ours)}"
            )

    def compare_prompts(self, processor: Processor) -> tuple[list[int], list[int]] | None:
        """The tokens of a trial prompt here and from the checkpoint's own processor, where they differ; else None."""
        return self.differing(processor, Prompt(prompt="what?"))

    def differing(self, processor: Processor, prompt: Prompt) -> tuple[list[int], list[int]] | None:
        """The tokens of ``prompt`` here and from ``processor``, where they differ and it takes such a prompt."""
        image, count = trial_picture(), self.prompt(prompt).count(self.image_marker)
        try:
            with quiet():
                found = processor(
                    text=[self.processor_text(prompt)],
                    images=[[image] * count],
                    add_special_tokens=self.adds_special_tokens,
                    return_tensors="pt",
                )
        except Exception:  # it wants something of its own, and is not needed
            return None
        theirs: list[int] = found["input_ids"][0].tolist()
        (pixels,) = self.pictures.each([image])
        # The length is theirs: how many tokens a picture has is only known once it is encoded.
        block = self.image_text(pixels.metadata, theirs.count(self.image_id) // count)
        whole = self._with_blocks(prompt, [block] * count)
        ours = self.tokenizer(whole, add_special_tokens=self.adds_special_tokens)["input_ids"]
        return None if ours == theirs else (ours, theirs)

    def processor_text(self, prompt: Prompt) -> str:
        """The text that a user would pass to the checkpoint's own processor for this prompt."""
        return prompt.prompt

    @property
    def image_marker(self) -> str:
        """The text in a prompt that the tokens of the picture replace."""
        return self.image_token

    @property
    def adds_special_tokens(self) -> bool:
        """True if the tokenizer adds the tokens that begin and end a text."""
        return True

    @abstractmethod
    def prompt(self, prompt: Prompt) -> str:
        """The whole text for the model, with an image marker for each picture."""

    def parts(self, _pixels: PicturePixels) -> int:
        """The number of parts (tiles) that a picture is encoded in, where the encoder returns one tensor."""
        return 1

    def image_text(self, _metadata: PicturePixels, length: int) -> str:
        """The text that replaces the image marker, for a picture of ``length`` tokens."""
        return self.image_token * length

    def extra_inputs(self, _tokens: TextTokens, _metadata: Sequence[PicturePixels]) -> Mapping[str, torch.Tensor]:
        """Further inputs of the model."""
        return {}

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        """Preprocesses the pictures, and tokenizes if the token counts of pictures of their shapes are known."""
        self._check(prompts)
        pictures = self.encoder.cache.preprocess(inputs)
        # A picture of a shape that was encoded before has as many tokens, so tokenizing need not wait for the device.
        known = [self._length(pictures, name) for name in pictures.names]
        tokens = None
        if all(known):
            metadata = [(pictures.cached.get(name) or pictures.preprocessed[name]).metadata for name in pictures.names]
            tokens = self._tokens(prompts, self._blocks(metadata, known, pictures.shown), max_tokens)
        return partial(self._generate, pictures, prompts, max_tokens, known, tokens)

    def _generate(
        self,
        pictures: BatchPictures[PicturePixels, EncodedPicture],
        prompts: Sequence[Prompt],
        max_tokens: int,
        known: Sequence[int],
        tokens: TextTokens | None,
    ) -> Completions:
        encoded_pictures = self.encoder.cache.encoded(pictures)
        of_each = dict(zip(pictures.which, encoded_pictures, strict=True))
        distinct = [of_each[place] for place in range(len(pictures.names))]
        lengths = [each.length for each in distinct]
        # Of a new shape, or of one whose encoding had another length after all.
        if tokens is None or lengths != known:
            blocks = self._blocks([each.metadata for each in distinct], lengths, pictures.shown)
            tokens = self._tokens(prompts, blocks, max_tokens)
        if self._shares_prefix:
            beginnings, which = self._beginnings(prompts, pictures.shown)
            if shared := shared_prefix(tokens, which, self.image_id):
                names = [" ".join(pictures.names[place] for place in each) for each in beginnings]
                shown = [[distinct[place] for place in each] for each in beginnings]
                return self._generate_behind(shared, names, shown, max_tokens)
        tokens = tokens.on(self._runtime)
        return self.complete(
            max_tokens,
            tokens.cut,
            prompt_tokens=tokens.ids.shape[1] if self.repeats_prompt else 1,
            **self._inputs(tokens, encoded_pictures),
        )

    def _beginnings(
        self, prompts: Sequence[Prompt], shown: ShownPictures
    ) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
        """The pictures of each distinct beginning, and the beginning of each prompt.

        A beginning ends with the last picture; what is said before that tells those of conversations apart.
        """
        found: dict[tuple[tuple[int, ...], str], int] = {}
        which = []
        for prompt, pictures in zip(prompts, shown.of_each(shown.which), strict=True):
            said = self.prompt(prompt).rpartition(self.image_marker)[0] if prompt.turns else ""
            which.append(found.setdefault((tuple(pictures), said), len(found)))
        return [pictures for pictures, _ in found], tuple(which)

    def _inputs(self, tokens: TextTokens, encoded_pictures: Sequence[EncodedPicture]) -> dict[str, object]:
        """The inputs of the model for prompts, and all their pictures in order."""
        return {
            "input_ids": tokens.ids,
            "attention_mask": tokens.attended,
            "mm_encoder_outputs": {"image": self.encoder.together(encoded_pictures)},
            **self.extra_inputs(tokens, [each.metadata for each in encoded_pictures]),
        }

    def _generate_behind(
        self,
        shared: SharedPrefix,
        names: Sequence[str],
        encoded_pictures: Sequence[Sequence[EncodedPicture]],
        max_tokens: int,
    ) -> Completions:
        """Completes prompts whose beginnings, which have these pictures, are computed once."""
        beginnings, whole = shared.beginnings.on(self._runtime), shared.whole.on(self._runtime)
        metadata = [each.metadata for place in shared.which for each in encoded_pictures[place]]
        # Of whole prompts, which the model would otherwise count from where a beginning ends.
        positions = self.model._prepare_position_ids_for_generation(
            whole.ids, {"attention_mask": whole.attended, **self.extra_inputs(whole, metadata)}
        )

        def compute(places: Sequence[int]) -> DynamicCache:
            some = TextTokens(
                ids=beginnings.ids[places], attended=beginnings.attended[places], cut=(False,) * len(places)
            )
            firsts = [shared.which.index(place) for place in places]
            return self.model(
                **self._inputs(some, [each for place in places for each in encoded_pictures[place]]),
                position_ids=positions[..., firsts, : shared.length],
                use_cache=True,
                logits_to_keep=1,
            ).past_key_values

        states = self._prefixes.states(shared, names, compute)
        return self.complete(
            max_tokens,
            whole.cut,
            prompt_tokens=whole.ids.shape[1],
            input_ids=whole.ids,
            attention_mask=whole.attended,
            position_ids=positions,
            past_key_values=repeated(states, shared, self.config),
            use_cache=True,  # some checkpoints were saved without
        )

    def _length(self, pictures: BatchPictures[PicturePixels, EncodedPicture], name: str) -> int:
        """The number of tokens of a picture; 0 while unknown."""
        cached = pictures.cached.get(name)
        return self.encoder.length(pictures.preprocessed[name]) if cached is None else cached.length

    def _blocks(
        self, metadata: Sequence[PicturePixels], lengths: Sequence[int], shown: ShownPictures
    ) -> list[list[str]]:
        """The texts of the pictures of each prompt."""
        blocks = [self.image_text(each, length) for each, length in zip(metadata, lengths, strict=True)]
        return shown.of_each(blocks[place] for place in shown.which)

    def _with_blocks(self, prompt: Prompt, blocks: Sequence[str]) -> str:
        """The whole text for the model, with the texts of its pictures in place of the image markers."""
        # Not by replacing one after the other: the text of a picture may hold the marker, as Gemma's does.
        before, *behind = self.prompt(prompt).split(self.image_marker)
        return "".join((before, *(part for each in zip(blocks, behind, strict=True) for part in each)))

    def _check(self, prompts: Sequence[Prompt]) -> None:
        # A question such as "What does <image> mean?" would put a second picture into the prompt, without its pixels.
        for text in (text for each in prompts for text in each.texts):
            if self.image_marker in text or self.image_token in text:
                raise DataError(
                    f"Expected a text without {self.image_token}, which stands for a picture to this model, but got "
                    f"text={shortened(text)}"
                )

    def _tokens(self, prompts: Sequence[Prompt], blocks: Sequence[Sequence[str]], max_tokens: int) -> TextTokens:
        return tokenize_prompts(
            prompts,
            self.tokenizer,
            self._runtime,
            written=lambda place, prompt: self._with_blocks(prompt, blocks[place]),
            adds_special_tokens=self.adds_special_tokens,
            pad_left=self.repeats_prompt,
            room=self.room(max_tokens),
        )

    def _word(self, number: int, checkpoint: Checkpoint) -> str:
        """The special token with this number in config.json; raises ModelError where the number is not one of those."""
        added = self.tokenizer.added_tokens_decoder.get(number)
        if added is None:
            raise ModelError(
                f"Expected the tokenizer in {checkpoint.folder} to know the token that stands for a picture, number "
                f"{number} in config.json, but it has {self.tokenizer.convert_ids_to_tokens(number)!r} there, which is "
                "a word or nothing: its files are incomplete (tokenizer.json, added_tokens.json) or of another model"
            )
        return str(added.content)


class _ImageProcessor(Protocol):
    def __call__(self, images: object, **settings: object) -> Mapping[str, object]: ...


@dataclass(frozen=True, slots=True, eq=False)
class PicturePixels:
    """An encoder's input for one or more pictures."""

    tensors: Mapping[str, torch.Tensor]
    """The inputs by name, such as ``pixel_values``; pictures, or their parts (tiles), along the first axis."""
    lists: Mapping[str, Sequence[object]]
    """Values that are no tensors, a list with an entry for each picture: Idefics3's ``rows`` and ``cols``."""

    @classmethod
    def of(cls, found: Mapping[str, object]) -> PicturePixels:
        """Sorts the output of an image processor into tensors and lists."""
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
        """Joins several pictures; those with fewer parts are padded with zeros."""
        first = each[0]
        return cls(
            {name: _concatenated([one.tensors[name] for one in each]) for name in first.tensors},
            {name: [metadata for one in each for metadata in one.lists[name]] for name in first.lists},
        )

    def for_device(self, runtime: Runtime, dtype: torch.dtype) -> PicturePixels:
        """Converts the pixels to the encoder's precision, and pins all tensors."""
        # Only the pixels: sizes and grids are integers.
        rounded = {**self.tensors, "pixel_values": self.tensors["pixel_values"].to(dtype)}
        return PicturePixels({name: runtime.pin(tensor) for name, tensor in rounded.items()}, self.lists)

    def to_device(self, runtime: Runtime, wanted: Container[str]) -> PicturePixels:
        """Copies the ``wanted`` tensors to the device, and drops the others."""
        return PicturePixels(
            {name: runtime.to_device(tensor) for name, tensor in self.tensors.items() if name in wanted}, self.lists
        )

    @property
    def metadata(self) -> PicturePixels:
        """The small tensors and the lists: size and layout of the picture."""
        return PicturePixels(
            # Cloned, so that it does not hold on to a larger tensor.
            {name: tensor.clone() for name, tensor in self.tensors.items() if tensor.numel() <= _MAX_METADATA_NUMBERS},
            self.lists,
        )

    @property
    def layout_key(self) -> tuple[object, ...]:
        """A key of the layout: pictures with equal keys have equally many tokens."""
        return (
            *((name, *tensor.shape) for name, tensor in self.tensors.items()),
            # Qwen's patches lie in one long axis: 4 x 6 and 6 x 4 patches have one shape and different grids.
            *((name, *tensor.flatten().tolist()) for name, tensor in self.metadata.tensors.items()),
            repr(self.lists),
        )


class PicturePreprocessor:
    """Preprocesses pictures for the encoder of one checkpoint."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        runtime: Runtime,
        *,
        nested: bool = False,
        min_pixels: int | None = None,
        max_pixels: int | None = None,
        **settings: object,
    ) -> None:
        """Loads the image processor, which is called with ``settings``; ``nested`` if it takes a list for each text.

        ``min_pixels`` and ``max_pixels`` replace the bounds of processors whose ``size`` bounds the number of pixels.

        Raises:
            ModelError: the checkpoint has no image processor.
        """
        self._process = cast(_ImageProcessor, load_image_processor(checkpoint))
        bounds = {"shortest_edge": min_pixels, "longest_edge": max_pixels}
        if given := {name: value for name, value in bounds.items() if value is not None}:
            size = cast("Mapping[str, int]", getattr(self._process, "size", {}))
            # Both bounds: the processor refuses a size that has one alone.
            settings["size"] = {**{name: size[name] for name in bounds}, **given}
        self._nested, self._settings = nested, settings
        self._runtime = runtime

    def each(self, images: Sequence[Image]) -> list[PicturePixels]:
        """Preprocesses each picture, RGB, to float32."""
        return preprocess_images(images, self._one, self._runtime)

    def _one(self, image: Image) -> PicturePixels:
        found = self._process([[image]] if self._nested else [image], return_tensors="pt", **self._settings)
        return PicturePixels.of(found)


def _concatenated(parts: Sequence[torch.Tensor]) -> torch.Tensor:
    import torch

    sizes = [max(sizes) for sizes in zip(*(part.shape[1:] for part in parts), strict=True)]
    if all(list(part.shape[1:]) == sizes for part in parts):
        return torch.cat(list(parts))
    # Pictures with other numbers of tiles, as of LLaVA-NeXT.
    joined = parts[0].new_zeros((sum(len(part) for part in parts), *sizes))
    row = 0
    for part in parts:
        joined[(slice(row, row + len(part)), *(slice(size) for size in part.shape[1:]))] = part
        row += len(part)
    return joined


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EncodedPicture:
    """The encoding of a picture."""

    encoding: torch.Tensor
    """(tokens, width), or (parts, tokens, width), on the device."""
    layers: tuple[torch.Tensor, ...]
    """Features that Qwen3-VL adds in deeper layers, (tokens, width) each."""
    metadata: PicturePixels
    """Size and layout of the picture, which its prompt may need."""

    @property
    def length(self) -> int:
        """The number of tokens."""
        return self.encoding.shape[:-1].numel()

    @property
    def nbytes(self) -> int:
        return self.encoding.nbytes + sum(layer.nbytes for layer in self.layers)


class PictureEncoder:
    """Encodes pictures by a model's ``get_image_features``, through a cache."""

    def __init__(
        self,
        pictures: PicturePreprocessor,
        model: PretrainedModel,
        runtime: Runtime,
        parts: Callable[[PicturePixels], int],
        further: tuple[str, ...] = (),
    ) -> None:
        """Combines preprocessor and model; ``parts`` and ``further``: see ``ImageTokenModel``."""
        self.cache: PictureFeatureCache[PicturePixels, EncodedPicture] = PictureFeatureCache(
            self._preprocess,
            self._encode,
            lambda encoded_pictures: encoded_pictures.nbytes,
            runtime.cache_bytes(PICTURE_SHARE),
        )
        self._pictures = pictures
        self._model = model
        self._runtime = runtime
        self._parts = parts
        self._further = further
        self._lengths: dict[tuple[object, ...], int] = {}
        self._output_type: Callable[[], ImageFeatures] | None = None
        self._is_one_tensor = False

    def length(self, pixels: PicturePixels) -> int:
        """The number of tokens, as of other pictures of the same shape; 0 while unknown."""
        return self._lengths.get(pixels.layout_key, 0)

    def together(self, encoded_pictures: Sequence[EncodedPicture]) -> ImageFeatures:
        """Joins the encodings of several pictures, in the form in which the model returns them."""
        import torch

        assert self._output_type is not None, "cached pictures have been encoded"
        chosen = [each.encoding for each in encoded_pictures]
        encoded = self._output_type()
        # In the form in which the encoder gave it: one tensor, or one for each picture.
        encoded.pooler_output = torch.cat(chosen) if self._is_one_tensor else chosen
        if encoded_pictures[0].layers:
            layers = zip(*(each.layers for each in encoded_pictures), strict=True)
            encoded.deepstack_features = [list(layer) for layer in layers]  # type: ignore[attr-defined]  # of one kind
        return encoded

    def _preprocess(self, images: Sequence[Image]) -> list[PicturePixels]:
        return [each.for_device(self._runtime, self._model.dtype) for each in self._pictures.each(images)]

    def _encode(self, ready: Sequence[PicturePixels]) -> list[EncodedPicture]:
        import torch

        # Image processors also give what is for the language model alone.
        wanted = {*inspect.signature(self._model.get_image_features).parameters, *self._further}
        pixels = PicturePixels.together([each.to_device(self._runtime, wanted) for each in ready])
        encoded = self._model.get_image_features(**pixels.tensors)
        found = encoded.pooler_output
        # Remembered, to put cached encodings together in the same form.
        self._output_type, self._is_one_tensor = type(encoded), isinstance(found, torch.Tensor)
        if isinstance(found, torch.Tensor):
            found = cast("Sequence[torch.Tensor]", torch.split(found, [self._parts(each) for each in ready]))
        layers: Sequence[Sequence[torch.Tensor]] = getattr(encoded, "deepstack_features", None) or ()
        # Cloned, since the cache drops pictures one by one, and a slice would keep the whole batch in memory.
        encoded_pictures = [
            EncodedPicture(
                encoding=each.clone(), layers=tuple(layer[place].clone() for layer in layers), metadata=one.metadata
            )
            for place, (one, each) in enumerate(zip(ready, found, strict=True))
        ]
        self._lengths.update((one.layout_key, each.length) for one, each in zip(ready, encoded_pictures, strict=True))
        return encoded_pictures
