"""Prompts as tokens, padded to one length, with questions cut where they are longer than the model takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line
from pytest_vqamt.models.transformers.inputs import load_tokenizer
from pytest_vqamt.models.transformers.prompted.base import Prompt
from pytest_vqamt.models.transformers.runtime import Runtime, exclusive

if TYPE_CHECKING:
    import torch
    from transformers import BatchEncoding, GenerationConfig, PreTrainedConfig, PreTrainedTokenizerBase


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


def tokenize_prompts(
    said: Sequence[Prompt],
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

    def tokens(some: Sequence[Prompt], places: Sequence[int], *, padding: bool) -> BatchEncoding:
        texts = [written(place, each.prompt) for each, place in zip(some, places, strict=True)]
        with exclusive(tokenizer):
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

        def length(place: int, each: Prompt) -> int:
            return len(tokens([each], [place], padding=False)["input_ids"][0])

        after = [fit_prompt(each, room, partial(length, place)) for place, each in enumerate(said)]
        cut = [one != other for one, other in zip(after, said, strict=True)]
        whole = tokens(after, every, padding=True)
    return Tokens(
        ids=runtime.pinned(whole["input_ids"]), attended=runtime.pinned(whole["attention_mask"]), cut=tuple(cut)
    )


def load_prompt_tokenizer(checkpoint: Checkpoint, config: PreTrainedConfig) -> PreTrainedTokenizerBase:
    """The tokenizer of the checkpoint, which knows the model's words and has a token to fill up with.

    Raises:
        ModelError: its files are missing, damaged, or of another model.
    """
    tokenizer = load_tokenizer(checkpoint, int(config.get_text_config().vocab_size))
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def context_length(config: PreTrainedConfig) -> int | None:
    """How many tokens the model of language takes; None where its positions are not numbered."""
    window: object = getattr(config.get_text_config(), "max_position_embeddings", None)
    return window if isinstance(window, int) else None


def fit_prompt(said: Prompt, room: int, length: Callable[[Prompt], int]) -> Prompt:
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


_KEPT_SETTINGS = ("bos_token_id", "decoder_start_token_id", "forced_bos_token_id", "bad_words_ids", "suppress_tokens")


class _GenerationModel(Protocol):
    generation_config: GenerationConfig


class GreedyDecoding:
    """Where the answers of one checkpoint begin and end, and which tokens it never says.

    Temperatures, beams and penalties of ``generation_config.json`` are left out: what is measured is whether a model
    agrees with itself, so it gives its likeliest token each time, as every other model here does.
    """

    def __init__(
        self,
        model: _GenerationModel,
        tokenizer: PreTrainedTokenizerBase,
        checkpoint: Checkpoint,
        *around: _GenerationModel,
    ) -> None:
        """Takes what is kept out of the model; the token that ends a text in the tokenizer ends an answer too.

        Args:
            model: what generates.
            tokenizer: of the checkpoint.
            checkpoint: where it is.
            around: models that it is a part of, whose ends are also its own.

        Raises:
            ModelError: nothing says where an answer ends, or what says so is damaged.
        """
        _check_generation_config(checkpoint)
        saved = model.generation_config
        ends = [end for each in (model, *around) for end in _end_tokens(each.generation_config)]
        if isinstance(tokenizer.eos_token_id, int):
            ends.append(tokenizer.eos_token_id)
        if not ends:
            raise ModelError(
                "Expected eos_token_id in generation_config.json or eos_token in tokenizer_config.json of "
                f"{checkpoint.folder}, but there is neither, so no answer would ever end: copy the files again"
            )
        self._tokenizer = tokenizer
        self._ends = list(dict.fromkeys(ends))
        self._kept = {name: getattr(saved, name) for name in _KEPT_SETTINGS if getattr(saved, name) is not None}
        pad = tokenizer.pad_token_id
        self._kept |= {"eos_token_id": self._ends, "pad_token_id": self._ends[0] if pad is None else pad}
        # generate() takes from here whatever it is not told.
        model.generation_config = self.after(1)

    def after(self, longest: int) -> GenerationConfig:
        """How to generate answers of at most so many tokens."""
        from transformers import GenerationConfig

        return GenerationConfig(  # type: ignore[no-untyped-call]  # transformers does not annotate it
            max_new_tokens=longest, do_sample=False, num_beams=1, **self._kept
        )

    def texts(self, generated: torch.Tensor) -> tuple[str, ...]:
        """What was said, up to where it ended: of int64 (answers, tokens), without what came before the answer."""
        rows: list[list[int]] = generated.tolist()
        said = [row[: next((place for place, token in enumerate(row) if token in self._ends), None)] for row in rows]
        with exclusive(self._tokenizer):
            texts = self._tokenizer.batch_decode(said, skip_special_tokens=True)
        return tuple(text.strip() for text in texts)


def _check_generation_config(checkpoint: Checkpoint) -> None:
    """Reads the file that transformers passes over in silence where it is damaged."""
    file = checkpoint.folder / "generation_config.json"
    try:
        if file.is_file():
            json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"Expected JSON in {file}, which says where an answer ends, but it cannot be read ({first_line(error)}): "
            "copy the file again"
        ) from error


def _end_tokens(saved: GenerationConfig) -> list[int]:
    ends: object = saved.eos_token_id
    return list(ends) if isinstance(ends, list | tuple) else [ends] if isinstance(ends, int) else []


_OLDER_TEMPLATE_FILES = ("chat_template.json", "processor_config.json", "tokenizer_config.json")


class ChatTemplate:
    """Writes what a user says, and what an answer begins with, the way the model was trained on.

    Attributes:
        begins: whether it writes the token that begins a text, so that the tokenizer must not add another.
    """

    def __init__(self, checkpoint: Checkpoint, tokenizer: PreTrainedTokenizerBase, mark: str | None) -> None:
        """Finds the template, and tries it.

        Args:
            checkpoint: where the files are.
            tokenizer: of the checkpoint; its special tokens stand in the template.
            mark: what must stand for the picture in what is written; None where nobody knows.

        Raises:
            ModelError: there is no template, or it has no place for a picture and a text.
        """
        template = read_chat_template(checkpoint.folder)
        if template is None:
            raise ModelError(
                f"Expected a chat template in {checkpoint.folder}, but there is none, so nothing says how a question "
                "is put to the model: add its chat_template.jinja, or take a checkpoint that was trained for chat"
            )
        self._tokenizer, self._template = tokenizer, template
        try:
            tried = self.write("what?")
        except Exception as error:  # a template is a program, and raises what it likes
            raise ModelError(
                f"Expected a chat template for pictures in {checkpoint.folder}, but: {first_line(error)}"
            ) from error
        if "what?" not in tried or (mark is not None and tried.count(mark) != 1):
            raise ModelError(
                f"Expected the chat template in {checkpoint.folder} to have one place for a text and one for a picture "
                f"({mark}), but it gives {tried!r}: it belongs to another model, or takes no pictures"
            )
        first = tokenizer.bos_token
        self.begins = bool(first) and tried.startswith(str(first))

    def write(self, text: str) -> str:
        """The prompt in which the user shows a picture and says ``text``."""
        said = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}]
        return str(
            self._tokenizer.apply_chat_template(
                said,  # type: ignore[arg-type]  # declared for texts without pictures
                chat_template=self._template,
                add_generation_prompt=True,
                tokenize=False,
            )
        )


def read_chat_template(folder: Path) -> str | None:
    """The chat template: from its own file, or from those in which older versions kept it.

    Raises:
        ModelError: such a file is damaged.
    """
    file = folder / "chat_template.jinja"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    return next(
        (found for name in _OLDER_TEMPLATE_FILES if (found := _template_in_json(folder / name)) is not None), None
    )


def _template_in_json(file: Path) -> str | None:
    if not file.is_file():
        return None
    try:
        held: object = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelError(f"Expected JSON in {file}, but: {first_line(error)}; copy the file again") from error
    template = held.get("chat_template") if isinstance(held, dict) else None
    if isinstance(template, list):  # several, by name
        template = next((each["template"] for each in template if each.get("name") == "default"), None)
    return template if isinstance(template, str) else None
