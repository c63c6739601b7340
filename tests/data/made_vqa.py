"""Small data sets in the form of VQA v2: a question on each of two photos."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.data.made_coco import Row, write_json

TEN = ("red", "red", "dark red", "red", "red", "brown", "red", "red", "maroon", "red")


def question_row(number: int = 100, image: int = 1, **changes: object) -> Row:
    return {"question_id": number, "image_id": image, "question": f"What colour is dog {number}?", **changes}


def answers_row(number: int = 100, image: int = 1, **changes: object) -> Row:
    rows = [{"answer_id": place, "answer": text, "answer_confidence": "yes"} for place, text in enumerate(TEN, start=1)]
    return {"question_id": number, "image_id": image, "answer_type": "other", "answers": rows, **changes}


def write_vqa(
    folder: Path,
    questions: Iterable[object] | None = None,
    annotations: Iterable[object] | None = None,
    *,
    names: tuple[str, str] = ("questions.json", "annotations.json"),
) -> Path:
    """Writes both files, or one where both names are the same, into ``folder``, and gives it."""
    asked = list(questions) if questions is not None else [question_row(100, 1), question_row(200, 2)]
    answered = list(annotations) if annotations is not None else [answers_row(100, 1), answers_row(200, 2)]
    if names[0] == names[1]:
        write_json(folder / names[0], {"questions": asked, "annotations": answered})
    else:
        write_json(folder / names[0], {"info": {}, "questions": asked})
        write_json(folder / names[1], {"info": {}, "annotations": answered})
    return folder
