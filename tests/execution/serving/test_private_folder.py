"""The folder of a server goes with it, and after it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.serving import supervisor
from pytest_vqamt.serving.supervisor import PrivateFolder

MAKE_AND_DIE = """
import os, signal
from pytest_vqamt.serving.supervisor import PrivateFolder
folder = PrivateFolder()
(folder.path / "answers").write_text("x")
print(folder.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of this test's own; its path may be long."""
    monkeypatch.setattr(supervisor, "_LONGEST", 1000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_it_is_for_this_user_alone_and_goes(base: Path) -> None:
    folder = PrivateFolder()
    assert folder.path.parent == base
    assert folder.path.stat().st_mode & 0o777 == 0o700
    (folder.path / "sub").mkdir()
    (folder.path / "sub" / "file").write_text("x")
    folder.remove()
    assert list(base.iterdir()) == []


def test_what_a_killed_server_has_left_is_taken_away_by_the_next(base: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-c", MAKE_AND_DIE],
        env={**os.environ, "TMPDIR": str(base)},
        capture_output=True,
        text=True,
        check=False,
    )
    # Its path is too long for Ray, but for the test: the folder is then elsewhere, and the claim the same.
    left = Path(made.stdout.strip())
    if left.parent != base:
        left = left.rename(base / left.name)
    assert (left / "answers").exists()
    folder = PrivateFolder()
    assert list(base.iterdir()) == [folder.path]
    folder.remove()


def test_that_of_a_server_that_lives_stays(base: Path) -> None:
    first = PrivateFolder()
    second = PrivateFolder()
    assert sorted(base.iterdir()) == sorted([first.path, second.path])
    first.remove()
    second.remove()


def test_what_only_looks_like_one_stays(base: Path) -> None:
    (base / "elsewhere").mkdir()
    (base / "elsewhere" / "lock").write_text("")
    (base / "vqamt-serve-link").symlink_to(base / "elsewhere")
    (base / "vqamt-serve-file").write_text("mine")
    PrivateFolder().remove()
    assert sorted(path.name for path in base.iterdir()) == ["elsewhere", "vqamt-serve-file", "vqamt-serve-link"]
    assert (base / "elsewhere" / "lock").exists()


def test_a_path_that_is_too_long_for_sockets_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_LONGEST", 21)
    with pytest.raises(OptionError, match="set TMPDIR to one"):
        PrivateFolder()
