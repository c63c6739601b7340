"""Small checkpoints of BLIP, random but of enough variance that answers differ between questions and pictures."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import (
    BlipConfig,
    BlipForConditionalGeneration,
    BlipForImageTextRetrieval,
    BlipForQuestionAnswering,
    BlipImageProcessorPil,
    BlipModel,
    PreTrainedModel,
)

from tests.models.small.tokenizers import bert_tokenizer
from tests.models.small.weights import shaken
from tests.models.small.words import WORDS

LONGEST = 40
"""So many tokens a text may have."""

SIDE = 24


def blip_vqa(folder: Path, *, seed: int = 0) -> Path:
    """A checkpoint that answers questions."""
    return _saved(BlipForQuestionAnswering, folder, seed)


def blip_captions(folder: Path, *, seed: int = 0) -> Path:
    """A checkpoint that describes pictures."""
    return _saved(BlipForConditionalGeneration, folder, seed)


def blip_matches(folder: Path, *, seed: int = 1) -> Path:
    """A checkpoint that tells whether a text fits a picture."""
    return _saved(BlipForImageTextRetrieval, folder, seed)


def blip_bare(folder: Path) -> Path:
    """A checkpoint without any of these heads."""
    return _saved(BlipModel, folder, 0)


def _saved(cls: type[PreTrainedModel], folder: Path, seed: int) -> Path:
    tokenizer = bert_tokenizer(folder, WORDS, longest=LONGEST)
    BlipImageProcessorPil(size={"height": SIDE, "width": SIDE}).save_pretrained(folder)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    text = {
        **size,
        # Two rows more than the tokenizer has words, as published: [DEC], with which decoding begins, and [ENC].
        "vocab_size": len(tokenizer) + 2,
        "bos_token_id": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
        "sep_token_id": tokenizer.sep_token_id,
        "max_position_embeddings": 64,
        "projection_dim": 16,
    }
    vision = {**size, "image_size": SIDE, "patch_size": 8, "projection_dim": 16}
    config = BlipConfig(text_config=text, vision_config=vision, projection_dim=16, image_text_hidden_size=16)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = shaken(cls(config), spread=2.0 if cls is BlipForImageTextRetrieval else 3.0)
    if isinstance(model, BlipForQuestionAnswering | BlipForConditionalGeneration):
        with torch.no_grad():  # so that answers end, some sooner than others
            model.text_decoder.cls.predictions.bias[tokenizer.sep_token_id] += 4.0
    model.save_pretrained(folder)
    return folder
