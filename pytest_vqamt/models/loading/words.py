"""Tokenizers that know the model's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.loading.quiet import first_line, quiet
from pytest_vqamt.models.transformers.checkpoint import Checkpoint

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


_FILES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model",
)  # fmt: skip

FEWEST_KNOWN = 0.9
"""A tokenizer knows at least so much of the vocabulary; models round theirs up to a multiple of 64."""


def load_tokenizer(
    checkpoint: Checkpoint, rows: int, cls: type[PreTrainedTokenizerBase] | None = None, subfolder: str = ""
) -> PreTrainedTokenizerBase:
    """The tokenizer of the checkpoint, for a model whose table of words has so many rows.

    Without tokenizer files transformers gives one of five tokens, to which every word is unknown, and says nothing.

    Raises:
        ModelError: its files are missing, damaged, or of another model.
    """
    from transformers import AutoTokenizer

    folder = checkpoint.folder / subfolder if subfolder else checkpoint.folder
    if not any((folder / name).is_file() for name in _FILES):
        raise ModelError(
            f"Expected a tokenizer beside the weights, but {folder} has none of {', '.join(_FILES)}: every word would "
            "be unknown to the model. Copy the tokenizer files of the checkpoint there"
        )
    try:
        with quiet():
            tokenizer = (cls or AutoTokenizer).from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # a damaged file raises whatever the library that reads it does
        raise ModelError(f"Expected tokenizer files that can be read in {folder}, but: {first_line(error)}") from error
    check_known(len(tokenizer), rows, checkpoint)
    return cast("PreTrainedTokenizerBase", tokenizer)


def check_known(known: int, rows: int, checkpoint: Checkpoint) -> None:
    """Holds how many words a tokenizer knows against the rows of the model's table.

    Raises:
        ModelError: they cannot belong together.
    """
    if not FEWEST_KNOWN * rows <= known <= rows:
        raise ModelError(
            f"Expected a tokenizer for the {rows} words that the model in {checkpoint.folder} has, but got one of "
            f"{known}: tokenizer files are missing or belong to another model"
        )
