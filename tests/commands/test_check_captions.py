"""``vqamt check-captions`` keeps each row, adds its verdict, and names file, line and field of what it cannot read."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import suppress
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


def test_strict_reads_two_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _file(tmp_path, json.dumps(_row("a room", "a potted plant in a room", "potted_plant")))
    for option, kind in ((), None), (("--strict",), None), (("--strict=published",), "omission"):
        assert main(["check-captions", *option, file]) == 0
        assert [row["kind"] for row in _printed(capsys)] == [kind]


def test_bad_rows_are_left_out_where_allowed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = ('{"background_caption": "a dog"', "[]", json.dumps(_row("a", "b", "hat")), "x" * (1 << 22))
    file = _file(tmp_path, *bad, *map(json.dumps, ROWS))
    assert main(["check-captions", "--allow-bad-records", "--fail", file]) == 1
    printed = capsys.readouterr()
    assert printed.out.count("\n") == len(ROWS)
    *lines, last = printed.err.splitlines()
    places = (line.removeprefix(f"vqamt: {file}, ").partition(": Expected")[0] for line in lines)
    assert list(places) == ["line 1", "line 2", "line 3: inserted", "line 4"]
    assert last == "vqamt: 4 rows judged, 4 left out, which cannot be read"
    assert main(["check-captions", "--allow-bad-records", _file(tmp_path, *bad)]) == 2  # nothing was judged


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


# ``vqamt units`` prints one JSON object a hypothesis, and one line where it cannot.

TEXT = """\
The man is aiming his rifle at something.

{"hypothesis": "two dogs run", "id": 7}
  {"sentence": "A cat sleeps."}
"""

PRINTED = [
    {
        "hypothesis": "The man is aiming his rifle at something.",
        "units": [
            {"object": "man", "property": "is aiming his rifle at something"},
            {"object": "rifle", "property": ""},
        ],
    },
    {"hypothesis": "two dogs run", "units": [{"object": "dogs", "property": "run"}]},
    {"hypothesis": "A cat sleeps.", "units": [{"object": "cat", "property": "sleeps"}]},
]


def rows_of(out: str) -> list[object]:
    return [json.loads(line) for line in out.splitlines()]


def test_each_line_is_taken_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hypotheses.txt"
    file.write_text(TEXT)
    assert main(["units", str(file)]) == 0
    assert rows_of(capsys.readouterr().out) == PRINTED


def test_standard_input_is_a_minus(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert main(["units", "-"]) == 0
    assert rows_of(capsys.readouterr().out) == PRINTED


def test_windows_lines_and_signs_of_utf_8_are_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hypotheses.txt"
    file.write_bytes(b"\xef\xbb\xbfA caf\xc3\xa9 is open.\r\n\r\nA cat sleeps.")
    assert main(["units", str(file)]) == 0
    [cafe, cat] = rows_of(capsys.readouterr().out)
    assert cafe == {"hypothesis": "A café is open.", "units": [{"object": "café", "property": "is open"}]}
    assert cat == PRINTED[2]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{", "line 2: expected a JSON object with a text"),
        (b'{"text": "A cat sleeps."}', "got None in the fields text"),
        (b'{"hypothesis": 3}', "got 3 in the fields hypothesis"),
        (b'{"sentence": " "}', "got ' ' in the fields sentence"),
        (b"{" * 9_000, "line 2: expected a JSON object with a text"),
        (b"\xff\xfe", "line 2: expected text in UTF-8, but got invalid start byte at byte 0"),
        (b"word " * 3_000, "line 2: expected a hypothesis, but got a line of more than 10000 bytes"),
    ],
    ids=["cut", "no field", "number", "blank", "deep", "bytes", "long"],
)
def test_a_bad_line_is_named(line: bytes, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hypotheses.txt"
    file.write_bytes(b"A cat sleeps.\n" + line + b"\nA dog barks.\n")
    assert main(["units", str(file)]) == 2
    printed = capsys.readouterr()
    assert rows_of(printed.out) == PRINTED[2:]
    assert printed.err.startswith(f"vqamt: {file}, ")
    assert told in printed.err
    assert printed.err.count("\n") == 1
    assert len(printed.err) < 500 + len(str(file))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.txt"], "vqamt: nowhere.txt: expected a file with one hypothesis a line, but got No such file"),
        (["."], "vqamt: .: expected a file with one hypothesis a line, but got it is a folder, not a file"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["units", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(told)
    assert printed.err.count("\n") == 1


def test_endless_lines_are_printed_as_they_come_until_nobody_reads(tmp_path: Path) -> None:
    """As in ``... | vqamt units - | head -2``: nothing is said of the reader that has gone away."""
    command = [sys.executable, "-c", "import sys; from pytest_vqamt.cli import main; sys.exit(main())", "units", "-"]
    with (
        (tmp_path / "err").open("wb") as err,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err) as units,
    ):
        assert units.stdin is not None
        assert units.stdout is not None
        with suppress(BrokenPipeError), units.stdin as lines, units.stdout as printed:
            lines.write(b"A cat sleeps.\n" * 2_000)
            lines.flush()
            first = [json.loads(printed.readline()) for _ in range(2)]
            printed.close()
            while units.poll() is None:
                lines.write(b"A cat sleeps.\n" * 2_000)
                lines.flush()
    assert first == PRINTED[2:] * 2
    assert units.returncode == 0
    assert (tmp_path / "err").read_bytes() == b""
