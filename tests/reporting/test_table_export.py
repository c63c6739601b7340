"""The cases as a table: nothing is lost on the way, and no cell is a formula."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vqamt.core.codec import encode
from pytest_vqamt.core.edits import Mirror
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.reporting import table_export
from pytest_vqamt.reporting.table_export import OF_CASE, OF_QUERY, write_csv, write_parquet
from tests.reporting.reported import Row, query_of, row_of, write_rows

FORMULAS = (
    "=1+1",
    "+cmd",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "%A",
    "|x",
    "\uff1d1",
    "'=1",
    "'",
    "=HYPERLINK(1)",
)
HARMLESS = ("", "yes", "-1", "+2.5", "3 = 3", "a,b", 'say "x"', "two\nlines", "\u00fc \u732b", "a'b")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A report of three cases: of two queries, of one that has no answer, and one with everything else there is."""
    write_rows(
        tmp_path,
        [
            row_of(
                "a",
                queries=[query_of("Is it?"), query_of("And here?", digest="e", edits=[encode(Mirror())])],
                answers=["yes", "no"],
                readings=["yes", "no"],
                facts={"wording": 3, "name": "\u00fc"},
            ),
            row_of("b", "error", answers=[None], readings=[], item="ours.other"),
            row_of("c", "holds", vacuous=True, tags=["presumed"], waived=True, before="violated", answers=[""]),
        ],
    )
    return tmp_path


def read_csv(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def whole(cell: str) -> str:
    """What a cell stands for: one apostrophe at its beginning is not its own."""
    return cell.removeprefix("'")


def test_a_row_a_case_and_a_column_for_each_query(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "cases.csv"
    assert write_csv(folder, file) == 3
    first, second, third = read_csv(file)
    assert list(first) == [*OF_CASE, *(f"{name}_1" for name in OF_QUERY), *(f"{name}_2" for name in OF_QUERY)]
    assert first == {
        "case_id": "afffffffffffffff",
        "relation": "ours.test",
        "model": "m",
        "data": "pictures:20",
        "scene": "pictures-0-3",
        "verdict": "violated",
        "before": "",
        "vacuous": "false",
        "presumed": "false",
        "waived": "false",
        "expected": "as the test says",
        "reason": "for no reason",
        "facts": '{"wording": 3, "name": "\u00fc"}',
        **dict.fromkeys((name for name in OF_CASE if name.startswith("contrast")), ""),
        "text_1": "Is it?",
        "picture_1": "d",
        "edits_1": "",
        "answer_1": "yes",
        "reading_1": "yes",
        "unread_1": "",
        "text_2": "And here?",
        "picture_2": "e",
        "edits_2": "mirrored",
        "answer_2": "no",
        "reading_2": "no",
        "unread_2": "",
    }
    assert (second["verdict"], second["answer_1"], second["reading_1"], second["text_2"]) == ("error", "", "", "")
    assert [third[name] for name in ("before", "vacuous", "presumed", "waived")] == ["violated", "true", "true", "true"]
    assert file.read_bytes().count(b"\r\n") == 4
    assert [each.name for each in file.parent.iterdir()] == ["cases.csv"]


def test_a_parquet_file_has_lists(folder: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert write_parquet(folder, tmp_path / "cases.parquet") == 3
    first, second, third = parquet.read_table(tmp_path / "cases.parquet").to_pylist()
    assert list(first) == [*OF_CASE, *OF_QUERY]
    assert first["text"] == ["Is it?", "And here?"]
    assert first["edits"] == ["", "mirrored"]
    assert (first["answer"], first["reading"], first["before"]) == (["yes", "no"], ["yes", "no"], None)
    assert (second["answer"], second["reading"]) == ([None], [None])
    assert (third["answer"], third["reading"], third["before"]) == ([""], ["yes"], "violated")
    assert [third[name] for name in ("vacuous", "presumed", "waived")] == [True, True, True]


@pytest.mark.parametrize("text", [*FORMULAS, *HARMLESS])
def test_texts_come_back_as_they_were(tmp_path: Path, text: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [row_of("a", answers=[text], reason=text, expected=text, scene=text, queries=[query_of(text, digest=text)])]
    write_rows(tmp_path, rows)
    write_csv(tmp_path, tmp_path / "cases.csv")
    (row,) = read_csv(tmp_path / "cases.csv")
    cells = [row[name] for name in ("answer_1", "reason", "expected", "scene", "text_1", "picture_1")]
    assert [whole(cell) for cell in cells] == [text] * 6
    assert [cell.startswith("'") for cell in cells] == [text in FORMULAS] * 6
    write_parquet(tmp_path, tmp_path / "cases.parquet")
    (read,) = parquet.read_table(tmp_path / "cases.parquet").to_pylist()
    assert (read["answer"], read["reason"], read["text"]) == ([text], text, [text])


def test_a_table_of_many_parts_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(table_export, "_ROWS_AT_ONCE", 7)
    write_rows(tmp_path, [row_of(f"{number:03}") for number in range(50)])
    assert write_parquet(tmp_path, tmp_path / "cases.parquet") == write_csv(tmp_path, tmp_path / "cases.csv") == 50
    ids = [f"{number:03}".ljust(16, "f") for number in range(50)]
    assert parquet.read_table(tmp_path / "cases.parquet")["case_id"].to_pylist() == ids
    assert [row["case_id"] for row in read_csv(tmp_path / "cases.csv")] == ids


def test_half_of_a_pair_of_characters_is_no_end(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    row = json.dumps(row_of("a", answers=["half \ud83d"]))
    (tmp_path / "cases.jsonl").write_text(f"{row}\n", encoding="ascii")
    write_parquet(tmp_path, tmp_path / "cases.parquet")
    write_csv(tmp_path, tmp_path / "cases.csv")
    assert read_csv(tmp_path / "cases.csv")[0]["answer_1"] == "half \\ud83d"


def test_a_report_without_cases_is_a_head(tmp_path: Path) -> None:
    write_rows(tmp_path, [])
    assert write_csv(tmp_path, tmp_path / "cases.csv") == 0
    assert (tmp_path / "cases.csv").read_text(encoding="utf-8").splitlines() == [",".join(OF_CASE)]


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_what_cannot_be_written_or_read_is_told_and_leaves_nothing(
    folder: Path, tmp_path: Path, write: Callable[[Path, Path], int]
) -> None:
    if write is write_parquet:
        pytest.importorskip("pyarrow")
    (tmp_path / "here").write_text("a file")
    with pytest.raises(
        OptionError, match=r"Expected a file that can be written, but got --(csv|parquet)='.*here/cases'"
    ):
        write(folder, tmp_path / "here" / "cases")
    broken: list[Row] = [row_of("a"), {"case_id": "b"}]
    write_rows(folder, broken)
    with pytest.raises(DataError, match=r"cases\.jsonl:2: Expected a whole line"):
        write(folder, tmp_path / "cases")
    assert {each.name for each in tmp_path.iterdir()} == {"here", "cases.jsonl"}


def test_without_pyarrow_it_says_what_to_install(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match=r"it is not installed: pip install 'pytest-vqamt\[parquet\]'"):
        write_parquet(folder, tmp_path / "cases.parquet")
