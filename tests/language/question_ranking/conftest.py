"""What is kept between runs is kept elsewhere than the user's; a test that asks for ``home`` begins with nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import CACHE_HOME_VARIABLE
from pytest_vqamt.language.question_ranking import ranking
from pytest_vqamt.language.question_ranking.embeddings import embed_pool


@pytest.fixture(scope="session")
def home_of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def not_the_users_home(home_of_all: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_HOME_VARIABLE, str(home_of_all))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, not_the_users_home: None) -> Iterator[Path]:
    """The folder in which things are kept between runs, empty; and nothing is in memory."""
    monkeypatch.setenv(CACHE_HOME_VARIABLE, str(tmp_path / "home"))
    forget()
    yield tmp_path / "home"
    forget()


def forget() -> None:
    """What a new process would not know."""
    ranking._in_memory.clear()
    embed_pool.cache_clear()
