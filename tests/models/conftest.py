"""Inputs about a hand-made scene, as models get them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import Describe, Meaning
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.core.scene import Scene

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage


class Ask(Protocol):
    """Makes one input; its picture shows the yard unless another is given."""

    def __call__(
        self,
        meaning: Meaning = ...,
        text: str = ...,
        *,
        picture: Picture | None = ...,
        task: Task = ...,
        trial: int = ...,
        reasoning: bool | None = ...,
    ) -> ModelInput: ...


class Written(Protocol):
    """The folder of the small checkpoint that this function writes; no test changes it."""

    def __call__(self, write: Callable[[Path], Path], /) -> Path: ...


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Writes each small checkpoint once a session."""
    folders: dict[Callable[[Path], Path], Path] = {}

    def find(write: Callable[[Path], Path], /) -> Path:
        if write not in folders:
            folders[write] = write(tmp_path_factory.mktemp(write.__name__))
        return folders[write]

    return find


SAY_WHAT_IS_THERE = Describe()


def white(picture: Picture) -> PillowImage:
    return Image.new("RGB", (picture.scene.width, picture.scene.height), "white")


@pytest.fixture
def ask(yard: Scene) -> Ask:
    def make(
        meaning: Meaning = SAY_WHAT_IS_THERE,
        text: str = "what?",
        *,
        picture: Picture | None = None,
        task: Task = Task.VQA,
        trial: int = 0,
        reasoning: bool | None = None,
    ) -> ModelInput:
        shown = picture or yard.picture
        query = Query(picture=shown, text=text, meaning=meaning, task=task, trial=trial, reasoning=reasoning)
        return ModelInput(query, white)

    return make


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


@pytest.fixture
def plain(ask: Ask) -> ModelInput:
    """A question about the yard as it is."""
    return ask(text="How many dogs?")


@pytest.fixture
def edited(ask: Ask, yard: Scene) -> ModelInput:
    """The same question about the yard with a dog painted over."""
    return ask(text="How many dogs?", picture=yard.picture.erase(Box(0, 60, 20, 20)))


@pytest.fixture
def again(ask: Ask) -> ModelInput:
    """The very same question about the yard as it is, asked once more."""
    return ask(text="How many dogs?", trial=1)
