"""How busy a model is kept that takes 5 ms a picture, as a GPU that leaves the processors alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Answer, ModelInput, Query
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import QueryRunner
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.execution.prefetch import InputPipeline
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.catalogue import select
from pytest_vqamt.sampling.chooser import Sampler
from tools.benchmarks.measuring import show

_PICTURES = 600
_PER_PICTURE_S = 0.005
_BATCH = 32
_PHOTOS = Path(__file__).parents[2] / "../shared/data/coco"
_ITEMS = (
    "metavqa.cutting[count]",
    "metavqa.insertion[count]",
    "metavqa.removal[count]",
    "carets.visual[blur3]",
    "carets.visual[mask]",
    "carets.visual[crop]",
    "veglue.vqa_mr1",
    "corruption[impulse-global]",
    "corruption[zoom-global]",
    "corruption[snow-global]",
)


class Slow:
    """Looks at each picture and then takes its time."""

    def __init__(self) -> None:
        self.busy_s = 0.0

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        for asked in batch:
            asked.image.load()
        start = time.perf_counter()
        time.sleep(_PER_PICTURE_S * len(batch))
        self.busy_s += time.perf_counter() - start
        return [Answer("two") for _ in batch]


def main() -> None:
    drawn = PictureWorld(_PICTURES, seed=4)
    scenes = [drawn.scene(index) for index in range(_PICTURES)]
    start = time.perf_counter()
    for scene in scenes:
        drawn.photo(scene.photo)
    drawing_s = (time.perf_counter() - start) / _PICTURES
    in_turn = _PER_PICTURE_S / (_PER_PICTURE_S + drawing_s)
    model_ms, drawing_ms = 1000 * _PER_PICTURE_S, 1000 * drawing_s
    show(
        f"Rendering ahead: a model that takes {model_ms:.0f} ms a picture, drawn in {drawing_ms:.1f} ms",
        ("batch size", "share of time it is busy", "drawing and asking in turn"),
        [(str(size), f"{_busy(size):.0%}", f"{in_turn:.0%}") for size in (1, 8, 32, 128)],
    )

    if _PHOTOS.is_dir():
        photos = load(f"coco:{_PHOTOS}")
        show(
            f"The same with the pictures of relations on {len(photos)} photos, in batches of {_BATCH}",
            ("item", "pictures", "share of time it is busy"),
            [_on_photos(item, photos) for item in _ITEMS],
        )


def _on_photos(item: str, photos: SceneSource) -> tuple[str, str, str]:
    ((relation, variant),) = select((item,))
    sampling = Sampling(max_cases=_PICTURES, sampler=Sampler.RANDOM)
    plan = Plan(relation=relation, variant=variant, source=photos, sampling=sampling)
    distinct = {query.picture.digest: query for case in plan for query in case.queries}
    return item, str(len(distinct)), f"{_share(photos, tuple(distinct.values()), _BATCH):.0%}"


def _busy(batch_size: int) -> float:
    world = PictureWorld(_PICTURES, seed=5)
    queries = [Query(picture=world.scene(index).picture, meaning=Describe()) for index in range(_PICTURES)]
    return _share(world, queries, batch_size)


def _share(source: SceneSource, queries: Sequence[Query], batch_size: int) -> float:
    """The share of time that the model is busy, asked these queries."""
    slow = Slow()
    pictures = InputPipeline(source, batch_size)
    try:
        model = wrap_model("slow", slow, ModelOptions(batch_size=batch_size))
        runner = QueryRunner(model, AnswerStore(None), pictures, lambda _queries: None)
        start = time.perf_counter()
        runner.run({query.id: query for query in queries})
        return slow.busy_s / (time.perf_counter() - start)
    finally:
        pictures.close()
