"""Image processors and tokenizers of checkpoints, a cache of encoded pictures, and the base of models of both."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.input_files import parse_json, read_text
from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    PROCESSOR_FILES,
    Checkpoint,
    check_packages,
    check_torchvision,
    files_digest,
    first_line,
    load_head,
    runtime_for,
)
from pytest_vqamt.models.transformers.runtime import (
    ForwardStep,
    Runtime,
    TwoStepModel,
    available_cores,
    exclusive,
    quiet,
)

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedTokenizerBase
    from transformers.image_processing_utils import BaseImageProcessor


_IMAGE_PROCESSOR_FILE, _PROCESSOR_FILE = PROCESSOR_FILES


_TOKENIZER_FILES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model",
)  # fmt: skip

_MIN_VOCABULARY_SHARE = 0.9
"""A tokenizer knows at least this share of the vocabulary; models round theirs up to a multiple of 64."""

T = TypeVar("T")

_MOST_THREADS = 8

P = TypeVar("P")
"""A preprocessed picture, in host memory."""

E = TypeVar("E")
"""An encoded picture, on the device."""

PICTURE_SHARE = 0.05
"""Of the memory that a device has left: about a thousand pictures of a model of 7 billion weights on 80 GB."""

TensorPictures: TypeAlias = "BatchPictures[torch.Tensor, torch.Tensor]"
"""The pictures of a batch whose preprocessed and encoded forms are one tensor each."""


def load_image_processor(checkpoint: Checkpoint) -> BaseImageProcessor:
    """The image processor of the checkpoint over PIL: torchvision resizes a little differently.

    Raises:
        ModelError: its file is missing or damaged.
    """
    check_torchvision()
    from transformers import AutoImageProcessor

    if not (checkpoint.folder / _IMAGE_PROCESSOR_FILE).is_file() and not _has_image_processor(
        checkpoint.folder / _PROCESSOR_FILE
    ):
        raise ModelError(
            f"Expected {_IMAGE_PROCESSOR_FILE} beside the weights, but {checkpoint.folder} has none: nothing says how "
            "pictures are to be resized for the model. Copy it from the checkpoint"
        )
    try:
        with quiet():
            found = AutoImageProcessor.from_pretrained(  # type: ignore[no-untyped-call]  # not annotated
                checkpoint.folder, backend="pil", local_files_only=True, trust_remote_code=False
            )
    except Exception as error:  # a damaged file raises whatever the library that reads it does
        check_packages(error, f"a class for the image processor in {checkpoint.folder}")
        raise ModelError(
            f"Expected an image processor that can be read in {checkpoint.folder}, but: {first_line(error)}"
        ) from error
    return cast("BaseImageProcessor", found)


def _has_image_processor(file: Path) -> bool:
    """True if the processor's file includes the image processor, as since transformers 5; before, each had its own."""
    if not file.is_file():
        return False
    try:
        held = parse_json(read_text(file))
    except (OSError, ValueError):
        return True  # transformers names the error in it
    return isinstance(held, dict) and "image_processor" in held


def load_tokenizer(
    checkpoint: Checkpoint,
    rows: int,
    cls: type[PreTrainedTokenizerBase] | None = None,
    subfolder: str = "",
    most: Callable[[], int] | None = None,
) -> PreTrainedTokenizerBase:
    """The tokenizer of the checkpoint, for a model with ``rows`` word embeddings.

    Without tokenizer files transformers silently makes a tokenizer of five tokens, to which every word is unknown.
    ``most`` counts the rows where there are more than ``vocab_size`` says; it is asked where the tokenizer needs them.

    Raises:
        ModelError: its files are missing, damaged, or of another model.
    """
    from transformers import AutoTokenizer

    folder = checkpoint.folder / subfolder if subfolder else checkpoint.folder
    if not any((folder / name).is_file() for name in _TOKENIZER_FILES):
        raise ModelError(
            f"Expected a tokenizer beside the weights, but {folder} has none of {', '.join(_TOKENIZER_FILES)}: every "
            "word would be unknown to the model. Copy the tokenizer files of the checkpoint there"
        )
    try:
        with quiet():
            tokenizer = (cls or AutoTokenizer).from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # a damaged file raises whatever the library that reads it does
        raise ModelError(f"Expected tokenizer files that can be read in {folder}, but: {first_line(error)}") from error
    # Counting the rows builds the whole model on the meta device, so only where it may help.
    if len(tokenizer) > rows and most is not None:
        rows = max(rows, most())
    if not _MIN_VOCABULARY_SHARE * rows <= len(tokenizer) <= rows:
        raise ModelError(
            f"Expected a tokenizer for the {rows} words that the model in {checkpoint.folder} has, but got one of "
            f"{len(tokenizer)}: tokenizer files are missing or belong to another model"
        )
    return cast("PreTrainedTokenizerBase", tokenizer)


def preprocess_images(images: Sequence[Image], make: Callable[[Image], T], runtime: Runtime) -> list[T]:
    """Applies ``make`` to each picture, in threads where the device is CUDA."""
    threads = min(preprocessing_threads(runtime), len(images))
    if threads < 2:
        return [make(image) for image in images]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(make, images))


def preprocessing_threads(runtime: Runtime) -> int:
    """The number of pictures preprocessed at once: one on a CPU, whose cores the encoder needs."""
    return min(_MOST_THREADS, runtime.threads or available_cores()) if runtime.device.type == "cuda" else 1


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TextTokens:
    """Tokenized texts."""

    ids: torch.Tensor
    """Int64 (texts, tokens), padded."""
    attended: torch.Tensor
    """Int64 (texts, tokens), 1 for a token of the text and 0 for padding."""
    cut: tuple[bool, ...]
    """For each text, True if it was truncated."""

    def on(self, runtime: Runtime) -> TextTokens:
        """Copies the tokens to the device."""
        return replace(self, ids=runtime.to_device(self.ids), attended=runtime.to_device(self.attended))


def tokenize(texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, longest: int, runtime: Runtime) -> TextTokens:
    """Tokenizes ``texts`` into pinned memory, each truncated to ``longest`` tokens including the special ones."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    # Without a limit of its own a tokenizer has 10**30.
    longest = min(longest, tokenizer.model_max_length)
    with exclusive(tokenizer):
        # Not verbose: it would warn of texts that are too long, which are cut and counted here.
        rows: list[list[int]] = tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]
        cut = [len(row) > longest for row in rows]
        if any(cut):
            # By the tokenizer, which keeps the special token at the end.
            rows = tokenizer(list(texts), truncation=True, max_length=longest)["input_ids"]
    ids = [torch.tensor(row) for row in rows]
    # Padding is masked, so where there is no token for it any id will do.
    fill = tokenizer.pad_token_id
    return TextTokens(
        ids=runtime.pin(pad_sequence(ids, batch_first=True, padding_value=float(0 if fill is None else fill))),
        attended=runtime.pin(pad_sequence([torch.ones_like(row) for row in ids], batch_first=True)),
        cut=tuple(cut),
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShownPictures:
    """The pictures that the inputs of a batch show."""

    pixels: Mapping[str, Callable[[], Image]]
    """How each distinct one is rendered, by its digest, in the order in which they come first."""
    which: tuple[int, ...]
    """For each picture of the first input, then for each of the next, its index among the distinct ones."""
    counts: tuple[int, ...]
    """For each input, how many pictures it shows: one, unless it is a conversation."""

    @classmethod
    def of(cls, batch: Sequence[ModelInput]) -> ShownPictures:
        """Finds the distinct pictures; renders none."""
        pixels: dict[str, Callable[[], Image]] = {}
        places: dict[str, int] = {}
        which: list[int] = []
        for item in batch:
            for number, picture in enumerate(item.query.pictures):
                pixels.setdefault(picture.digest, partial(_pixels, item, number))
                which.append(places.setdefault(picture.digest, len(places)))
        return cls(pixels=pixels, which=tuple(which), counts=tuple(len(item.query.pictures) for item in batch))

    def of_each(self, every: Iterable[T]) -> list[list[T]]:
        """What belongs to ``which``, divided into that of each input."""
        rest = iter(every)
        return [list(islice(rest, count)) for count in self.counts]


def _pixels(item: ModelInput, number: int) -> Image:
    return item.all_pixels[number] if number else item.pixels


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BatchPictures(Generic[P, E]):
    """The pictures of a batch."""

    shown: ShownPictures
    cached: Mapping[str, E]
    """Cached encodings, by digest."""
    preprocessed: Mapping[str, P]
    """The others by digest."""

    @property
    def names(self) -> tuple[str, ...]:
        """The digests of the distinct ones."""
        return tuple(self.shown.pixels)

    @property
    def which(self) -> tuple[int, ...]:
        """For each picture of the first input, then for each of the next, its index among the distinct ones."""
        return self.shown.which


class PictureFeatureCache(Generic[P, E]):
    """Caches encoded pictures; the least recently used are dropped first.

    One thread may preprocess a batch while another encodes the previous one.
    """

    def __init__(
        self,
        preprocess: Callable[[Sequence[Image]], Sequence[P]],
        encode: Callable[[Sequence[P]], Sequence[E]],
        size: Callable[[E], int],
        most_bytes: int,
    ) -> None:
        """Makes an empty cache of ``most_bytes``; only ``encode`` uses the device."""
        self._preprocess = preprocess
        self._encode = encode
        self._cache: LruCache[str, E] = LruCache(most_bytes, size)
        # The pictures that the last two batches preprocessed and that are not encoded yet.
        self._latest: dict[str, P] = {}
        self._before: dict[str, P] = {}
        self._lock = Lock()

    def preprocess(self, batch: Sequence[ModelInput]) -> BatchPictures[P, E]:
        """The pictures of a batch; new ones are rendered and preprocessed.

        Raises:
            Exception: rendering or preprocessing failed; then nothing of this batch is remembered.
        """
        shown = ShownPictures.of(batch)
        named = shown.pixels
        cached = self._cached(named)
        with self._lock:
            # The batch before, on the other thread, may have preprocessed a picture and not encoded it yet.
            coming = {**self._before, **self._latest}
        ready = {name: coming[name] for name in named if name not in cached and name in coming}
        new = {name: pixels for name, pixels in named.items() if name not in cached and name not in ready}
        if new:
            made = self._preprocess([pixels() for pixels in new.values()])
            ready.update(zip(new, made, strict=True))
        with self._lock:
            self._before, self._latest = self._latest, dict(ready)
        return BatchPictures(shown=shown, cached=cached, preprocessed=ready)

    def encoded(self, pictures: BatchPictures[P, E]) -> list[E]:
        """The encodings of the pictures of each input, one input after the other; new ones are encoded together.

        Raises:
            Exception: ``encode`` failed; then nothing of this batch is cached.
        """
        # Looked up again: the batch before may have encoded some of them since.
        found = {**pictures.cached, **self._cached(pictures.names)}
        new = [name for name in pictures.names if name not in found]
        if new:
            found.update(zip(new, self._encode([pictures.preprocessed[name] for name in new]), strict=True))
        with self._lock:
            for name in pictures.names:
                # All of them, so that those in use are not the first to be dropped.
                self._cache.put(name, found[name])
                for coming in (self._before, self._latest):
                    coming.pop(name, None)
        return [found[pictures.names[place]] for place in pictures.which]

    def release(self) -> bool:
        """Empties the cache; False if it was empty."""
        return self._cache.clear()

    def halve(self) -> None:
        self._cache.halve()

    def _cached(self, names: Iterable[str]) -> dict[str, E]:
        return {name: made for name in names if (made := self._cache.get(name)) is not None}


class PictureTextModel(TwoStepModel):
    """A checkpoint that reads a picture and a text; each picture is encoded once for all its texts.

    Attributes:
        head: its class in transformers.
        kind, version: of the fingerprint; the version goes up when answers change for the same weights and packages.
        most_at_once: the largest batch on an accelerator; on the CPU the first size keeps every core busy.
    """

    head = ""
    kind = ""
    version = 1
    batch_size = 16
    most_at_once = 16

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        """Raises ModelError where a file of the checkpoint is missing, damaged or of another model."""
        runtime = runtime_for(checkpoint, options)
        self._cache: PictureFeatureCache[torch.Tensor, torch.Tensor] = PictureFeatureCache(
            self._preprocess_images,
            self._encode,
            lambda encoded: encoded.nbytes,
            runtime.cache_bytes(PICTURE_SHARE),
        )
        super().__init__(runtime, self._cache)
        self._folder = checkpoint.folder
        self._model = load_head(self.head, checkpoint, runtime)
        self._text = self._model.config.get_text_config()
        self._tokenizer = load_tokenizer(checkpoint, self._text.vocab_size)
        self._processor = load_image_processor(checkpoint)
        self.largest_batch = self.batch_size if runtime.device.type == "cpu" else self.most_at_once

    @cached_property
    def fingerprint(self) -> str:
        return self._runtime.fingerprint(self.kind, self.version, files_digest(self._folder), *self._settings)

    @property
    def network(self) -> torch.nn.Module:
        return cast("torch.nn.Module", self._model)

    @property
    def _settings(self) -> tuple[str, ...]:
        """The settings that can change an answer."""
        return ()

    def _preprocess(self, task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        tokens = self._tokens(batch)
        return partial(self._answers, self._cache.preprocess(batch), tokens)

    def _tokens(self, batch: Sequence[ModelInput]) -> TextTokens:
        """The texts of a batch as tokens, in pinned memory."""
        texts = [item.text for item in batch]
        return tokenize(texts, self._tokenizer, self._text.max_position_embeddings, self._runtime)

    @abstractmethod
    def _answers(self, pictures: TensorPictures, texts: TextTokens) -> tuple[Answer, ...]: ...

    @abstractmethod
    def _preprocess_images(self, images: Sequence[Image]) -> list[torch.Tensor]: ...

    @abstractmethod
    def _encode(self, ready: Sequence[torch.Tensor]) -> list[torch.Tensor]: ...
