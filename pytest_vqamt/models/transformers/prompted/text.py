"""Prompts as tokens, padded to one length, with questions cut where they are longer than the model takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from reprlib import repr as shortened
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.models.loading.alone import alone
from pytest_vqamt.models.loading.words import load_tokenizer
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.prompted.base import Said
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from transformers import BatchEncoding, PreTrainedConfig, PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tokens:
    """The tokens of some prompts.

    Attributes:
        ids: int64 (prompts, tokens), padded.
        attended: int64 (prompts, tokens), 1 for a token of the prompt and 0 for padding.
        cut: for each prompt, whether its question was cut.
    """

    ids: torch.Tensor
    attended: torch.Tensor
    cut: tuple[bool, ...]

    def on(self, runtime: Runtime) -> Tokens:
        """The same on the device."""
        return replace(self, ids=runtime.here(self.ids), attended=runtime.here(self.attended))


def read(
    said: Sequence[Said],
    tokenizer: PreTrainedTokenizerBase,
    runtime: Runtime,
    *,
    written: Callable[[int, str], str] = lambda _place, prompt: prompt,
    special: bool = True,
    before: bool = True,
    room: int | None = None,
) -> Tokens:
    """The tokens of the prompts.

    Args:
        said: the prompts.
        tokenizer: what makes tokens of them.
        runtime: where the tokens go: they are not there yet, but where it gets them without a wait.
        written: makes of a prompt, and its place among them, all that the model reads.
        special: whether the tokenizer adds the tokens that begin and end a text.
        before: whether padding goes before the prompt, as it must where the model goes on with it. An encoder counts
            positions from the left, so that it must come after.
        room: how many tokens the model takes; None where there is no such number.

    Raises:
        DataError: a prompt is too long however short its question.
    """

    def tokens(asked: Sequence[Said], places: Sequence[int], *, padding: bool) -> BatchEncoding:
        texts = [written(place, each.prompt) for each, place in zip(asked, places, strict=True)]
        with alone(tokenizer):
            found: BatchEncoding = tokenizer(
                texts,
                padding=padding,
                padding_side="left" if before else "right",
                truncation=False,  # a tokenizer.json may say otherwise, and would cut off the end in silence
                add_special_tokens=special,
                return_tensors="pt" if padding else None,
            )
        return found

    every = range(len(said))
    whole = tokens(said, every, padding=True)
    cut = [False] * len(said)
    if room is not None and whole["input_ids"].shape[1] > room:

        def length(place: int, each: Said) -> int:
            return len(tokens([each], [place], padding=False)["input_ids"][0])

        after = [fitted(each, room, partial(length, place)) for place, each in enumerate(said)]
        cut = [one != other for one, other in zip(after, said, strict=True)]
        whole = tokens(after, every, padding=True)
    return Tokens(
        ids=runtime.pinned(whole["input_ids"]), attended=runtime.pinned(whole["attention_mask"]), cut=tuple(cut)
    )


def load_words(checkpoint: Checkpoint, config: PreTrainedConfig) -> PreTrainedTokenizerBase:
    """The tokenizer of the checkpoint, which knows the model's words and has a token to fill up with.

    Raises:
        ModelError: its files are missing, damaged, or of another model.
    """
    tokenizer = load_tokenizer(checkpoint, int(config.get_text_config().vocab_size))
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def window_of(config: PreTrainedConfig) -> int | None:
    """How many tokens the model of language takes; None where its positions are not numbered."""
    window: object = getattr(config.get_text_config(), "max_position_embeddings", None)
    return window if isinstance(window, int) else None


def fitted(said: Said, room: int, length: Callable[[Said], int]) -> Said:
    """The prompt with as much of its question as there is room for.

    Raises:
        DataError: there is too little room even without the question.
    """
    excess = length(said) - room
    while excess > 0:
        if not said.question:
            raise DataError(
                f"Expected a picture and a prompt of at most {room} tokens, which is what the model takes beside its "
                f"answer, but the prompt {shortened(said.prompt)} gives {excess} more with no question at all: give a "
                "shorter prompt or a smaller longest-answer"
            )
        # A token is one character at least, so this cuts too little rather than too much.
        said = said.cut(max(0, len(said.question) - excess))
        excess = length(said) - room
    return said
