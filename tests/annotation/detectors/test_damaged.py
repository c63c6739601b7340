"""A checkpoint that lacks something is refused with what it lacks; none of it is made up in silence."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from pytest_vqamt.annotation.detectors import open_vocabulary
from pytest_vqamt.annotation.detectors.closed_set import ClosedSetBoxes, ClosedSetMasks
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from tests.annotation.detectors.small_detectors import clip_tokenizer, edit_config
from tests.rows import each_row

CPU = ModelOptions(device="cpu")

LOADS: dict[str, Callable[[str], object]] = {
    "detr": lambda place: ClosedSetBoxes.load(place, CPU, None),
    "rt_detr": lambda place: ClosedSetBoxes.load(place, CPU, None),
    "mask2former": lambda place: ClosedSetMasks.load(place, CPU, None),
    "owlv2": lambda place: open_vocabulary.load(place, CPU, None, ("dog",)),
    "owlvit": lambda place: open_vocabulary.load(place, CPU, None, ("dog",)),
    "grounding_dino": lambda place: open_vocabulary.load(place, CPU, None, ("dog",)),
}
OF_CLASSES = ("detr", "rt_detr", "mask2former")
OF_WORDS = ("owlv2", "owlvit", "grounding_dino")
HEADS = {
    "detr": "class_labels_classifier.",
    "rt_detr": "model.decoder.class_embed.",
    "mask2former": "class_predictor.",
    "owlv2": "class_head.",
    "owlvit": "class_head.",
    "grounding_dino": "bbox_embed.0.",
}


@pytest.fixture
def copied(checkpoints: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    def copy(family: str) -> Path:
        shutil.rmtree(tmp_path / family, ignore_errors=True)
        return Path(shutil.copytree(checkpoints[family], tmp_path / family))

    return copy


def refusal(family: str, folder: Path | str) -> str:
    with pytest.raises(ModelError) as caught:
        LOADS[family](str(folder))
    said = str(caught.value)
    assert len(said.splitlines()) == 1
    return said


@each_row("family", LOADS, sample=4)
def test_a_head_that_is_not_there(family: str, copied: Callable[[str], Path]) -> None:
    folder = copied(family)
    weights = load_file(folder / "model.safetensors")
    kept = {name: value for name, value in weights.items() if HEADS[family] not in name}
    assert len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    assert "missing_keys=[" in refusal(family, folder)


@each_row("family", LOADS, sample=4)
def test_weights_that_break_off(family: str, copied: Callable[[str], Path]) -> None:
    file = copied(family) / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    assert "Expected a whole checkpoint of " in refusal(family, file.parent)


@each_row(
    "lost, said",
    [
        ("config.json", "has no config.json"),
        ("preprocessor_config.json", "Expected preprocessor_config.json beside the weights"),
        ("model.safetensors", "Expected a whole checkpoint of "),
    ],
)
@each_row("family", LOADS, sample=5)
def test_a_file_that_is_not_there(family: str, lost: str, said: str, copied: Callable[[str], Path]) -> None:
    folder = copied(family)
    (folder / lost).unlink()
    assert said in refusal(family, folder)


@each_row("family", OF_CLASSES, sample=3)
def test_classes_without_names(family: str, copied: Callable[[str], Path]) -> None:
    folder = copied(family)
    count = 2 if family == "rt_detr" else 4
    edit_config(folder, id2label={str(number): f"LABEL_{number}" for number in range(count)})
    assert "got 'LABEL_0', which transformers makes up" in refusal(family, folder)


@each_row("family", OF_CLASSES, sample=3)
def test_more_names_than_classes(family: str, copied: Callable[[str], Path]) -> None:
    folder = copied(family)
    edit_config(folder, id2label={str(number): f"thing {number}" for number in range(9)})
    assert "mismatched" in refusal(family, folder)


@each_row("family", OF_WORDS, sample=2)
def test_a_tokenizer_that_is_not_there(family: str, copied: Callable[[str], Path]) -> None:
    folder = copied(family)
    for file in folder.glob("tokenizer*"):
        file.unlink()
    assert "Expected a tokenizer beside the weights" in refusal(family, folder)


def test_a_tokenizer_of_another_model(copied: Callable[[str], Path]) -> None:
    folder = copied("grounding_dino")
    clip_tokenizer(folder)
    assert "Expected a tokenizer for the 1030 words" in refusal("grounding_dino", folder)


@each_row("family", LOADS)
def test_no_folder_and_no_name_of_the_hub(family: str, tmp_path: Path) -> None:
    assert "no such folder" in refusal(family, tmp_path / "absent")
