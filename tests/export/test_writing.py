"""An export is whole in its place or not there: when it is killed, when the disk is full, when the place is taken."""

from __future__ import annotations

import errno
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.export.cases import UsedQueries, UsedQuery
from pytest_vqamt.export.export import Terms, export_report
from pytest_vqamt.export.export_files import new_folder
from tests.export.made_report import negation, row, write

KILLED = """
import os, signal, sys
from pathlib import Path
from pytest_vqamt.export.export import export_report
from pytest_vqamt.export.export_files import ExportWriter

rows = 0
write = ExportWriter.write

def write_and_be_killed(self, example):
    global rows
    rows += 1
    if rows == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    write(self, example)

ExportWriter.write = write_and_be_killed
export_report(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return write(tmp_path / "report", *(row(negation(index)) for index in range(6)))


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_export_leaves_nothing_in_its_place_and_the_next_one_is_whole(report: Path, tmp_path: Path) -> None:
    out = tmp_path / "set"
    done = subprocess.run([sys.executable, "-c", KILLED, str(report), str(out)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert not out.exists()
    assert (tmp_path / "set.part/train/metadata.jsonl").exists()
    assert export_report(report, out).rows == 12
    assert sorted(file.name for file in tmp_path.iterdir()) == ["report", "set"]
    assert not list(out.glob(".*"))


def test_a_database_that_cannot_be_read_is_told_in_a_line_and_leaves_nothing(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(found: UsedQueries, sources: object) -> Iterator[UsedQuery]:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(UsedQueries, "each", full)
    with pytest.raises(OptionError, match=r"^Expected a folder that can be written.*database or disk is full"):
        export_report(report, tmp_path / "set")
    assert [file.name for file in tmp_path.iterdir()] == ["report"]


def test_a_full_disk_is_told_in_a_line_and_leaves_nothing(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", full)
    with pytest.raises(OptionError, match="No space left on device"):
        export_report(report, tmp_path / "set")
    assert [file.name for file in tmp_path.iterdir()] == ["report"]


def test_what_is_there_stays(report: Path, tmp_path: Path) -> None:
    out = tmp_path / "set"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(OptionError, match="Expected a new folder"):
        export_report(report, out)
    assert (out / "notes.txt").read_text() == "mine"
    with pytest.raises(OptionError, match="Expected a new folder"):
        export_report(report, out / "notes.txt")


def test_an_empty_folder_is_a_new_one(report: Path, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    assert export_report(report, tmp_path / "set", Terms(split=1)).rows == 12


def test_a_folder_of_others_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "set.part").mkdir()
    (tmp_path / "set.part/theirs.txt").touch()
    with pytest.raises(OptionError, match="it is not ours"), new_folder(tmp_path / "set"):
        pass
    assert (tmp_path / "set.part/theirs.txt").exists()


def test_a_folder_that_cannot_be_made_is_told_of(report: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match="Expected a folder that can be written, but got -o"):
        export_report(report, tmp_path / "file" / "set")
