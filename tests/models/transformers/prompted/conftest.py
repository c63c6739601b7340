"""Small checkpoints of every kind, each written once a session, and questions about pictures of several shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from PIL import Image

from pytest_vqamt.core.meaning import Describe, Meaning
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.prompted.generative import GenerativeAdapter, load
from pytest_vqamt.picture_world.source import PictureWorld
from tests.models.transformers.prompted.small import chat, other, prompted, qwen
from tests.models.transformers.prompted.small.kinds import build
from tests.models.transformers.prompted.small.rows import ROWS

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

CHECKPOINTS: Mapping[str, Callable[[Path], Path]] = {
    "llava": chat.llava,
    "llava_next": chat.llava_next,
    "idefics3": chat.idefics3,
    "smolvlm": chat.smolvlm,
    "gemma3": chat.gemma3,
    "qwen2_vl": qwen.qwen2_vl,
    "qwen2_5_vl": qwen.qwen2_5_vl,
    "qwen3_vl": qwen.qwen3_vl,
    "paligemma": prompted.paligemma,
    "florence": prompted.florence,
    "blip2_opt": prompted.blip2_opt,
    "blip2_t5": prompted.blip2_t5,
    "instructblip": prompted.instructblip,
    "git": prompted.git,
    "vipllava": other.vipllava,
    "idefics2": other.idefics2,
}
"""One for every kind that is known by name, and two that are not."""

KINDS = tuple(CHECKPOINTS)

ONE_A_CLASS = ("llava", "qwen3_vl", "instructblip", "git", "vipllava")
"""Between them these kinds run every class of ours that is not only a chat template."""


def tiers(*kinds: str, of: Sequence[str] = KINDS) -> list[ParameterSet]:
    """All kinds of ``of``; those that are not named are of the full tier."""
    return [pytest.param(kind, marks=() if kind in kinds else pytest.mark.full) for kind in of]


WORLD = PictureWorld(count=12)

CPU = ModelOptions(device="cpu")

BRIEF = ModelOptions(device="cpu", settings={"longest-answer": "6", "longest-caption": "6"})

QUESTIONS = ("Is there a dog?", "How many cats and dogs are there in the picture in total?", "red?")


class Checkpoint(Protocol):
    """The folder of a small checkpoint of this kind."""

    def __call__(self, kind: str, /) -> Path: ...


class Loaded(Protocol):
    """The small checkpoint of this kind, loaded with these settings, which has seen nothing; it says six tokens."""

    def __call__(self, kind: str, /, **settings: str) -> GenerativeAdapter: ...


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    written: dict[str, Path] = {}

    def find(kind: str, /) -> Path:
        if kind not in written:
            folder = tmp_path_factory.mktemp(kind)
            written[kind] = CHECKPOINTS[kind](folder) if kind in CHECKPOINTS else build(kind, ROWS[kind], folder)
        return written[kind]

    return find


@pytest.fixture(scope="session")
def loaded(checkpoint: Checkpoint) -> Loaded:
    made: dict[tuple[str, tuple[tuple[str, str], ...]], GenerativeAdapter] = {}

    def find(kind: str, /, **settings: str) -> GenerativeAdapter:
        key = (kind, tuple(sorted(settings.items())))
        if key not in made:
            named = {**BRIEF.settings, **{name.replace("_", "-"): value for name, value in settings.items()}}
            made[key] = load(str(checkpoint(kind)), ModelOptions(device="cpu", settings=named))
        forget(made[key])
        return made[key]

    return find


def forget(speaker: GenerativeAdapter) -> None:
    """Lets go of all pictures that it has seen."""
    speaker._family.release()


def shown(picture: Picture) -> Image.Image:
    """Pictures of the world; every third is the upper half alone, and every fourth the left third."""
    image = WORLD.photo(picture.photo)
    number = int(picture.photo.id.rpartition("-")[2])
    width, height = image.size
    if number % 3 == 1:
        return image.crop((0, 0, width, height // 2))
    return image.crop((0, 0, width // 3, height)) if number % 4 == 2 else image


def about(
    number: int,
    text: str,
    *,
    render: Callable[[Picture], Image.Image] = shown,
    task: Task = Task.VQA,
    meaning: Meaning = Describe(),  # noqa: B008  # a frozen value
    reasoning: bool | None = None,
) -> ModelInput:
    """A text about one picture of the world."""
    picture = WORLD.scene(number).picture
    return ModelInput(Query(picture=picture, text=text, meaning=meaning, task=task, reasoning=reasoning), render)


def of_size(width: int, height: int) -> Callable[[Picture], Image.Image]:
    """Shows each picture of the world in this size."""
    return lambda picture: WORLD.photo(picture.photo).resize((width, height))


def batch() -> list[ModelInput]:
    """Nine questions about three pictures of different shapes, each of which comes three times."""
    return [about(number, text) for text in QUESTIONS for number in (0, 1, 2)]
