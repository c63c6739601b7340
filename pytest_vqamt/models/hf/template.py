"""The chat template of a checkpoint, and how a picture and a text are put into it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.loading.places import Checkpoint
from pytest_vqamt.models.loading.quiet import first_line

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_FILES = ("chat_template.json", "processor_config.json")


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
        self._tokenizer = tokenizer
        self._template = _found(checkpoint.folder, tokenizer)
        if self._template is None:
            raise ModelError(
                f"Expected a chat template in {checkpoint.folder}, but there is none, so nothing says how a question "
                "is put to the model: add its chat_template.jinja, or take a checkpoint that was trained for chat"
            )
        try:
            tried = self.write("what?")
        except Exception as error:  # a template is a program, and raises what it likes
            raise ModelError(
                f"Expected a chat template for pictures in {checkpoint.folder}, but: {first_line(error)}"
            ) from error
        if "what?" not in tried or (mark is not None and tried.count(mark) != 1):
            raise ModelError(
                f"Expected the chat template in {checkpoint.folder} to give a place to the text and to the picture "
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


def _found(folder: Path, tokenizer: PreTrainedTokenizerBase) -> str | None:
    """The template: from its own file, from those of older processors, or as the tokenizer brings it."""
    file = folder / "chat_template.jinja"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    for name in _FILES:
        if (folder / name).is_file():
            try:
                held: object = json.loads((folder / name).read_text(encoding="utf-8"))
            except ValueError as error:
                raise ModelError(f"Expected JSON in {folder / name}, but: {first_line(error)}") from error
            template = held.get("chat_template") if isinstance(held, dict) else None
            if isinstance(template, str):
                return template
    named: object = tokenizer.chat_template
    if isinstance(named, dict):
        named = named.get("default")
    return named if isinstance(named, str) else None
