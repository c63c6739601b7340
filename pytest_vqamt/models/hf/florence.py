"""Florence-2: an encoder reads the picture and a task put as a question; what it was trained to say are captions."""

from __future__ import annotations

from pytest_vqamt.models.prompts import Prompts
from pytest_vqamt.models.transformers.prompted.image_token_model import Marked

FLORENCE_PROMPTS = Prompts(question="", entailment="", caption="<CAPTION>")
"""Published checkpoints describe. They answer questions only where fine-tuned to, by a prompt of their own."""

_TASKS = {
    "<CAPTION>": "What does the image describe?",
    "<DETAILED_CAPTION>": "Describe in detail what is shown in the image.",
    "<MORE_DETAILED_CAPTION>": "Describe with a paragraph what is shown in the image.",
}
"""What the tasks that describe are called, and what the model reads for them (Xiao et al. 2024)."""


class Florence(Marked):
    """Florence-2 in the layout of transformers."""

    cls = "Florence2ForConditionalGeneration"
    prompts = FLORENCE_PROMPTS

    @property
    def special(self) -> bool:
        return False

    def prompt(self, text: str) -> str:
        words = self.tokenizer
        return f"{self.mark}{words.bos_token}{_TASKS.get(text, text)}{words.eos_token}"
