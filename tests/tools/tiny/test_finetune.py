"""From a report to a model that was trained further: exported, loaded with datasets, learned from, asked."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import LlavaForConditionalGeneration

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.export.export import Terms, export_report
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.tiny import WEIGHTS, load
from tests.export.made_report import SOURCE, captioning, entailment, erasing, negation, row, write
from tools.tiny import exported
from tools.tiny.finetune import finetune

pytest.importorskip("datasets")


pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    cases = [made for index in range(8) for made in (negation(index), erasing(index), entailment(index))]
    write(tmp_path / "report", *map(row, cases), row(captioning(0)), tags={"metaic.deeptest": ["baseline"]})
    export_report(tmp_path / "report", tmp_path / "set", Terms(split=0.6))
    return tmp_path / "set"


def test_rows_are_asked_as_the_model_is_asked(export: Path, tmp_path: Path) -> None:
    train = exported.read(export, "train", tmp_path / "hf")
    test = exported.read(export, "test", tmp_path / "hf")
    assert not train.scenes & test.scenes
    texts = {row.text: row.answer for rows in train.rows for row in rows}
    asked = {text for text in texts if text.startswith("Hypothesis: ")}
    assert asked
    assert {texts[text] for text in asked} == {"entailment"}
    assert all(text.endswith("Entailment, neutral or contradiction?") for text in asked)
    bank = train.bank(["is", "there", "a", "yes", "no"])
    assert len(bank.scene) == len(train.pictures) + 1
    assert bank.scene[-1] == len(bank.first) - 1 == sum(map(len, train.rows))
    assert train.words(["is"], least=1).count("there") == 1
    assert "is" not in train.words(["is"], least=1)


def test_a_folder_that_is_not_there_is_refused_in_a_line() -> None:
    with pytest.raises(ModelError, match=r"^Expected the folder of .* but got 'nowhere': there is no such folder$"):
        load("nowhere", ModelOptions())


@pytest.mark.slow
def test_ten_steps_change_the_words_and_leave_the_eyes(export: Path, tmp_path: Path) -> None:
    out = tmp_path / "tuned"
    losses = finetune(export, out, steps=10, replayed=40, kept=tmp_path / "kept")
    assert len(losses) == 10
    before, after = (
        LlavaForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).state_dict()
        for folder in (WEIGHTS, out)
    )
    assert all(torch.equal(before[name], after[name]) for name in before if "vision_tower" in name)
    assert not all(torch.equal(before[name], after[name]) for name in before if "layers" in name)
    tuned = load(str(out), ModelOptions())
    asked = [ModelInput(query, lambda picture: render(picture, SOURCE)) for query in negation(1).queries]
    assert {answer.text for answer in tuned.answer(asked)} <= {"yes", "no"}
    assert tuned.fingerprint != load("", ModelOptions()).fingerprint


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights(export: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        finetune(export, tmp_path / name, steps=3, replayed=40, kept=tmp_path / "kept")
    files = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "other")]
    assert files[0] == files[1]
