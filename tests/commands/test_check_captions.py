"""``vqamt check-captions`` keeps each row, adds its verdict, and names file, line and field of what it cannot read."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from pytest_vqamt.cli import main

PAIRS = Path(__file__).parents[2] / "../shared/data/metaic/pairs.jsonl"


def _row(before: str, after: str, inserted: str, **more: object) -> dict[str, object]:
    return {"background_caption": before, "inserted_caption": after, "inserted": inserted, **more}


ROWS = (
    _row("a man on a bench", "a man and a parrot on a bench", "bird", row=7, note="Käfig"),
    _row("a man on a bench", "a cat on a bench", "dog"),
    _row("two dogs", "two dogs", "cat", violated="?"),
    _row("two dogs", "a dog and a cat", "cat"),
)


def _file(folder: Path, *lines: str) -> str:
    file = folder / "pairs.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def _printed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_same_rows_come_out_with_their_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _file(tmp_path, *(f"{json.dumps(row)}\n" for row in ROWS))  # with blank lines between
    assert main(["check-captions", file]) == 0
    assert _printed(capsys) == [
        {**ROWS[0], "violated": False, "relation": None, "kind": None},
        {**ROWS[1], "violated": True, "relation": "object_appearance", "kind": "misclassification"},
        {**ROWS[2], "violated": True, "relation": "object_appearance", "kind": "omission"},
        {**ROWS[3], "violated": True, "relation": "singular_plural", "kind": "quantity"},
    ]


def test_strict_is_the_published_reading(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-captions", _file(tmp_path, json.dumps(ROWS[0])), "--strict"]) == 0
    [row] = _printed(capsys)
    assert (row["violated"], row["kind"]) == (True, "omission")


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(ROWS[2]).encode())))
    assert main(["check-captions", "-"]) == 0
    assert [row["kind"] for row in _printed(capsys)] == ["omission"]


@pytest.mark.parametrize(("rows", "status"), [(ROWS[:1], 0), (ROWS[:2], 1), ((), 0)])
def test_fail_makes_the_status_tell(rows: tuple[dict[str, object], ...], status: int, tmp_path: Path) -> None:
    assert main(["check-captions", "--fail", _file(tmp_path, *map(json.dumps, rows))]) == status


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"background_caption": "a dog"', "line 2: Expected JSON, but it breaks off at column 31"),
        ("[]", "line 2: Expected a JSON object, but got record=[]"),
        ('{"background_caption": "a dog"}', "line 2: inserted_caption: Expected a text, but got no 'inserted_caption'"),
        (json.dumps(_row("a", "b", "dog") | {"inserted": 3}), "line 2: inserted: Expected a text, but got inserted=3"),
        (
            json.dumps(_row("a", "b", "hat")),
            "line 2: inserted: Expected the name of a thing that captions are read for",
        ),
        ('{"inserted": "a", "inserted": "b"}', "line 2: Expected each key of an object once, but got 'inserted' twice"),
        ("x" * (1 << 21), "line 2: Expected a JSON object, but got a line of more than 1048576 bytes"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(
    line: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _file(tmp_path, json.dumps(ROWS[0]), line)
    assert main(["check-captions", file]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"vqamt: {file}, {told}")
    assert printed.err.count("\n") == 1
    assert printed.out.count("\n") == 1  # what was judged before has been printed


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_opened_is_named(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-captions", str(tmp_path / name)]) == 2
    assert "vqamt: Expected a file of JSON lines, but" in capsys.readouterr().err


def test_a_caption_may_be_empty_and_in_any_letters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = (_row("", "", "dog"), _row("犬", "\ud800 a dog", "dog"))
    assert main(["check-captions", _file(tmp_path, *map(json.dumps, rows))]) == 0
    assert [row["violated"] for row in _printed(capsys)] == [True, False]


@pytest.mark.skipif(not PAIRS.is_file(), reason="the pairs of the paper are not here")
def test_the_published_pairs_are_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-captions", str(PAIRS), "--strict"]) == 0
    rows = _printed(capsys)
    assert len(rows) == 300
    assert [row["violated"] for row in rows] == [row["suspicious"] for row in rows]
