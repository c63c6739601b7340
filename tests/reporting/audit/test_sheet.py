"""A sheet is written as a spreadsheet reads it, and read back as a person or a spreadsheet has left it."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.query import Task
from pytest_vqamt.reporting.audit.judgements import Judgement, has_judgements, read_judgements, read_settings
from pytest_vqamt.reporting.audit.sample import AuditCase, AuditTarget, Sample, SampleSettings
from pytest_vqamt.reporting.audit.sheet import (
    COLUMNS,
    EditBox,
    SheetCase,
    SheetPicture,
    SheetQuery,
    SheetRow,
    csv_text,
    escape_formula,
    sheet_row,
    unescape_formula,
)
from tests.reporting.audit.made_reports import row

CASES = tuple(AuditCase(row=row(number), where="", item="ours.one", model="tiny") for number in range(3))
SAMPLE = Sample(draw=SampleSettings(of=AuditTarget.VIOLATIONS), cases=CASES, population={"ours.one": 7})


def shown(drawn: AuditCase, *, answers: tuple[str | None, str | None] = ("2", "3")) -> SheetCase:
    """How many? Asked of a photo, and of the photo with a dog put in."""
    asked = [
        SheetQuery(number=place, text="How many?", task=Task.VQA, manner="", answer=said)
        for place, said in enumerate(answers)
    ]
    edits = (EditBox(label="inserted dog", box=Box(1, 2, 3, 4)),)
    photo, edited = (
        SheetPicture(digest=digest, image=b"", kind="webp", frame=(9, 9), edits=boxes, note=note, asked=(said,))
        for digest, boxes, note, said in zip(("a1", "b2"), ((), edits), ("", "inserted dog"), asked, strict=True)
    )
    return SheetCase(
        drawn=drawn,
        claim="",
        expected="first = second",
        verdict="violated",
        reason="but got 2, 3",
        pictures=(photo, edited),
    )


ROWS = [sheet_row(shown(drawn), SAMPLE) for drawn in CASES]


def sheet(folder: Path, *said: tuple[str, str], edit: Callable[[list[SheetRow]], object] = len) -> Path:
    """A file of the sheet with judgements and notes, one each, in the order of the cases."""
    rows = [{**each} for each in ROWS]
    for each, (judgement, note) in zip(rows, said, strict=False):
        each |= {"judgement": judgement, "note": note}
    edit(rows)
    file = folder / "ticked.csv"
    file.write_text(csv_text(rows), encoding="utf-8", newline="")
    return file


def known(case_id: str) -> bool:
    return case_id in {each.case_id for each in CASES} | {"feedfeedfeedfeed"}


def refusal(file: Path) -> str:
    with pytest.raises(DataError, match=r".") as error:
        read_judgements(file, SAMPLE, known)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_row_tells_of_the_case() -> None:
    assert ROWS[0] == {
        "case_id": CASES[0].case_id,
        "relation": "ours.one",
        "model": "tiny",
        "data": "pictures:6",
        "scene": "scene ours.one 0",
        "verdict": "violated",
        "expected": "first = second",
        "questions": "first: How many? | second: How many? [inserted dog]",
        "answers": "first: 2 | second: 3",
        "reason": "but got 2, 3",
        "pictures": "pictures/a1.webp | pictures/b2.webp",
        "judgement": "",
        "note": "",
        "of": "violations",
        "drawn_from": "population=7 sample=100 seed=0",
    }


def test_every_cell_is_in_quotes_under_the_head_and_spreadsheets_see_that_it_is_utf_8() -> None:
    text = csv_text(ROWS)
    assert text.startswith("\ufeff" + ",".join(f'"{name}"' for name in COLUMNS) + "\r\n")
    assert [len(line) for line in csv.reader(StringIO(text, newline=""))] == [len(COLUMNS)] * 4


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r"])
def test_no_cell_is_a_formula(text: str) -> None:
    row = sheet_row(shown(CASES[0]), SAMPLE)
    assert sheet_row(replace(shown(CASES[0]), reason=text), SAMPLE)["reason"] == f"'{text}"
    assert all(not cell.startswith(("=", "+", "-", "@")) for cell in row.values())


@given(st.text())
def test_the_mark_that_keeps_a_formula_text_is_taken_off_again(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text or text.startswith("'")


def test_what_was_ticked_is_read_back(tmp_path: Path) -> None:
    said = read_judgements(sheet(tmp_path, ("valid", ""), (" Invalid ", "  the dog\n is cut off ")), SAMPLE, known)
    assert said.judgements == {CASES[0].key: Judgement.VALID, CASES[1].key: Judgement.INVALID}
    assert said.notes == {CASES[1].key: "the dog is cut off"}


@pytest.mark.parametrize("apart", [",", ";", "\t"])
def test_a_spreadsheet_may_have_written_it_its_own_way(apart: str, tmp_path: Path) -> None:
    """Other separators, no quotes, other columns first, more of them, blank lines, and no byte order mark."""
    names = ["mine", *reversed(COLUMNS)]
    file = tmp_path / "saved.csv"
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, names, delimiter=apart, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerow({**ROWS[2], "judgement": "unsure", "note": "größer?"})
        lines.write(apart * 15 + "\n\n")
    said = read_judgements(file, SAMPLE, known)
    assert said.judgements == {CASES[2].key: Judgement.UNSURE}
    assert said.notes == {CASES[2].key: "größer?"}
    assert read_settings(file) == (SAMPLE.draw, 7)


def test_a_note_may_look_like_a_formula(tmp_path: Path) -> None:
    said = read_judgements(sheet(tmp_path, ("invalid", "'=no dog")), SAMPLE, known)
    assert list(said.notes.values()) == ["=no dog"]


def test_a_word_that_is_no_judgement_is_named_with_its_row(tmp_path: Path) -> None:
    file = sheet(tmp_path, ("valid", ""), ("vaild", ""))
    assert refusal(file) == (
        f"{file}, row 3: Expected a judgement, or nothing where the case is not judged, "
        "but got judgement='vaild'; did you mean 'valid'?"
    )


def test_a_case_that_the_report_does_not_have_is_named(tmp_path: Path) -> None:
    file = sheet(tmp_path, edit=lambda rows: rows[1].update(case_id="1.23E+15"))
    assert refusal(file).startswith(f"{file}, row 3: Expected a case of the report, but got case_id='1.23e+15', which")


def test_a_case_that_was_not_drawn_is_named(tmp_path: Path) -> None:
    file = sheet(tmp_path, edit=lambda rows: rows[2].update(case_id="feedfeedfeedfeed"))
    assert refusal(file).startswith(
        f"{file}, row 4: Expected a case of the sample, but got case_id='feedfeedfeedfeed', model='tiny', "
        "data='pictures:6', which was not drawn"
    )


def test_a_case_that_is_there_twice_is_named_with_both_rows(tmp_path: Path) -> None:
    file = sheet(tmp_path, ("valid", ""), edit=lambda rows: rows.append({**rows[0], "judgement": "invalid"}))
    assert refusal(file).startswith(
        f"{file}, row 5: Expected each case once, but got case_id={CASES[0].case_id!r} in row 2, too"
    )


def test_rows_of_two_samples_are_refused(tmp_path: Path) -> None:
    file = sheet(tmp_path, edit=lambda rows: rows[2].update(drawn_from="population=7 sample=9 seed=0"))
    with pytest.raises(DataError, match=r"row 4: Expected rows of one sample, but got drawn_from=.* in row 2"):
        read_settings(file)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "Expected the columns case_id, model, data, judgement, note, of, drawn_from, but got no 'case_id'"),
        (b"case_id,model,data,judgement,of\n", "but got no 'note'"),
        (",".join(COLUMNS).encode(), "Expected a row for each case, but got none"),
        ("\ufeff".encode() + b'"a\n', "Expected a sheet in CSV, but got "),
        (b"case_id\xe4", "byte 7 is wrong (unexpected end of data): save it as UTF-8"),
    ],
    ids=["empty", "a column short", "no rows", "no end of a cell", "another encoding"],
)
def test_a_file_that_is_no_sheet(content: bytes, told: str, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r".") as error:
        read_settings(file)
    assert str(file) in str(error.value)
    assert told in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^Expected a ticked sheet, but got --read '.*' \(No such file or directory\)"):
        read_settings(tmp_path / "none.csv")


def test_whether_somebody_has_worked_on_it(tmp_path: Path) -> None:
    assert not has_judgements(sheet(tmp_path))
    assert has_judgements(sheet(tmp_path, ("", ""), ("valid", "")))
    assert has_judgements(sheet(tmp_path, ("", "hm")))
