"""Where malformed data sets are written, and what surrounds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.data import catalogue


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are as a user types them, no index is kept where others are, and no installed package adds a source."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))
    # To look through all that is installed takes longer than to open a small data set.
    monkeypatch.setattr(catalogue, "entry_points", lambda **_: ())
