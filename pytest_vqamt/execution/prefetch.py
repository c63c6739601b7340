"""What a model is shown: its next inputs are drawn, and made ready, while it works on those before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, wait
from functools import partial

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, PhotoStore, Query
from pytest_vqamt.execution.aside import LOOK_UP_S, Aside
from pytest_vqamt.execution.render_ahead import RenderAhead
from pytest_vqamt.models.protocol import LoadedModel

_AT_END_S = 5.0
"""For so long at most the end waits for what is being made ready: nobody wants it any more."""


class Showing:
    """The inputs of one model with the pictures of one source, for all items in a row that ask it.

    What was made ready of the latest queries that were said to come is kept until they do, if they do.
    """

    def __init__(self, photos: PhotoStore, batch_size: int) -> None:
        self._pictures = RenderAhead(photos, batch_size)
        self._aside = Aside(1, "vqamt-prepare")
        self._ready: dict[str, ModelInput] = {}
        self._under_way: Future[None] | None = None

    def expect(self, pictures: Iterable[Picture], batch_size: int) -> None:
        """Tells which pictures come next, in their order, and how many at once."""
        drawn = {each.query.picture.digest for each in self._ready.values()}
        self._pictures.expect((picture for picture in pictures if picture.digest not in drawn), batch_size)

    def inputs(self, batch: Sequence[Query]) -> list[ModelInput]:
        """What the model is shown now, which is not being made ready any more.

        A batch that was made ready as a whole comes in the order in which it was: so it was put together.
        """
        self._settle()
        wanted = {query.id: query for query in batch}
        names = list(self._ready) if self._ready.keys() == wanted.keys() else list(wanted)
        return [self._ready.pop(name) if name in self._ready else self._input(wanted[name]) for name in names]

    def make_ready(self, model: LoadedModel, coming: Sequence[Query]) -> None:
        """Has the model prepare for what comes next, on a thread of its own, and returns at once."""
        if not coming:
            return
        self._settle()
        inputs = [self._ready.get(query.id) or self._input(query) for query in coming]
        self._ready = {each.query.id: each for each in inputs}
        self._under_way = self._aside.start(partial(model.prepare, coming[0].task, inputs))

    def close(self) -> None:
        """Lets go of what was made ready."""
        if self._under_way is not None:
            wait((self._under_way,), timeout=_AT_END_S)
        self._ready.clear()
        self._aside.close()
        self._pictures.close()

    def _input(self, query: Query) -> ModelInput:
        return ModelInput(query, self._pictures.image)

    def _settle(self) -> None:
        while self._under_way is not None:
            if wait((self._under_way,), timeout=LOOK_UP_S).done:
                self._under_way = None
