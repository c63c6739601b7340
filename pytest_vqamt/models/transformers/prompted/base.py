"""The interface between a generative checkpoint and its adapter, and what all families share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.chat_settings import ChatSettings
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line, load_head
from pytest_vqamt.models.transformers.classifier import check_step_scores
from pytest_vqamt.models.transformers.prompted.text import (
    Completions,
    GreedyDecoding,
    Prompt,
    StepScores,
    context_length,
    load_prompt_tokenizer,
)
from pytest_vqamt.models.transformers.runtime import Runtime, quiet

if TYPE_CHECKING:
    import torch
    from transformers import GenerationConfig, PreTrainedConfig


class GenerativeModel(Protocol):
    """A loaded generative checkpoint."""

    @property
    def prompts(self) -> Prompts:
        """The default prompts for the tasks."""
        ...

    @property
    def switches_reasoning(self) -> bool:
        """Whether its chat template switches its reasoning."""
        ...

    @property
    def reasons(self) -> bool:
        """Whether its chat template makes it reason where nothing switches that."""
        ...

    def opening(self, reasoning: bool | None) -> str:
        """The mark that begins the reasoning, where a prompt with this ``reasoning`` ends with it; else ""."""
        ...

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        """Does all that needs no device; the returned step decodes a completion per prompt greedily.

        Each prompt is about the picture of the input in its place; a completion has at most ``max_tokens`` tokens.

        Raises:
            DataError: a prompt does not fit however short its question; the second step may raise it, too.
        """
        ...

    def release(self) -> bool:
        """Releases cached pictures on the device; whether there were any."""
        ...


class ImageFeatures(Protocol):
    """The output of an image encoder; ``pooler_output`` has one entry (tokens, width) per picture."""

    pooler_output: torch.Tensor | Sequence[torch.Tensor]


class PretrainedModel(Protocol):
    """The interface of transformers' model classes that families use."""

    config: PreTrainedConfig
    generation_config: GenerationConfig

    @property
    def dtype(self) -> torch.dtype: ...
    def get_input_embeddings(self) -> torch.nn.Module: ...
    def get_image_features(self, **pixels: torch.Tensor) -> ImageFeatures: ...
    def generate(self, **inputs: object) -> torch.Tensor: ...


def load_pretrained_config(checkpoint: Checkpoint) -> PreTrainedConfig:
    """The configuration, read before the weights so that errors in it show early.

    Raises:
        ModelError: transformers cannot read it.
    """
    from transformers import AutoConfig

    try:
        with quiet():
            config: PreTrainedConfig = AutoConfig.from_pretrained(
                checkpoint.folder, local_files_only=True, trust_remote_code=False
            )
    except Exception as error:  # a damaged file raises whatever the library that reads it does
        raise ModelError(
            f"Expected a configuration that transformers can read in {checkpoint.folder / 'config.json'}, but: "
            f"{first_line(error)}"
        ) from error
    return config


def _input_rows(cls: str, config: PreTrainedConfig) -> int:
    """The rows of the model's table of input words; known before the weights are read."""
    import torch
    import transformers

    named = getattr(transformers, cls)
    with torch.device("meta"), quiet():
        model = named.from_config(config) if cls.startswith("Auto") else named(config)
    return int(model.get_input_embeddings().weight.shape[0])


def int_setting(config: object, name: str) -> int:
    """The integer ``name`` of a configuration.

    Raises:
        ModelError: it is missing.
    """
    value: object = getattr(config, name, None)
    if not isinstance(value, int):
        raise ModelError(f"Expected a number {name} in config.json of the checkpoint, but got {name}={value!r}")
    return value


class OtherPromptError(ModelError):
    """A checkpoint in the layout of a family that was trained on other prompts, as Pixtral in LLaVA's."""


class CheckpointFamily:
    """A checkpoint of transformers' class ``cls``. Subclasses override what differs."""

    cls = ""
    takes_pixels = False
    """Whether its image processor takes bounds of the number of pixels."""

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, chat: ChatSettings | None = None) -> None:
        """Loads the checkpoint, the small files first.

        Raises:
            ModelError: a file is missing, damaged, or of another model.
            OtherPromptError: its own processor puts a picture and a text otherwise than this family.
        """
        self._runtime = runtime
        self.chat = chat or ChatSettings()
        self.config = load_pretrained_config(checkpoint)
        self.tokenizer = load_prompt_tokenizer(checkpoint, self.config, partial(_input_rows, self.cls, self.config))
        self.read_files(checkpoint)
        self.check_prompt(checkpoint)
        self.model: PretrainedModel = load_head(self.cls, checkpoint, runtime)
        self._decoding = GreedyDecoding(self.generator, self.tokenizer, checkpoint, self.model)

    @property
    def prompts(self) -> Prompts:
        return INSTRUCTION_PROMPTS

    @property
    def switches_reasoning(self) -> bool:
        return False

    @property
    def reasons(self) -> bool:
        return False

    def opening(self, _reasoning: bool | None) -> str:
        return ""

    @property
    def generator(self) -> PretrainedModel:
        """The part of the model that generates."""
        return self.model

    @property
    def repeats_prompt(self) -> bool:
        """Whether what is generated begins with the prompt, as that of decoders alone does."""
        return not self.config.is_encoder_decoder

    def read_files(self, checkpoint: Checkpoint) -> None:
        """Reads further files, before the weights."""

    def check_prompt(self, checkpoint: Checkpoint) -> None:
        """Raises OtherPromptError where this family would give the model other tokens than its own processor does."""

    def room(self, max_tokens: int) -> int | None:
        """The most tokens of a prompt beside a completion of ``max_tokens``; None for no limit."""
        window = context_length(self.config)
        return window if window is None or self.config.is_encoder_decoder else window - max_tokens

    def release(self) -> bool:
        return False

    def complete(self, max_tokens: int, cut: Sequence[bool], prompt_tokens: int, **inputs: object) -> Completions:
        """Generates; the first ``prompt_tokens`` of what is generated are left out."""
        steps = StepScores(self.chat.logprobs)
        generated = self.generator.generate(
            generation_config=self._decoding.generation_config_for(max_tokens),
            logits_processor=[check_step_scores, *([steps] if self.chat.logprobs else [])],
            **inputs,
        )[:, prompt_tokens:]
        texts, ended = self._decoding.texts(generated)
        return Completions(
            texts=texts,
            cut=tuple(cut),
            ended=ended,
            scores=self._decoding.scores(generated, steps) if self.chat.logprobs else None,
        )
