"""Small checkpoints of LXMERT and VisualBERT, random but of enough variance that answers differ."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from transformers import (
    LxmertConfig,
    LxmertForQuestionAnswering,
    PreTrainedModel,
    VisualBertConfig,
    VisualBertForQuestionAnswering,
)

from tests.models.small.features import made, write_npz
from tests.models.small.inputs import SIZES
from tests.models.small.tokenizers import bert_tokenizer
from tests.models.small.weights import shaken
from tests.models.small.words import WORDS

ANSWERS = (
    "",
    "yes",
    "no",
    "0",
    "1",
    "2",
    "3",
    "red",
    "green",
    "blue",
    "dog",
    "cat",
    "car",
    "left",
    "right",
    "man",
    "tree",
)
"""The first says nothing, as in LXMERT's published list."""

COUNTS = {"square": 20, "grey": 5, "tiny": 1}
"""How many regions the file of features has of these photos; of all others 36."""


def lxmert(
    folder: Path, *, answers: tuple[str, ...] | None = ANSWERS, outputs: int = len(ANSWERS), seed: int = 2
) -> Path:
    """A checkpoint with a head of so many outputs, and the list of ``answers`` beside it, where there is to be one."""
    config = LxmertConfig(
        vocab_size=_words(folder),
        hidden_size=32,
        num_attention_heads=4,
        intermediate_size=64,
        l_layers=2,
        r_layers=1,
        x_layers=2,
        num_qa_labels=outputs,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = shaken(LxmertForQuestionAnswering(config), 8)
    return _saved(model, folder, "trainval_label2ans.json", answers)


def visualbert(
    folder: Path, *, answers: tuple[str, ...] | None = ANSWERS, outputs: int = len(ANSWERS), seed: int = 0
) -> Path:
    """The same of VisualBERT."""
    config = VisualBertConfig(
        vocab_size=_words(folder),
        hidden_size=32,
        num_attention_heads=4,
        intermediate_size=64,
        num_hidden_layers=2,
        visual_embedding_dim=2048,
        id2label={number: f"LABEL_{number}" for number in range(outputs)},
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = shaken(VisualBertForQuestionAnswering(config))
    return _saved(model, folder, "answers.json", answers)


def features_of_inputs(folder: Path) -> Path:
    """A file of features of the photos of ``inputs``."""
    photos = {
        name: (made(number, width=width, height=height, count=COUNTS.get(name, 36)), (width, height))
        for number, (name, (width, height)) in enumerate(SIZES.items())
    }
    return write_npz(folder / "features.npz", photos)


def _words(folder: Path) -> int:
    return len(bert_tokenizer(folder, WORDS))


def _saved(model: PreTrainedModel, folder: Path, name: str, answers: tuple[str, ...] | None) -> Path:
    model.save_pretrained(folder)
    if answers is not None:
        (folder / name).write_text(json.dumps(answers))
    return folder
