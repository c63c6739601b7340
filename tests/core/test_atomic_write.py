"""A file is replaced in one step, or left as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.atomic_write import replacing, write_file
from pytest_vqamt.core.errors import OptionError


def test_the_new_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")
    with replacing(file) as part:
        part.write_text("new")
        assert file.read_text() == "old"
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")

    def write_half() -> None:
        with replacing(file) as part:
            part.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_of_that_name_is_told_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.mkdir()
    with pytest.raises(IsADirectoryError) as told, replacing(folder):
        pytest.fail("nothing can be written there")
    assert told.value.filename == str(folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_an_error_names_the_file_of_the_user_and_not_the_temporary_one(tmp_path: Path) -> None:
    file = tmp_path / "none" / "a.txt"
    with pytest.raises(FileNotFoundError) as told, replacing(file) as part:
        part.write_text("new")
    assert told.value.filename == str(file)


def test_an_error_of_another_file_stays_as_it_is(tmp_path: Path) -> None:
    other = tmp_path / "other"
    with pytest.raises(FileNotFoundError) as told, replacing(tmp_path / "a.txt"):
        other.read_text()
    assert told.value.filename == str(other)


def test_a_file_that_an_option_names_is_told_with_the_option(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OptionError) as told:
        write_file(tmp_path / "taken", "text", "--out")
    assert str(told.value) == (
        f"Expected a file that can be written, but got --out={str(tmp_path / 'taken')!r} (Is a directory): name another"
    )
