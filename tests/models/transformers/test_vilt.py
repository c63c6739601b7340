"""A checkpoint of ViLT: ``id2label`` says what the outputs stand for, and what is not whole is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.vilt import load, read_answer_labels, read_entailment_labels
from tests.models.conftest import Written
from tests.models.small.damage import DAMAGES, Damage, with_setting, without_weights
from tests.models.small.vilt import ANSWERS, vilt_nlvr, vilt_retrieval, vilt_vqa
from tests.rows import each_row

SHARED = Path(__file__).parents[3] / "../shared/data/vocab/vqa_label2ans.json"


def checkpoint(folder: Path, labels: object) -> Checkpoint:
    (folder / "config.json").write_text(json.dumps({"model_type": "vilt", "id2label": labels}))
    return Checkpoint(folder=folder, name="small")


def test_answers_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    labels = {str(number): f"answer {number}" for number in (10, 9, 0, 3, 1, 2, 4, 5, 6, 7, 8)}
    assert read_answer_labels(checkpoint(tmp_path, labels)) == tuple(f"answer {number}" for number in range(11))


@each_row(
    "labels, told",
    [
        (None, "Expected id2label in .* but there is none"),
        ({}, "Expected id2label in .* but there is none"),
        (["yes", "no"], "Expected id2label in .* but there is none"),
        ({"0": "LABEL_0", "1": "LABEL_1"}, r"but got 'LABEL_0' \(2 such\)"),
        ({"0": "yes", "1": "LABEL_1"}, r"but got 'LABEL_1' \(1 such\)"),
        ({"0": "yes", "2": "no"}, "to number the answers from 0 to 1"),
        ({"0": "", "1": "woods", "2": "trash can", "3": "hanging", "4": "yes"}, "but got LXMERT's list"),
        ({"0": "<unk>", "1": "0", "2": "000", "3": "1", "4": "yes"}, "but got VisualBERT's list"),
    ],
)
def test_labels_that_name_no_answers_are_refused(tmp_path: Path, labels: object, told: str) -> None:
    with pytest.raises(ModelError, match=told) as raised:
        read_answer_labels(checkpoint(tmp_path, labels))
    assert str(tmp_path / "config.json") in str(raised.value)


@pytest.mark.skipif(not SHARED.is_file(), reason="the published list is not at hand")
def test_lxmerts_published_list_is_refused(tmp_path: Path) -> None:
    shared = json.loads(SHARED.read_text())
    assert len(shared) == 3129
    with pytest.raises(ModelError, match="LXMERT's list"):
        read_answer_labels(checkpoint(tmp_path, dict(enumerate(shared))))


@each_row(
    "labels, meant",
    [
        (("False", "True"), ("contradiction", "entailment")),  # as published for NLVR2
        (("True", "False"), ("entailment", "contradiction")),
        ((False, True), ("contradiction", "entailment")),
        (("no", "yes"), ("contradiction", "entailment")),
        (("Contradiction", "neutral", "ENTAILMENT"), ("contradiction", "neutral", "entailment")),
    ],
)
def test_true_is_entailment_and_false_contradiction(
    tmp_path: Path, labels: tuple[object, ...], meant: tuple[str, ...]
) -> None:
    assert read_entailment_labels(checkpoint(tmp_path, dict(enumerate(labels)))) == meant


@each_row(
    "labels",
    [
        ("cat", "dog"),
        ("True", "True"),
        ("True",),
        ("True", "neutral"),
        ("True", "False", "unknown"),
        ("yes", "True", "no"),
    ],
)
def test_a_head_that_tells_something_else_is_refused(tmp_path: Path, labels: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match="says nothing about entailment"):
        read_entailment_labels(checkpoint(tmp_path, dict(enumerate(labels))))


def test_outputs_that_nobody_named_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="LABEL_0"):
        read_entailment_labels(checkpoint(tmp_path, {"0": "LABEL_0", "1": "LABEL_1"}))


# A checkpoint of ViLT that is not whole, or not for a task of ours, is refused in one line that says where.

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
