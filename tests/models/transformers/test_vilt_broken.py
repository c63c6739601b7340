"""A checkpoint of ViLT that is not whole, or not for a task of ours, is refused in one line that says where."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.transformers.vilt import load
from tests.models.conftest import Written
from tests.models.small.damage import DAMAGES, Damage, with_setting, without_weights
from tests.models.small.vilt import ANSWERS, vilt_nlvr, vilt_retrieval, vilt_vqa

OPTIONS = ModelOptions(device="cpu")

OF_VILT: dict[str, tuple[Damage, str]] = {
    "no head": (without_weights("classifier"), r"missing_keys=\['classifier\.0\.bias'.* made up at random"),
    "no pooler": (without_weights("vilt.pooler"), r"missing_keys=\['vilt\.pooler"),
    "no answers": (with_setting("id2label", None), "but there is none"),
    "nameless answers": (
        with_setting("id2label", {str(number): f"LABEL_{number}" for number in range(len(ANSWERS))}),
        "LABEL_0",
    ),
    "too few answers": (with_setting("id2label", {"0": "yes", "1": "no"}), "mismatched"),
    "a head for masked words": (
        with_setting("architectures", ["ViltForMaskedLM"]),
        "got architecture='ViltForMaskedLM'",
    ),
    "no head at all": (with_setting("architectures", ["ViltModel"]), "but got architecture='ViltModel'"),
    "another head": (
        with_setting("architectures", ["ViltForImagesAndTextClassification"]),
        "num_images=-1",
    ),
}


@pytest.fixture(scope="module")
def whole(written: Written) -> Path:
    return written(vilt_vqa)


@pytest.mark.parametrize("damage", [*DAMAGES, *OF_VILT])
def test_a_broken_checkpoint_is_refused(whole: Path, tmp_path: Path, damage: str) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "broken"))
    inflict, told = {**DAMAGES, **OF_VILT}[damage]
    inflict(folder)
    with pytest.raises(ModelError, match=told) as raised:
        load(str(folder), OPTIONS)
    assert str(folder) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_retrieval_head_is_refused_and_it_is_said_why(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no threshold on its score tells what is true"):
        load(str(vilt_retrieval(tmp_path / "retrieval")), OPTIONS)


def test_a_head_for_statements_needs_to_know_how_many_pictures(written: Written, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(written(vilt_nlvr), tmp_path / "nlvr"))
    with_setting("num_images", -1)(folder)
    with pytest.raises(ModelError, match="num_images=-1"):
        load(str(folder), OPTIONS)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such folder"):
        load(str(tmp_path / "nowhere"), OPTIONS)
