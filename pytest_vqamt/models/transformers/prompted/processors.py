"""A checkpoint's own processor, made for pictures alone: no part of it that takes films or sounds is needed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.input_files import parse_json, read_text
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.runtime import quiet

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedConfig, PreTrainedTokenizerBase


class Processor(Protocol):
    """Texts and pictures as a model's inputs."""

    tokenizer: PreTrainedTokenizerBase
    image_processor: object

    def __call__(self, **given: object) -> Mapping[str, torch.Tensor]: ...


def trial_picture() -> Image:
    """A small picture, for a look at what a processor makes of one."""
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
    whole = _processor_class(named_processor(checkpoint), config)
    cls: Any = type(whole.__name__, (_ForPictures, whole), {"__module__": whole.__module__})
    local: dict[str, object] = {"local_files_only": True, "trust_remote_code": False}
    settings, _ = cls.get_processor_dict(checkpoint.folder, **local)
    given = {"tokenizer": tokenizer, "image_processor": images}
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
    """The class of this name, or that for the configuration.

    It is taken from its own module: for some that do without torchvision, transformers shows one that always raises.
    """
    auto = _auto()
    name = name or str(auto.PROCESSOR_MAPPING_NAMES[config.model_type])
    for kind in (kind for kind, named in auto.PROCESSOR_MAPPING_NAMES.items() if named == name):
        module = auto.model_type_to_module_name(kind)
        with suppress(ModuleNotFoundError):  # several kinds have the processor of one
            return getattr(import_module(f"transformers.models.{module}.processing_{module}"), name)
    return auto.processor_class_from_name(name)


_PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json", "tokenizer_config.json")


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
    """What processor_config.json says; nothing where there is none."""
    return _settings_in(checkpoint, _PROCESSOR_FILES[0])


def _settings_in(checkpoint: Checkpoint, name: str) -> Mapping[str, object]:
    file = checkpoint.folder / name
    try:
        found: object = parse_json(read_text(file)) if file.is_file() else None
    except (OSError, ValueError) as error:
        raise ModelError(f"Expected JSON in {file}, but: {first_line(error)}; copy the file again") from error
    return found if isinstance(found, dict) else {}


class _Missing:
    """Stands for the part of a processor that takes films or sounds; all its settings are None."""

    def __getattr__(self, name: str) -> None:
        # MiniCPM-V reads how its films are cut, even where there are none.
        if name.startswith("__"):
            raise AttributeError(name)


class _ForPictures:
    """Before a processor's class: lets parts be missing, which that checks by their types and shows in its log."""

    def __repr__(self) -> str:
        return type(self).__name__

    def check_argument_for_proper_class(self, name: str, part: object) -> object:
        return type(part) if isinstance(part, _Missing) else super().check_argument_for_proper_class(name, part)  # type: ignore[misc]  # of the class behind
