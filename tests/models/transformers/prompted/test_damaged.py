"""What a checkpoint is like inside: no numbers are no answers, and its settings of output and precision do no harm."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.prompted.generative import load
from tests.models.small.asking import ask_all
from tests.models.small.inputs import query
from tests.models.transformers.prompted.conftest import BRIEF, KINDS, about, batch, forget, tiers

if TYPE_CHECKING:
    from tests.models.transformers.prompted.conftest import Checkpoint, Loaded


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        *(
            pytest.param(kind, float("nan"), marks=() if kind in ("llava", "git") else pytest.mark.full)
            for kind in KINDS
        ),
        *(pytest.param(kind, 3e38, marks=() if kind == "vipllava" else pytest.mark.full) for kind in KINDS),
    ],
)
def test_no_number_is_no_answer(loaded: Loaded, kind: str, wrong: float) -> None:
    speaker: Any = loaded(kind)
    seeing = next(
        weight
        for name, weight in speaker._family.model.named_parameters()
        if weight.ndim > 1 and any(part in name for part in ("vision", "visual", "image_encoder"))
    )
    before = seeing.detach().clone()
    asked = [about(number, "", task=Task.CAPTIONING) for number in (0, 1)]
    told = speaker.caption(asked)
    forget(speaker)
    with torch.no_grad():
        seeing.fill_(wrong)
    try:
        with pytest.raises(ArithmeticError, match="scores are not finite numbers"):
            speaker.caption(asked)
    finally:
        with torch.no_grad():
            seeing.copy_(before)
    forget(speaker)
    assert speaker.caption(asked) == told


@pytest.mark.parametrize("kind", tiers("blip2_opt"))
def test_output_that_was_read_by_its_place(checkpoint: Checkpoint, loaded: Loaded, tmp_path: Path, kind: str) -> None:
    """As some checkpoints were saved."""
    folder = Path(shutil.copytree(checkpoint(kind), tmp_path / kind))
    held = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**held, "return_dict": False}))
    asked = [about(0, "", task=Task.CAPTIONING)]
    assert load(str(folder), BRIEF).caption(asked) == loaded(kind).caption(asked)


@pytest.mark.parametrize("kind", tiers("qwen3_vl", "instructblip", "git"))
def test_every_kind_runs_in_sixteen_bits(checkpoint: Checkpoint, kind: str) -> None:
    """Of a picture and of several, some of its weights being kept in 32 bits by transformers."""
    settings = {"prompt-question": "{text}", "longest-answer": "2"}
    halved = load(str(checkpoint(kind)), ModelOptions(device="cpu", dtype="float16", settings=settings))
    assert len(halved.answer(batch())) == len(batch())


@pytest.mark.parametrize("kind", ["llava", "idefics2"])
def test_a_question_that_cannot_be_put_costs_only_itself(loaded: Loaded, kind: str) -> None:
    """What stands for a picture in a prompt may stand in a question too."""
    texts = ("Is there a dog?", "Is <image> a word?", "red?")
    wanted = [query("square", text) for text in texts]
    before, wrong, after = ask_all(loaded(kind), wanted)
    assert isinstance(wrong, Failure)
    assert [before, after] == ask_all(loaded(kind), [wanted[0], wanted[2]])
    assert isinstance(before, Answer)
    assert isinstance(after, Answer)
