"""``lxmert[:PATH]``: LXMERT with its heads for VQA (3,129 answers) and GQA (1,842), on regions of a detector.

Tan and Bansal, "LXMERT: Learning Cross-Modality Encoder Representations from Transformers", EMNLP 2019. Questions are
``[CLS] question [SEP]``, filled up or cut to 20 tokens as in the authors' code (github.com/airsplay/lxmert).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.adapter import (
    HOLDS,
    QuestionLayout,
    RegionBatch,
    RegionQuestionModel,
    check_config_int,
    check_needs,
    config_int,
)
from pytest_vqamt.models.region_models.regions import FEATURE_WIDTH
from pytest_vqamt.models.transformers.checkpoint import check_model_type, locate_checkpoint
from pytest_vqamt.models.transformers.classifier import AnswerLists, PublishedList

if TYPE_CHECKING:
    import torch


DEFAULT = "unc-nlp/lxmert-vqa-uncased"
PUBLISHED = (DEFAULT, "unc-nlp/lxmert-gqa-uncased")
"""The checkpoints of its authors, which say nothing of the answers that their outputs stand for."""

FORM = QuestionLayout(longest=20, step=20)

_LISTS = "https://raw.githubusercontent.com/airsplay/lxmert/master/data"

# Names of files as published, and a name for a list of one's own.
ANSWERS = AnswerLists(
    kind="lxmert",
    file_names=("trainval_label2ans.json", "answers.json"),
    published={
        3129: PublishedList(
            address=f"{_LISTS}/vqa/trainval_label2ans.json", begins=("", "woods", "trash can", "hanging")
        ),
        1842: PublishedList(
            address=f"{_LISTS}/gqa/trainval_label2ans.json", begins=("cat food", "elephant", "gloves", "football")
        ),
    },
)


class Lxmert(RegionQuestionModel):
    """LXMERT with its head for questions."""

    head = "LxmertForQuestionAnswering"
    kind = "lxmert"
    form = FORM

    def score(self, batch: RegionBatch) -> torch.Tensor:
        logits: torch.Tensor = self._model(
            input_ids=batch.ids,
            attention_mask=batch.attended,
            visual_feats=batch.features,
            visual_pos=batch.boxes,
            visual_attention_mask=batch.seen,
        ).question_answering_score
        return logits


def check(argument: str, options: ModelOptions) -> None:
    """Raises ModelError where the list of answers and the detector are missing, before anything is fetched."""
    check_needs(argument or DEFAULT, PUBLISHED, ANSWERS, options)


def load(argument: str, options: ModelOptions) -> Lxmert:
    """The checkpoint ``argument``, or the published one for VQA.

    Raises:
        OptionError: a setting is invalid.
        ModelError: a file is missing or of another model.
    """
    check(argument, options)
    checkpoint = locate_checkpoint(argument, default=DEFAULT, kind="lxmert", required=(), holds=HOLDS)
    check_model_type(checkpoint, ("lxmert",))
    check_config_int(checkpoint, "visual_feat_dim", FEATURE_WIDTH, default=FEATURE_WIDTH)
    check_config_int(checkpoint, "visual_pos_dim", 4, default=4)
    # 9,500 is transformers' default, of the pre-training.
    answers = ANSWERS.of(checkpoint, config_int(checkpoint, "num_qa_labels", 9500), options)
    return Lxmert(checkpoint, answers, options)
