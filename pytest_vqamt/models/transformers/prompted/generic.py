"""Checkpoints of unknown families, run through their own processor, and GIT, which continues a text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.batching import distinct_pictures
from pytest_vqamt.models.prompts import Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line
from pytest_vqamt.models.transformers.inputs import TextTokens
from pytest_vqamt.models.transformers.prompted.base import CheckpointFamily, load_processor, trial_picture
from pytest_vqamt.models.transformers.prompted.image_token_model import PicturePixels, PicturePreprocessor
from pytest_vqamt.models.transformers.prompted.text import (
    ChatTemplate,
    Completions,
    Prompt,
    fit_prompt,
    tokenize_prompts,
)
from pytest_vqamt.models.transformers.runtime import exclusive, quiet

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedConfig


# HunYuan-VL numbers the pictures of a whole batch through, as if they were those of one prompt, and puts the number
# into their positions. Emu 3 pads pictures to one size before its encoder, whose attention sees the padding. The
# processor of Perception LM cannot join pictures of different numbers of tiles. All in transformers 5.23.
_ONE_AT_A_TIME = frozenset({"hunyuan_vl", "emu3", "perception_lm"})
"""Kinds whose answers would depend on the batch, or that take none."""


class ProcessorModel(CheckpointFamily):
    """A checkpoint used through its own processor. The picture is encoded again for each question."""

    cls = "AutoModelForImageTextToText"

    def read_files(self, checkpoint: Checkpoint) -> None:
        self._processor = load_processor(checkpoint, self.config, self.tokenizer)
        tokenizer = self._processor.tokenizer
        tokenizer.padding_side = "left"
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        # Qianfan-OCR's template writes another mark for a picture than its processor then puts there.
        marks = (getattr(self._processor, name, None) for name in ("image_placeholder_token", "image_token"))
        image_marker = next((mark for mark in marks if mark is not None), None)
        self._template = ChatTemplate(
            checkpoint, tokenizer, None if image_marker is None else str(image_marker), self.chat
        )
        # A copy, since the processor holds its own for as long as it works, on pictures too.
        self.tokenizer = deepcopy(tokenizer)
        self._settings: dict[str, object] = {}
        # Without them a model whose positions depend on them fails, or answers otherwise in silence; its processor
        # may leave them out (Cosmos 3 Edge).
        if _takes(self.cls, self.config, "mm_token_type_ids"):
            self._settings["return_mm_token_type_ids"] = True
        self._nested = True
        self._try(checkpoint)

    def _try(self, checkpoint: Checkpoint) -> None:
        """Puts one picture and text, so that what the processor lacks shows now and not in every answer.

        Most processors take a list of pictures for each text; a few (GOT-OCR 2) one list for all texts.
        """
        image = trial_picture()
        try:
            with quiet():
                self._processed([image], [Prompt(prompt="what?")])
        except Exception as error:  # a processor raises what it likes
            self._nested = False
            try:
                with quiet():
                    self._processed([image], [Prompt(prompt="what?")])
            except Exception:
                raise ModelError(
                    f"Expected the processor in {checkpoint.folder} to take a picture and a text, but: "
                    f"{first_line(error)}"
                ) from error

    @property
    def switches_reasoning(self) -> bool:
        return self._template.switches_reasoning

    @property
    def reasons(self) -> bool:
        return self._template.reasons

    def opening(self, reasoning: bool | None) -> str:
        return self._template.opening(reasoning)

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        if self.config.model_type in _ONE_AT_A_TIME and len(inputs) > 1:
            each = zip(inputs, prompts, strict=True)
            steps = [self.preprocess([one], [prompt], max_tokens) for one, prompt in each]
            return lambda: Completions.together([step() for step in steps])
        firsts, which = distinct_pictures(inputs)
        images = [item.image for item in firsts]
        pictures = [images[place] for place in which]
        encoded = self._processed(pictures, prompts)
        room = self.room(max_tokens)
        fitted = list(prompts)
        if room is not None and encoded["input_ids"].shape[1] > room:

            def length(place: int, prompt: Prompt) -> int:
                return int(self._processed([pictures[place]], [prompt])["input_ids"].shape[1])

            fitted = [fit_prompt(each, room, partial(length, place)) for place, each in enumerate(prompts)]
            encoded = self._processed(pictures, fitted)
        cut = tuple(one != other for one, other in zip(prompts, fitted, strict=True))
        return partial(self._generate, {name: self._ready(value) for name, value in encoded.items()}, cut, max_tokens)

    def _ready(self, value: object) -> object:
        """An input of the model in its precision, in pinned memory. Some processors also give plain lists."""
        import torch

        if not isinstance(value, torch.Tensor):
            return value
        return self._runtime.pin(value.to(self.model.dtype) if value.is_floating_point() else value)

    def _generate(self, inputs: Mapping[str, object], cut: tuple[bool, ...], max_tokens: int) -> Completions:
        import torch

        placed = {
            name: self._runtime.to_device(value) if isinstance(value, torch.Tensor) else value
            for name, value in inputs.items()
        }
        prompt_tokens = cast("torch.Tensor", placed["input_ids"]).shape[1] if self.repeats_prompt else 1
        return self.complete(max_tokens, cut, prompt_tokens=prompt_tokens, **placed)

    def _processed(self, images: Sequence[Image], prompts: Sequence[Prompt]) -> Mapping[str, torch.Tensor]:
        with exclusive(self._processor.tokenizer):
            return self._processor(
                text=[self._template.write(each.prompt, each.reasoning) for each in prompts],
                images=[[image] for image in images] if self._nested else list(images),
                padding=True,
                truncation=False,
                add_special_tokens=not self._template.begins,
                return_tensors="pt",
                **self._settings,
            )


def _takes(cls: str, config: PreTrainedConfig, name: str) -> bool:
    """Whether the model takes an input of this name."""
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING as CLASSES

    named: Any = CLASSES[type(config)] if cls.startswith("Auto") else getattr(transformers, cls)
    return name in inspect.signature(named.forward).parameters


class Qwen25OmniThinker(ProcessorModel):
    """The part of Qwen2.5-Omni that reads and writes. What speaks is not loaded."""

    cls = "Qwen2_5OmniThinkerForConditionalGeneration"


class Qwen3OmniThinker(ProcessorModel):
    """The part of Qwen3-Omni that reads and writes. What speaks is not loaded."""

    cls = "Qwen3OmniMoeThinkerForConditionalGeneration"


GIT_PROMPTS = Prompts(question="{text}", entailment="", caption="")
"""As in its fine-tuning: for questions, the question; for captions, nothing (Wang et al. 2022)."""


class Git(CheckpointFamily):
    """GIT, fine-tuned for questions or captions. The picture is encoded again for each question."""

    cls = "GitForCausalLM"
    prompts = GIT_PROMPTS

    def read_files(self, checkpoint: Checkpoint) -> None:
        self.pictures = PicturePreprocessor(checkpoint, self._runtime)

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        firsts, which = distinct_pictures(inputs)
        pictures = self.pictures.each([item.image for item in firsts])
        tokens = tokenize_prompts(
            prompts,
            self.tokenizer,
            self._runtime,
            written=lambda _place, prompt: f"{self.tokenizer.cls_token}{prompt.prompt}",
            adds_special_tokens=False,  # the one that ends a text would end the question and leave nothing to say
            room=self.room(max_tokens),
        )
        pixels = PicturePixels.together(pictures).for_device(self._runtime, self.model.dtype)
        return partial(self._generate, pixels.tensors["pixel_values"], which, tokens, max_tokens)

    def _generate(
        self, pixels: torch.Tensor, which: Sequence[int], prompt_tokens: TextTokens, max_tokens: int
    ) -> Completions:
        tokens = prompt_tokens.on(self._runtime)
        return self.complete(
            max_tokens,
            tokens.cut,
            prompt_tokens=tokens.ids.shape[1],
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            pixel_values=self._runtime.to_device(pixels)[list(which)],
        )
