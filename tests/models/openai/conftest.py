"""Models behind a server on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.http import pace, retry
from pytest_vqamt.models.openai.chat_model import OpenAIModel, load
from pytest_vqamt.models.protocol import ModelOptions
from tests.models.openai.stub import Script, Stub

Serve = Callable[[Script], Stub]


class Load(Protocol):
    """The model "stub" at a server, with settings as ``--vqamt-option`` gives them: ``_`` stands for ``-``."""

    def __call__(self, server: Stub, *, cache: Path | None = ..., **settings: str) -> OpenAIModel: ...


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of whoever runs the tests is sent anywhere."""
    for name in ("VQAMT_OPENAI_KEY", "VQAMT_OPENAI_KEY_127_0_0_1", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first back-off takes a hundredth of a second, and requests start at once."""
    monkeypatch.setattr(retry, "_FIRST_BACKOFF_S", 0.02)
    for name, value in {
        "FIRST_RATE": 1e4,
        "FIRST_WINDOW": 512,
        "FIRST_HOLD_S": 0.001,
        "LONGEST_HOLD_S": 0.002,
        "CUT": 1,
        "LARGEST_CUT": 1,
    }.items():
        monkeypatch.setattr(pace, f"_{name}", value)


@pytest.fixture
def serve() -> Iterator[Serve]:
    pytest.importorskip("httpx2")
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(Stub(script))


@pytest.fixture
def model() -> Load:
    def make(server: Stub, *, cache: Path | None = None, **settings: str) -> OpenAIModel:
        given = {name.replace("_", "-"): value for name, value in settings.items()}
        return load(f"stub@{server.url}", ModelOptions(settings=given, cache=cache))

    return make


@pytest.fixture
def many(ask: Callable[..., ModelInput]) -> Callable[[int], list[ModelInput]]:
    """So many inputs about one picture; their texts are "0", "1", ..."""
    return lambda count: [ask(text=str(number)) for number in range(count)]
