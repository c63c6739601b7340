"""``visualbert[:PATH]``: VisualBERT with its head for VQA (3,129 answers), on regions of a detector.

Li et al., "VisualBERT: A Simple and Performant Baseline for Vision and Language", 2019. A question is written as the
authors did when they trained the published checkpoint (``vqa_dataset.py`` of github.com/uclanlp/visualbert):
``[CLS] question ? [MASK] [SEP]`` without the question's own commas and question marks. The answer is read off
``[MASK]``, the last token but one.

**Deviation**: they used 100 regions of another detector (docs/models/visualbert.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.region_models.adapter import (
    QuestionForm,
    RegionBatch,
    RegionModelParts,
    RegionQuestionModel,
    bert_tokenizer,
    check_config_int,
    config_int,
)
from pytest_vqamt.models.region_models.regions import FEATURE_WIDTH
from pytest_vqamt.models.region_models.source import region_source
from pytest_vqamt.models.transformers.checkpoint import (
    check_model_type,
    files_digest,
    locate_checkpoint,
    read_checkpoint_config,
)
from pytest_vqamt.models.transformers.classifier import AnswerLists, PublishedList
from pytest_vqamt.models.transformers.inputs import check_torchvision
from pytest_vqamt.models.transformers.runtime import Runtime
from pytest_vqamt.models.transformers.weights import load_weights

if TYPE_CHECKING:
    import torch
    from transformers import VisualBertForQuestionAnswering


VERSION = 1
"""Goes up when answers change for the same weights, settings and packages."""

DEFAULT = "uclanlp/visualbert-vqa"

FORM = QuestionForm(longest=128, step=32, without=",?", ending=("?", "[MASK]"))

ANSWERS = AnswerLists(
    kind="visualbert",
    beside=("answers_vqa.txt", "answers.json"),
    published={
        3129: PublishedList(
            address="https://dl.fbaipublicfiles.com/pythia/data/answers_vqa.txt", begins=("<unk>", "0", "000", "1")
        )
    },
)


def load(argument: str, options: ModelOptions) -> RegionQuestionModel:
    """The checkpoint ``argument``, or the published one for VQA.

    Raises:
        OptionError: a setting is invalid.
        ModelError: a file is missing or of another model.
    """
    check_torchvision()
    checkpoint = locate_checkpoint(argument, default=DEFAULT, kind="visualbert", beside=())
    config = read_checkpoint_config(checkpoint)
    check_model_type(checkpoint, ("visual_bert",))
    check_config_int(checkpoint, "visual_embedding_dim", FEATURE_WIDTH, default=512)
    if config.get("bypass_transformer"):
        raise ModelError(
            f"Expected a VisualBERT whose regions pass through all layers, but got bypass_transformer=True in "
            f"{checkpoint.folder / 'config.json'}, which transformers cannot compute"
        )
    answers = ANSWERS.of(checkpoint, _outputs(config), options)
    tokenizer = bert_tokenizer(checkpoint, config_int(checkpoint, "vocab_size", 30522))
    runtime = Runtime.of(options)
    regions = region_source(options, checkpoint.folder)
    from transformers import VisualBertForQuestionAnswering

    model = load_weights(VisualBertForQuestionAnswering, checkpoint, runtime)
    return RegionQuestionModel(
        RegionModelParts(
            score=partial(_score, model),
            dtype=model.dtype,
            tokenizer=tokenizer,
            form=FORM,
            answers=answers,
            regions=regions,
            runtime=runtime,
            fingerprint=partial(runtime.fingerprint, "visualbert", VERSION, files_digest(checkpoint.folder)),
        )
    )


def _score(model: VisualBertForQuestionAnswering, batch: RegionBatch) -> torch.Tensor:
    import torch

    logits: torch.Tensor = model(
        input_ids=batch.ids,
        attention_mask=batch.attended,
        token_type_ids=torch.zeros_like(batch.ids),
        visual_embeds=batch.features,
        visual_attention_mask=batch.seen,
        visual_token_type_ids=torch.ones_like(batch.seen),
    ).logits
    return logits


def _outputs(config: Mapping[str, object]) -> int:
    """The number of answers: that of the labels, placeholders included; 2 without any."""
    labels = config.get("id2label")
    return len(labels) if isinstance(labels, dict) else 2
