"""Where malformed data sets are written, and what surrounds them."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from pytest_vqamt.data import catalogue


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, count[int]]:
    """A folder, and numbers for folders in it: pytest looks through all there are to number its own."""
    return tmp_path_factory.mktemp("malformed"), count()


@pytest.fixture(autouse=True)
def _apart(folders: tuple[Path, count[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are as a user types them, no index is kept where others are, and no installed package adds a source."""
    base, numbers = folders
    folder = base / str(next(numbers))
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(folder / "home"))
    # To look through all that is installed takes longer than to open a small data set.
    monkeypatch.setattr(catalogue, "entry_points", lambda **_: ())
