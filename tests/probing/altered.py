"""A model behind an engine with a fault, planted between the requests and a sane model of this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from PIL.Image import Image

from pytest_vqamt.core.conversation import Part, Turn
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from pytest_vqamt.probing.changes import CHANGES

Fault: TypeAlias = Callable[[LoadedModel, Sequence[ModelInput]], list[Answer]]


class _Altered:
    def __init__(self, model: LoadedModel, fault: Fault) -> None:
        self._model = model
        self._fault = fault
        self.takes = tuple(model.takes)

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return self._fault(self._model, batch)


def altered(model: LoadedModel, fault: Fault) -> LoadedModel:
    """The model with a fault before it; it computes each request alone, so that numbers do not depend on the batch."""
    return wrap_model("altered", _Altered(model, fault), ModelOptions())


def _asked(model: LoadedModel, item: ModelInput) -> Answer:
    return model.ask(Task.VQA, [item])[0]


def sane(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
    """All requests of a batch, computed together."""
    return list(model.ask(Task.VQA, batch))


def pixels(name: str) -> Fault:
    """Makes a change of ``CHANGES`` to every picture."""

    def fault(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
        return [_asked(model, _with_pixels(item, CHANGES[name])) for item in batch]

    return fault


def _with_pixels(item: ModelInput, change: Callable[[Image], Image]) -> ModelInput:
    images = [change(image) for image in item.all_pixels]
    return _shown(item.query.conversation, images, item)


def _shown(turns: Sequence[Turn], images: Sequence[Image], item: ModelInput) -> ModelInput:
    """The input of a conversation with other images; of other identities, since adapters keep encodings by them."""
    put = iter(images)
    known: dict[str, Image] = {}

    def replaced(part: Part) -> Part:
        if not isinstance(part, Picture):
            return part
        image = next(put)
        photo = Photo(id=part.photo.id, digest=sha256(image.tobytes()).hexdigest())
        known[photo.digest] = image
        return Picture(photo=photo, scene=part.scene)

    query = Query.of(*(Turn(tuple(map(replaced, turn.parts)), turn.role) for turn in turns), meaning=item.query.meaning)
    return ModelInput(query, lambda picture: known[picture.photo.digest], lossless=True)


def cache_by(key: Callable[[ModelInput], object]) -> Fault:
    """Keeps answers by a part of the request."""
    kept: dict[object, Answer] = {}

    def fault(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
        return [
            kept[key(item)] if key(item) in kept else kept.setdefault(key(item), _asked(model, item)) for item in batch
        ]

    return fault


def _spoken(item: ModelInput) -> str:
    return repr([(turn.role, [part for part in turn.parts if isinstance(part, str)]) for turn in item.turns])


def _look(item: ModelInput) -> object:
    small = (image.resize((2, 2)).point(lambda value: value // 32) for image in item.all_pixels)
    return _spoken(item), tuple(image.tobytes() for image in small)


def pictures(change: Callable[[list[Image]], list[Image]]) -> Fault:
    """Puts pictures into another order, or others in their place."""

    def fault(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
        return [_asked(model, _shown(item.query.conversation, change(list(item.all_pixels)), item)) for item in batch]

    return fault


def noisy(share: float, seed: int) -> Fault:
    """A sane engine that answers some requests, at random, about another picture."""
    random = Random(seed)

    def fault(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
        change = partial(_with_pixels, change=CHANGES["inverted"])
        return [_asked(model, change(item) if random.random() < share else item) for item in batch]

    return fault


def merged(some: list[Image]) -> list[Image]:
    """Pictures of one size as one, the mean of all, as often."""
    from PIL.Image import blend

    if len({image.size for image in some}) > 1:
        return some
    # In one order, so that it does not matter which comes first.
    first, *others = sorted(some, key=lambda each: each.tobytes())
    for other in others:
        first = blend(first, other, 0.5)
    return [first] * len(some)


def last_turn(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
    """Drops the system message."""
    return [_asked(model, _without(item, "system")) for item in batch]


def _without(item: ModelInput, role: str) -> ModelInput:
    return _shown([turn for turn in item.query.conversation if turn.role != role], item.all_pixels, item)


def shifted(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
    """Answers of a batch go to their neighbours."""
    answers = [_asked(model, item) for item in batch]
    return [*answers[1:], answers[0]]


def behind_large() -> Fault:
    """The request behind one with a large picture is answered about that picture's pixels, scaled down."""
    large: list[Image] = []

    def fault(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
        answers = []
        for item in batch:
            spoilt = large.pop() if large else None
            if max(item.pixels.size) > 1200:
                large.append(item.pixels)
            answers.append(
                _asked(model, _with_pixels(item, lambda image, other=spoilt: other.resize(image.size)))  # type: ignore[misc]
                if spoilt and max(item.pixels.size) < 1200
                else _asked(model, item)
            )
        return answers

    return fault


FAULTS: Mapping[str, Callable[[], Fault]] = MappingProxyType(
    {
        "cache by text": lambda: cache_by(_spoken),
        "cache by picture": lambda: cache_by(lambda item: tuple(image.tobytes() for image in item.all_pixels)),
        "cache by look": lambda: cache_by(_look),
        "pictures sorted": lambda: pictures(lambda some: sorted(some, key=lambda each: each.tobytes())),
        "first picture twice": lambda: pictures(lambda some: [some[0]] * len(some)),
        "last picture twice": lambda: pictures(lambda some: [some[-1]] * len(some)),
        "equal sizes merged": lambda: pictures(merged),
        "pictures reversed": lambda: pictures(lambda some: some[::-1]),
        "red and blue exchanged": lambda: pixels("red and blue exchanged"),
        "mirrored": lambda: pixels("mirrored"),
        "without colours": lambda: pixels("without its colours"),
        "cropped": lambda: pixels("cropped to its centre"),
        "picture replaced": lambda: pixels("replaced with grey"),
        "system message dropped": lambda: last_turn,
        "answers of a batch exchanged": lambda: shifted,
        "large picture left behind": behind_large,
    }
)
