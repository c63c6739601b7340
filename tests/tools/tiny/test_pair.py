"""A training that was interrupted ends with the weights of one that was not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn

from tools.tiny.pair import Loop, Schedule, finished

SCHEDULE = Schedule(steps=6, rate=0.1, warm_up=2, save_every=2, report_every=10)


@pytest.fixture(autouse=True)
def _one_worker(tmp_path: Path) -> Iterator[None]:
    dist.init_process_group("gloo", init_method=f"file://{tmp_path / 'meeting'}", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def train(folder: Path, stop_at: int | None = None) -> nn.Linear:
    torch.manual_seed(0)
    model = nn.Linear(3, 1)

    def loss(step: int) -> Tensor:
        if step == stop_at:
            raise KeyboardInterrupt
        wanted: Tensor = model(torch.full((3,), float(step))) - 1
        return wanted.square().sum()

    folder.mkdir(exist_ok=True)
    Loop(
        name="line", folder=folder, model=model, schedule=SCHEDULE, worker=0, loss=loss, report=lambda: "nothing"
    ).run()
    return model


def test_an_interrupted_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    whole = train(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "broken", stop_at=5)
    assert not finished(tmp_path / "broken", "line", SCHEDULE)
    resumed = train(tmp_path / "broken")
    assert finished(tmp_path / "broken", "line", SCHEDULE)
    assert torch.equal(whole.weight, resumed.weight)
    assert torch.equal(whole.bias, resumed.bias)


def test_the_rate_rises_and_falls() -> None:
    """By hand: half of the peak at first (1 of 2 steps of warm-up), 0.02 + 0.98 / 2 of it half-way."""
    assert SCHEDULE.rate_at(0) == pytest.approx(0.05)
    assert SCHEDULE.rate_at(3) == pytest.approx(0.051)
