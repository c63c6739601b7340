"""Pictures as recipes or as PNG to ``vqamt serve`` over the loopback: queries a second, bytes a query, work here."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.served.answer_requests import RequestPacker
from tools.benchmarks.measuring import show

_MODEL = '''
"""Looks at each picture, and says yes."""

class Looks:
    fingerprint = "looks"
    batch_size = 32

    def answer(self, batch):
        for each in batch:
            each.image.load()
        return ["yes" for _ in batch]
'''
_PHOTOS = (Path(__file__).parents[2] / "../shared/data/coco").resolve()
_PICTURES = 480
_QUESTIONS = 2
"""Of each picture."""


def main() -> None:
    """Starts a server, and asks it the same in both ways."""
    try:
        from tests.plugin.vqamt_servers import serving
    except ImportError as error:
        print(f"\nServed models: left out, for there is no {error.name}")
        return
    data = ["pictures:200", *([f"coco:{_PHOTOS}"] if _PHOTOS.is_dir() else [])]
    with TemporaryDirectory() as folder:
        Path(folder, "looks.py").write_text(_MODEL)
        wanted = ["--vqamt-model=python:looks:Looks", *(f"--vqamt-data={spec}" for spec in data)]
        with serving(Path(folder), wanted) as server:
            rows = [
                (f"{spec.partition(':')[0]}, {send}", *_measured(server.url, load(spec), send))
                for spec in data
                for send in ("recipe", "png")
            ]
    show(
        f"Served models: {_PICTURES} edited pictures of {_QUESTIONS} questions each, over the loopback to one replica",
        ("pictures, sent as", "queries a second", "bytes a query", "processor here, ms a query"),
        rows,
    )


def _measured(url: str, source: SceneSource, send: str) -> tuple[str, str, str]:
    model = ModelCatalogue().load(f"served:{url}", ModelOptions(settings={"send": send}))
    model.ask(Task.VQA, _inputs(source, "warm", 1)[:1])
    # No two ways ask the same words: what was answered once is remembered.
    inputs = _inputs(source, send, _PICTURES)
    batches = [inputs[start : start + model.batch_size] for start in range(0, len(inputs), model.batch_size)]
    wall, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(model.batches_at_once) as threads:
        answers = [answer for some in threads.map(partial(model.ask, Task.VQA), batches) for answer in some]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if len(answers) != len(inputs):
        raise RuntimeError(f"Expected {len(inputs)} answers, but got {len(answers)}")
    size = sum(_bytes(batch, as_pixels=send == "png") for batch in batches) / len(inputs)
    return f"{len(inputs) / wall:,.0f}", f"{size:,.0f}", f"{1000 * cpu / len(inputs):.2f}"


def _inputs(source: SceneSource, words: str, pictures: int) -> list[ModelInput]:
    """So many pictures, each with something erased from it at another place, and each with its questions."""
    photos = [source.scene(index).picture for index in range(len(source))]
    edited = (
        photos[number % len(photos)].erase(Box(number % 90, number // len(photos), 24, 24))
        for number in range(sys.maxsize)
    )
    return [
        ModelInput(
            Query(picture=picture, text=f"How many dogs are there? ({words} {question})", meaning=Describe()),
            partial(render, photos=source),
        )
        for picture in islice(edited, pictures)
        for question in range(_QUESTIONS)
    ]


def _bytes(batch: Sequence[ModelInput], *, as_pixels: bool) -> int:
    packing = RequestPacker(as_pixels=lambda _: as_pixels, with_meaning=True, max_queries=4096, max_bytes=2**40)
    return sum(len(piece.body("0" * 16)) for piece in packing.pack(batch))
