"""The interface between a generative checkpoint and its adapter, and the loading that all families share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.prompts import Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line, quiet
from pytest_vqamt.models.transformers.runtime import Runtime
from pytest_vqamt.models.transformers.weights import load_weights

if TYPE_CHECKING:
    import torch
    from transformers import GenerationConfig, PreTrainedConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The text for one picture.

    Attributes:
        prompt: all of it.
        question: the part that may be truncated; "" for none.
    """

    prompt: str
    question: str = ""

    def cut(self, length: int) -> Prompt:
        """The prompt with its question truncated to ``length`` characters."""
        question = self.question[:length].rstrip()
        return replace(self, prompt=self.prompt.replace(self.question, question, 1), question=question)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """One generated text for each prompt, without the prompt; and which questions were truncated."""

    texts: tuple[str, ...]
    cut: tuple[bool, ...]


class GenerativeModel(Protocol):
    """A loaded generative checkpoint."""

    @property
    def prompts(self) -> Prompts:
        """The default prompts for the tasks."""
        ...

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        """Does all that needs no device; the returned step decodes one completion per prompt, greedily.

        Args:
            inputs: the input of each prompt, for its picture; several may share one.
            prompts: the prompts.
            max_tokens: the most tokens of a completion.

        Raises:
            DataError: a prompt does not fit the model however short its question; the second step may raise it, too.
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


def load_pretrained(name: str, checkpoint: Checkpoint, runtime: Runtime) -> PretrainedModel:
    """The model of transformers' class ``name``.

    Raises:
        ModelError: a file is missing or damaged, or a weight has no value.
    """
    import transformers

    cls: type[torch.nn.Module] = getattr(transformers, name)
    return cast("PretrainedModel", load_weights(cls, checkpoint, runtime))


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


def int_setting(config: object, name: str) -> int:
    """The integer ``name`` of a configuration.

    Raises:
        ModelError: it is missing.
    """
    value: object = getattr(config, name, None)
    if not isinstance(value, int):
        raise ModelError(f"Expected a number {name} in config.json of the checkpoint, but got {name}={value!r}")
    return value
