"""``vilt[:PATH]``: ViLT with a head for questions, or with one that tells true statements about pictures from false.

Kim, Son and Kim, ViLT: Vision-and-Language Transformer Without Convolution or Region Supervision, ICML 2021.

Which head it is ``architectures`` in config.json says:

``ViltForQuestionAnswering``
    Answers questions by the best of the answers that ``id2label`` lists (3,129 in the published checkpoint).
``ViltForImagesAndTextClassification``
    Judges hypotheses. The published one (NLVR2) tells whether a statement about two pictures is true; it is shown the
    same picture twice. True counts as entailment and False as contradiction; neutral is never said, unless the head has
    an output for it. **Deviation**: NLVR2's statements speak of a left and a right picture, hypotheses of one.

``ViltForImageAndTextRetrieval`` is refused: its one output orders the texts of a picture, and no threshold on it tells
what is true. Others (masked words, tokens) answer nothing that is asked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.classified import classified
from pytest_vqamt.models.loading.config import architecture_of, check_model_type, config_of
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.steps import Rest, Steps
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, located
from pytest_vqamt.models.transformers.inputs import check_torchvision
from pytest_vqamt.models.transformers.runtime import Runtime
from pytest_vqamt.models.transformers.weights import load_weights
from pytest_vqamt.models.vilt.inputs import ViltInputs, ViltShown
from pytest_vqamt.models.vilt.labels import answers_of, entailments_of

if TYPE_CHECKING:
    import torch

    from pytest_vqamt.models.text_tokens import TextTokens
    from pytest_vqamt.models.transformers.vilt_patches import Patches


DEFAULT = "dandelin/vilt-b32-finetuned-vqa"
FIRST_BATCH = 16
LARGEST_BATCH = 512
"""Batches grow on an accelerator only: on the CPU the first size keeps every core busy."""


def load(argument: str, options: ModelOptions) -> ViltAnswers | ViltStatements:
    """The checkpoint that ``argument`` names, a folder or a name on the hub; the published one where it is empty.

    Raises:
        ModelError: it is no checkpoint of ViLT, has no head for a task of ours, or is incomplete.
    """
    checkpoint = located(argument, default=DEFAULT, kind="vilt")
    check_model_type(checkpoint, ("vilt",))
    check_torchvision()  # before transformers is imported, which would fail with a message that names neither
    architecture = architecture_of(checkpoint)
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


class ViltAnswers:
    """ViLT as a classifier of questions. Each picture is resized and cut into patches once for all its questions."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        """Raises ModelError where a file of the checkpoint is missing, damaged or of another model."""
        from transformers import ViltForQuestionAnswering

        self._labels = answers_of(checkpoint)
        self._runtime = Runtime.of(options)
        self._model = load_weights(ViltForQuestionAnswering, checkpoint, self._runtime)
        self._inputs = ViltInputs(checkpoint, self._model, self._runtime)
        self._steps = Steps(self._runtime, self._ready, self._inputs.memory)
        self.batch_size, self.largest_batch = _batch_sizes(self._runtime)

    @cached_property
    def fingerprint(self) -> str:
        """The files, the precision and what computes the answers."""
        return self._inputs.fingerprint

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Draws and resizes new pictures, and reads the questions."""
        self._steps.prepare(task, batch)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """The best answer to each question, with the five best and the probability of each to be right by itself."""
        return self._steps.answers(Task.VQA, batch)

    def _ready(self, _task: Task, batch: Sequence[ModelInput]) -> Rest:
        return partial(self._answers, *self._inputs.ready(batch))

    def _answers(self, shown: ViltShown, texts: TextTokens) -> tuple[Answer, ...]:
        logits = self._logits(*self._inputs.of(shown, texts))
        return classified(logits, logits.sigmoid(), self._labels, texts.cut)

    def _logits(self, patches: Patches, tokens: TextTokens) -> torch.Tensor:
        """float32 (inputs, answers)."""
        logits: torch.Tensor = self._model(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            image_embeds=patches.embedded,
            pixel_mask=patches.counted,
        ).logits
        return logits.float()


class ViltStatements:
    """ViLT as a judge of statements about pictures, each of which is shown as many times as the head has places."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        """Raises ModelError where a file of the checkpoint is missing, damaged or of another model."""
        from transformers import ViltForImagesAndTextClassification

        _check_pictures(checkpoint)
        self._labels = entailments_of(checkpoint)
        self._runtime = Runtime.of(options)
        self._model = load_weights(ViltForImagesAndTextClassification, checkpoint, self._runtime)
        self._inputs = ViltInputs(checkpoint, self._model, self._runtime)
        self._steps = Steps(self._runtime, self._ready, self._inputs.memory)
        self.batch_size, self.largest_batch = _batch_sizes(self._runtime)

    @cached_property
    def fingerprint(self) -> str:
        """The files, the precision and what computes the answers."""
        return self._inputs.fingerprint

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Draws and resizes new pictures, and reads the hypotheses."""
        self._steps.prepare(task, batch)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """What each picture says of its hypothesis, with the probability of each label."""
        return self._steps.answers(Task.ENTAILMENT, batch)

    def _ready(self, _task: Task, batch: Sequence[ModelInput]) -> Rest:
        return partial(self._judged, *self._inputs.ready(batch))

    def _judged(self, shown: ViltShown, texts: TextTokens) -> tuple[Answer, ...]:
        logits = self._logits(*self._inputs.of(shown, texts))
        return classified(logits, logits.softmax(dim=1), self._labels, texts.cut)

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


def _check_pictures(checkpoint: Checkpoint) -> None:
    """Raises ModelError where the configuration does not say how many pictures a statement is about."""
    count = config_of(checkpoint).get("num_images")
    if not isinstance(count, int) or count < 1:
        raise ModelError(
            f"Expected in {checkpoint.folder / 'config.json'} how many pictures a statement is about, but got "
            f"num_images={count!r}: take the config.json that came with the weights"
        )


def _batch_sizes(runtime: Runtime) -> tuple[int, int]:
    return FIRST_BATCH, FIRST_BATCH if runtime.device.type == "cpu" else LARGEST_BATCH
