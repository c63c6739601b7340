"""A model that remembers the batches it was asked, so that they can be asked again by a bare loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from PIL.Image import Image

from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import METHODS, ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel

Batches: TypeAlias = list[tuple[Task, tuple[ModelInput, ...]]]
"""What was asked, in its order."""


class Recorded:
    """A model of any spec, with the methods of its tasks."""

    def __init__(self, spec: str, options: ModelOptions) -> None:
        self.model: LoadedModel = ModelCatalogue().load(spec, options)
        self.batch_size = self.model.batch_size
        self.batches: Batches = []
        for task in self.model.tasks:
            setattr(self, METHODS[task], self._method(task))
        if self.model.preprocess is not None:
            self.prepare = self.model.preprocess

    def drawn(self, source: SceneSource) -> Batches:
        """The batches anew, with every picture drawn: nothing of the run's is left on an input."""
        pictures = {each.query.picture.digest: each.query.picture for _, batch in self.batches for each in batch}
        images = {name: render(picture, source) for name, picture in pictures.items()}
        return [(task, tuple(_input(each.query, images) for each in batch)) for task, batch in self.batches]

    def _method(self, task: Task) -> object:
        def ask(batch: Sequence[ModelInput]) -> Sequence[Answer]:
            self.batches.append((task, tuple(batch)))
            return self.model.ask(task, batch)

        return ask


def _input(query: Query, images: Mapping[str, Image]) -> ModelInput:
    return ModelInput(query, lambda picture: images[picture.digest])


_made: list[Recorded] = []


def load() -> Recorded:
    """The model that was handed over last: for ``--vqamt-model=python:tools.benchmarks.recorded:load``."""
    return _made[-1]


def hand_over(model: Recorded) -> None:
    """What ``load`` is to give."""
    _made[:] = [model]
