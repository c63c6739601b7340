"""``id2label`` says what the outputs of a ViLT head stand for, or is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.vilt import read_answer_labels, read_entailment_labels
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
