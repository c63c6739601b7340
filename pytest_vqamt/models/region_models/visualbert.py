"""``visualbert[:PATH]``: VisualBERT with its head for VQA (3,129 answers), on regions of a detector.

Li et al., "VisualBERT: A Simple and Performant Baseline for Vision and Language", 2019. A question is written as the
authors did when they trained the published checkpoint (``vqa_dataset.py`` of github.com/uclanlp/visualbert):
``[CLS] question ? [MASK] [SEP]`` without the question's own commas and question marks. The answer is read off
``[MASK]``, the last token but one.

**Deviation**: they used 100 regions of another detector (docs/reference/models/region-models.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.adapter import (
    HOLDS,
    QuestionLayout,
    RegionBatch,
    RegionQuestionModel,
    check_config_int,
    check_needs,
)
from pytest_vqamt.models.region_models.regions import FEATURE_WIDTH
from pytest_vqamt.models.transformers.checkpoint import (
    check_model_type,
    locate_checkpoint,
    read_checkpoint_config,
)
from pytest_vqamt.models.transformers.classifier import AnswerLists, PublishedList

if TYPE_CHECKING:
    import torch


DEFAULT = "uclanlp/visualbert-vqa"

FORM = QuestionLayout(longest=128, step=32, without=",?", ending=("?", "[MASK]"))

# Names of files as published, and a name for a list of one's own.
ANSWERS = AnswerLists(
    kind="visualbert",
    file_names=("answers_vqa.txt", "answers.json"),
    published={
        3129: PublishedList(
            address="https://dl.fbaipublicfiles.com/pythia/data/answers_vqa.txt", begins=("<unk>", "0", "000", "1")
        )
    },
)


class VisualBert(RegionQuestionModel):
    """VisualBERT with its head for questions."""

    head = "VisualBertForQuestionAnswering"
    kind = "visualbert"
    form = FORM

    def score(self, batch: RegionBatch) -> torch.Tensor:
        import torch

        logits: torch.Tensor = self._model(
            input_ids=batch.ids,
            attention_mask=batch.attended,
            # Type 0 is text and type 1 a region, as in its training.
            token_type_ids=torch.zeros_like(batch.ids),
            visual_embeds=batch.features,
            visual_attention_mask=batch.seen,
            visual_token_type_ids=torch.ones_like(batch.seen),
        ).logits
        return logits


def check(argument: str, options: ModelOptions) -> None:
    """Raises ModelError where the list of answers and the detector are missing, before anything is fetched."""
    check_needs(argument or DEFAULT, (DEFAULT,), ANSWERS, options)


def load(argument: str, options: ModelOptions) -> VisualBert:
    """The checkpoint ``argument``, or the published one for VQA.

    Raises:
        OptionError: a setting is invalid.
        ModelError: a file is missing or of another model.
    """
    check(argument, options)
    checkpoint = locate_checkpoint(argument, default=DEFAULT, kind="visualbert", required=(), holds=HOLDS)
    config = read_checkpoint_config(checkpoint)
    check_model_type(checkpoint, ("visual_bert",))
    check_config_int(checkpoint, "visual_embedding_dim", FEATURE_WIDTH, default=512)
    # Such a checkpoint sends its regions through one additional layer alone.
    if config.get("bypass_transformer"):
        raise ModelError(
            f"Expected a VisualBERT whose regions pass through all layers, but got bypass_transformer=True in "
            f"{checkpoint.folder / 'config.json'}, which transformers cannot compute"
        )
    answers = ANSWERS.of(checkpoint, _outputs(config), options)
    return VisualBert(checkpoint, answers, options)


def _outputs(config: Mapping[str, object]) -> int:
    """The number of outputs, by the labels, which may be placeholders; 2, transformers' default, without any."""
    labels = config.get("id2label")
    return len(labels) if isinstance(labels, dict) else 2
