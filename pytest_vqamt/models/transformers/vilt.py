"""``vilt[:PATH]``: ViLT with a head for questions, or with one that tells true statements about pictures from false.

Kim, Son and Kim, ViLT: Vision-and-Language Transformer Without Convolution or Region Supervision, ICML 2021.

Which head it is ``architectures`` in config.json says:

``ViltForQuestionAnswering``
    Answers questions by the best of the answers that ``id2label`` lists (3,129 in the published checkpoint).
``ViltForImagesAndTextClassification``
    Judges hypotheses. The published one (NLVR2) tells whether a statement about two pictures is true, and is given
    the same picture twice. True counts as entailment and False as contradiction; neutral is never said, unless the head
    has an output for it. **Deviation**: NLVR2's statements speak of a left and a right picture, hypotheses of one.

``ViltForImageAndTextRetrieval`` is refused: its one output orders the texts of a picture, and no threshold on it tells
what is true. Others (masked words, tokens) answer nothing that is asked here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    files_digest,
    first_architecture,
    locate_checkpoint,
    read_checkpoint_config,
)
from pytest_vqamt.models.transformers.classifier import answers_from_logits
from pytest_vqamt.models.transformers.feature_cache import BatchPictures, PictureFeatureCache
from pytest_vqamt.models.transformers.inputs import (
    TextTokens,
    check_torchvision,
    load_image_processor,
    load_tokenizer,
    preprocess_images,
    tokenize,
)
from pytest_vqamt.models.transformers.runtime import ForwardStep, Runtime, TwoStepModel
from pytest_vqamt.models.transformers.vilt_patches import Patches, embed_pictures, pad_patches, vilt_pixels
from pytest_vqamt.models.transformers.weights import load_weights

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import ViltForImagesAndTextClassification, ViltForQuestionAnswering

    from pytest_vqamt.models.transformers.inputs import TextTokens
    from pytest_vqamt.models.transformers.vilt_patches import Patches


DEFAULT = "dandelin/vilt-b32-finetuned-vqa"
FIRST_BATCH = 16
LARGEST_BATCH = 512
"""Batches grow on an accelerator only: on the CPU the first size keeps every core busy."""


def load(argument: str, options: ModelOptions) -> ViltAnswers | ViltStatements:
    """The checkpoint ``argument``, a folder or a name on the hub; the published one where it is empty.

    Raises:
        ModelError: it is no checkpoint of ViLT, has no head for a task of ours, or is incomplete.
    """
    checkpoint = locate_checkpoint(argument, default=DEFAULT, kind="vilt")
    check_model_type(checkpoint, ("vilt",))
    check_torchvision()  # before transformers is imported, which would fail with a message that names neither
    architecture = first_architecture(checkpoint)
    if architecture == "ViltForQuestionAnswering":
        return ViltAnswers(checkpoint, options)
    if architecture == "ViltForImagesAndTextClassification":
        return ViltStatements(checkpoint, options)
    hint = ""
    if architecture == "ViltForImageAndTextRetrieval":
        hint = "; a retrieval head orders the texts of a picture, and no threshold on its score tells what is true"
    raise ModelError(
        "Expected architectures to be ViltForQuestionAnswering or ViltForImagesAndTextClassification in "
        f"{checkpoint.folder / 'config.json'}, but got architecture={architecture!r}{hint}"
    )


class _ViltHead:
    """One checkpoint. Each picture is resized and cut into patches once for all its texts."""

    def __init__(self, head: Any, checkpoint: Checkpoint, options: ModelOptions) -> None:
        """Raises ModelError where a file of the checkpoint is missing, damaged or of another model."""
        self._runtime = Runtime.of(options)
        self._model = load_weights(head, checkpoint, self._runtime)
        self._inputs = ViltInputs(checkpoint, self._model, self._runtime)
        self._two_steps = TwoStepModel(self._runtime, self._preprocess, self._inputs.cache)
        self.batch_size = FIRST_BATCH
        self.largest_batch = FIRST_BATCH if self._runtime.device.type == "cpu" else LARGEST_BATCH

    @cached_property
    def fingerprint(self) -> str:
        return self._inputs.fingerprint

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Renders and resizes new pictures, and tokenizes texts."""
        self._two_steps.prepare(task, batch)

    def _preprocess(self, _task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        return partial(self._answers, *self._inputs.preprocess(batch))

    def _answers(self, pictures: ViltPictures, texts: TextTokens) -> tuple[Answer, ...]:
        raise NotImplementedError


class ViltAnswers(_ViltHead):
    """ViLT as a classifier of questions."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        from transformers import ViltForQuestionAnswering

        self._labels = read_answer_labels(checkpoint)
        super().__init__(ViltForQuestionAnswering, checkpoint, options)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """The best answer to each question, with the independent probabilities of the five best."""
        return self._two_steps.answers(Task.VQA, batch)

    def _answers(self, pictures: ViltPictures, texts: TextTokens) -> tuple[Answer, ...]:
        logits = self._logits(*self._inputs.embed(pictures, texts))
        return answers_from_logits(logits, logits.sigmoid(), self._labels, texts.cut)

    def _logits(self, patches: Patches, tokens: TextTokens) -> torch.Tensor:
        """float32 (inputs, answers)."""
        logits: torch.Tensor = self._model(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            image_embeds=patches.embedded,
            pixel_mask=patches.counted,
        ).logits
        return logits.float()


class ViltStatements(_ViltHead):
    """ViLT as a judge of statements. Each picture is repeated for all places of the head."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        from transformers import ViltForImagesAndTextClassification

        _check_num_images(checkpoint)
        self._labels = read_entailment_labels(checkpoint)
        super().__init__(ViltForImagesAndTextClassification, checkpoint, options)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """The label of each hypothesis, with the probability of each label."""
        return self._two_steps.answers(Task.ENTAILMENT, batch)

    def _answers(self, pictures: ViltPictures, texts: TextTokens) -> tuple[Answer, ...]:
        logits = self._logits(*self._inputs.embed(pictures, texts))
        return answers_from_logits(logits, logits.softmax(dim=1), self._labels, texts.cut)

    def _logits(self, patches: Patches, tokens: TextTokens) -> torch.Tensor:
        """float32 (inputs, labels), each picture being in all places."""
        places = self._model.config.num_images
        logits: torch.Tensor = self._model(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            image_embeds=patches.embedded.unsqueeze(1).expand(-1, places, -1, -1),
            pixel_mask=patches.counted[:, None, :, None].expand(-1, places, -1, -1),
        ).logits
        return logits.float()


def _check_num_images(checkpoint: Checkpoint) -> None:
    """Raises ModelError where the configuration does not say how many pictures a statement is about."""
    count = read_checkpoint_config(checkpoint).get("num_images")
    if not isinstance(count, int) or count < 1:
        raise ModelError(
            f"Expected in {checkpoint.folder / 'config.json'} how many pictures a statement is about, but got "
            f"num_images={count!r}: take the config.json that came with the weights"
        )


_UNNAMED = re.compile(r"LABEL_\d+")
"""Transformers' placeholder for an unnamed output."""

_FOREIGN_ANSWER_LISTS = {
    "LXMERT": ("", "woods", "trash can", "hanging"),  # airsplay/lxmert, trainval_label2ans.json
    "VisualBERT": ("<unk>", "0", "000", "1"),  # Pythia, answers_vqa.txt
}
"""The beginnings of other models' lists that are as long as ViLT's, 3,129 answers."""

_LABEL_MEANINGS = {
    "true": "entailment", "yes": "entailment", "entailment": "entailment",
    "false": "contradiction", "no": "contradiction", "contradiction": "contradiction",
    "neutral": "neutral", "maybe": "neutral",
}  # fmt: skip


def read_answer_labels(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The answers of a question head, in the order of its outputs.

    Raises:
        ModelError: there are none, or they are not this head's.
    """
    labels = _labels(checkpoint)
    other = next((name for name, begins in _FOREIGN_ANSWER_LISTS.items() if labels[: len(begins)] == begins), None)
    if other is not None:
        raise ModelError(
            f"Expected ViLT's own answers as id2label in {_config_path(checkpoint)}, but got {other}'s list, which "
            "begins "
            f"{_FOREIGN_ANSWER_LISTS[other]!r}: both have 3,129 answers, but ViLT has them in another order, so that "
            "each output would be called by another's name. Take the config.json that came with the weights"
        )
    return labels


def read_entailment_labels(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The entailment label of each output of a statement head.

    Raises:
        ModelError: an output has no such label, or two have the same.
    """
    labels = _labels(checkpoint)
    meant = tuple(_LABEL_MEANINGS.get(label.strip().lower(), "") for label in labels)
    if not {"entailment", "contradiction"} <= set(meant) or "" in meant or len(set(meant)) < len(meant):
        raise ModelError(
            "Expected the outputs True and False, or entailment, neutral and contradiction, as id2label in "
            f"{_config_path(checkpoint)}, but got id2label={dict(enumerate(labels[:5]))!r}: a head that was trained to "
            "tell something else says nothing about entailment"
        )
    return meant


def _labels(checkpoint: Checkpoint) -> tuple[str, ...]:
    named = read_checkpoint_config(checkpoint).get("id2label")
    if not isinstance(named, Mapping) or not named:
        raise ModelError(
            f"Expected id2label in {_config_path(checkpoint)}, which says what each output of the head stands for, but "
            "there is none: take the config.json that came with the weights"
        )
    if {str(key) for key in named} != {str(number) for number in range(len(named))}:
        raise ModelError(
            f"Expected id2label in {_config_path(checkpoint)} to number the answers from 0 to {len(named) - 1}, but it "
            "does not: take the config.json that came with the weights"
        )
    labels = tuple(str(named[str(number)]) for number in range(len(named)))
    unnamed = [label for label in labels if _UNNAMED.fullmatch(label)]
    if unnamed:
        raise ModelError(
            f"Expected answers as id2label in {_config_path(checkpoint)}, but got {unnamed[0]!r} ({len(unnamed)} "
            "such), "
            "which transformers writes where nobody named the outputs: take the config.json that came with the weights"
        )
    return labels


def _config_path(checkpoint: Checkpoint) -> str:
    return str(checkpoint.folder / "config.json")


VERSION = 1
"""Goes up when answers change for the same weights and packages."""

ViltPictures: TypeAlias = "BatchPictures[torch.Tensor, torch.Tensor]"
"""The pictures of a batch: pixels (3, height, width), and embedded patches (1 + patches, width)."""


class ViltInputs:
    """Turns inputs into the tensors of both heads."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        model: ViltForQuestionAnswering | ViltForImagesAndTextClassification,
        runtime: Runtime,
    ) -> None:
        """Raises ModelError where the tokenizer or the image processor is missing or of another model."""
        config = model.config
        self._folder = checkpoint.folder
        self._runtime = runtime
        self._tokenizer = load_tokenizer(checkpoint, config.vocab_size)
        self._processor = load_image_processor(checkpoint)
        self._embeddings = model.vilt.embeddings
        self._longest = config.max_position_embeddings
        self.cache: PictureFeatureCache[torch.Tensor, torch.Tensor] = PictureFeatureCache(
            self._preprocess_images, self._embed, lambda patches: patches.nbytes
        )

    @property
    def fingerprint(self) -> str:
        return self._runtime.fingerprint("vilt", VERSION, files_digest(self._folder))

    def preprocess(self, batch: Sequence[ModelInput]) -> tuple[ViltPictures, TextTokens]:
        """Resizes new pictures and tokenizes the texts, without the device."""
        tokens = tokenize([item.text for item in batch], self._tokenizer, self._longest, self._runtime)
        return self.cache.preprocess(batch), tokens

    def embed(self, pictures: ViltPictures, texts: TextTokens) -> tuple[Patches, TextTokens]:
        """The patches and tokens of each input, on the device."""
        return pad_patches(self.cache.encoded(pictures)), texts.on(self._runtime)

    def _preprocess_images(self, images: Sequence[Image]) -> list[torch.Tensor]:
        """In 32 bits, as the patches are cut: 2.8 MB a picture at the published size."""
        pixels = preprocess_images(images, partial(vilt_pixels, processor=self._processor), self._runtime)
        return [self._runtime.pin(each) for each in pixels]

    def _embed(self, ready: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return embed_pictures([self._runtime.to_device(each) for each in ready], self._embeddings)
