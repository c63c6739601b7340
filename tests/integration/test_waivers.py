"""The file of cases that a person judged invalid."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.integration.waivers import add_waivers, read_waivers, stale_waivers_note

ONE, TWO, THREE = "1" * 16, "2" * 16, "a" * 16


def test_what_was_added_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "new" / "waivers.txt"
    assert add_waivers(file, {THREE: "no dog", ONE: "cut off"}) == (ONE, THREE)
    assert read_waivers(file) == {ONE: "cut off", THREE: "no dog"}
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
    with pytest.raises(OptionError, match=r"^Expected --waivers to name a file that can be written, but got "):
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


def test_ids_that_no_case_has_are_named() -> None:
    waived = dict.fromkeys([f"{number:016x}" for number in range(6)], "x")
    assert stale_waivers_note(waived, list(waived)) == ""
    assert stale_waivers_note(waived, list(waived)[:5]) == f"1 of 6 waived ids is of no case of this run ({5:016x})"
    assert stale_waivers_note(waived, [list(waived)[4]]) == (
        f"5 of 6 waived ids are of no case of this run ({0:016x}, {1:016x}, {2:016x}, ...)"
    )
