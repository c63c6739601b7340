"""``blip[:PATH]``: BLIP with a head for questions, for captions, or for telling whether a text fits a picture.

Li, Li, Xiong and Hoi, BLIP: Bootstrapping Language-Image Pre-training for Unified Vision-Language Understanding and
Generation, ICML 2022. ``architectures`` in config.json names the head; one checkpoint does one task.

``BlipForQuestionAnswering``
    Answers questions in its own words, by greedy decoding. **Deviation**: the paper's figures are of ranking a list of
    3,128 answers; transformers has no ranking, and decodes.
``BlipForConditionalGeneration``
    Describes pictures, continuing the prompt it was trained on, which is no part of the answer. **Deviation**: greedy,
    where the paper searches with three beams.
``BlipForImageTextRetrieval``
    Judges hypotheses by the probability that a text matches a picture: entailment from 0.5 on, else contradiction,
    never neutral. **Deviation**: it was trained to distinguish a picture's own caption from that of a similar picture,
    which is not to judge whether a text is true.

The vision tower, most of the work, encodes a picture once for all its texts. The classes of transformers would encode
it again for each text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.prompts import Prompts, prompts_from
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    first_architecture,
    locate_checkpoint,
    tasks_by_head,
)
from pytest_vqamt.models.transformers.classifier import answers_from_logits, check_step_scores
from pytest_vqamt.models.transformers.inputs import (
    PictureTextModel,
    TensorPictures,
    TextTokens,
    preprocess_images,
)
from pytest_vqamt.models.transformers.runtime import exclusive

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers.models.blip.modeling_blip_text import BlipTextLMHeadModel


DEFAULT = "Salesforce/blip-vqa-base"

PROMPTS = Prompts(question="{text}", entailment="{text}", caption="a picture of", longest_answer=10, longest_caption=30)
"""The caption's prompt and the lengths of the authors' own code (salesforce/BLIP, models/blip.py and blip_vqa.py).

The user may set ``prompt-caption`` and both lengths; questions and hypotheses are put to BLIP as they are.
"""


def load(argument: str, options: ModelOptions) -> BlipAnswers | BlipCaptions | BlipMatches:
    """The checkpoint ``argument``, a folder or a name on the hub; the published one where it is empty.

    Raises:
        ModelError: it is no checkpoint of BLIP, has no head for a task of ours, or is incomplete.
        OptionError: a setting is invalid.
    """
    checkpoint = locate_checkpoint(argument, default=DEFAULT, kind="blip")
    check_model_type(checkpoint, ("blip",))
    architecture = first_architecture(checkpoint)
    for adapter in (BlipAnswers, BlipCaptions, BlipMatches):
        if adapter.head == architecture:
            return adapter(checkpoint, options)
    raise ModelError(
        "Expected architectures to be BlipForQuestionAnswering, BlipForConditionalGeneration or "
        f"BlipForImageTextRetrieval in {checkpoint.folder / 'config.json'}, but got architecture={architecture!r}: "
        "without one of their heads there are no answers"
    )


def tasks(argument: str, _options: ModelOptions) -> tuple[Task, ...] | None:
    """The task of its head, from the configuration; None where loading says what is wrong with it."""
    heads = {BlipAnswers.head: Task.VQA, BlipCaptions.head: Task.CAPTIONING, BlipMatches.head: Task.ENTAILMENT}
    return tasks_by_head(argument, DEFAULT, "blip", heads)


class _BlipHead(PictureTextModel):
    kind = "blip"
    most_at_once = 256

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        """Raises OptionError for a setting, and ModelError where a file is missing, damaged or of another model."""
        self._prompts = prompts_from(options, PROMPTS)
        super().__init__(checkpoint, options)
        _check_image_size(
            checkpoint, getattr(self._processor, "size", None), self._model.config.vision_config.image_size
        )

    def _features(self, pictures: TensorPictures) -> torch.Tensor:
        """The encoding of each input's picture: (inputs, patches + 1, width)."""
        import torch

        return torch.stack(self._cache.encoded(pictures))

    def _encoded_texts(self, features: torch.Tensor, tokens: TextTokens) -> torch.Tensor:
        """Encodings of the texts with cross-attention to their pictures: (inputs, tokens, width)."""
        states: torch.Tensor = self._model.text_encoder(
            input_ids=tokens.ids, attention_mask=tokens.attended, encoder_hidden_states=features
        ).last_hidden_state
        return states

    def _decoder_start(self, rows: int, prompt: str = "") -> torch.Tensor:
        """The first tokens of each completion: int64 (rows, 1 + the prompt's tokens)."""
        import torch

        with exclusive(self._tokenizer):
            prompted = self._tokenizer(prompt, add_special_tokens=False)["input_ids"] if prompt else []
        # The prompt is part of what the decoder continues; greedy_decode leaves it out of the answer.
        return torch.tensor([[self._text.bos_token_id, *prompted]] * rows, device=self._runtime.device)

    def _decoded(self, generated: torch.Tensor, cut: Sequence[bool]) -> tuple[Answer, ...]:
        """The answers in generated tokens, int64 (inputs, tokens)."""
        with exclusive(self._tokenizer):
            texts = self._tokenizer.batch_decode(generated, skip_special_tokens=True)
        # BERT's tokenizer writes a piece that continues a word as "##ing", also where it comes first.
        return tuple(
            Answer(text.strip().removeprefix("##"), None, truncated) for text, truncated in zip(texts, cut, strict=True)
        )

    def _preprocess_images(self, images: Sequence[Image]) -> list[torch.Tensor]:
        """(1, 3, side, side) each, in the tower's precision: 0.9 or 1.8 MB a picture at the published size."""
        pixels = preprocess_images(images, self._pixels, self._runtime)
        return [self._runtime.pin(each.to(self._model.vision_model.dtype)) for each in pixels]

    def _encode(self, ready: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """(patches + 1, width) each."""
        import torch

        pixels = torch.cat([self._runtime.to_device(each) for each in ready])
        # Cloned, since the cache drops pictures one by one, and a slice would keep the whole batch in memory.
        return [each.clone() for each in self._model.vision_model(pixel_values=pixels).last_hidden_state]

    def _pixels(self, image: Image) -> torch.Tensor:
        """float32 (1, 3, side, side), RGB, normalized."""
        return cast("torch.Tensor", self._processor(image, return_tensors="pt")["pixel_values"])


class BlipAnswers(_BlipHead):
    """BLIP for questions, answered in its own words."""

    head = "BlipForQuestionAnswering"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options)
        # Of the heads this one alone decodes beside encoded texts, which are padded.
        mask_padding(self._model.text_decoder)

    @property
    def _settings(self) -> tuple[str, ...]:
        return (str(self._prompts.longest_answer),)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self._answer_batch(Task.VQA, batch)

    def _answers(self, pictures: TensorPictures, texts: TextTokens) -> tuple[Answer, ...]:
        tokens = texts.on(self._runtime)
        states = self._encoded_texts(self._features(pictures), tokens)
        start = self._decoder_start(len(tokens.cut))
        longest = self._prompts.longest_answer
        generated = greedy_decode(self._model.text_decoder, start, states, tokens.attended, longest)
        return self._decoded(generated, tokens.cut)


class BlipCaptions(_BlipHead):
    """BLIP for captions."""

    head = "BlipForConditionalGeneration"

    @property
    def _settings(self) -> tuple[str, ...]:
        return self._prompts.caption, str(self._prompts.longest_caption)

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A description of each picture, without the prompt that it continues."""
        return self._answer_batch(Task.CAPTIONING, batch)

    def _answers(self, pictures: TensorPictures, _texts: TextTokens) -> tuple[Answer, ...]:
        features = self._features(pictures)
        start = self._decoder_start(len(features), self._prompts.caption)
        generated = greedy_decode(self._model.text_decoder, start, features, None, self._prompts.longest_caption)
        return self._decoded(generated, [False] * len(features))


class BlipMatches(_BlipHead):
    """BLIP as a judge of hypotheses, by how well a text matches a picture."""

    head = "BlipForImageTextRetrieval"

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """Entailment where the hypothesis matches its picture with a probability of 0.5 or more, else contradiction."""
        return self._answer_batch(Task.ENTAILMENT, batch)

    def _answers(self, pictures: TensorPictures, texts: TextTokens) -> tuple[Answer, ...]:
        logits = self._logits(self._features(pictures), texts.on(self._runtime))
        return answers_from_logits(logits, logits.softmax(dim=1), ("contradiction", "entailment"), texts.cut)

    def _logits(self, features: torch.Tensor, tokens: TextTokens) -> torch.Tensor:
        """float32 (inputs, 2): no match, match, as the authors numbered them (salesforce/BLIP, blip_pretrain.py)."""
        logits: torch.Tensor = self._model.itm_head(self._encoded_texts(features, tokens)[:, 0])
        return logits.float()


def _check_image_size(checkpoint: Checkpoint, resized: object, wanted: object) -> None:
    """Raises ModelError where pictures are resized to another size than the vision tower takes."""
    sizes = tuple(getattr(resized, side, None) for side in ("height", "width"))
    if sizes != (wanted, wanted):
        raise ModelError(
            f"Expected the image processor in {checkpoint.folder} to resize pictures to {wanted} x {wanted}, which the "
            f"model's vision tower takes, but got size={resized!r}: it belongs to another checkpoint"
        )


def greedy_decode(
    decoder: BlipTextLMHeadModel,
    start: torch.Tensor,
    states: torch.Tensor,
    mask: torch.Tensor | None,
    longest: int,
) -> torch.Tensor:
    """The completion of each row, int64 (inputs, tokens), without its start, of at most ``longest`` tokens.

    Args:
        decoder: BLIP's language model.
        start: int64 (inputs, tokens), the first tokens of each completion.
        states: (inputs, length, width), for cross-attention.
        mask: int64 (inputs, length), 0 for padding; None where there is none.
        longest: the most tokens to generate.
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
        # BLIP's texts end with BERT's [SEP]; the configuration's own eos_token_id is another.
        eos_token_id=config.sep_token_id,
        pad_token_id=config.pad_token_id,
    )
    generated = decoder.generate(  # type: ignore[misc]  # what it is a method of is declared by another class
        input_ids=start,
        attention_mask=torch.ones_like(start),
        encoder_hidden_states=states,
        encoder_attention_mask=mask,
        generation_config=settings,
        logits_processor=LogitsProcessorList([check_step_scores]),
    )
    return cast("torch.Tensor", generated)[:, start.shape[1] :]


def mask_padding(decoder: BlipTextLMHeadModel) -> None:
    """Makes the decoder ignore padding, so that no answer depends on other questions of the batch.

    In transformers 5.19 to 5.23 ``BlipTextAttention`` gets the mask as ``attention_mask``, where cross-attention wants
    it as ``encoder_attention_mask``, and drops it.

    Raises:
        ModelError: the installed version ignores padding no better with it.
    """
    import torch
    import transformers

    def handed_on(
        _module: object, args: tuple[object, ...], named: dict[str, object]
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        # A version of transformers that passes it on is left alone.
        if named.get("encoder_attention_mask") is None:
            named["encoder_attention_mask"] = named.get("attention_mask")
        return args, named

    for name, module in decoder.named_modules():
        if name.endswith(".crossattention.self"):
            module.register_forward_pre_hook(handed_on, with_kwargs=True)
    start = torch.tensor([[decoder.config.bos_token_id]], device=decoder.device)
    states = torch.ones((1, 2, decoder.config.hidden_size), device=decoder.device, dtype=decoder.dtype)
    mask = torch.tensor([[1, 0]], device=decoder.device)
    with torch.inference_mode():
        # A probe: two inputs that differ in the padding alone must give the same logits.
        one, other = (
            decoder(start, encoder_hidden_states=states, encoder_attention_mask=mask).logits
            for states in (states, states * torch.tensor([[[1.0], [2.0]]]).to(states))
        )
    if not torch.allclose(one, other, rtol=0, atol=0, equal_nan=True):  # NaN is an error of each query
        raise ModelError(
            f"Expected BLIP's decoder to leave padding out, but that of transformers {transformers.__version__} does "
            "not, so that answers would depend on the batch: install transformers 5.23"
        )
