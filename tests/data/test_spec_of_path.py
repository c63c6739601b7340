"""What a path without its kind could be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.data.catalogue import spec_of_path


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.csv", "image,question", "questions"),
        ("a.jsonl", '{"image": "a.png", "question": "Is it?"}', "questions"),
        ("a.jsonl", '{"photo": "a.png", "objects": []}', "graphs"),
        ("a.jsonl", "[" * 100_000, "questions"),
        ("a.jsonl", "\x00", "questions"),
        ("train_sceneGraphs.json", "{", "gqa"),
        ("questions.json", '{"questions": [{"question_id": 1', "vqa-v2"),
        ("a.txt", "", ""),
    ],
)
def test_a_file_is_told_by_its_name_or_its_beginning(tmp_path: Path, name: str, text: str, kind: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert spec_of_path(str(file)) == (f"{kind}:{file}" if kind else "")
