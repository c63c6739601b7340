"""A file is replaced in one step, or left as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.atomic_write import replacing


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
