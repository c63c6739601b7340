"""Our model, as a class that the plugin can ask: a checkpoint of transformers, put behind three methods.

In a real repository the checkpoint is the one that the team trains. Here it is the small one of pytest-vqamt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import torch
from PIL import Image
from transformers import AutoProcessor, LlavaForConditionalGeneration

import pytest_vqamt as vqamt

CHECKPOINT = Path(vqamt.__file__).parent / "models" / "tiny_weights"

QUESTION = "{}"
HYPOTHESIS = "Hypothesis: {} Entailment, neutral or contradiction?"
CAPTION = "Describe the picture."


class OurModel:
    """Answers questions, judges hypotheses and describes pictures, each by a prompt."""

    batch_size = 64

    def __init__(self, checkpoint: Path = CHECKPOINT) -> None:
        torch.set_num_threads(1)
        self._processor = AutoProcessor.from_pretrained(checkpoint)
        self._network = LlavaForConditionalGeneration.from_pretrained(checkpoint, dtype=torch.float32).eval()
        weights = (checkpoint / "model.safetensors").read_bytes()
        # Names all that can change an answer: they are kept under it, and never asked for again.
        self.fingerprint = f"our-model {hashlib.sha256(weights).hexdigest()[:12]} {type(self).__name__}"

    def answer(self, batch: Sequence[vqamt.ModelInput]) -> list[str]:
        return self._say(batch, QUESTION, 16)

    def entail(self, batch: Sequence[vqamt.ModelInput]) -> list[str]:
        return self._say(batch, HYPOTHESIS, 16)

    def caption(self, batch: Sequence[vqamt.ModelInput]) -> list[str]:
        return self._say(batch, CAPTION, 64)

    def load(self, image: Image.Image) -> Image.Image:
        """The picture as the network takes it."""
        return image

    @torch.inference_mode()
    def _say(self, batch: Sequence[vqamt.ModelInput], prompt: str, longest: int) -> list[str]:
        chats = [
            [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": prompt.format(each.text)}]}]
            for each in batch
        ]
        texts = self._processor.apply_chat_template(chats, add_generation_prompt=True)
        images = [self.load(each.image) for each in batch]
        inputs = self._processor(images=images, text=texts, padding=True, padding_side="left", return_tensors="pt")
        said = self._network.generate(**inputs, max_new_tokens=longest, do_sample=False)
        words: list[str] = self._processor.batch_decode(
            said[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True
        )
        return [each.strip() for each in words]


class SwappedChannels(OurModel):
    """The same after a change of the picture loader that takes red for blue: what the regression gate is there for."""

    def load(self, image: Image.Image) -> Image.Image:
        red, green, blue = image.split()
        return Image.merge("RGB", (blue, green, red))
