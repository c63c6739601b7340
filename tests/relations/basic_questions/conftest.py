"""What is kept between runs is kept elsewhere than the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import CACHE_HOME_VARIABLE


@pytest.fixture(scope="session")
def home_of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def not_the_users_home(home_of_all: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_HOME_VARIABLE, str(home_of_all))
