"""``hf:PATH`` or ``hf:ORG/NAME``: any generative checkpoint of transformers, by its model type."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.models.batching import distinct_pictures
from pytest_vqamt.models.budget import CUT_OFF, UsageCounter
from pytest_vqamt.models.chat_settings import TEMPLATE_ARGUMENTS, ChatSettings, chat_settings
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, LONGEST_REASONING, PLACEHOLDER, Prompts, prompts_from
from pytest_vqamt.models.protocol import METHODS, ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    ADAPTERS,
    Checkpoint,
    config_alone,
    files_digest,
    first_line,
    locate_checkpoint,
    read_checkpoint_config,
    runtime_for,
)
from pytest_vqamt.models.transformers.inputs import TextTokens
from pytest_vqamt.models.transformers.prompted.family import (
    CheckpointFamily,
    GenerativeModel,
    OtherPromptError,
    load_processor,
    trial_picture,
)
from pytest_vqamt.models.transformers.prompted.image_families import (
    QFORMER_TOKENIZER,
    Blip2,
    ChatModel,
    Florence,
    Gemma3Chat,
    Idefics3Chat,
    InstructBlip,
    LlavaChat,
    LlavaNextChat,
    Mistral3Chat,
    MistralLarge4Chat,
    PaliGemma,
    PixtralChat,
    Qwen2VlChat,
    Qwen3VlChat,
    Qwen25VlChat,
    SmolVlmChat,
)
from pytest_vqamt.models.transformers.prompted.image_token_model import PicturePixels, PicturePreprocessor
from pytest_vqamt.models.transformers.prompted.prompt_text import (
    ChatTemplate,
    Completions,
    Prompt,
    fit_prompt,
    read_chat_template,
    tokenize_prompts,
)
from pytest_vqamt.models.transformers.runtime import ForwardStep, Runtime, TwoStepModel, exclusive, quiet

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedConfig


# HunYuan-VL numbers the pictures of a whole batch through, as if they were those of one prompt, and puts the number
# into their positions. Emu 3 pads pictures to one size before its encoder, whose attention sees the padding. The
# processor of Perception LM cannot join pictures of different numbers of tiles. All in transformers 5.23.
_ONE_AT_A_TIME = frozenset({"hunyuan_vl", "emu3", "perception_lm"})
"""Kinds whose answers would depend on the batch, or whose processor takes none."""

GIT_PROMPTS = Prompts(question="{text}", entailment="", caption="")
"""As in its fine-tuning: for questions, the question; for captions, nothing (Wang et al. 2022)."""

VERSION = 2
"""Goes up when answers change for the same weights and packages."""

_BY_ENCODER: Mapping[tuple[str, str], type[CheckpointFamily]] = {("llava", "pixtral"): PixtralChat}
"""Where checkpoints of one ``model_type`` are of several families: by it and that of the image encoder."""

_REFUSED: Mapping[str, str] = {
    "diffusion_gemma": "it writes its whole answer at once, not token by token as is measured here. Serve it, and test "
    "it as openai:MODEL@URL",
    "phi4_multimodal": "it sees through an adapter beside its weights (vision-lora), which is not loaded here. Serve "
    "it, as vLLM does, and test it as openai:MODEL@URL",
    "shieldgemma2": "it sorts pictures by policies, and writes nothing",
}
"""Kinds that transformers loads and that cannot be tested, and why."""

_NO_KNOWN_CONVERSION = "Take a conversion of it to the layout of transformers, where there is one"
_CONVERSIONS = {"florence2": "The conversions to the layout of transformers are called florence-community/Florence-2-*"}


class ProcessorModel(CheckpointFamily):
    """A checkpoint used through its own processor. The picture is encoded again for each question."""

    cls = "AutoModelForImageTextToText"
    spreads = True

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
            # Preprocessed now and generated later, one by one.
            steps = [self.preprocess([one], [prompt], max_tokens) for one, prompt in each]
            return lambda: Completions.together([step() for step in steps])
        firsts, which = distinct_pictures(inputs)
        images = [item.pixels for item in firsts]
        pictures = [images[place] for place in which]
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
        # An encoder-decoder's output begins with the one token that starts its decoder.
        prompt_tokens = cast("torch.Tensor", placed["input_ids"]).shape[1] if self.repeats_prompt else 1
        return self.complete(max_tokens, cut, prompt_tokens=prompt_tokens, **placed)

    def _processed(self, images: Sequence[Image], prompts: Sequence[Prompt]) -> Mapping[str, torch.Tensor]:
        with exclusive(self._processor.tokenizer):
            return self._processor(
                text=[self._template.write(each.prompt, each.reasoning) for each in prompts],
                images=[[image] for image in images] if self._nested else list(images),
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
        pictures = self.pictures.each([item.pixels for item in firsts])
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


FAMILIES: Mapping[str, type[CheckpointFamily]] = {
    "llava": LlavaChat,
    "llava_next": LlavaNextChat,
    "idefics3": Idefics3Chat,
    "smolvlm": SmolVlmChat,
    "paligemma": PaliGemma,
    "gemma3": Gemma3Chat,
    "qwen2_vl": Qwen2VlChat,
    "qwen2_5_vl": Qwen25VlChat,
    "qwen3_vl": Qwen3VlChat,
    "mistral3": Mistral3Chat,
    "mistral_large4": MistralLarge4Chat,
    "florence2": Florence,
    "blip-2": Blip2,
    "instructblip": InstructBlip,
    "git": Git,
    "qwen2_5_omni": Qwen25OmniThinker,
    "qwen3_omni_moe": Qwen3OmniThinker,
}
"""The supported values of ``model_type`` in config.json."""


def load(argument: str, options: ModelOptions) -> GenerativeAdapter:
    """The checkpoint in a folder or on the hub.

    Raises:
        OptionError: a prompt or a precision is invalid.
        ModelError: it cannot be found, read or used.
    """
    prompts_from(options)  # before anything is fetched or loaded
    chat = chat_settings(options, fields=(TEMPLATE_ARGUMENTS,))
    checkpoint = locate_checkpoint(argument, default="", kind="hf")
    kind, family_class = _select_family(checkpoint)
    _check_chat(chat, kind, family_class)
    runtime = runtime_for(checkpoint, options, spreads=family_class.spreads)
    try:
        family = cast("GenerativeModel", family_class(checkpoint, runtime, chat))
    # A checkpoint in the layout of LLaVA may have been trained on prompts of its own: its processor writes them, only
    # slower.
    except OtherPromptError as other:
        # Without a chat template nothing writes its prompts.
        if not issubclass(family_class, ChatModel):
            raise
        # Again: this family does not take bounds of pixels, which Qwen's do.
        _check_chat(chat, kind, ProcessorModel)
        try:
            family = ProcessorModel(checkpoint, runtime, chat)
        except ModelError as error:
            raise ModelError(f"{other}; and that processor cannot be used: {error}") from error
    prompts = prompts_from(options, family.prompts)
    return GenerativeAdapter(family, runtime, prompts, partial(_fingerprint, checkpoint, runtime, kind, prompts, chat))


def tasks(argument: str, options: ModelOptions) -> tuple[Task, ...] | None:
    """The tasks that there are prompts for, by the ``model_type`` in the configuration.

    None where that alone does not say that the model can be used: loading does.
    """
    checkpoint = config_alone(argument, default="", kind="hf")
    config = read_checkpoint_config(checkpoint) if checkpoint else {}
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind in ADAPTERS or kind in _REFUSED or "auto_map" in config:
        return None
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as NATIVE

    family = _family_of(kind, config)
    if kind not in FAMILIES and kind not in NATIVE:
        return None
    # A family that chooses its prompts when it is loaded has some for each task, as those for instructions.
    own: object = getattr(family, "prompts", None)
    return prompts_from(options, own if isinstance(own, Prompts) else INSTRUCTION_PROMPTS).tasks


def _check_chat(chat: ChatSettings, kind: str, family: type[CheckpointFamily]) -> None:
    """Raises OptionError where a setting would be without effect."""
    bounded = {"min-pixels": chat.min_pixels, "max-pixels": chat.max_pixels}
    if not family.takes_pixels and any(bounded.values()):
        name, value = next((name, value) for name, value in bounded.items() if value)
        takes = ", ".join(name for name, each in FAMILIES.items() if each.takes_pixels)
        raise OptionError(
            f"Expected a checkpoint whose image processor bounds the number of pixels ({takes}), but got "
            f"{name}={value} for model_type={kind!r}: leave it off"
        )
    if not issubclass(family, ChatModel | ProcessorModel) and (chat.system or chat.body):
        name = "system" if chat.system else f"body.{chat.body[0][0]}"
        raise OptionError(
            f"Expected a checkpoint with a chat template, but got {name} for model_type={kind!r}: leave it off"
        )


def _select_family(checkpoint: Checkpoint) -> tuple[str, type[CheckpointFamily]]:
    config = read_checkpoint_config(checkpoint)
    kind = config.get("model_type")
    where = f"model_type={kind!r} in {checkpoint.folder / 'config.json'}"
    if not isinstance(kind, str):
        raise ModelError(
            f"Expected config.json to say what kind of model it is, but got {where}: take a checkpoint in the "
            "layout of transformers"
        )
    # AutoModelForImageTextToText knows some of them, too ("blip"), with another head than the adapter's.
    if kind in ADAPTERS:
        spec = f"{ADAPTERS[kind]}:{checkpoint.name}"
        raise ModelError(
            f"Expected a generative model for hf:, but got {where}, which has an adapter of its own: give "
            f"{option('model')}={spec}"
        )
    if kind in _REFUSED:
        raise ModelError(f"Expected a model that answers questions about a picture, but got {where}: {_REFUSED[kind]}")
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as NATIVE

    # Native kinds keep the entry in many repositories, and need none of that code. florence2 is the exception:
    # microsoft's files have another layout than transformers' class of the same name.
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
    return kind, _family_of(kind, config)


def _family_of(kind: str, config: Mapping[str, object]) -> type[CheckpointFamily]:
    # Any other kind goes through its own processor.
    return _BY_ENCODER.get((kind, _encoder_type(config))) or FAMILIES.get(kind, ProcessorModel)


def _encoder_type(config: Mapping[str, object]) -> str:
    """The model_type of the image encoder; "" where there is none."""
    part = config.get("vision_config")
    return str(part.get("model_type", "")) if isinstance(part, dict) else ""


def _fingerprint(checkpoint: Checkpoint, runtime: Runtime, kind: str, prompts: Prompts, chat: ChatSettings) -> str:
    # InstructBLIP's second tokenizer lies in a subfolder, which files_digest does not enter.
    extra = checkpoint.folder / QFORMER_TOKENIZER
    files = (files_digest(each) for each in (checkpoint.folder, extra) if each.is_dir())
    # Fingerprints without settings of the chat are those of before there were any.
    chats = (chat.fingerprint,) if chat.fingerprint else ()
    return runtime.fingerprint(f"hf-{kind}", VERSION, "+".join(files), prompts.digest, *chats)


class GenerativeAdapter(TwoStepModel):
    """A generative checkpoint with a prompt for each task."""

    batch_size = 8

    def __init__(
        self,
        family: GenerativeModel,
        runtime: Runtime,
        prompts: Prompts,
        fingerprint: Callable[[], str],
    ) -> None:
        """Wraps a loaded checkpoint; the fingerprint is computed on first use.

        Without a prompt for questions or hypotheses their method is None, and the model is not tested on them.
        """
        super().__init__(runtime, family)
        self._family = family
        self._templates = prompts
        self._fingerprint = fingerprint
        self._usage = UsageCounter()
        # On a CPU a larger batch is no faster.
        self.largest_batch = 128 if runtime.device.type == "cuda" else self.batch_size
        for task in METHODS.keys() - prompts.tasks:
            # A run takes the tasks of a model from its methods.
            setattr(self, METHODS[task], None)

    @cached_property
    def fingerprint(self) -> str:
        return self._fingerprint()

    @property
    def network(self) -> torch.nn.Module | None:
        return cast("torch.nn.Module | None", getattr(self._family, "model", None))

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self._answer_batch(Task.VQA, batch)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """The model's replies to the hypotheses; the judge reads the label in them."""
        return self._answer_batch(Task.ENTAILMENT, batch)

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self._answer_batch(Task.CAPTIONING, batch)

    @property
    def usage(self) -> dict[str, float]:
        return self._usage.sums()

    def request_note(self, _largest: Sequence[ModelInput]) -> str:
        """The warning about a model that reasons and has no room for it; "" for any other."""
        longest = self._templates.longest_answer
        if not self._family.reasons or longest >= LONGEST_REASONING:
            return ""
        off = setting(f"body.{TEMPLATE_ARGUMENTS}", '{"enable_thinking": false}')
        switch = f"switch it off ({off}), or " if self._family.switches_reasoning else ""
        return (
            f"its chat template makes it reason before it answers, and an answer ends after {longest} tokens, so most "
            f"are cut off and unreadable: {switch}give it room ({setting('longest-answer', LONGEST_REASONING)})"
        )

    @property
    def switches_reasoning(self) -> bool:
        return self._family.switches_reasoning

    def _preprocess(self, task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        """Preprocesses queries with and without reasoning apart, so that no answer depends on its batch."""
        places: dict[bool | None, list[int]] = {}
        # Reasoning has other lengths and another prompt; the rest of the batch must not wait for it, nor be padded to
        # it.
        for place, item in enumerate(batch):
            places.setdefault(item.query.reasoning, []).append(place)
        steps = {
            reasoning: self._preprocess_alike(task, [batch[place] for place in some], reasoning)
            for reasoning, some in places.items()
        }

        def answers() -> tuple[Answer, ...]:
            found = {
                place: answer
                for reasoning, some in places.items()
                for place, answer in zip(some, steps[reasoning](), strict=True)
            }
            return tuple(found[place] for place in range(len(batch)))

        return answers

    def _preprocess_alike(self, task: Task, batch: Sequence[ModelInput], reasoning: bool | None) -> ForwardStep:
        prompts = [Prompt(prompt=self._prompt(task, item), question=item.text, reasoning=reasoning) for item in batch]
        generate = self._family.preprocess(batch, prompts, self._templates.longest(task, reasoning=reasoning))
        opening = self._family.opening(reasoning)

        def answers() -> tuple[Answer, ...]:
            completions = generate()
            scores = completions.scores or (None,) * len(completions.texts)
            # Their answers count as far as they go; the report says how many were cut off.
            if unfinished := completions.ended.count(False):
                self._usage.add(CUT_OFF, unfinished)
            each = zip(completions.texts, completions.cut, scores, strict=True)
            return tuple(Answer(opening + text, scores, truncated=cut) for text, cut, scores in each)

        return answers

    def _prompt(self, task: Task, item: ModelInput) -> str:
        # By the method that was called, unlike Prompts.text: caption() describes the picture of any query.
        if task is Task.CAPTIONING:
            return self._templates.caption
        if task is Task.ENTAILMENT:
            return self._templates.entailment.replace(PLACEHOLDER, item.text)
        return self._templates.text(item)
