"""Questions as BERT's tokens, for models that were published without a tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.loading.alone import alone
from pytest_vqamt.models.loading.quiet import first_line
from pytest_vqamt.models.loading.words import load_tokenizer
from pytest_vqamt.models.transformers.checkpoint import Checkpoint

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


BERT = "google-bert/bert-base-uncased"
"""Whose words LXMERT and VisualBERT were trained with."""

_WORDS = "vocab.txt"
_FILES = ("tokenizer.json", "tokenizer_config.json", _WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionForm:
    """How a question is written for a model: ``[CLS] question [SEP]``.

    Attributes:
        longest: how many tokens it takes, the added ones included.
        step: the number of tokens is filled up to a multiple of this, the same for almost any batch.
        without: characters that are left out.
        ending: tokens that come after the question, however long it is.
    """

    longest: int
    step: int
    without: str = ""
    ending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Questions of one length: ``ids`` and ``attended`` (1 where a token counts), a row a question; which were cut."""

    ids: list[list[int]]
    attended: list[list[int]]
    cut: list[bool]


def bert_tokenizer(checkpoint: Checkpoint, rows: int) -> PreTrainedTokenizerBase:
    """The checkpoint's own tokenizer; BERT's, from the hub, for a checkpoint of the hub that has none.

    Raises:
        ModelError: a folder has none, it cannot be fetched, or it is of another model than one with ``rows`` words.
    """
    if any((checkpoint.folder / name).is_file() for name in ("tokenizer.json", _WORDS)):
        return load_tokenizer(checkpoint, rows)
    if Path(checkpoint.name).expanduser().is_dir():
        raise ModelError(
            f"Expected a tokenizer beside the weights, but {checkpoint.folder} has neither vocab.txt nor tokenizer.json"
            f": every word would be unknown to the model. Copy {', '.join(_FILES)} of {BERT} there"
        )
    from transformers import BertTokenizer

    return load_tokenizer(Checkpoint(folder=_fetched(), name=BERT), rows, BertTokenizer)


def tokens_of(texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, form: QuestionForm) -> Tokens:
    """The texts in the form, each filled up to the length of the longest."""
    first, last, fill, *ending = cast(
        "list[int]", tokenizer.convert_tokens_to_ids(["[CLS]", "[SEP]", "[PAD]", *form.ending])
    )
    room = form.longest - 2 - len(ending)
    left_out = str.maketrans("", "", form.without)
    asked = [text.translate(left_out) for text in texts]
    with alone(tokenizer):
        # Not verbose: it would warn on the terminal of what is cut here and counted.
        words: list[list[int]] = tokenizer(asked, add_special_tokens=False, truncation=False, verbose=False)[
            "input_ids"
        ]
    rows = [[first, *some[:room], *ending, last] for some in words]
    length = min(form.longest, -(-max(len(row) for row in rows) // form.step) * form.step)
    return Tokens(
        ids=[[*row, *[fill] * (length - len(row))] for row in rows],
        attended=[[1] * len(row) + [0] * (length - len(row)) for row in rows],
        cut=[len(some) > room for some in words],
    )


def _fetched() -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        kept = Path(snapshot_download(BERT, local_files_only=True))
    except LocalEntryNotFoundError:
        kept = Path()
    if (kept / _WORDS).is_file():
        return kept
    told = "the hub gives none"
    try:
        fetched = Path(snapshot_download(BERT, allow_patterns=list(_FILES)))
        if (fetched / _WORDS).is_file():
            return fetched
    except Exception as error:  # the client raises what its HTTP library does, which changes with its version
        told = first_line(error)
    raise ModelError(
        f"Expected to fetch the tokenizer of {BERT}, since this checkpoint is published without one, but: {told}. Copy "
        f"{', '.join(_FILES)} of it beside the weights, and give their folder"
    )
