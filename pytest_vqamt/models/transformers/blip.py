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
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.blip.decoding import decode, heed_padding
from pytest_vqamt.models.blip.inputs import BlipInputs, BlipShown
from pytest_vqamt.models.classified import classified
from pytest_vqamt.models.loading.config import architecture_of, check_model_type
from pytest_vqamt.models.prompts import Prompts, prompts_of
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.steps import Rest, Steps
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, located
from pytest_vqamt.models.transformers.inputs import check_torchvision
from pytest_vqamt.models.transformers.runtime import Runtime
from pytest_vqamt.models.transformers.weights import load_weights

if TYPE_CHECKING:
    import torch

    from pytest_vqamt.models.text_tokens import TextTokens


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
    checkpoint = located(argument, default=DEFAULT, kind="blip")
    check_model_type(checkpoint, ("blip",))
    check_torchvision()  # before transformers is imported, which would fail with a message that names neither
    architecture = architecture_of(checkpoint)
    prompts = prompts_of(options, PROMPTS)
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
        heed_padding(self._model.text_decoder)
        self._steps = Steps(self._runtime, self._ready, self._inputs.memory)
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

    def _ready(self, _task: Task, batch: Sequence[ModelInput]) -> Rest:
        tokens = self._inputs.tokens([asked.text for asked in batch])
        return partial(self._answers, self._inputs.memory.ready(batch), tokens)

    def _answers(self, shown: BlipShown, texts: TextTokens) -> tuple[Answer, ...]:
        features, tokens = self._inputs.features(shown), texts.on(self._runtime)
        read = self._model.text_encoder(
            input_ids=tokens.ids, attention_mask=tokens.attended, encoder_hidden_states=features
        ).last_hidden_state
        begun = self._inputs.begun(len(tokens.cut))
        said = decode(self._model.text_decoder, begun, read, tokens.attended, self._longest)
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
        self._steps = Steps(self._runtime, self._ready, self._inputs.memory)
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

    def _ready(self, _task: Task, batch: Sequence[ModelInput]) -> Rest:
        return partial(self._captions, self._inputs.memory.ready(batch))

    def _captions(self, shown: BlipShown) -> tuple[Answer, ...]:
        features = self._inputs.features(shown)
        begun = self._inputs.begun(len(features), self._prompts.caption)
        said = decode(self._model.text_decoder, begun, features, None, self._prompts.longest_caption)
        return self._inputs.answers(said, [False] * len(features))


class BlipMatches:
    """BLIP as a judge of whether a text fits a picture."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        """Raises ModelError where a file of the checkpoint is missing, damaged or of another model."""
        from transformers import BlipForImageTextRetrieval

        self._runtime = Runtime.of(options)
        self._model = load_weights(BlipForImageTextRetrieval, checkpoint, self._runtime)
        self._inputs = BlipInputs(checkpoint, self._model.vision_model, self._model.config, self._runtime)
        self._steps = Steps(self._runtime, self._ready, self._inputs.memory)
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

    def _ready(self, _task: Task, batch: Sequence[ModelInput]) -> Rest:
        tokens = self._inputs.tokens([asked.text for asked in batch])
        return partial(self._judged, self._inputs.memory.ready(batch), tokens)

    def _judged(self, shown: BlipShown, texts: TextTokens) -> tuple[Answer, ...]:
        logits = self._logits(self._inputs.features(shown), texts.on(self._runtime))
        return classified(logits, logits.softmax(dim=1), ("contradiction", "entailment"), texts.cut)

    def _logits(self, features: torch.Tensor, tokens: TextTokens) -> torch.Tensor:
        """float32 (inputs, 2): no match, match, as the authors numbered them (salesforce/BLIP, blip_pretrain.py)."""
        read = self._model.text_encoder(
            input_ids=tokens.ids, attention_mask=tokens.attended, encoder_hidden_states=features
        ).last_hidden_state
        logits: torch.Tensor = self._model.itm_head(read[:, 0])
        return logits.float()


def _batch_sizes(runtime: Runtime) -> tuple[int, int]:
    return FIRST_BATCH, FIRST_BATCH if runtime.device.type == "cpu" else LARGEST_BATCH
