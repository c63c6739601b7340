"""Small data sets in the form in which CARETS is published: a pair that wants yes and no, and one of choices."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.data.made_coco import Row

SUITE = """
images_root: data/images/
files_root: data/questions/
tests:
  ontological_consistency:
    eval_type: ontological_invariance
    files:
      - choices.json
  negation_consistency:
    eval_type: directional_expectation
    files:
      - negated.json
"""


def row(question_id: str, sent: str = "Is there a dog?", answer: str = "yes", **changes: object) -> Row:
    return {
        "img_id": question_id.partition("-")[0],
        "question_id": question_id,
        "sent": sent,
        "label": {answer: 1.0},
        "question_type": "object_verification_template_1_attrs",
        "assignment": {"obj1": "dog", "obj1_id": None, "attrs1": []},
        **changes,
    }


def choice_row(question_id: str, sent: str = "What color is the cup, red or blue?", **changes: object) -> Row:
    told = {"category1": "color", "category-options1": ["red", "blue"]}
    usual = row(question_id, sent, "red", question_type="attribute_rel1_choice", assignment=told)
    return usual | changes


NEGATED: tuple[Row, ...] = (row("7-0-1"), row("7-0-1-n", "Is there no dog?", "no"))
CHOICES: tuple[Row, ...] = (choice_row("8-2-3"), choice_row("8-2-3-h", "What color is the vessel, red or blue?"))
FILES: Mapping[str, Sequence[object]] = {"choices.json": CHOICES, "negated.json": NEGATED}


def write_carets(
    folder: Path, files: Mapping[str, Sequence[object]] = FILES, *, suite: str = SUITE, within: str = "."
) -> Path:
    """The folder, with default.yml and with the files in its folder ``within``."""
    (folder / within).mkdir(parents=True, exist_ok=True)
    (folder / "default.yml").write_text(suite, encoding="utf-8")
    for name, rows in files.items():
        (folder / within / name).write_text(json.dumps(rows), encoding="utf-8")
    return folder
