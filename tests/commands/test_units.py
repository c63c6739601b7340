"""``vqamt units`` prints one JSON object a hypothesis, and one line where it cannot."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from tests.models.openai.stub import Stub, always, said

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


@pytest.mark.parametrize("how", [[], ["--by", "rules"]], ids=["default", "rules"])
def test_each_line_is_taken_apart(how: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hypotheses.txt"
    file.write_text(TEXT)
    assert main(["units", str(file), *how]) == 0
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


def test_a_model_is_asked_over_http(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("httpx2")
    monkeypatch.delenv("VQAMT_OPENAI_KEY", raising=False)
    file = tmp_path / "hypotheses.txt"
    file.write_text("A cat sleeps.\n")
    with Stub(always(said('[{"object": "a cat", "property": "sleeps."}]'))) as server:
        assert main(["units", str(file), "--by", f"openai:m@{server.url}"]) == 0
    assert rows_of(capsys.readouterr().out) == PRINTED[2:]


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
        (["."], "vqamt: .: expected a file with one hypothesis a line, but got Is a directory"),
        (["nowhere.txt", "--by", "magic"], "vqamt: Expected --by rules, spacy, spacy:MODEL or openai:MODEL@URL"),
        (["nowhere.txt", "--by", "rules:x"], "vqamt: Expected --by rules, spacy, spacy:MODEL or openai:MODEL@URL"),
        pytest.param(
            ["nowhere.txt", "--by", "openai:m"],
            "vqamt: Expected openai:MODEL@URL",
            marks=pytest.mark.skipif(find_spec("httpx2") is None, reason="needs the extra http"),
        ),
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
