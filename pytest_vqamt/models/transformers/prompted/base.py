"""What one kind of checkpoint offers to the adapter that speaks with it."""

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
    """What is said to the model about one picture.

    Attributes:
        prompt: all of it.
        question: the part of it that may be cut where it is longer than the model takes; "" where none may.
    """

    prompt: str
    question: str = ""

    def cut(self, length: int) -> Prompt:
        """The same with a question of so many characters at most."""
        question = self.question[:length].rstrip()
        return replace(self, prompt=self.prompt.replace(self.question, question, 1), question=question)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """What the model said: one text for each prompt, without the prompt; and which questions it read only in part."""

    texts: tuple[str, ...]
    cut: tuple[bool, ...]


class GenerativeModel(Protocol):
    """One checkpoint, loaded."""

    @property
    def prompts(self) -> Prompts:
        """How the tasks are put to it where the user says nothing."""
        ...

    def ready(self, shown: Sequence[ModelInput], said: Sequence[Prompt], longest: int) -> Callable[[], Completions]:
        """Does all that needs no device; what it gives has the model say something to each prompt, decoded greedily.

        Args:
            shown: what each prompt is about: its picture counts, which may be that of others, too.
            said: the prompts.
            longest: how many tokens each answer may have.

        Raises:
            DataError: a prompt does not fit the model however short its question; the second step may raise it, too.
        """
        ...

    def give_up(self) -> bool:
        """Lets go what is kept of pictures on the device; whether there was any."""
        ...


class ImageFeatures(Protocol):
    """What a model makes of pictures before it reads; ``pooler_output`` has one entry (tokens, width) a picture."""

    pooler_output: torch.Tensor | Sequence[torch.Tensor]


class PretrainedModel(Protocol):
    """What families use of a model class of transformers."""

    config: PreTrainedConfig
    generation_config: GenerationConfig

    @property
    def dtype(self) -> torch.dtype: ...
    def get_input_embeddings(self) -> torch.nn.Module: ...
    def get_image_features(self, **pixels: torch.Tensor) -> ImageFeatures: ...
    def generate(self, **inputs: object) -> torch.Tensor: ...


def load_pretrained(name: str, checkpoint: Checkpoint, runtime: Runtime) -> PretrainedModel:
    """The model of the class of transformers that is called ``name``.

    Raises:
        ModelError: a file is missing or damaged, or a weight has no value.
    """
    import transformers

    cls: type[torch.nn.Module] = getattr(transformers, name)
    return cast("PretrainedModel", load_weights(cls, checkpoint, runtime))


def load_pretrained_config(checkpoint: Checkpoint) -> PreTrainedConfig:
    """The configuration, read before the weights: what else is wrong with a checkpoint is told without loading them.

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
    """A number in a configuration.

    Raises:
        ModelError: it is not there.
    """
    value: object = getattr(config, name, None)
    if not isinstance(value, int):
        raise ModelError(f"Expected a number {name} in config.json of the checkpoint, but got {name}={value!r}")
    return value
