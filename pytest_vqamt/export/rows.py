"""A query as a row of training data: what is shown and asked, what is right, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.edits import in_words
from pytest_vqamt.core.query import Task
from pytest_vqamt.export.cases import ReportedQuery, Use


class Layout(StrEnum):
    """How the rows are laid out, for different trainers.

    JSONL: a file of JSON Lines for each side, the pictures of both in one folder, and fields named after the task.
    IMAGEFOLDER: what ``datasets.load_dataset("imagefolder", data_dir=...)`` reads; all rows have the same columns.
    """

    JSONL = "jsonl"
    IMAGEFOLDER = "imagefolder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A reported query with its label.

    Attributes:
        label: the right answer, the label of the hypothesis, or a caption.
        certain: whether the annotations leave no doubt about it.
        side: of the split.
    """

    asked: ReportedQuery
    label: str
    certain: bool
    side: str


_ASKED = {Task.VQA: "question", Task.ENTAILMENT: "hypothesis"}
_LABELLED = {Task.VQA: "answer", Task.ENTAILMENT: "label", Task.CAPTIONING: "caption"}


def row(example: Example, layout: Layout, image: str, vqamt_version: str) -> dict[str, Json]:
    """The row; ``image`` is the file of its picture, relative to the file that the row stands in."""
    query = example.asked.query
    start: dict[str, Json]
    if layout is Layout.IMAGEFOLDER:
        start = {"file_name": image, "task": query.task.value, "text": query.text, "label": example.label}
    else:
        asked: dict[str, Json] = {_ASKED[query.task]: query.text} if query.task in _ASKED else {}
        start = {"image": image, "task": query.task.value, **asked, _LABELLED[query.task]: example.label}
    return {**start, **_provenance(example, vqamt_version)}


def _provenance(example: Example, vqamt_version: str) -> dict[str, Json]:
    """Where the row comes from. The lists are parallel, an entry for each case and model; none is ever empty."""
    asked = example.asked
    picture = asked.query.picture
    return {
        "certain": example.certain,
        "query": asked.query.id,
        "picture": picture.digest,
        "edits": "; ".join(map(in_words, picture.edits)),
        "photo": picture.photo.id,
        "scene": asked.scene,
        "data": asked.source.spec,
        "cases": [use.case for use in asked.uses],
        "relations": [use.item for use in asked.uses],
        "roles": [_role(use) for use in asked.uses],
        "verdicts": [use.verdict for use in asked.uses],
        "models": [use.model for use in asked.uses],
        "said": [use.said for use in asked.uses],
        "read_as": [use.read_as for use in asked.uses],
        "vqamt_version": vqamt_version,
    }


def _role(use: Use) -> str:
    return f"follow-up {use.role}" if use.role else "source"
