"""LLaVA, LLaVA-NeXT and what else puts a picture into its chat template by one token."""

from __future__ import annotations

from pytest_vqamt.models.hf.template import ChatTemplate
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.prompted.image_token_model import Marked


class Chat(Marked):
    """A checkpoint with a chat template."""

    def learn(self, checkpoint: Checkpoint) -> None:
        self._template = ChatTemplate(checkpoint, self.tokenizer, self.mark)

    @property
    def special(self) -> bool:
        return not self._template.begins

    def prompt(self, text: str) -> str:
        return self._template.write(text)


class LlavaChat(Chat):
    """LLaVA 1.5 and its relatives (Liu et al. 2024)."""

    cls = "LlavaForConditionalGeneration"


class LlavaNextChat(Chat):
    """LLaVA-NeXT, which sees a picture whole and in tiles."""

    cls = "LlavaNextForConditionalGeneration"
