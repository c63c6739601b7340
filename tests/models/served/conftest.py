"""Models that are served on this machine, and inputs about pictures of the picture world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Protocol

import pytest

from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.http import retry
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.models.wrapped import LoadedModel
from tests.models.openai.stub import Script, Stub

Serve = Callable[[Script], Stub]

DOGS = Exists(group=Group(name="dog"))


class Load(Protocol):
    """The model at a server, with settings as ``--vqamt-option`` gives them: ``_`` stands for ``-``."""

    def __call__(self, server: Stub, **settings: str) -> LoadedModel: ...


class AskAbout(Protocol):
    """One input: a question about a photo, the first of the source unless another is given."""

    def __call__(self, text: str, picture: Picture | int = ..., *, trial: int = ...) -> ModelInput: ...


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No token of whoever runs the tests is sent anywhere, and the first back-off takes a hundredth of a second."""
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.setattr(retry, "_FIRST_BACKOFF_S", 0.02)


@pytest.fixture(scope="session")
def pictures() -> SceneSource:
    return catalogue.load("pictures:3")


@pytest.fixture
def serve() -> Iterator[Serve]:
    pytest.importorskip("httpx2")
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(Stub(script))


@pytest.fixture
def load() -> Load:
    pytest.importorskip("httpx2")

    def make(server: Stub, **settings: str) -> LoadedModel:
        given = {name.replace("_", "-"): value for name, value in settings.items()}
        return ModelCatalogue().load(f"served:{server.url}", ModelOptions(settings=given))

    return make


@pytest.fixture
def about(pictures: SceneSource) -> AskAbout:
    def make(text: str, picture: Picture | int = 0, *, trial: int = 0) -> ModelInput:
        shown = picture if isinstance(picture, Picture) else pictures.scene(picture).picture
        query = Query(picture=shown, text=text, meaning=DOGS, trial=trial)
        return ModelInput(query, partial(render, photos=pictures))

    return make
