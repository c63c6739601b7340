"""The chat template of a checkpoint, and how a picture and a text are put into it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.loading.quiet import first_line
from pytest_vqamt.models.transformers.checkpoint import Checkpoint

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


_OLDER = ("chat_template.json", "processor_config.json", "tokenizer_config.json")


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
        template = template_of(checkpoint.folder)
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


def template_of(folder: Path) -> str | None:
    """The chat template: from its own file, or from those in which older versions kept it.

    Raises:
        ModelError: such a file is damaged.
    """
    file = folder / "chat_template.jinja"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    return next((found for name in _OLDER if (found := _within(folder / name)) is not None), None)


def _within(file: Path) -> str | None:
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
