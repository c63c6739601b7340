"""Training in several single-threaded processes that average their gradients.

On cores that others use as well this is much faster than one process with several threads, which wait for each other
in every operation. With a given number of processes it is deterministic.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.multiprocessing.spawn import spawn

WORKERS = 2


class Saved(TypedDict):
    """A checkpoint of one stage."""

    step: int
    model: dict[str, Tensor]
    optimizer: dict[str, object]
    spent_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How one stage is trained: a linear warm-up, then half a cosine down to a fiftieth of the rate."""

    steps: int
    rate: float
    warm_up: int = 100
    weight_decay: float = 0.05
    clip: float = 1.0
    save_every: int = 250
    report_every: int = 500

    def rate_at(self, step: int) -> float:
        """The learning rate of step ``step``."""
        cosine = 0.5 * (1 + math.cos(math.pi * step / self.steps))
        return self.rate * min(1.0, (step + 1) / self.warm_up) * (0.02 + 0.98 * cosine)


@dataclass(slots=True, eq=False)
class Loop:
    """One worker's loop over a stage's steps.

    Attributes:
        name: of the stage; its checkpoint bears it.
        folder: where the checkpoint is.
        model: what is trained.
        loss: the loss of one step's batch of this worker, by step.
        report: held-out figures as text; called by worker 0 alone.
    """

    name: str
    folder: Path
    model: nn.Module
    schedule: Schedule
    worker: int
    loss: Callable[[int], Tensor]
    report: Callable[[], str]
    spent_s: float = field(default=0.0, init=False)

    def run(self) -> None:
        """All steps from the last checkpoint on."""
        schedule = self.schedule
        parameters = [each for each in self.model.parameters() if each.requires_grad]
        decayed = [each for each in parameters if each.ndim > 1]
        plain = [each for each in parameters if each.ndim <= 1]
        optimizer = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": schedule.weight_decay}, {"params": plain, "weight_decay": 0.0}],
            lr=schedule.rate,
            betas=(0.9, 0.98),
            fused=True,
        )
        first = self._resume(optimizer)
        started = time.monotonic() - self.spent_s
        smooth: float | None = None
        self.model.train()
        for step in range(first, schedule.steps):
            for group in optimizer.param_groups:
                group["lr"] = schedule.rate_at(step)
            optimizer.zero_grad()
            loss = self.loss(step)
            loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
            average(parameters)
            nn.utils.clip_grad_norm_(parameters, schedule.clip)
            optimizer.step()
            smooth = loss.item() if smooth is None else 0.98 * smooth + 0.02 * loss.item()
            self.spent_s = time.monotonic() - started
            if self.worker == 0 and (step + 1) % 50 == 0:
                left = self.spent_s / (step + 1) * (schedule.steps - step - 1)
                print(
                    f"{self.name}: step {step + 1:,} of {schedule.steps:,}, loss {smooth:.3f}, "
                    f"{self.spent_s / 60:.1f} min spent, {left / 60:.1f} min left",
                    flush=True,
                )
            last = step + 1 == schedule.steps
            if self.worker == 0 and ((step + 1) % schedule.report_every == 0 or last):
                self.model.eval()
                with torch.no_grad():
                    print(f"{self.name}: step {step + 1:,}: {self.report()}", flush=True)
                self.model.train()
            if self.worker == 0 and ((step + 1) % schedule.save_every == 0 or last):
                self._save(step + 1, optimizer)
        dist.barrier()

    @property
    def _file(self) -> Path:
        return self.folder / f"{self.name}.pt"

    def _save(self, step: int, optimizer: torch.optim.Optimizer) -> None:
        part = self._file.with_suffix(".part")
        state: Saved = {
            "step": step,
            "model": self.model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "spent_s": self.spent_s,
        }
        torch.save(state, part)
        part.replace(self._file)

    def _resume(self, optimizer: torch.optim.Optimizer) -> int:
        if not self._file.exists():
            return 0
        state: Saved = torch.load(self._file, weights_only=True)
        self.model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        self.spent_s = state["spent_s"]
        return state["step"]


def finished(folder: Path, name: str, schedule: Schedule) -> bool:
    """Whether the stage of this name has done all its steps."""
    file = folder / f"{name}.pt"
    return file.exists() and torch.load(file, weights_only=True, mmap=True)["step"] == schedule.steps


def average(parameters: Iterable[nn.Parameter]) -> None:
    """Gradients become their mean over all workers."""
    gradients = [each.grad for each in parameters if each.grad is not None]
    flat = torch.cat([each.flatten() for each in gradients])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    start = 0
    for each in gradients:
        each.copy_(flat[start : start + each.numel()].view_as(each))
        start += each.numel()


def in_workers(work: Callable[[int, Path], None], folder: Path) -> None:
    """Runs ``work(worker, folder)`` in all workers at once, and waits for them."""
    meeting = folder.resolve() / "workers"
    meeting.unlink(missing_ok=True)
    spawn(_enter, (work, folder, meeting), nprocs=WORKERS)  # type: ignore[no-untyped-call]  # torch does not annotate it
    meeting.unlink(missing_ok=True)


def _enter(worker: int, work: Callable[[int, Path], None], folder: Path, meeting: Path) -> None:
    torch.set_num_threads(1)
    # Adam's averages of dead gradients become denormal numbers, which are a hundred times slower.
    torch.set_flush_denormal(True)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=worker, world_size=WORKERS)
    work(worker, folder)
    dist.destroy_process_group()
