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
from transformers import (
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaImageProcessorPil,
    LlavaProcessor,
)

from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.prompted.generative import load
from tests.models.transformers.prompted.conftest import about
from tests.models.transformers.prompted.small.chat import template
from tests.models.transformers.prompted.small.tokenizers import byte_pairs
from tests.models.transformers.prompted.small.writing import made, number, saved
from tools.benchmarks.measuring import show

_SIDE, _PATCH = 336, 14
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
    words = byte_pairs(named={"image_token": "<image>"})
    images = LlavaImageProcessorPil(
        size={"shortest_edge": _SIDE}, crop_size={"height": _SIDE, "width": _SIDE}, do_center_crop=True
    )
    processor = made(
        LlavaProcessor,
        images,
        words,
        patch_size=_PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template(),
    )
    sees = made(
        CLIPVisionConfig,
        hidden_size=256,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=8,
        image_size=_SIDE,
        patch_size=_PATCH,
    )
    reads = made(
        LlamaConfig,
        vocab_size=len(words),
        hidden_size=512,
        intermediate_size=1408,
        num_hidden_layers=12,
        num_attention_heads=8,
        num_key_value_heads=4,
        max_position_embeddings=2048,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.eos_token_id,
        bos_token_id=words.bos_token_id,
    )
    config = made(
        LlavaConfig,
        vision_config=sees,
        text_config=reads,
        image_token_index=number(words, "<image>"),
        vision_feature_layer=-2,
    )
    return saved(LlavaForConditionalGeneration, config, processor, folder)
