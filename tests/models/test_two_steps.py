"""Every adapter gives the same answers where batches are made ready on another thread, and does there what it can."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import current_thread, main_thread

import pytest
from PIL import Image

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models import lxmert, visualbert
from pytest_vqamt.models.transformers import blip, vilt
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from tests.models.conftest import Written
from tests.models.small import region_models
from tests.models.small.blip import blip_captions, blip_matches, blip_vqa
from tests.models.small.inputs import QUESTIONS, query, render
from tests.models.small.vilt import vilt_nlvr, vilt_vqa

CPU = ModelOptions(device="cpu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """How an adapter is loaded, how a small checkpoint of it is made, and what it does."""

    load: Callable[[str, ModelOptions], object]
    write: Callable[[Path], Path]
    task: Task = Task.VQA


ADAPTERS = {
    "vilt": Adapter(load=vilt.load, write=vilt_vqa),
    "vilt statements": Adapter(load=vilt.load, write=vilt_nlvr, task=Task.ENTAILMENT),
    "blip": Adapter(load=blip.load, write=blip_vqa),
    "blip captions": Adapter(load=blip.load, write=blip_captions, task=Task.CAPTIONING),
    "blip matches": Adapter(load=blip.load, write=blip_matches, task=Task.ENTAILMENT),
    "lxmert": Adapter(load=lxmert.load, write=region_models.lxmert),
    "visualbert": Adapter(load=visualbert.load, write=region_models.visualbert),
}

SIZE = 4
"""Batches of so many cut the five texts about a picture apart."""

PICTURES = ("wide", "square", "tiny")

VARIANTS = ("vilt statements", "blip captions", "blip matches", "visualbert")
"""Of the full tier: they share their two steps with another one."""


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.full if name in VARIANTS else ()) for name in ADAPTERS])
def adapter(request: pytest.FixtureRequest) -> Adapter:
    return ADAPTERS[request.param]


@pytest.fixture
def loaded(adapter: Adapter, written: Written) -> Callable[[], LoadedModel]:
    """Loads it, with nothing remembered."""
    folder = str(written(adapter.write))
    features = written(region_models.features_of_inputs) if adapter.load in (lxmert.load, visualbert.load) else None
    settings = {"features": str(features)} if features else {"longest-answer": "3", "longest-caption": "3"}
    options = ModelOptions(device="cpu", settings=settings)
    return lambda: wrap_model("small", adapter.load(folder, options), options)


class Drawing:
    """Draws pictures, and notes which and on what thread; one of them cannot be drawn."""

    def __init__(self, broken: str = "") -> None:
        self.broken = broken
        self.drawn: list[str] = []
        self.on_main: list[str] = []

    def __call__(self, picture: Picture) -> Image.Image:
        self.drawn.append(picture.photo.id)
        if current_thread() is main_thread():
            self.on_main.append(picture.photo.id)
        if picture.photo.id == self.broken:
            raise OSError("cannot be drawn")
        return render(picture)

    def batches(self, task: Task) -> list[list[ModelInput]]:
        inputs = iter([ModelInput(query(name, text, task), self) for name in PICTURES for text in QUESTIONS])
        return list(iter(lambda: list(islice(inputs, SIZE)), []))


def ahead(model: LoadedModel, task: Task, batches: Sequence[list[ModelInput]]) -> Iterator[list[ModelInput]]:
    """Each batch in its turn, made ready on another thread while the one before was worked on."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(model.prepare, task, batches[0])
        for place, batch in enumerate(batches):
            coming.result()
            if place + 1 < len(batches):
                coming = pool.submit(model.prepare, task, batches[place + 1])
            yield batch


def answers(model: LoadedModel, task: Task, batches: Iterable[list[ModelInput]]) -> list[Answer]:
    return [answer for batch in batches for answer in model.ask(task, batch)]


def test_answers_are_those_without(adapter: Adapter, loaded: Callable[[], LoadedModel]) -> None:
    drawing, plain = Drawing(), Drawing()
    model = loaded()
    batches = drawing.batches(adapter.task)
    found = answers(model, adapter.task, ahead(model, adapter.task, batches))
    wanted = answers(loaded(), adapter.task, plain.batches(adapter.task))
    assert [each.text for each in found] == [each.text for each in wanted]
    assert [each.truncated for each in found] == [each.truncated for each in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert dict(one.scores or ()) == pytest.approx(dict(other.scores or ()), abs=2e-3)
    assert drawing.drawn == plain.drawn, "each picture once"
    assert not drawing.on_main
    assert all(asked.prepared is None for batch in batches for asked in batch)


def test_a_picture_that_cannot_be_drawn_costs_the_batch_its_preparation_and_nothing_else(
    adapter: Adapter, loaded: Callable[[], LoadedModel]
) -> None:
    draws = adapter.load not in (lxmert.load, visualbert.load)
    model, batches = loaded(), Drawing("square").batches(adapter.task)
    told = list[str]()
    for batch in ahead(model, adapter.task, batches):
        for asked in batch:  # whoever asks splits a batch down to what fails
            try:
                model.ask(adapter.task, [asked])
            except OSError as error:
                told.append(f"{asked.query.picture.photo.id}: {error}")
    assert told == ["square: cannot be drawn"] * len(QUESTIONS if draws else ()), "features in a file need no drawing"
