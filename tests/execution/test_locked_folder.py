"""A folder of temporary files outlasts neither its process nor, for long, one that was killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_vqamt.execution import leases
from pytest_vqamt.execution.leases import LOCK_FILE, LockedFolder

LIVES = """
import sys
from pathlib import Path
from pytest_vqamt.execution.leases import LockedFolder
print(LockedFolder(Path(sys.argv[1]), "ours-").path, flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no locks that end with a process")


def test_that_of_a_process_that_lives_stays_and_goes_after_it_was_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LIVES, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        theirs = Path(process.stdout.readline().strip())
        LockedFolder(tmp_path, "ours-").remove()
        assert list(tmp_path.iterdir()) == [theirs]
        process.kill()
    folder = LockedFolder(tmp_path, "ours-")
    assert list(tmp_path.iterdir()) == [folder.path]
    assert folder.path.stat().st_mode & 0o777 == 0o700
    folder.remove()
    assert list(tmp_path.iterdir()) == []


def test_one_without_a_lock_and_one_of_another_kind_stay(tmp_path: Path) -> None:
    for name in ("ours-unlocked", "theirs-left"):
        (tmp_path / name).mkdir()
    (tmp_path / "theirs-left" / LOCK_FILE).touch()
    (tmp_path / "ours-link").symlink_to(tmp_path / "theirs-left")
    LockedFolder(tmp_path, "ours-").remove()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["ours-link", "ours-unlocked", "theirs-left"]
    assert (tmp_path / "theirs-left" / LOCK_FILE).exists()


def test_an_old_one_without_a_lock_goes(tmp_path: Path) -> None:
    """Its process was killed before it made the lock, or while it removed the folder."""
    for name, age_s in (("ours-new", 5), ("ours-old", 100)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cases").touch()
        os.utime(tmp_path / name, (time.time() - age_s,) * 2)
    LockedFolder(tmp_path, "ours-").remove()
    assert [each.name for each in tmp_path.iterdir()] == ["ours-new"]


def test_one_that_is_taken_away_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = leases._lock
    taken: list[Path] = []

    def late(file: Path, *, create: bool = True) -> int | None:
        if not taken:
            taken.append(file.parent)
            file.parent.rmdir()
        return lock(file, create=create)

    monkeypatch.setattr(leases, "_lock", late)
    folder = LockedFolder(tmp_path, "ours-")
    assert folder.path != taken[0]
    assert list(tmp_path.iterdir()) == [folder.path]
    folder.remove()


def test_one_that_is_taken_away_while_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    lock = fcntl.flock
    taken: list[Path] = []

    def late(file: int, how: int) -> None:
        if not taken:
            taken.extend(tmp_path.iterdir())
            shutil.rmtree(taken[0])  # as one does who had the lock till now
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    folder = LockedFolder(tmp_path, "ours-")
    assert folder.path != taken[0]
    assert list(tmp_path.iterdir()) == [folder.path]
    folder.remove()
