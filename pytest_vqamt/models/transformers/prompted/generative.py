"""``hf:PATH`` or ``hf:ORG/NAME``: any generative checkpoint of transformers, by its model type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.models.budget import CUT_OFF, UsageCounter
from pytest_vqamt.models.chat_settings import TEMPLATE_ARGUMENTS, ChatSettings, chat_settings
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, LONGEST_REASONING, PLACEHOLDER, Prompts, prompts_from
from pytest_vqamt.models.protocol import METHODS, ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    ADAPTERS,
    Checkpoint,
    config_alone,
    files_digest,
    locate_checkpoint,
    read_checkpoint_config,
    runtime_for,
)
from pytest_vqamt.models.transformers.inputs import PICTURE_SHARE, PictureFeatureCache, TensorPictures, TextTokens
from pytest_vqamt.models.transformers.prompted.family import (
    CheckpointFamily,
    GenerativeModel,
    OtherPromptError,
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
from pytest_vqamt.models.transformers.prompted.image_token_model import PicturePreprocessor
from pytest_vqamt.models.transformers.prompted.processor_model import (
    ProcessorModel,
    Qwen3OmniThinker,
    Qwen25OmniThinker,
)
from pytest_vqamt.models.transformers.prompted.prompt_text import (
    Completions,
    Prompt,
    chat_turns,
    read_chat_template,
    tokenize_prompts,
)
from pytest_vqamt.models.transformers.prompted.reused_encodings import replaced
from pytest_vqamt.models.transformers.runtime import ForwardStep, Runtime, TwoStepModel

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


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


class Git(CheckpointFamily):
    """GIT, fine-tuned for questions or captions."""

    cls = "GitForCausalLM"
    prompts = GIT_PROMPTS

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, chat: ChatSettings | None = None) -> None:
        super().__init__(checkpoint, runtime, chat)
        self._encoder: torch.nn.Module = cast(Any, self.model).git.image_encoder
        self.cache: PictureFeatureCache[torch.Tensor, torch.Tensor] = PictureFeatureCache(
            self._preprocess_pictures, self._encode, lambda each: each.nbytes, runtime.cache_bytes(PICTURE_SHARE)
        )
        self.caches = (self.cache,)

    def read_files(self, checkpoint: Checkpoint) -> None:
        self.pictures = PicturePreprocessor(checkpoint, self._runtime)

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        tokens = tokenize_prompts(
            prompts,
            self.tokenizer,
            self._runtime,
            written=lambda _place, prompt: f"{self.tokenizer.cls_token}{prompt.prompt}",
            adds_special_tokens=False,  # the one that ends a text would end the question and leave nothing to say
            room=self.room(max_tokens),
        )
        return partial(self._generate, self.cache.preprocess(inputs), tokens, max_tokens)

    def _preprocess_pictures(self, images: Sequence[Image]) -> list[torch.Tensor]:
        ready = [each.for_device(self._runtime, self.model.dtype) for each in self.pictures.each(images)]
        return [each.tensors["pixel_values"] for each in ready]

    def _encode(self, ready: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        import torch

        found = self._encoder(torch.cat([self._runtime.to_device(each) for each in ready])).last_hidden_state
        # Cloned, since the cache drops pictures one by one, and a slice would keep the whole batch in memory.
        return [each.clone() for each in found.split(1)]

    def _generate(self, pictures: TensorPictures, prompt_tokens: TextTokens, max_tokens: int) -> Completions:
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        tokens = prompt_tokens.on(self._runtime)
        encoded = torch.cat(self.cache.encoded(pictures))
        # The model takes no encodings, only pixels, which its encoder would encode again for each question.
        with replaced(self._encoder, "forward", lambda *_, **__: BaseModelOutput(last_hidden_state=encoded)):
            return self.complete(
                max_tokens,
                tokens.cut,
                prompt_tokens=tokens.ids.shape[1],
                input_ids=tokens.ids,
                attention_mask=tokens.attended,
                pixel_values=encoded.new_empty((len(encoded), 3, 1, 1)),
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

    @property
    def takes(self) -> tuple[str, ...]:
        """What its chat template takes beside one picture and one text, by a trial when it was loaded."""
        return tuple(ability.value for ability in Ability if ability in self._family.takes)

    def _preprocess(self, task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        """Preprocesses queries of different kinds apart, so that no answer depends on its batch.

        These are queries with and without reasoning, and conversations by the number of their pictures.
        """
        places: dict[tuple[bool | None, int], list[int]] = {}
        # Reasoning has other lengths and another prompt; the rest of the batch must not wait for it, nor be padded to
        # it. Nor to conversations, which are longer by whole pictures; some processors pad to the most pictures, too.
        for place, item in enumerate(batch):
            pictures = len(item.query.pictures) if item.query.turns else 0
            places.setdefault((item.query.reasoning, pictures), []).append(place)
        steps = {
            kind: self._preprocess_alike(task, [batch[place] for place in some], kind[0])
            for kind, some in places.items()
        }

        def answers() -> tuple[Answer, ...]:
            found = {
                place: answer
                for kind, some in places.items()
                for place, answer in zip(some, steps[kind](), strict=True)
            }
            return tuple(found[place] for place in range(len(batch)))

        return answers

    def _preprocess_alike(self, task: Task, batch: Sequence[ModelInput], reasoning: bool | None) -> ForwardStep:
        prompts = [
            Prompt(
                prompt=self._prompt(task, item),
                question=item.text,
                reasoning=reasoning,
                turns=chat_turns(item.query.turns),
            )
            for item in batch
        ]
        generate = self._family.preprocess(batch, prompts, self._templates.longest(task, reasoning=reasoning))
        opening = self._family.opening(reasoning)

        def answers() -> tuple[Answer, ...]:
            completions = generate()
            unscored = (None,) * len(completions.texts)
            scored = zip(completions.scores or unscored, completions.steps or unscored, strict=True)
            # Their answers count as far as they go; the report says how many were cut off.
            if unfinished := completions.ended.count(False):
                self._usage.add(CUT_OFF, unfinished)
            each = zip(completions.texts, completions.cut, scored, strict=True)
            return tuple(
                Answer(opening + text, scores, truncated=cut, steps=steps) for text, cut, (scores, steps) in each
            )

        return answers

    def _prompt(self, task: Task, item: ModelInput) -> str:
        # By the method that was called, unlike Prompts.text: caption() describes the picture of any query.
        if task is Task.CAPTIONING:
            return self._templates.caption
        if task is Task.ENTAILMENT:
            return self._templates.entailment.replace(PLACEHOLDER, item.text)
        return self._templates.text(item)
