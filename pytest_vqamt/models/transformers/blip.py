"""``blip[:PATH]``: BLIP with a head for questions, for captions, or for telling whether a text fits a picture.

Li, Li, Xiong and Hoi, BLIP: Bootstrapping Language-Image Pre-training for Unified Vision-Language Understanding and
Generation, ICML 2022. Which head it is ``architectures`` in config.json says; one checkpoint does one task.

``BlipForQuestionAnswering``
    Answers questions in its own words, by greedy decoding. **Deviation**: the paper's figures are of ranking a list of
    3,128 answers; transformers has no ranking, and decodes.
``BlipForConditionalGeneration``
    Describes pictures, continuing the prompt it was trained on, which is no part of the answer. **Deviation**: greedy,
    where the paper searches with three beams.
``BlipForImageTextRetrieval``
    Judges hypotheses by the head that tells whether a text matches a picture: entailment from a probability of 0.5 on,
    else contradiction. It never says neutral. **Deviation**: it was trained to tell a picture's own caption from that
    of a similar picture, which is not to tell what is true of it.

The language model of each is given the features of a picture that the vision tower, most of the work, makes once for
all that is asked of it. The class of transformers would make them anew for each text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeAlias, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.prompts import Prompts, prompts_from
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    files_digest,
    first_architecture,
    locate_checkpoint,
)
from pytest_vqamt.models.transformers.classifier import answers_from_logits, check_step_scores
from pytest_vqamt.models.transformers.feature_cache import BatchPictures, PictureFeatureCache
from pytest_vqamt.models.transformers.inputs import (
    TextTokens,
    check_torchvision,
    load_image_processor,
    load_tokenizer,
    preprocess_images,
    tokenize,
)
from pytest_vqamt.models.transformers.runtime import ForwardStep, Runtime, TwoStepModel, exclusive
from pytest_vqamt.models.transformers.weights import load_weights

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import BlipConfig, BlipTextConfig, BlipVisionConfig, BlipVisionModel
    from transformers.models.blip.modeling_blip_text import BlipTextLMHeadModel

    from pytest_vqamt.models.transformers.inputs import TextTokens


DEFAULT = "Salesforce/blip-vqa-base"
FIRST_BATCH = 16
LARGEST_BATCH = 256
"""Batches grow on an accelerator only: on the CPU the first size keeps every core busy."""

PROMPTS = Prompts(question="{text}", entailment="{text}", caption="a picture of", longest_answer=10, longest_caption=30)
"""The caption's prompt and the lengths of the authors' own code (salesforce/BLIP, models/blip.py and blip_vqa.py).

The user may set ``prompt-caption`` and both lengths; questions and hypotheses are put to BLIP as they are.
"""


def load(argument: str, options: ModelOptions) -> BlipAnswers | BlipCaptions | BlipMatches:
    """The checkpoint that ``argument`` names, a folder or a name on the hub; the published one where it is empty.

    Raises:
        ModelError: it is no checkpoint of BLIP, has no head for a task of ours, or is incomplete.
        OptionError: a setting is wrong.
    """
    checkpoint = locate_checkpoint(argument, default=DEFAULT, kind="blip")
    check_model_type(checkpoint, ("blip",))
    check_torchvision()  # before transformers is imported, which would fail with a message that names neither
    architecture = first_architecture(checkpoint)
    prompts = prompts_from(options, PROMPTS)
    if architecture == "BlipForQuestionAnswering":
        return BlipAnswers(checkpoint, options, prompts)
    if architecture == "BlipForConditionalGeneration":
        return BlipCaptions(checkpoint, options, prompts)
    if architecture == "BlipForImageTextRetrieval":
        return BlipMatches(checkpoint, options)
    raise ModelError(
        "Expected architectures to be BlipForQuestionAnswering, BlipForConditionalGeneration or "
        f"BlipForImageTextRetrieval in {checkpoint.folder / 'config.json'}, but got architecture={architecture!r}: "
        "without one of their heads there are no answers"
    )


class BlipAnswers:
    """BLIP as one that answers questions in its own words."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions, prompts: Prompts = PROMPTS) -> None:
        """Raises ModelError where a file of the checkpoint is missing, damaged or of another model."""
        from transformers import BlipForQuestionAnswering

        self._runtime = Runtime.of(options)
        self._model = load_weights(BlipForQuestionAnswering, checkpoint, self._runtime)
        self._inputs = BlipInputs(checkpoint, self._model.vision_model, self._model.config, self._runtime)
        self._longest = prompts.longest_answer
        mask_padding(self._model.text_decoder)
        self._steps = TwoStepModel(self._runtime, self._ready, self._inputs.memory)
        self.batch_size, self.largest_batch = _batch_sizes(self._runtime)

    @cached_property
    def fingerprint(self) -> str:
        """The files, the precision, how long answers may be, and what computes them."""
        return self._inputs.fingerprint(str(self._longest))

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Draws and resizes new pictures, and reads the questions."""
        self._steps.prepare(task, batch)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A word or a phrase for each question."""
        return self._steps.answers(Task.VQA, batch)

    def _ready(self, _task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        tokens = self._inputs.tokens([item.text for item in batch])
        return partial(self._answers, self._inputs.memory.ready(batch), tokens)

    def _answers(self, shown: BlipPictures, texts: TextTokens) -> tuple[Answer, ...]:
        features, tokens = self._inputs.features(shown), texts.on(self._runtime)
        read = self._model.text_encoder(
            input_ids=tokens.ids, attention_mask=tokens.attended, encoder_hidden_states=features
        ).last_hidden_state
        begun = self._inputs.begun(len(tokens.cut))
        said = greedy_decode(self._model.text_decoder, begun, read, tokens.attended, self._longest)
        return self._inputs.answers(said, tokens.cut)


class BlipCaptions:
    """BLIP as one that describes pictures."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions, prompts: Prompts = PROMPTS) -> None:
        """Raises ModelError where a file of the checkpoint is missing, damaged or of another model."""
        from transformers import BlipForConditionalGeneration

        self._runtime = Runtime.of(options)
        self._model = load_weights(BlipForConditionalGeneration, checkpoint, self._runtime)
        self._inputs = BlipInputs(checkpoint, self._model.vision_model, self._model.config, self._runtime)
        self._prompts = prompts
        self._steps = TwoStepModel(self._runtime, self._ready, self._inputs.memory)
        self.batch_size, self.largest_batch = _batch_sizes(self._runtime)

    @cached_property
    def fingerprint(self) -> str:
        """The files, the precision, the prompt, how long captions may be, and what computes them."""
        return self._inputs.fingerprint(self._prompts.caption, str(self._prompts.longest_caption))

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Draws and resizes new pictures."""
        self._steps.prepare(task, batch)

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """What follows the prompt in a description of each picture."""
        return self._steps.answers(Task.CAPTIONING, batch)

    def _ready(self, _task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        return partial(self._captions, self._inputs.memory.ready(batch))

    def _captions(self, shown: BlipPictures) -> tuple[Answer, ...]:
        features = self._inputs.features(shown)
        begun = self._inputs.begun(len(features), self._prompts.caption)
        said = greedy_decode(self._model.text_decoder, begun, features, None, self._prompts.longest_caption)
        return self._inputs.answers(said, [False] * len(features))


class BlipMatches:
    """BLIP as a judge of whether a text fits a picture."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        """Raises ModelError where a file of the checkpoint is missing, damaged or of another model."""
        from transformers import BlipForImageTextRetrieval

        self._runtime = Runtime.of(options)
        self._model = load_weights(BlipForImageTextRetrieval, checkpoint, self._runtime)
        self._inputs = BlipInputs(checkpoint, self._model.vision_model, self._model.config, self._runtime)
        self._steps = TwoStepModel(self._runtime, self._ready, self._inputs.memory)
        self.batch_size, self.largest_batch = _batch_sizes(self._runtime)

    @cached_property
    def fingerprint(self) -> str:
        """The files, the precision and what computes the answers."""
        return self._inputs.fingerprint()

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Draws and resizes new pictures, and reads the hypotheses."""
        self._steps.prepare(task, batch)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """Entailment where the hypothesis matches its picture with a probability of 0.5 or more, else contradiction."""
        return self._steps.answers(Task.ENTAILMENT, batch)

    def _ready(self, _task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        tokens = self._inputs.tokens([item.text for item in batch])
        return partial(self._judged, self._inputs.memory.ready(batch), tokens)

    def _judged(self, shown: BlipPictures, texts: TextTokens) -> tuple[Answer, ...]:
        logits = self._logits(self._inputs.features(shown), texts.on(self._runtime))
        return answers_from_logits(logits, logits.softmax(dim=1), ("contradiction", "entailment"), texts.cut)

    def _logits(self, features: torch.Tensor, tokens: TextTokens) -> torch.Tensor:
        """float32 (inputs, 2): no match, match, as the authors numbered them (salesforce/BLIP, blip_pretrain.py)."""
        read = self._model.text_encoder(
            input_ids=tokens.ids, attention_mask=tokens.attended, encoder_hidden_states=features
        ).last_hidden_state
        logits: torch.Tensor = self._model.itm_head(read[:, 0])
        return logits.float()


def _batch_sizes(runtime: Runtime) -> tuple[int, int]:
    return FIRST_BATCH, FIRST_BATCH if runtime.device.type == "cpu" else LARGEST_BATCH


VERSION = 1
"""Goes up when answers change for the same weights and packages."""

BlipPictures: TypeAlias = "BatchPictures[torch.Tensor, torch.Tensor]"
"""The pictures of a batch: pixels (1, 3, side, side), and what the tower makes of them, (patches + 1, width)."""


class BlipInputs:
    """Turns inputs into what BLIP's language model is given, and its tokens into answers."""

    def __init__(self, checkpoint: Checkpoint, tower: BlipVisionModel, config: BlipConfig, runtime: Runtime) -> None:
        """Raises ModelError where the tokenizer or the image processor is missing or of another model."""
        self._folder = checkpoint.folder
        self._tower = tower
        self._runtime = runtime
        # Declared as whatever a configuration may be made from.
        self._text = cast("BlipTextConfig", config.text_config)
        vision = cast("BlipVisionConfig", config.vision_config)
        self._tokenizer = load_tokenizer(checkpoint, self._text.vocab_size)
        self._processor = load_image_processor(checkpoint)
        self.memory: PictureFeatureCache[torch.Tensor, torch.Tensor] = PictureFeatureCache(
            self._made_ready, self._encode, lambda features: features.nbytes
        )
        _check_image_size(checkpoint, getattr(self._processor, "size", None), vision.image_size)

    def fingerprint(self, *settings: str) -> str:
        """What answers are filed under."""
        return self._runtime.fingerprint("blip", VERSION, files_digest(self._folder), *settings)

    def features(self, shown: BlipPictures) -> torch.Tensor:
        """What the vision tower makes of each input's picture: (inputs, patches + 1, width)."""
        import torch

        return torch.stack(self.memory.of(shown))

    def tokens(self, texts: Sequence[str]) -> TextTokens:
        """Not on the device yet."""
        return tokenize(texts, self._tokenizer, self._text.max_position_embeddings, self._runtime)

    def begun(self, rows: int, prompt: str = "") -> torch.Tensor:
        """How each of so many texts to be generated begins: int64 (rows, 1 + the prompt's tokens)."""
        import torch

        with exclusive(self._tokenizer):
            prompted = self._tokenizer(prompt, add_special_tokens=False)["input_ids"] if prompt else []
        return torch.tensor([[self._text.bos_token_id, *prompted]] * rows, device=self._runtime.device)

    def answers(self, said: torch.Tensor, cut: Sequence[bool]) -> tuple[Answer, ...]:
        """Generated tokens, int64 (inputs, tokens), as text."""
        with exclusive(self._tokenizer):
            texts = self._tokenizer.batch_decode(said, skip_special_tokens=True)
        # A piece that goes on a word is written "##ing" where it comes first.
        return tuple(
            Answer(text.strip().removeprefix("##"), None, truncated) for text, truncated in zip(texts, cut, strict=True)
        )

    def _made_ready(self, images: Sequence[Image]) -> list[torch.Tensor]:
        """In the tower's precision: 0.9 or 1.8 MB a picture at the published size."""
        return [
            self._runtime.pinned(pixels.to(self._tower.dtype))
            for pixels in preprocess_images(images, self._pixels, self._runtime)
        ]

    def _encode(self, ready: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        import torch

        pixels = torch.cat([self._runtime.here(each) for each in ready])
        features = self._tower(pixel_values=pixels).last_hidden_state
        # Cloned, since a slice would keep all of them in memory.
        return [each.clone() for each in features]

    def _pixels(self, image: Image) -> torch.Tensor:
        """float32 (1, 3, side, side), RGB, normalized."""
        return cast("torch.Tensor", self._processor(image, return_tensors="pt")["pixel_values"])


def _check_image_size(checkpoint: Checkpoint, resized: object, wanted: object) -> None:
    """Holds the size that pictures are resized to against the one that the vision tower takes.

    Raises:
        ModelError: they differ.
    """
    sizes = tuple(getattr(resized, side, None) for side in ("height", "width"))
    if sizes != (wanted, wanted):
        raise ModelError(
            f"Expected the image processor in {checkpoint.folder} to resize pictures to {wanted} x {wanted}, which the "
            f"model's vision tower takes, but got size={resized!r}: it belongs to another checkpoint"
        )


def greedy_decode(
    decoder: BlipTextLMHeadModel,
    begun: torch.Tensor,
    attended: torch.Tensor,
    counted: torch.Tensor | None,
    longest: int,
) -> torch.Tensor:
    """The likeliest next tokens, one after the other, up to so many: int64 (inputs, tokens), what was begun left off.

    Args:
        decoder: BLIP's language model.
        begun: int64 (inputs, tokens), what each text begins with.
        attended: (inputs, length, width), what is looked at.
        counted: int64 (inputs, length), 0 for padding; None where there is none.
        longest: how many tokens may follow.
    """
    import torch
    from transformers import GenerationConfig, LogitsProcessorList

    config = decoder.config
    # Given whole, since checkpoints of 2022 have settings of generation in their model's configuration.
    settings = GenerationConfig(  # type: ignore[no-untyped-call]  # transformers does not annotate it
        max_new_tokens=longest,
        do_sample=False,
        num_beams=1,
        bos_token_id=config.bos_token_id,
        eos_token_id=config.sep_token_id,
        pad_token_id=config.pad_token_id,
    )
    said = decoder.generate(  # type: ignore[misc]  # what it is a method of is declared by another class
        input_ids=begun,
        attention_mask=torch.ones_like(begun),
        encoder_hidden_states=attended,
        encoder_attention_mask=counted,
        generation_config=settings,
        logits_processor=LogitsProcessorList([check_step_scores]),
    )
    return cast("torch.Tensor", said)[:, begun.shape[1] :]


def mask_padding(decoder: BlipTextLMHeadModel) -> None:
    """Makes the decoder leave padding out, so that no answer depends on the batch's other questions.

    In transformers 5.19 to 5.23 ``BlipTextAttention`` is given the mask as ``attention_mask``, where looking at other
    states wants it as ``encoder_attention_mask``, and drops it.

    Raises:
        ModelError: it does not help with the version that is installed.
    """
    import torch
    import transformers

    def handed_on(
        _module: object, args: tuple[object, ...], named: dict[str, object]
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        if named.get("encoder_attention_mask") is None:
            named["encoder_attention_mask"] = named.get("attention_mask")
        return args, named

    for name, module in decoder.named_modules():
        if name.endswith(".crossattention.self"):
            module.register_forward_pre_hook(handed_on, with_kwargs=True)
    begun = torch.tensor([[decoder.config.bos_token_id]], device=decoder.device)
    attended = torch.ones((1, 2, decoder.config.hidden_size), device=decoder.device, dtype=decoder.dtype)
    counted = torch.tensor([[1, 0]], device=decoder.device)
    with torch.inference_mode():
        one, other = (
            decoder(begun, encoder_hidden_states=states, encoder_attention_mask=counted).logits
            for states in (attended, attended * torch.tensor([[[1.0], [2.0]]]).to(attended))
        )
    if not torch.allclose(one, other, rtol=0, atol=0, equal_nan=True):  # what is no number each query tells
        raise ModelError(
            f"Expected BLIP's decoder to leave padding out, but that of transformers {transformers.__version__} does "
            "not, so that answers would depend on the batch: install transformers 5.23"
        )
