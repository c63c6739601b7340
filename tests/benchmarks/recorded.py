"""A model that remembers the batches it was asked, so that they can be asked again by a bare loop."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.base import METHODS, LoadedModel, ModelOptions
from pytest_vqamt.models.catalogue import Catalogue


class Recorded:
    """A model of any spec, with the methods of its tasks."""

    def __init__(self, spec: str, options: ModelOptions) -> None:
        self.model: LoadedModel = Catalogue().load(spec, options)
        self.batch_size = self.model.batch_size
        self.batches: list[tuple[Task, tuple[ModelInput, ...]]] = []
        for task in self.model.tasks:
            setattr(self, METHODS[task], self._method(task))
        if self.model.readies is not None:
            self.prepare = self.model.readies

    def _method(self, task: Task) -> object:
        def ask(batch: Sequence[ModelInput]) -> Sequence[Answer]:
            self.batches.append((task, tuple(batch)))
            return self.model.ask(task, batch)

        return ask


_made: list[Recorded] = []


def load() -> Recorded:
    """The model that was handed over last: for ``--vqamt-model=python:tests.benchmarks.recorded:load``."""
    return _made[-1]


def hand_over(model: Recorded) -> None:
    """What ``load`` is to give."""
    _made[:] = [model]
