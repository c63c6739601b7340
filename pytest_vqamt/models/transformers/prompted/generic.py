"""Checkpoints of unknown families: run through their own processor and chat template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.batching import distinct_pictures
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line, quiet
from pytest_vqamt.models.transformers.classifier import check_step_scores
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.prompted.base import Completions, Prompt, load_pretrained, load_pretrained_config
from pytest_vqamt.models.transformers.prompted.text import (
    ChatTemplate,
    GreedyDecoding,
    context_length,
    fit_prompt,
    load_prompt_tokenizer,
)
from pytest_vqamt.models.transformers.runtime import Runtime, exclusive

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedTokenizerBase


class _Processor(Protocol):
    tokenizer: PreTrainedTokenizerBase
    image_processor: object

    def __call__(self, **given: object) -> Mapping[str, torch.Tensor]: ...


class ProcessorModel:
    """A checkpoint used through its own processor. The picture is encoded again for each question."""

    prompts = INSTRUCTION_PROMPTS

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads the checkpoint, the small files first.

        Raises:
            ModelError: a file is missing, damaged, or of another model, or the processor needs a package that is not
                installed.
        """
        self.config = load_pretrained_config(checkpoint)
        load_prompt_tokenizer(checkpoint, self.config)
        self._processor = _load_processor(checkpoint)
        tokenizer = self._processor.tokenizer
        tokenizer.padding_side = "left"
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        image_marker: object = getattr(self._processor, "image_token", None)
        self._template = ChatTemplate(checkpoint, tokenizer, None if image_marker is None else str(image_marker))
        self.model = load_pretrained("AutoModelForImageTextToText", checkpoint, runtime)
        self._runtime = runtime
        # A copy, since the processor holds its own for as long as it works, on pictures too.
        self._decoding = GreedyDecoding(self.model, deepcopy(tokenizer), checkpoint)

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        firsts, which = distinct_pictures(inputs)
        images = [item.image for item in firsts]
        pictures = [images[place] for place in which]
        encoded = self._processed(pictures, prompts)
        window = context_length(self.config)
        room = None if window is None else window - (0 if self.config.is_encoder_decoder else max_tokens)
        fitted = list(prompts)
        if room is not None and encoded["input_ids"].shape[1] > room:

            def length(place: int, prompt: Prompt) -> int:
                return int(self._processed([pictures[place]], [prompt])["input_ids"].shape[1])

            fitted = [fit_prompt(each, room, partial(length, place)) for place, each in enumerate(prompts)]
            encoded = self._processed(pictures, fitted)
        cut = tuple(one != other for one, other in zip(prompts, fitted, strict=True))
        dtype = self.model.dtype
        rounded = ((name, value.to(dtype) if value.is_floating_point() else value) for name, value in encoded.items())
        return partial(self._generate, {name: self._runtime.pin(value) for name, value in rounded}, cut, max_tokens)

    def release(self) -> bool:
        return False

    def _generate(self, inputs: Mapping[str, torch.Tensor], cut: tuple[bool, ...], max_tokens: int) -> Completions:
        generated = self.model.generate(
            **{name: self._runtime.to_device(value) for name, value in inputs.items()},
            generation_config=self._decoding.generation_config_for(max_tokens),
            logits_processor=[check_step_scores],
        )
        prompt_tokens = 1 if self.config.is_encoder_decoder else inputs["input_ids"].shape[1]
        return Completions(texts=self._decoding.texts(generated[:, prompt_tokens:]), cut=cut)

    def _processed(self, images: Sequence[Image], prompts: Sequence[Prompt]) -> Mapping[str, torch.Tensor]:
        with exclusive(self._processor.tokenizer):
            return self._processor(
                text=[self._template.write(each.prompt) for each in prompts],
                images=[[image] for image in images],
                padding=True,
                truncation=False,
                add_special_tokens=not self._template.begins,
                return_tensors="pt",
            )


def _load_processor(checkpoint: Checkpoint) -> _Processor:
    from transformers import AutoProcessor

    images = load_image_processor(checkpoint)
    try:
        with quiet():
            processor = cast(
                _Processor,
                AutoProcessor.from_pretrained(  # type: ignore[no-untyped-call]  # transformers does not annotate it
                    checkpoint.folder, local_files_only=True, trust_remote_code=False
                ),
            )
    except Exception as error:  # what is not installed shows as an ImportError, a damaged file as anything
        raise ModelError(
            f"Expected a processor that can be made from {checkpoint.folder}, but: {first_line(error)}; the processors "
            "of models that take videos need torchvision, the one made for the installed torch"
        ) from error
    processor.image_processor = images
    return processor
