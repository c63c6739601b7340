"""``cases.jsonl``: in one order however it was written, and never half of it."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case import Outcome, Verdict
from pytest_vqamt.core.case_store import CaseLine, ItemCount, item_lines
from pytest_vqamt.core.codec import encode
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.events import Judged
from pytest_vqamt.core.meaning import Annotated, Exists
from pytest_vqamt.core.report_json import case_line
from pytest_vqamt.reporting.case_writer import CasePartWriter, remove_report, start_parts
from tests.making import answers_of, case_of, group_of
from tests.reporting.reported import join_parts, query_of, row_of


def judged(name: str) -> Judged:
    case = case_of(Exists(group=group_of(name)), relation=f"ours.{name}")
    verdict = Verdict(outcome=Outcome.HOLDS, readings=("yes",))
    return Judged(case=case, answers=answers_of("yes"), verdict=verdict, model="m", data="d", waived=False)


def ids(folder: Path) -> list[str]:
    return [json.loads(line)["case_id"] for line in (folder / "cases.jsonl").read_text().splitlines()]


def test_items_stand_in_their_order_and_cases_in_that_of_their_ids(tmp_path: Path) -> None:
    first, second = ([judged(f"{name}{number}") for number in range(9)] for name in ("dog", "cat"))
    start_parts(tmp_path)
    for position, item in ((10, second), (2, first)):
        with CasePartWriter(tmp_path, position) as part:
            for each in item:
                part(each)
    assert join_parts(tmp_path, [2, 10]) == 18
    assert ids(tmp_path) == [
        *sorted(each.case.id for each in first),
        *sorted(each.case.id for each in second),
    ]
    assert [each.name for each in tmp_path.iterdir()] == ["cases.jsonl"]


def test_the_file_appears_only_when_all_is_written(tmp_path: Path) -> None:
    start_parts(tmp_path)
    with CasePartWriter(tmp_path, 0) as part:
        part(judged("dog"))
        assert not (tmp_path / "cases.jsonl").exists()
    join_parts(tmp_path, [0])
    assert len(ids(tmp_path)) == 1


def test_an_item_that_is_run_again_is_written_once(tmp_path: Path) -> None:
    start_parts(tmp_path)
    for name in ("dog", "cat"):
        with CasePartWriter(tmp_path, 0) as part:
            part(judged(name))
    join_parts(tmp_path, [0])
    assert ids(tmp_path) == [judged("cat").case.id]


def test_the_cases_of_an_item_without_a_result_are_left_out(tmp_path: Path) -> None:
    start_parts(tmp_path)
    for position, name in enumerate(("dog", "cat")):
        with CasePartWriter(tmp_path, position) as part:
            part(judged(name))
    with (tmp_path / ".cases" / "000000.jsonl").open("a") as cut_off:
        cut_off.write('{"case_id":"0"')
    assert join_parts(tmp_path, [1]) == 1
    assert ids(tmp_path) == [judged("cat").case.id]
    assert [each.name for each in tmp_path.iterdir()] == ["cases.jsonl"]


def test_what_a_run_that_died_left_is_cleared_away(tmp_path: Path) -> None:
    start_parts(tmp_path)
    with CasePartWriter(tmp_path, 5) as part:
        part(judged("dog"))
    start_parts(tmp_path)
    with CasePartWriter(tmp_path, 0) as part:
        part(judged("cat"))
    join_parts(tmp_path, [0, 5])
    assert ids(tmp_path) == [judged("cat").case.id]


def test_the_report_of_an_earlier_run_stays_until_it_is_removed(tmp_path: Path) -> None:
    report = ("cases.jsonl", "report.json", "report.html", "summary.md", "badge.json", "audit.json")
    for name in (*report, "notes.txt"):
        (tmp_path / name).write_text("earlier")
    start_parts(tmp_path)
    assert len(list(tmp_path.iterdir())) == 7
    remove_report(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_full_disk_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / ".cases").mkdir()
    (tmp_path / ".cases" / "000000.jsonl").symlink_to("/dev/full")

    def write_much() -> None:
        with CasePartWriter(tmp_path, 0) as part:
            for _ in range(1000):
                part(judged("dog"))

    def write_little() -> None:
        with CasePartWriter(tmp_path, 0) as part:
            part(judged("dog"))

    for write in (write_much, write_little):
        with pytest.raises(VqamtError) as told:
            write()
        assert str(told.value) == (
            f"Expected a folder that can be written to, but got --vqamt-report={str(tmp_path)!r}: "
            "[Errno 28] No space left on device; free some space and run again: no answer that was kept is asked for "
            "again"
        )


def test_a_folder_that_cannot_be_made_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    for touch in (start_parts, lambda folder: CasePartWriter(folder, 0)):
        with pytest.raises(VqamtError, match="Expected a folder that can be written to, but got --vqamt-report="):
            touch(tmp_path / "file" / "report")


IMITATIONS = st.sampled_from([',"queries":[', '],"answers":[', '"', "\\", '\\"', "é", "\u2028"])
TEXTS = st.lists(st.one_of(IMITATIONS, st.text(max_size=3)), max_size=4).map("".join).filter(str.isprintable)


def read(line: bytes, cases: int = 1) -> CaseLine:
    (found,) = item_lines(BytesIO(line), ItemCount("ours.test", "m", "pictures:20", cases), "cases.jsonl")
    return found


@given(texts=st.tuples(*[TEXTS] * 6))
def test_a_line_is_read_without_its_queries_and_whole(texts: tuple[str, ...]) -> None:
    asked, answer, expected, reason, scene, fact = texts
    # The meaning of a question that people have answered has a field "answers", too.
    annotated = {**query_of(asked), "meaning": encode(Annotated(answers=((answer, 1.0),)))}
    row: dict[str, Any] = row_of(
        "1" * 16,
        queries=[query_of(asked), annotated],
        answers=[answer, None],
        expected=expected,
        reason=reason,
        scene=scene,
        facts={"queries": fact, "answers": fact},
        tags=["presumed"],
    )
    found = read(f"{case_line(row)}\n".encode())
    assert found.whole == row
    assert found.row == {name: value for name, value in row.items() if name != "queries"}


def test_a_line_that_was_written_otherwise_is_read_as_it_is() -> None:
    row = row_of("1" * 16)
    found = read(json.dumps(row, indent=None).encode() + b"\n")
    assert (found.row, found.whole) == (row, row)
