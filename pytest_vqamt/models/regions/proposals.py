"""Proposals: where in the picture anything may be."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig
from pytest_vqamt.models.region_models.frcnn.ops import changed, clipped, with_sides_above
from pytest_vqamt.models.regions.anchors import Anchors, cell_anchors
from pytest_vqamt.models.regions.nms import nms


class ProposalHead(nn.Module):
    """How likely each anchor of each cell holds something, and how its box should change to hold it."""

    def __init__(self, inputs: int, hidden: int, anchors: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, hidden, 3, padding=1)
        self.objectness_logits = nn.Conv2d(hidden, anchors, 1)
        self.anchor_deltas = nn.Conv2d(hidden, 4 * anchors, 1)

    def forward(self, res4: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (n,) and deltas (n, 4), in the order of the anchors: row by row, cell by cell."""
        hidden = functional.relu(self.conv(res4))
        logits, deltas = self.objectness_logits(hidden)[0], self.anchor_deltas(hidden)[0]
        return logits.permute(1, 2, 0).reshape(-1), deltas.permute(1, 2, 0).reshape(-1, 4)


class ProposalGenerator(nn.Module):
    """The best few hundred boxes, by one map of features."""

    def __init__(self, config: DetectorConfig) -> None:
        super().__init__()
        cell = cell_anchors(config.anchor_sizes, config.anchor_ratios)
        self.anchor_generator = Anchors(cell, config.anchor_offset)
        self.rpn_head = ProposalHead(4 * config.res2_channels, config.hidden_channels, len(cell))
        self._config = config

    def forward(self, res4: Tensor, width: int, height: int) -> Tensor:
        """Boxes (n, 4) in pixels of the resized picture of width x height, best first, each with some area.

        Args:
            res4: float32 (1, channels, rows, columns).
            width: of the resized picture.
            height: of the resized picture.
        """
        config = self._config
        logits, deltas = self.rpn_head(res4)
        logits, best = torch.sort(logits, descending=True, stable=True)
        logits, best = logits[: config.best_anchors], best[: config.best_anchors]
        anchors = self.anchor_generator(*res4.shape[2:])
        boxes = clipped(changed(anchors[best], deltas[best], config.proposal_scales), width, height)
        sound = with_sides_above(boxes, config.proposal_min_side)
        boxes, logits = boxes[sound], logits[sound]
        return boxes[nms(boxes, logits, config.proposal_overlap, limit=config.proposals)]
