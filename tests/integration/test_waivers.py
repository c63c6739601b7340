"""The file of cases that a person judged invalid."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.integration.waivers import add_waivers, read_waivers, stale_waivers_note

ONE, TWO, THREE = "1" * 16, "2" * 16, "a" * 16


def test_what_was_added_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "new" / "waivers.txt"
    assert add_waivers(file, {THREE: "no dog", ONE: "cut off"}) == (ONE, THREE)
    assert read_waivers(file).reasons == {ONE: "cut off", THREE: "no dog"}
    head, *lines = file.read_text().splitlines()
    assert head.startswith("# ")
    assert lines == [f"{ONE} cut off", f"{THREE} no dog"]


def test_what_is_there_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "waivers.txt"
    file.write_text(f"# mine\n{TWO} upside down\n\n{ONE} older")  # no end of the last line
    assert add_waivers(file, {ONE: "newer", THREE: "größer"}) == (THREE,)
    assert file.read_text(encoding="utf-8") == f"# mine\n{TWO} upside down\n\n{ONE} older\n{THREE} größer\n"
    assert add_waivers(file, {ONE: "newest"}) == ()
    assert [each.name for each in tmp_path.iterdir()] == ["waivers.txt"]


def test_nothing_to_add_makes_no_file(tmp_path: Path) -> None:
    assert add_waivers(tmp_path / "waivers.txt", {}) == ()
    assert not (tmp_path / "waivers.txt").exists()


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(OptionError, match=r"^Expected a file that can be written, but got --waivers="):
        add_waivers(tmp_path / "taken" / "waivers.txt", {ONE: "x"})
    with pytest.raises(OptionError, match=r"^Expected --waivers to name a text file, but got "):
        add_waivers(tmp_path, {ONE: "x"})


@pytest.mark.parametrize(
    "line", ["nonsense", ONE, f"{ONE}  ", f"{ONE[1:]} a reason", f"{ONE.replace('1', 'G')} a reason"]
)
def test_a_line_that_is_none_is_named(line: str, tmp_path: Path) -> None:
    file = tmp_path / "waivers.txt"
    file.write_text(f"\n{line}\n")
    with pytest.raises(DataError, match=r"Expected a case id of 16 hexadecimal digits and a reason.*, line 2\)$"):
        read_waivers(file)


def test_a_waiver_holds_up_to_its_last_day(tmp_path: Path) -> None:
    file = tmp_path / "waivers.txt"
    file.write_text(f"{ONE} until=2028-02-29 cut off\n{TWO}  until=2028-03-01  upside  down\n{THREE} no dog\n")
    before, after = (read_waivers(file, today=date(2028, *day)) for day in ((2, 29), (3, 1)))
    assert (before.reasons, before.expired) == ({ONE: "cut off", TWO: "upside  down", THREE: "no dog"}, {})
    assert (after.reasons, after.expired) == (
        {TWO: "upside  down", THREE: "no dog"},
        {ONE: date(2028, 2, 29)},
    )


def test_the_last_line_on_a_case_counts_and_an_expired_waiver_is_added_anew(tmp_path: Path) -> None:
    file = tmp_path / "waivers.txt"
    file.write_text(f"{ONE} until=2020-01-01 old\n{TWO} kept\n{TWO} until=2020-01-02 kept no longer\n")
    assert read_waivers(file).expired == {ONE: date(2020, 1, 1), TWO: date(2020, 1, 2)}
    assert add_waivers(file, {ONE: "still cut off"}) == (ONE,)
    assert (read_waivers(file).reasons, list(read_waivers(file).expired)) == ({ONE: "still cut off"}, [TWO])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{ONE} until=2027-02-29 cut off", "Expected a day as until=YYYY-MM-DD, but got until=2027-02-29 in '"),
        (f"{ONE} until=tomorrow cut off", "Expected a day as until=YYYY-MM-DD, but got until=tomorrow in '"),
        (f"{ONE} until=20270301 cut off", "Expected a day as until=YYYY-MM-DD, but got until=20270301 in '"),
        (f"{ONE} until= cut off", "Expected a day as until=YYYY-MM-DD, but got until= in '"),
        (f"{ONE} until=2027-03-01", "Expected a case id of 16 hexadecimal digits and a reason, but got '"),
        (f"{ONE} cut off until=2027-03-01", "Expected until=DATE once, right after the case id, but got '"),
        (f"{ONE} until=2027-03-01 until=2027-03-02 x", "Expected until=DATE once, right after the case id, but got '"),
    ],
)
def test_a_last_day_that_is_none_is_named(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "waivers.txt"
    file.write_text(f"# head\n{line}\n")
    with pytest.raises(DataError) as raised:
        read_waivers(file)
    assert str(raised.value) == f"{message}{line}' ({file}, line 2)"


def test_ids_that_no_case_has_are_named() -> None:
    waived = dict.fromkeys([f"{number:016x}" for number in range(6)], "x")
    assert stale_waivers_note(waived, list(waived)) == ""
    assert stale_waivers_note(waived, list(waived)[:5]) == f"1 of 6 waived ids is of no case of this run ({5:016x})"
    assert stale_waivers_note(waived, [list(waived)[4]]) == (
        f"5 of 6 waived ids are of no case of this run ({0:016x}, {1:016x}, {2:016x} and 2 more)"
    )
