"""How long a model waits between its batches in a whole run: one that takes 20 ms for 32 queries, its lock released.

A GPU leaves the processors alone so. The share is of the time from its first batch to the end of its last.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest_vqamt as vqamt
from pytest_vqamt.core.query import Answer, ModelInput
from tools.benchmarks.measuring import show

_BATCH, _BATCH_S = 32, 0.02
_PHOTOS = (Path(__file__).parents[2] / "../shared/data/coco").resolve()
_RUNS = 3


class Waiting:
    """Looks at each picture, and then takes its time."""

    batch_size = _BATCH

    def __init__(self) -> None:
        self.asked = 0
        self.busy_s = 0.0
        self.spans: list[tuple[float, float]] = []

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        start = time.perf_counter()
        for asked in batch:
            asked.pixels.load()
        drawn = time.perf_counter()
        time.sleep(_BATCH_S)
        end = time.perf_counter()
        self.busy_s += end - drawn
        self.asked += len(batch)
        self.spans.append((start, end))
        return [Answer("two") for _ in batch]

    @property
    def lasted_s(self) -> float:
        """From its first call to the end of its last."""
        return self.spans[-1][1] - self.spans[0][0]

    @property
    def idle(self) -> float:
        """The share of the time in which it had nothing to do."""
        return 1 - self.busy_s / self.lasted_s

    @property
    def between_ms(self) -> float:
        """The time between its calls, a query; it waits for pictures within them."""
        return 1000 * (self.lasted_s - sum(end - start for start, end in self.spans)) / self.asked


def main() -> None:
    rows = []
    for data in ("pictures:1000", *([f"coco:{_PHOTOS}"] if _PHOTOS.is_dir() else [])):
        for preset in ("quick", "today"):
            models = sorted((_asked(preset, data) for _ in range(_RUNS)), key=lambda model: model.idle)
            model = models[_RUNS // 2]
            took = f"{len(model.spans)}", f"{model.idle:.0%}", f"{model.between_ms:.2f}"
            rows.append((preset, Path(data).name, *took))
    show(
        f"A model that takes {1000 * _BATCH_S:.0f} ms for {_BATCH} queries",
        ("preset", "data", "batches", "idle share", "ms between calls, a query"),
        rows,
    )


def _asked(preset: str, data: str) -> Waiting:
    model = Waiting()
    vqamt.run(model, data=data, preset=preset)
    return model
