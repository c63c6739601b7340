"""A scene source and relations small enough to know everything about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from pytest_vqamt.relations import expectations
from pytest_vqamt.relations.draw import Draw
from tests.making import scene_of, thing_of

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage


class Scenes:
    """``n`` scenes; that at index i shows i + 1 dogs, and its photo is white."""

    def __init__(self, n: int) -> None:
        self._n = n
        self.drawn: list[str] = []

    @property
    def spec(self) -> str:
        return f"made:{self._n}"

    @property
    def description(self) -> str:
        return "scenes made for tests"

    @property
    def digest(self) -> str:
        return f"digest of {self._n}"

    @cached_property
    def corpus(self) -> Corpus:
        return gather_corpus((self.scene(index) for index in range(self._n)), scene=self.scene)

    @property
    def bad_records(self) -> tuple[str, ...]:
        return ()

    def place(self, photo_id: str) -> int:
        return int(photo_id.removeprefix("scene ").removesuffix(".png"))

    def __len__(self) -> int:
        return self._n

    def scene(self, index: int) -> Scene:
        dogs = (thing_of("dog", id=str(place), box=Box(place, 0, 1, 1)) for place in range(index + 1))
        return scene_of(*dogs, id=f"scene {index}")

    def photo(self, photo: Photo) -> PillowImage:
        self.drawn.append(photo.id)
        if photo.id.startswith("unreadable"):
            raise OSError("no such photo")
        return Image.new("RGB", (200, 100), "white")

    def mask(self, photo: Photo, thing_id: str) -> PillowImage:
        raise NotImplementedError


def query(text: str = "what?", *, picture: Picture | None = None, task: Task = Task.VQA, trial: int = 0) -> Query:
    """A query about an empty picture unless another is given."""
    return Query(picture=picture or scene_of().picture, text=text, meaning=Describe(), task=task, trial=trial)


def always(scene: Scene) -> str | None:
    """Applies to every scene."""
    return None


def nothing(number: int) -> bool:
    """No case rests on an absence."""
    return False


def never(scene: Scene) -> str | None:
    """Applies to no scene."""
    return "nothing there"


def always_the_same(text: str) -> str:
    """Says the same to all."""
    return "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A relation whose cases ask about a number from 0 to ``numbers`` - 1; all answers must be the same.

    Attributes:
        applies: why a scene gives no case, or None where it does.
        presumes: whether the case about a number rests on an absence.
    """

    numbers: int = 1_000_000
    tags: tuple[str, ...] = ()
    applies: Callable[[Scene], str | None] = always
    presumes: Callable[[int], bool] = nothing

    @property
    def info(self) -> RelationInfo:
        return RelationInfo(name="ours.rule", task=Task.VQA, claim="All is one.", source="here", tags=self.tags)

    def derive(self, draw: Draw) -> Case | NotApplicable:
        reason = self.applies(draw.scene)
        if reason is not None:
            return NotApplicable(reason=reason)
        number = draw.choose.between(0, self.numbers - 1)
        texts = (f"first {number}", f"second {number}")
        queries = tuple(query(text, picture=draw.picture) for text in texts)
        return Case(
            relation="ours.rule",
            variant=draw.variant,
            scene=draw.scene.id,
            queries=queries,
            expected="the same",
            tags=("presumed",) if self.presumes(number) else (),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return expectations.same_answer(case, answers)


@dataclass(slots=True)
class Model:
    """A model that remembers what it was asked, a list of texts for each call."""

    reply: Callable[[str], str] = always_the_same
    batch_size: int = 4
    fingerprint: str | None = None
    calls: list[list[str]] = field(default_factory=list)

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        texts = [each.text for each in batch]
        self.calls.append(texts)
        return [self.reply(text) for text in texts]

    @property
    def asked(self) -> list[str]:
        return [text for call in self.calls for text in call]


def loaded(model: object) -> LoadedModel:
    return wrap_model("made", model, ModelOptions())
