"""Image processors and tokenizers of checkpoints, and what they make of pictures and texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.transformers.checkpoint import PROCESSOR_FILES, Checkpoint, first_line, quiet
from pytest_vqamt.models.transformers.runtime import Runtime, available_cores, exclusive

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedTokenizerBase
    from transformers.image_processing_utils import BaseImageProcessor


_IMAGE_PROCESSOR_FILE, _PROCESSOR_FILE = PROCESSOR_FILES


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
        raise ModelError(
            f"Expected an image processor that can be read in {checkpoint.folder}, but: {first_line(error)}"
        ) from error
    return cast("BaseImageProcessor", found)


def _has_image_processor(file: Path) -> bool:
    """Whether the processor's file includes the image processor: before transformers 5 each had its own file."""
    if not file.is_file():
        return False
    try:
        held: object = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return True  # transformers tells what is wrong with it
    return isinstance(held, dict) and "image_processor" in held


def check_torchvision() -> None:
    """Checks that an installed torchvision belongs to the installed torch.

    Raises:
        ModelError: it does not: transformers would fail to import with a message that names neither.
    """
    if find_spec("torchvision") is None:
        return
    try:
        import_module("torchvision")
    except Exception as error:  # a mismatch shows as a RuntimeError, an ImportError or an OSError
        raise ModelError(
            f"Expected a torchvision that belongs to torch {_version('torch')}, but got torchvision "
            f"{_version('torchvision')}, which cannot be imported with it ({first_line(error)}): uninstall "
            "torchvision, which this plugin does not need, or install the one made for this torch"
        ) from error


def _version(package: str) -> str:
    try:
        return re.sub(r"\+.*", "", version(package))
    except PackageNotFoundError:
        return "(unknown version)"


_TOKENIZER_FILES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model",
)  # fmt: skip

MIN_VOCABULARY_SHARE = 0.9
"""A tokenizer knows at least this share of the vocabulary; models round theirs up to a multiple of 64."""


def load_tokenizer(
    checkpoint: Checkpoint, rows: int, cls: type[PreTrainedTokenizerBase] | None = None, subfolder: str = ""
) -> PreTrainedTokenizerBase:
    """The tokenizer of the checkpoint, for a model with ``rows`` word embeddings.

    Without tokenizer files transformers silently makes a tokenizer of five tokens, to which every word is unknown.

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
    check_vocabulary_size(len(tokenizer), rows, checkpoint)
    return cast("PreTrainedTokenizerBase", tokenizer)


def check_vocabulary_size(known: int, rows: int, checkpoint: Checkpoint) -> None:
    """Compares a tokenizer's vocabulary with the rows of the model's embedding.

    Raises:
        ModelError: they cannot belong together.
    """
    if not MIN_VOCABULARY_SHARE * rows <= known <= rows:
        raise ModelError(
            f"Expected a tokenizer for the {rows} words that the model in {checkpoint.folder} has, but got one of "
            f"{known}: tokenizer files are missing or belong to another model"
        )


T = TypeVar("T")

_MOST_THREADS = 8


def preprocess_images(images: Sequence[Image], make: Callable[[Image], T], runtime: Runtime) -> list[T]:
    """Applies ``make`` to each picture, in threads where the device is CUDA."""
    threads = min(preprocessing_threads(runtime), len(images))
    if threads < 2:
        return [make(image) for image in images]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(make, images))


def preprocessing_threads(runtime: Runtime) -> int:
    """How many pictures are preprocessed at once: one on a CPU, whose cores the encoder needs."""
    return min(_MOST_THREADS, runtime.threads or available_cores()) if runtime.device.type == "cuda" else 1


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TextTokens:
    """Tokenized texts.

    Attributes:
        ids: int64 (texts, tokens), padded.
        attended: int64 (texts, tokens), 1 for a token of the text and 0 for padding.
        cut: for each text, whether it was truncated.
    """

    ids: torch.Tensor
    attended: torch.Tensor
    cut: tuple[bool, ...]

    def on(self, runtime: Runtime) -> TextTokens:
        """The same on the device."""
        return replace(self, ids=runtime.to_device(self.ids), attended=runtime.to_device(self.attended))


def tokenize(texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, longest: int, runtime: Runtime) -> TextTokens:
    """Tokenizes ``texts`` into pinned memory, each truncated to ``longest`` tokens including the special ones."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    longest = min(longest, tokenizer.model_max_length)
    with exclusive(tokenizer):
        # Not verbose: it would warn of what is cut here and counted.
        rows: list[list[int]] = tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]
        cut = [len(row) > longest for row in rows]
        if any(cut):
            rows = tokenizer(list(texts), truncation=True, max_length=longest)["input_ids"]
    ids = [torch.tensor(row) for row in rows]
    fill = tokenizer.pad_token_id
    return TextTokens(
        ids=runtime.pin(pad_sequence(ids, batch_first=True, padding_value=float(0 if fill is None else fill))),
        attended=runtime.pin(pad_sequence([torch.ones_like(row) for row in ids], batch_first=True)),
        cut=tuple(cut),
    )
