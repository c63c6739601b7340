"""Every test with a cache of its own, on disk and in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vqamt.core.user_cache import HOME_VARIABLE
from pytest_vqamt.language.basic_questions import ranking
from pytest_vqamt.language.basic_questions.embedding import embedded


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which things are kept between runs, empty."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv(HOME_VARIABLE, str(folder))
    forget()
    yield folder
    forget()


def forget() -> None:
    """What a new process would not know."""
    ranking._in_memory.clear()
    embedded.cache_clear()
