"""The interface between a generative checkpoint and its adapter, and what all families share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.input_files import parse_json, read_text
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.chat_settings import ChatSettings
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line, load_head
from pytest_vqamt.models.transformers.classifier import check_step_scores
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.prompted.prompt_text import (
    Completions,
    GreedyDecoding,
    Prompt,
    StepScores,
    context_length,
    load_prompt_tokenizer,
)
from pytest_vqamt.models.transformers.runtime import ReleasableMemory, Runtime, quiet

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import DynamicCache, GenerationConfig, PreTrainedConfig, PreTrainedTokenizerBase


_PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json", "tokenizer_config.json")
"""Files that may name the processor's class, those of the newest versions of transformers first."""


class GenerativeModel(ReleasableMemory, Protocol):
    """A loaded generative checkpoint."""

    @property
    def prompts(self) -> Prompts:
        """The default prompts for the tasks."""
        ...

    @property
    def takes(self) -> frozenset[Ability]:
        """What it takes beside one picture and one text."""
        ...

    @property
    def switches_reasoning(self) -> bool:
        """True if its chat template switches its reasoning."""
        ...

    @property
    def reasons(self) -> bool:
        """True if its chat template makes it reason where nothing switches that."""
        ...

    def opening(self, reasoning: bool | None) -> str:
        """The mark that begins the reasoning, such as "<think>", where the prompt ends with it; else ""."""
        ...

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        """Does all that needs no device; the returned step decodes a completion per prompt greedily.

        Each prompt is about the pictures of the input in its place; a completion has at most ``max_tokens`` tokens.
        The inputs show equally many pictures, and either all or none are conversations.

        Raises:
            DataError: a prompt does not fit however short its question; the second step may raise it, too.
        """
        ...


class ImageFeatures(Protocol):
    """The output of an image encoder; ``pooler_output`` has one entry (tokens, width) per picture."""

    pooler_output: torch.Tensor | Sequence[torch.Tensor]


class ModelOutput(Protocol):
    """The output of a model that was asked to keep its keys and values."""

    past_key_values: DynamicCache


class PretrainedModel(Protocol):
    """The interface of transformers' model classes that families use."""

    config: PreTrainedConfig
    generation_config: GenerationConfig

    @property
    def dtype(self) -> torch.dtype: ...
    def get_input_embeddings(self) -> torch.nn.Module: ...
    def get_image_features(self, **pixels: torch.Tensor) -> ImageFeatures: ...
    def generate(self, **inputs: object) -> torch.Tensor: ...
    def __call__(self, **inputs: object) -> ModelOutput: ...
    def _prepare_position_ids_for_generation(
        self, inputs_tensor: torch.Tensor, model_kwargs: Mapping[str, torch.Tensor]
    ) -> torch.Tensor: ...


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
    # The meta device allocates nothing: a model of 7 billion weights is built in a moment.
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
    spreads = False
    """True if its layers may lie on several devices: it calls no part of the model by itself."""
    takes_pixels = False
    """True if its image processor takes bounds of the number of pixels."""
    caches: tuple[ReleasableMemory, ...] = ()
    """What it keeps on the device of pictures."""

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
        # All that can be wrong shows before the weights are read, which takes minutes for the larger ones.
        self.read_files(checkpoint)
        self.check_prompt(checkpoint)
        self.model: PretrainedModel = load_head(self.cls, checkpoint, runtime)
        self._decoding = GreedyDecoding(self.generator, self.tokenizer, checkpoint, self.model)

    @property
    def prompts(self) -> Prompts:
        return INSTRUCTION_PROMPTS

    @property
    def takes(self) -> frozenset[Ability]:
        return frozenset()

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
        """True if the generated tokens begin with the prompt, as with decoder-only models."""
        return not self.config.is_encoder_decoder

    def read_files(self, checkpoint: Checkpoint) -> None:
        """Reads further files, before the weights."""

    def check_prompt(self, checkpoint: Checkpoint) -> None:
        """Raises OtherPromptError where this family would give the model other tokens than its own processor does."""

    def room(self, max_tokens: int) -> int | None:
        """The most tokens of a prompt that leave room for a completion of ``max_tokens``; None for no limit."""
        window = context_length(self.config)
        return window if window is None or self.config.is_encoder_decoder else window - max_tokens

    def release(self) -> bool:
        released = [each.release() for each in self.caches]
        return any(released)

    def halve(self) -> None:
        for each in self.caches:
            each.halve()

    def complete(self, max_tokens: int, cut: Sequence[bool], prompt_tokens: int, **inputs: object) -> Completions:
        """Generates completions, and leaves out the first ``prompt_tokens`` of the output."""
        steps = StepScores(self.chat.logprobs)
        generated = self.generator.generate(
            generation_config=self._decoding.generation_config_for(max_tokens),
            # NaN scores have a likeliest token too, so an overflow in float16 would give answers.
            logits_processor=[check_step_scores, *([steps] if self.chat.logprobs else [])],
            **inputs,
        )[:, prompt_tokens:]
        texts, ended = self._decoding.texts(generated)
        return Completions(
            texts=texts,
            cut=tuple(cut),
            ended=ended,
            scores=self._decoding.scores(generated, steps) if self.chat.logprobs else None,
            steps=self._decoding.steps(generated, steps, self.chat.steps) if self.chat.steps else None,
        )


class Processor(Protocol):
    """A processor of transformers, which turns texts and pictures into a model's inputs."""

    tokenizer: PreTrainedTokenizerBase
    image_processor: object

    def __call__(self, **given: object) -> Mapping[str, torch.Tensor]: ...


def trial_picture() -> Image:
    """A small picture with a gradient, to try a processor with."""
    from PIL import Image

    return Image.linear_gradient("L").resize((48, 32)).convert("RGB")


def load_processor(checkpoint: Checkpoint, config: PreTrainedConfig, tokenizer: PreTrainedTokenizerBase) -> Processor:
    """The processor of the checkpoint, with a copy of ``tokenizer`` and its image processor over PIL.

    Those of models that also take films want torchvision for them. Here they get none, since no film is ever sent.

    Raises:
        ModelError: it cannot be made.
    """
    images = load_image_processor(checkpoint)
    try:
        with quiet():
            return _made(checkpoint, config, images, deepcopy(tokenizer))
    except Exception as error:  # what is not installed shows as an ImportError, a damaged file as anything
        raise ModelError(
            f"Expected a processor that can be made from {checkpoint.folder}, but: {first_line(error)}"
        ) from error


def _made(
    checkpoint: Checkpoint, config: PreTrainedConfig, images: object, tokenizer: PreTrainedTokenizerBase
) -> Processor:
    # A subclass, since the processor checks the types of its parts, and a missing part has none.
    whole = _processor_class(named_processor(checkpoint), config)
    cls: Any = type(whole.__name__, (_ForPictures, whole), {"__module__": whole.__module__})
    local: dict[str, object] = {"local_files_only": True, "trust_remote_code": False}
    settings, _ = cls.get_processor_dict(checkpoint.folder, **local)
    given = {"tokenizer": tokenizer, "image_processor": images}
    # Parts that the processor lists: tokenizers (some have two), the image processor, and those for films and sounds.
    parts = [
        given[part]
        if part in given
        else cls._load_tokenizer_from_pretrained(part, checkpoint.folder, **local)
        if "tokenizer" in part
        else _Missing()
        for part in cls.get_attributes()
    ]
    return cast(Processor, cls.from_args_and_dict(parts, settings))


def _processor_class(name: str, config: PreTrainedConfig) -> Any:
    """The processor class of this name; without a name, the usual one for the configuration.

    It is taken from its own module: for some that do without torchvision, transformers shows one that always raises.
    """
    auto = _auto()
    # Checkpoints converted by hand may name none.
    name = name or str(auto.PROCESSOR_MAPPING_NAMES[config.model_type])
    for kind in (kind for kind, named in auto.PROCESSOR_MAPPING_NAMES.items() if named == name):
        module = auto.model_type_to_module_name(kind)
        with suppress(ModuleNotFoundError):  # several kinds have the processor of one
            return getattr(import_module(f"transformers.models.{module}.processing_{module}"), name)
    return auto.processor_class_from_name(name)


def usual_processor(config: PreTrainedConfig) -> str:
    """The processor class of other checkpoints of this kind; "" where the kind has none."""
    return str(_auto().PROCESSOR_MAPPING_NAMES.get(config.model_type, ""))


def _auto() -> Any:
    return import_module("transformers.models.auto.processing_auto")


def named_processor(checkpoint: Checkpoint) -> str:
    """The processor class that the checkpoint's files name; "" where none does.

    Raises:
        ModelError: such a file is damaged.
    """
    for name in _PROCESSOR_FILES:
        if isinstance(named := _settings_in(checkpoint, name).get("processor_class"), str):
            return named
    return ""


def processor_settings(checkpoint: Checkpoint) -> Mapping[str, object]:
    """The content of processor_config.json; empty where there is none."""
    return _settings_in(checkpoint, _PROCESSOR_FILES[0])


def _settings_in(checkpoint: Checkpoint, name: str) -> Mapping[str, object]:
    file = checkpoint.folder / name
    try:
        found: object = parse_json(read_text(file)) if file.is_file() else None
    except (OSError, ValueError) as error:
        raise ModelError(f"Expected JSON in {file}, but: {first_line(error)}; copy the file again") from error
    return found if isinstance(found, dict) else {}


class _Missing:
    """A placeholder for the part of a processor that takes films or sounds; all its settings are None."""

    def __getattr__(self, name: str) -> None:
        # MiniCPM-V reads how its films are cut, even where there are none.
        if name.startswith("__"):
            raise AttributeError(name)


class _ForPictures:
    """A mixin of processor classes that lets parts be missing: their types are not checked, and no log shows them."""

    def __repr__(self) -> str:
        # The inherited one writes all parts as JSON, which a missing part cannot do.
        return type(self).__name__

    def check_argument_for_proper_class(self, name: str, part: object) -> object:
        return type(part) if isinstance(part, _Missing) else super().check_argument_for_proper_class(name, part)  # type: ignore[misc]  # of the class behind
