"""Small checkpoints of ViLT, random but of enough variance that answers differ between questions and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from transformers import (
    PreTrainedModel,
    ViltConfig,
    ViltForImageAndTextRetrieval,
    ViltForImagesAndTextClassification,
    ViltForQuestionAnswering,
    ViltImageProcessorPil,
)

from tests.models.small.tokenizers import bert_tokenizer
from tests.models.small.weights import shaken
from tests.models.small.words import WORDS

ANSWERS = ("yes", "no", "0", "1", "2", "3", "red", "green", "blue", "dog", "cat", "car", "left", "right", "man", "tree")
LONGEST = 40
"""So many tokens a text may have."""

PATCH, SIDE = 8, 32


def vilt_vqa(folder: Path, *, seed: int = 0, labels: Mapping[int, str] | None = None, most_patches: int = -1) -> Path:
    """A checkpoint that answers questions by one of ``labels``, sixteen words where none are given."""
    named = dict(enumerate(ANSWERS)) if labels is None else dict(labels)
    config = _config(folder, id2label=named, max_image_length=most_patches)
    return _saved(ViltForQuestionAnswering, config, folder, seed)


def vilt_nlvr(folder: Path, *, seed: int = 0, labels: tuple[str, ...] = ("False", "True"), pictures: int = 2) -> Path:
    """A checkpoint that judges statements about so many pictures."""
    config = _config(
        folder,
        id2label=dict(enumerate(labels)),
        num_images=pictures,
        modality_type_vocab_size=pictures + 1,
    )
    return _saved(ViltForImagesAndTextClassification, config, folder, seed)


def vilt_retrieval(folder: Path) -> Path:
    """A checkpoint that orders texts, which no task of ours can use."""
    return _saved(ViltForImageAndTextRetrieval, _config(folder), folder, 0)


def _config(
    folder: Path,
    *,
    id2label: dict[int, str] | None = None,
    num_images: int = -1,
    modality_type_vocab_size: int = 2,
    max_image_length: int = -1,
) -> ViltConfig:
    tokenizer = bert_tokenizer(folder, WORDS, longest=LONGEST)
    processor = ViltImageProcessorPil(
        size={"shortest_edge": SIDE},
        size_divisor=PATCH,  # type: ignore[call-arg]  # its own setting, where only its base's are declared
    )
    processor.save_pretrained(folder)
    return ViltConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=LONGEST,
        image_size=SIDE,
        patch_size=PATCH,
        id2label=id2label,
        num_images=num_images,
        modality_type_vocab_size=modality_type_vocab_size,
        max_image_length=max_image_length,
    )


def _saved(cls: type[PreTrainedModel], config: ViltConfig, folder: Path, seed: int) -> Path:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        shaken(cls(config)).save_pretrained(folder)
    return folder
