"""Any other checkpoint of transformers that reads pictures and texts, through its own processor."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.chat_settings import ChatSettings
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line
from pytest_vqamt.models.transformers.inputs import PICTURE_SHARE, BatchPictures, PictureFeatureCache, ShownPictures
from pytest_vqamt.models.transformers.prompted.family import (
    CheckpointFamily,
    load_processor,
    trial_picture,
)
from pytest_vqamt.models.transformers.prompted.prompt_text import (
    TWO_PICTURES,
    ChatTemplate,
    Completions,
    Prompt,
    fit_prompt,
)
from pytest_vqamt.models.transformers.prompted.reused_encodings import (
    Encoding,
    ModelInputs,
    ReusedEncodings,
    is_close,
    learn_to_reuse,
    nbytes,
)
from pytest_vqamt.models.transformers.runtime import Runtime, exclusive, quiet

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedConfig


# HunYuan-VL numbers the pictures of a whole batch through, as if they were those of one prompt, and puts the number
# into their positions. Emu 3 pads pictures to one size before its encoder, whose attention sees the padding. The
# processor of Perception LM cannot join pictures of different numbers of tiles. All in transformers 5.23.
_ONE_AT_A_TIME = frozenset({"hunyuan_vl", "emu3", "perception_lm"})
"""Kinds whose answers would depend on the batch, or whose processor takes none."""


_TRIAL = Prompt(prompt="what?")
"""A prompt to try a model with."""


def _trial_pictures() -> list[Image]:
    """Two different pictures of different shapes."""
    from PIL.Image import Transpose

    first = trial_picture()
    return [first, first.transpose(Transpose.ROTATE_90).resize((40, 72))]


class ProcessorModel(CheckpointFamily):
    """A checkpoint used through its own processor.

    A picture is encoded once for all its questions, where the model takes encodings.
    """

    cls = "AutoModelForImageTextToText"
    spreads = True

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, chat: ChatSettings | None = None) -> None:
        super().__init__(checkpoint, runtime, chat)
        self._reused = self._learn_to_reuse()
        self._takes, self._reuses_several = self._template.takes, False
        if Ability.PICTURES in self._takes:
            self._try_several()
        self.cache: PictureFeatureCache[ModelInputs, Encoding] = PictureFeatureCache(
            self._preprocess_pictures, self._encode_pictures, nbytes, runtime.cache_bytes(PICTURE_SHARE)
        )
        self.caches = (self.cache,)

    @property
    def takes(self) -> frozenset[Ability]:
        return self._takes

    def read_files(self, checkpoint: Checkpoint) -> None:
        self._processor = load_processor(checkpoint, self.config, self.tokenizer)
        tokenizer = self._processor.tokenizer
        # A decoder continues the end of its input: with padding on the right it would continue the padding.
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
        self._try_processor(checkpoint)

    def _try_processor(self, checkpoint: Checkpoint) -> None:
        """Processes one picture and text, so that a processor that cannot be used fails now and not at every query.

        Most processors take a list of pictures for each text; a few (GOT-OCR 2) one list for all texts.
        """
        image = trial_picture()
        try:
            with quiet():
                self._processed([[image]], [_TRIAL])
        except Exception as error:  # a processor raises what it likes
            self._nested = False
            try:
                with quiet():
                    self._processed([[image]], [_TRIAL])
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
            # Preprocessed now and generated later, one by one.
            steps = [self.preprocess([one], [prompt], max_tokens) for one, prompt in each]
            return lambda: Completions.together([step() for step in steps])
        shown = ShownPictures.of(inputs)
        images = [pixels() for pixels in shown.pixels.values()]
        pictures = shown.of_each(images[place] for place in shown.which)
        encoded = self._processed(pictures, prompts)
        room = self.room(max_tokens)
        fitted = list(prompts)
        # The usual batch fits. A prompt is only measured alone, with the tokens of its picture, where the longest does
        # not.
        if room is not None and encoded["input_ids"].shape[1] > room:

            def length(place: int, prompt: Prompt) -> int:
                return int(self._processed([pictures[place]], [prompt])["input_ids"].shape[1])

            fitted = [fit_prompt(each, room, partial(length, place)) for place, each in enumerate(prompts)]
            encoded = self._processed(pictures, fitted)
        cut = tuple(one != other for one, other in zip(prompts, fitted, strict=True))
        # Several pictures may be seen otherwise than one: LLaVA-OneVision cuts only a single one into tiles.
        if self._reused is None or (max(shown.counts) > 1 and not self._reuses_several):
            return partial(self._generate, self._pinned(encoded), cut, max_tokens)
        return partial(
            self._generate_from_encodings,
            self.cache.preprocess(inputs),
            self._pinned(self._reused.without_pixels(encoded)),
            encoded,
            cut,
            max_tokens,
        )

    def _pinned(self, inputs: ModelInputs) -> ModelInputs:
        """Inputs of the model in its precision, in pinned memory. Some processors also give plain lists."""
        import torch

        def pinned(value: torch.Tensor) -> torch.Tensor:
            return self._runtime.pin(value.to(self.model.dtype) if value.is_floating_point() else value)

        return {name: pinned(value) if isinstance(value, torch.Tensor) else value for name, value in inputs.items()}

    def _placed(self, inputs: ModelInputs) -> ModelInputs:
        import torch

        return {
            name: self._runtime.to_device(value) if isinstance(value, torch.Tensor) else value
            for name, value in inputs.items()
        }

    def _generate(self, inputs: ModelInputs, cut: tuple[bool, ...], max_tokens: int) -> Completions:
        return self._complete(self._placed(inputs), cut, max_tokens)

    def _generate_from_encodings(
        self,
        pictures: BatchPictures[ModelInputs, Encoding],
        others: ModelInputs,
        inputs: ModelInputs,
        cut: tuple[bool, ...],
        max_tokens: int,
    ) -> Completions:
        """Generates from the encodings of the pictures and the ``others`` of the ``inputs``."""
        assert self._reused is not None
        encodings = self.cache.encoded(pictures)
        given = self._reused.instead_of_pixels(self._placed(others), encodings)
        return (
            self._generate(self._pinned(inputs), cut, max_tokens)
            if given is None
            else self._complete(given, cut, max_tokens)
        )

    def _complete(self, inputs: ModelInputs, cut: tuple[bool, ...], max_tokens: int) -> Completions:
        # An encoder-decoder's output begins with the one token that starts its decoder.
        prompt_tokens = cast("torch.Tensor", inputs["input_ids"]).shape[1] if self.repeats_prompt else 1
        return self.complete(max_tokens, cut, prompt_tokens=prompt_tokens, **inputs)

    def _preprocess_pictures(self, images: Sequence[Image]) -> list[ModelInputs]:
        assert self._reused is not None
        # The processor takes no picture without a text; what it makes of the text is left.
        every = [self._processed([[image]], [_TRIAL]) for image in images]
        return [self._pinned({name: each[name] for name in self._reused.names}) for each in every]

    def _encode_pictures(self, ready: Sequence[ModelInputs]) -> list[Encoding]:
        assert self._reused is not None
        return [self._reused.encode(self._placed(each)) for each in ready]

    def _learn_to_reuse(self) -> ReusedEncodings | None:
        """How pictures are encoded apart from their questions; None where the model does not allow it."""
        images = _trial_pictures()
        if self.config.model_type in _ONE_AT_A_TIME:
            images = images[:1]
        try:
            with self._runtime.inference():
                each = [self._placed(self._pinned(self._processed([[image]], [_TRIAL]))) for image in images]
                both = self._placed(
                    self._pinned(self._processed([[image] for image in images], [_TRIAL] * len(images)))
                )
                return learn_to_reuse(self.model, each, both, self._first_scores)
        except Exception:  # a trial that fails, as with a processor that takes no batch, shows that it cannot
            return None

    def _try_several(self) -> None:
        """Tries two pictures in one prompt, as pixels and as encodings."""
        # Where one list holds the pictures of all texts, nothing says which are whose.
        if not self._nested:
            self._takes -= {Ability.PICTURES}
            return
        images = _trial_pictures()
        try:
            with self._runtime.inference(), quiet():
                inputs = self._placed(self._pinned(self._processed([images], [TWO_PICTURES])))
                expected = self._first_scores(inputs)
        except Exception:  # its processor or its class takes one picture, whatever its template renders
            self._takes -= {Ability.PICTURES}
            return
        if self._reused is None:
            return
        with suppress(Exception), self._runtime.inference():  # as in `_learn_to_reuse`
            pixels = [self._placed(each) for each in self._preprocess_pictures(images)]
            given = self._reused.instead_of_pixels(inputs, [self._reused.encode(each) for each in pixels])
            self._reuses_several = given is not None and is_close(self._first_scores(given), expected)

    def _first_scores(self, inputs: ModelInputs) -> torch.Tensor:
        """The scores of the first token of each answer."""
        settings = deepcopy(self._decoding.generation_config_for(1))
        settings.return_dict_in_generate, settings.output_logits = True, True
        found: Any = self.generator.generate(generation_config=settings, **inputs)
        return cast("torch.Tensor", found.logits[0])

    def _processed(self, images: Sequence[Sequence[Image]], prompts: Sequence[Prompt]) -> Mapping[str, torch.Tensor]:
        """The inputs of the model for prompts, each with its images."""
        with exclusive(self._processor.tokenizer):
            return self._processor(
                text=[self._template.write(each.prompt, each.reasoning, each.turns) for each in prompts],
                images=[list(each) for each in images] if self._nested else list(chain.from_iterable(images)),
                padding=True,
                truncation=False,
                # A beginning token twice is another prompt than that of the training.
                add_special_tokens=not self._template.begins,
                return_tensors="pt",
                **self._settings,
            )


def _takes(cls: str, config: PreTrainedConfig, name: str) -> bool:
    """True if the model takes an input of this name."""
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING as CLASSES

    named: Any = CLASSES[type(config)] if cls.startswith("Auto") else getattr(transformers, cls)
    return name in inspect.signature(named.forward).parameters


class Qwen25OmniThinker(ProcessorModel):
    """The part of Qwen2.5-Omni that reads and writes; the part that speaks is not loaded."""

    cls = "Qwen2_5OmniThinkerForConditionalGeneration"


class Qwen3OmniThinker(ProcessorModel):
    """The part of Qwen3-Omni that reads and writes; the part that speaks is not loaded."""

    cls = "Qwen3OmniMoeThinkerForConditionalGeneration"
