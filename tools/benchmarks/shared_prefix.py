"""What is gained where the questions about a picture share its computation: a LLaVA of 40 million random weights.

A batch has eight pictures of 576 tokens with four questions each. "Whole" computes each prompt as a whole; of "shared"
the first time computes the beginning of the prompts once for each picture, and the second time finds it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from unittest.mock import patch

import torch
from transformers import CLIPVisionConfig

from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.prompted.generative import load
from tests.models.transformers.prompted.conftest import about
from tests.models.transformers.prompted.small.chat import llava
from tools.benchmarks.measuring import show

_PICTURES = 8
_QUESTIONS = tuple(f"How many {things} are there?" for things in ("dogs", "cats", "red cups", "men"))
_RUNS = 3


def main() -> None:
    with TemporaryDirectory() as folder:
        checkpoint = _checkpoint(Path(folder))
        batch = [about(place, question) for place in range(_PICTURES) for question in _QUESTIONS]
        whole = [_took(checkpoint, batch, shares=False) for _ in range(_RUNS)]
        shared = [_took(checkpoint, batch, shares=True) for _ in range(_RUNS)]
    rows = []
    for name, place in (("the first time", 0), ("again, the pictures known", 1)):
        before, after = (median(each[0][place] for each in runs) for runs in (whole, shared))
        rows.append((name, f"{before:.1f}", f"{after:.1f}", f"{before / after:.1f}"))
    equal = "equal" if whole[0][1] == shared[0][1] else "DIFFERENT"
    show(
        f"{len(batch)} questions about {_PICTURES} pictures on one thread, s; {equal} answers",
        ("", "whole prompts", "shared beginnings", "ratio"),
        rows,
    )


def _took(checkpoint: Path, batch: Sequence[ModelInput], *, shares: bool) -> tuple[tuple[float, ...], list[str]]:
    model = load(str(checkpoint), ModelOptions(device="cpu", settings={"longest-answer": "6"}))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    seconds: list[float] = []
    answers: Sequence[Answer] = ()
    try:
        with patch.object(model._family, "_shares_prefix", shares):
            for _ in range(2):
                start = time.process_time()
                answers = model.answer(batch)
                seconds.append(time.process_time() - start)
    finally:
        torch.set_num_threads(threads)
    return tuple(seconds), [answer.text for answer in answers]


def _checkpoint(folder: Path) -> Path:
    sees = CLIPVisionConfig(
        hidden_size=256,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=8,
        image_size=336,
        patch_size=14,
    )
    return llava(
        folder,
        sees=sees,
        hidden_size=512,
        intermediate_size=1408,
        num_hidden_layers=12,
        num_attention_heads=8,
        num_key_value_heads=4,
        max_position_embeddings=2048,
    )
