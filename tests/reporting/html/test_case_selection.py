"""Which cases have a card: what broke first, every item its share, and the same whoever ran them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.reporting.html.case_selection import OF_AN_ITEM_AT_MOST, CaseSelector, SelectedCases, fair_shares
from tests.reporting.reported import row_of, write_rows

COUNTS = st.lists(st.integers(0, 40), max_size=8)


def chosen_cases(folder: Path, most: int, *, holding: bool = False) -> SelectedCases:
    return CaseSelector(folder, most, holding=holding).chosen(most)


def short(row: Row) -> str:
    return str(row["case_id"]).rstrip("f")


def ids(folder: Path, most: int, *, holding: bool = False) -> list[str]:
    return [short(row) for row in chosen_cases(folder, most, holding=holding).rows]


def test_all_violations_are_chosen_where_there_is_room_and_nothing_that_holds(tmp_path: Path) -> None:
    verdicts = {"a": "holds", "b": "violated", "c": "unparsed", "d": "error"}
    write_rows(tmp_path, [row_of(name, verdict) for name, verdict in verdicts.items()])
    chosen = chosen_cases(tmp_path, 10)
    assert [short(row) for row in chosen.rows] == ["b", "c", "d"]
    assert (chosen.left_out, CaseSelector(tmp_path, 10, holding=False).lines) == (0, 4)
    assert ids(tmp_path, 10, holding=True) == ["a", "b", "c", "d"]


def test_every_item_has_its_share(tmp_path: Path) -> None:
    write_rows(
        tmp_path,
        [
            *(row_of(f"a{number}", item="ours.much") for number in range(9)),
            *(row_of(f"b{number}", item="ours.little") for number in range(2)),
            *(row_of(f"c{number}", item="ours.much", model="another") for number in range(9)),
        ],
    )
    chosen = chosen_cases(tmp_path, 8)
    assert [short(row) for row in chosen.rows] == ["a0", "a1", "a2", "b0", "b1", "c0", "c1", "c2"]
    assert chosen.left_out == 12


def test_an_item_that_always_fails_has_no_more_cards_than_anyone_looks_through(tmp_path: Path) -> None:
    write_rows(
        tmp_path,
        [
            *(row_of(f"{number:04x}", item="ours.much") for number in range(OF_AN_ITEM_AT_MOST + 30)),
            row_of("b", item="ours.little"),
        ],
    )
    chosen = chosen_cases(tmp_path, 1_000)
    assert (len(chosen.rows), chosen.left_out) == (OF_AN_ITEM_AT_MOST + 1, 30)
    assert len(chosen_cases(tmp_path, 1_000, holding=True).rows) == OF_AN_ITEM_AT_MOST + 31


def test_what_broke_since_the_baseline_is_chosen_first(tmp_path: Path) -> None:
    write_rows(
        tmp_path,
        [
            row_of("a0"),
            row_of("a1", before="violated"),
            row_of("a2", before="holds"),
            row_of("b0", "error", item="ours.other"),
            row_of("b1", waived=True, item="ours.other", before="holds"),
            row_of("b2", "unparsed", item="ours.other", before="holds"),
        ],
    )
    assert ids(tmp_path, 2) == ["a2", "b2"]
    assert ids(tmp_path, 4) == ["a0", "a1", "a2", "b2"]
    assert ids(tmp_path, 5) == ["a0", "a1", "a2", "b0", "b2"]
    # Neither an error nor a waived case is a violation.
    assert [chosen_cases(tmp_path, most).left_out for most in (2, 4, 5)] == [2, 0, 0]


def test_cases_that_hold_come_last(tmp_path: Path) -> None:
    write_rows(tmp_path, [row_of("a", "holds"), row_of("b", "holds"), row_of("c"), row_of("d", "error")])
    assert ids(tmp_path, 3, holding=True) == ["a", "c", "d"]


def test_a_text_or_a_fact_is_not_taken_for_the_verdict(tmp_path: Path) -> None:
    imitation = ',"verdict":"holds",'
    write_rows(
        tmp_path,
        [
            row_of("a", answers=[imitation], expected=imitation, reason=imitation),
            row_of("b", facts={"a": 1, "verdict": "holds", "c": 2}),
        ],
    )
    assert ids(tmp_path, 5) == ["a", "b"]


@pytest.mark.parametrize(
    "line",
    ['{"case_id":"b"', "[]", '{"case_id":"b"}', '{"case_id":7}', "", "[" * 100_000],
    ids=["cut off", "no object", "not whole", "a number", "empty", "deep"],
)
def test_a_broken_line_is_told_with_its_place(tmp_path: Path, line: str) -> None:
    write_rows(tmp_path, [row_of("a")])
    with (tmp_path / "cases.jsonl").open("a") as cases:
        cases.write(f"{line}\n")
    with pytest.raises(DataError, match=r"cases\.jsonl:2: Expected a whole line of a report, but got ") as told:
        chosen_cases(tmp_path, 5)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 400


def test_a_folder_without_cases_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"it has no cases\.jsonl and no cases\.jsonl\.gz"):
        chosen_cases(tmp_path, 5)


@given(COUNTS, st.integers(0, 200))
def test_shares_are_fair(counts: list[int], most: int) -> None:
    shares = fair_shares(counts, most)
    assert sum(shares) == min(most, sum(counts))
    for share, count in zip(shares, counts, strict=True):
        assert share <= count
        # Who lacks some has at most one less than anybody else.
        assert share == count or all(share >= other - 1 for other in shares)
