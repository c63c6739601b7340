"""``hf:PATH`` or ``hf:ORG/NAME``: finds out what kind of checkpoint it is, and loads it as that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.base import METHODS, ModelOptions
from pytest_vqamt.models.prompts import PLACEHOLDER, Prompts, prompts_from
from pytest_vqamt.models.transformers.checkpoint import (
    ADAPTERS,
    Checkpoint,
    files_digest,
    locate_checkpoint,
    read_checkpoint_config,
)
from pytest_vqamt.models.transformers.inputs import check_torchvision
from pytest_vqamt.models.transformers.prompted.base import GenerativeModel, Prompt
from pytest_vqamt.models.transformers.prompted.families import (
    Florence,
    Gemma3Chat,
    Idefics3Chat,
    LlavaChat,
    LlavaNextChat,
    PaliGemma,
    Qwen2VlChat,
    Qwen3VlChat,
    Qwen25VlChat,
    SmolVlmChat,
)
from pytest_vqamt.models.transformers.prompted.generic import ProcessorModel
from pytest_vqamt.models.transformers.prompted.git import Git
from pytest_vqamt.models.transformers.prompted.q_former import QFORMER_TOKENIZER, Blip2, InstructBlip
from pytest_vqamt.models.transformers.prompted.text import read_chat_template
from pytest_vqamt.models.transformers.runtime import ForwardStep, Runtime, TwoStepModel

VERSION = 1
"""Goes up when answers change for the same weights and packages."""

FAMILIES: Mapping[str, Callable[[Checkpoint, Runtime], GenerativeModel]] = {
    "llava": LlavaChat,
    "llava_next": LlavaNextChat,
    "idefics3": Idefics3Chat,
    "smolvlm": SmolVlmChat,
    "paligemma": PaliGemma,
    "gemma3": Gemma3Chat,
    "qwen2_vl": Qwen2VlChat,
    "qwen2_5_vl": Qwen25VlChat,
    "qwen3_vl": Qwen3VlChat,
    "florence2": Florence,
    "blip-2": Blip2,
    "instructblip": InstructBlip,
    "git": Git,
}
"""The kinds that are known by name: what ``model_type`` in config.json says."""


def load(argument: str, options: ModelOptions) -> GenerativeAdapter:
    """The checkpoint in a folder or on the hub, ready to be asked.

    Raises:
        OptionError: a prompt or a precision cannot be.
        ModelError: it cannot be found, read or used.
    """
    prompts_from(options)  # before anything is fetched or loaded
    check_torchvision()
    checkpoint = locate_checkpoint(argument, default="", kind="hf")
    kind, family_class = _select_family(checkpoint)
    runtime = Runtime.of(options)
    family = family_class(checkpoint, runtime)
    prompts = prompts_from(options, family.prompts)
    return GenerativeAdapter(family, runtime, prompts, partial(_fingerprint, checkpoint, runtime, kind, prompts.digest))


def _select_family(checkpoint: Checkpoint) -> tuple[str, Callable[[Checkpoint, Runtime], GenerativeModel]]:
    config = read_checkpoint_config(checkpoint)
    kind = config.get("model_type")
    where = f"model_type={kind!r} in {checkpoint.folder / 'config.json'}"
    if not isinstance(kind, str):
        raise ModelError(
            f"Expected config.json to say what kind of model it is, but got {where}: take a checkpoint in the "
            "layout of transformers"
        )
    if kind in ADAPTERS:
        spec = f"{ADAPTERS[kind]}:{checkpoint.name}"
        raise ModelError(
            f"Expected a generative model for hf:, but got {where}, which has an adapter of its own: give "
            f"--vqamt-model={spec}"
        )
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as NATIVE

    own_code = "auto_map" in config
    if own_code and (kind not in NATIVE or kind == "florence2"):
        raise ModelError(
            f"Expected a model that transformers has a class for, but got {where}, with an auto_map: it brings its own "
            f"Python code, which is never run here. {_CONVERSIONS.get(kind, _NO_KNOWN_CONVERSION)}"
        )
    if kind not in FAMILIES and (kind not in NATIVE or read_chat_template(checkpoint.folder) is None):
        raise ModelError(
            f"Expected a kind of model that is known ({', '.join(FAMILIES)}), or another that the installed "
            f"transformers loads as AutoModelForImageTextToText and that has a chat template, but got {where}"
            f"{' without one' if kind in NATIVE else ''}"
        )
    return kind, FAMILIES.get(kind, ProcessorModel)


_NO_KNOWN_CONVERSION = "Take a conversion of it to the layout of transformers, where there is one"
_CONVERSIONS = {"florence2": "The conversions to the layout of transformers are called florence-community/Florence-2-*"}


def _fingerprint(checkpoint: Checkpoint, runtime: Runtime, kind: str, prompts: str) -> str:
    extra = checkpoint.folder / QFORMER_TOKENIZER
    files = (files_digest(each) for each in (checkpoint.folder, extra) if each.is_dir())
    return runtime.fingerprint(f"hf-{kind}", VERSION, "+".join(files), prompts)


class GenerativeAdapter:
    """One checkpoint and how the tasks are put to it."""

    batch_size = 8

    def __init__(
        self,
        family: GenerativeModel,
        runtime: Runtime,
        prompts: Prompts,
        fingerprint: Callable[[], str],
    ) -> None:
        """Puts a loaded checkpoint to work.

        Args:
            family: the checkpoint.
            runtime: where it computes.
            prompts: how each task is put to it. Where there is none for questions or hypotheses, the method for them is
                None, and it is not tested on them.
            fingerprint: makes what its answers are filed under, when it is first asked for.
        """
        self._family = family
        self._steps = TwoStepModel(runtime, self._ready, family)
        self._prompts = prompts
        self._fingerprint = fingerprint
        self.largest_batch = 128 if runtime.device.type == "cuda" else self.batch_size
        for task, prompt in ((Task.VQA, prompts.question), (Task.ENTAILMENT, prompts.entailment)):
            if not prompt:
                setattr(self, METHODS[task], None)

    @cached_property
    def fingerprint(self) -> str:
        """The files, the prompts and what computes the answers."""
        return self._fingerprint()

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Draws and resizes new pictures, and reads the prompts where it is known how many tokens a picture takes."""
        self._steps.prepare(task, batch)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A word or a phrase for each question."""
        return self._steps.answers(Task.VQA, batch)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """What the model says to each hypothesis; whoever judges it reads the label in it."""
        return self._steps.answers(Task.ENTAILMENT, batch)

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A description of each picture."""
        return self._steps.answers(Task.CAPTIONING, batch)

    def _ready(self, task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        said = [Prompt(prompt=self._prompt(task, item), question=item.text) for item in batch]
        speak = self._family.ready(batch, said, self._prompts.longest(task))

        def answers() -> tuple[Answer, ...]:
            heard = speak()
            return tuple(Answer(text, truncated=cut) for text, cut in zip(heard.texts, heard.cut, strict=True))

        return answers

    def _prompt(self, task: Task, item: ModelInput) -> str:
        if task is Task.CAPTIONING:
            return self._prompts.caption
        if task is Task.ENTAILMENT:
            return self._prompts.entailment.replace(PLACEHOLDER, item.text)
        return self._prompts.text(item)
