"""Small data sets of hypotheses in each form that is read: about a photo of a man, a dog and a ball, 100 x 80 px."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tests.data.made_coco import Row

MAN, DOG, BALL = [10, 10, 30, 60], [50, 40, 20, 20], [80, 60, 10, 10]
"""Boxes x, y, w, h."""


def official_row(pair: str = "7.jpg#0r1e", text: str = "A man plays with a dog.", **changes: object) -> Row:
    """As SNLI-VE has it, with the trees of the parser."""
    return {
        "Flickr30K_ID": pair.partition(".")[0],
        "annotator_labels": ["entailment"] * 5,
        "captionID": pair.partition("r")[0],
        "gold_label": "entailment",
        "pairID": pair,
        "sentence1": "A man in a park plays with his dog.",
        "sentence1_binary_parse": "( ( A man ) )",
        "sentence2": text,
        "sentence2_parse": "(ROOT (S (NP (DT A) (NN man))))",
        **changes,
    }


def table_row(pair: str = "7.jpg#0r1e", **changes: object) -> Row:
    """As the authors of VEglue have it: boxes x0, y0, x1, y1."""
    return {
        "uniq_id": pair,
        "subject": ";man;dog",
        "modifier": ";plays with a dog;",
        "label": "entailment",
        "sentence": "a man plays with a dog.",
        "bbox": ";10.0,10.0,40.0,70.0;50.0,40.0,70.0,60.0",
        **changes,
    }


def unit(noun: str, said: str = "", box: object = None) -> Row:
    return {"object": noun, "property": said, "box": box}


def units_row(
    hypothesis: str = "7.jpg#0r1e", *units: Row, text: str = "A man plays with a dog.", **changes: object
) -> Row:
    """As people and grounding models write it."""
    return {
        "id": hypothesis,
        "photo": "7.jpg",
        "hypothesis": text,
        "label": "entailment",
        "units": list(units or (unit("man", "plays with a dog", MAN), unit("dog", "", DOG))),
        **changes,
    }


def write_lines(file: Path, rows: Iterable[Row | str]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def write_official(folder: Path, *rows: Row | str, split: str = "test") -> Path:
    return write_lines(folder / f"snli_ve_{split}.jsonl", rows or [official_row()]).parent


def write_table(folder: Path, *rows: Row | str, name: str = "hypotheses.jsonl") -> Path:
    return write_lines(folder / name, rows or [table_row()]).parent


def write_units(folder: Path, *rows: Row | str) -> Path:
    return write_lines(folder / "units.jsonl", rows or [units_row()]).parent


def graph_row(*objects: Row, photo: str = "7.jpg", **changes: object) -> Row:
    """A line of graphs.jsonl."""
    return {"id": photo, "photo": photo, "width": 100, "height": 80, "objects": list(objects), **changes}


def thing(thing_id: str, name: str, box: object, **changes: object) -> Row:
    return {"id": thing_id, "name": name, "box": box, **changes}
