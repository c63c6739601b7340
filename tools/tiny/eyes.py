"""Stage one: the picture encoder alone learns to name what is in every cell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import SegformerModel

from tools.tiny.build import MEAN, STD, VISION_WIDTHS, vision_config
from tools.tiny.dense import DenseHeads, DenseLabels, dense_labels
from tools.tiny.pair import Loop, Schedule
from tools.tiny.render import Rendered

BATCH = 16
"""Pictures a worker and step."""

SCHEDULE = Schedule(steps=7000, rate=3e-3, warm_up=150)
FURTHER = Schedule(steps=350, rate=1e-3, warm_up=100, save_every=50, report_every=100)
"""For an encoder that is not taught from nothing."""


class Eyes(nn.Module):
    """The picture encoder and the heads that it is taught with."""

    def __init__(self) -> None:
        super().__init__()
        # Written-out attention is twice as fast as the fused one in training on a processor.
        self.tower = SegformerModel(vision_config())
        self.tower.set_attn_implementation("eager")
        self.tower.to(memory_format=torch.channels_last)  # type: ignore[call-arg]  # not declared
        self.heads = DenseHeads(VISION_WIDTHS[-1])

    def features(self, pictures: NDArray[np.uint8]) -> Tensor:
        """What the encoder makes of uint8 NHWC pictures: (B, cells, width)."""
        seen: Tensor = self.tower(pixel_values(pictures), output_hidden_states=True).hidden_states[-1]
        return seen


def pixel_values(pictures: NDArray[np.uint8]) -> Tensor:
    """Pictures as the model's image processor hands them over."""
    mean, std = MEAN[0], STD[0]
    return torch.from_numpy(pictures).permute(0, 3, 1, 2).to(torch.float32).div_(255.0).sub_(mean).div_(std)


def learn_to_see(
    train: Rendered,
    held_out: Rendered,
    worker: int,
    folder: Path,
    seed: int,
    schedule: Schedule,
    start: SegformerModel | None,
) -> None:
    """Trains the encoder, from nothing or from ``start``; its checkpoint is ``eyes.pt``."""
    torch.manual_seed(seed)
    eyes = Eyes()
    if start is not None:
        eyes.tower.load_state_dict(start.state_dict())
    labels, held_out_labels = dense_labels(train), dense_labels(held_out)

    def loss(step: int) -> Tensor:
        chosen = np.sort(np.random.default_rng((seed, 1, step, worker)).integers(0, len(train.scenes), BATCH))
        value: Tensor = eyes.heads.loss(eyes.features(train.pictures[chosen]), labels.of(chosen))
        return value

    def report() -> str:
        figures = score(eyes, held_out, held_out_labels, count=500)
        return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())

    Loop(name="eyes", folder=folder, model=eyes, schedule=schedule, worker=worker, loss=loss, report=report).run()


@torch.no_grad()
def score(eyes: Eyes, held_out: Rendered, labels: DenseLabels, count: int) -> dict[str, float]:
    """The heads' figures on the first ``count`` held-out pictures."""
    rows = [
        eyes.heads.scores(eyes.features(held_out.pictures[part]), labels.of(part))
        for part in np.array_split(np.arange(count), max(1, count // 100))
    ]
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
