"""Queries put to a model by the very code that a run uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import QueryRunner
from pytest_vqamt.execution.prefetch import InputPipeline
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.small.inputs import render

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_vqamt.core.scene import Photo


class _Photos:
    """The photos of ``inputs``, which are all there is to their pictures."""

    def photo(self, photo: Photo) -> Image:
        from tests.models.small.inputs import query

        return render(query(photo.id, "").picture)

    def mask(self, photo: Photo, thing_id: str) -> Image:
        raise NotImplementedError


def ask_all(model: object, queries: Sequence[Query], batch_size: int = 8) -> list[Answer | Failure]:
    """What comes of each query."""
    loaded = wrap_model("small", model, ModelOptions(batch_size=batch_size))
    pictures = InputPipeline(_Photos(), batch_size)
    try:
        with AnswerStore(None) as store:
            found = QueryRunner(loaded, store, pictures, lambda _: None).run({query.id: query for query in queries})
    finally:
        pictures.close()
    return [found[query.id] for query in queries]
