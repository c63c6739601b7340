"""``vqamt check-answers`` shows how each answer is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vqamt.cli import main

Row = dict[str, object]
ROWS: list[Row] = [
    {"question": "Is there a dog?", "answer": "There is a puppy.", "reading": "yes"},
    {"question": "Is it a cat or a dog?", "answer": "(B)", "options": ["cat", "dog"], "reading": "dog"},
    {"question": "How many dogs are there?", "answer": "<plan>4</plan>2 dogs next to 3 people", "reading": 2},
    {"question": "How many dogs are there?", "answer": "I can't help with that.", "reading": "unread"},
]


def _written(folder: Path, rows: list[Row]) -> str:
    file = folder / "answers.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(file)


def test_each_answer_with_its_reading_and_a_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-answers", _written(tmp_path, ROWS), "--thought-tags=plan"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "There is a puppy.  ->  yes"
    assert lines[-1] == "4 answers: read 3, unread: refusal 1"


def test_a_reading_that_is_not_expected_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[Row] = [{**ROWS[0], "reading": "no"}, ROWS[1]]
    assert main(["check-answers", _written(tmp_path, rows), "--differing"]) == 1
    output = capsys.readouterr()
    assert output.out.splitlines()[0] == "There is a puppy.  ->  yes  (expected no)"
    assert output.err == "1 not as expected\n"


@pytest.mark.parametrize("row", [{"question": "Is it?"}, {"question": "Is it?", "answer": 3}, {"answer": "yes"}])
def test_a_bad_row_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], row: Row) -> None:
    assert main(["check-answers", _written(tmp_path, [row])]) == 2
    assert "answers.jsonl, line 1: " in capsys.readouterr().err
