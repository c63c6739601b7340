"""What the detector makes of each proposal: features, a class, an attribute and a better box."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig
from pytest_vqamt.models.region_models.frcnn.ops import changed, clipped
from pytest_vqamt.models.regions.anchors import STRIDE
from pytest_vqamt.models.regions.backbone import stage
from pytest_vqamt.models.regions.roi_pool import RoIPool

_AT_ONCE = 25
"""How many proposals go through res5 together: on the CPU more are no faster, and 300 would take gigabytes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """What was made of n proposals.

    Attributes:
        boxes: float32 (n, 4), x1 y1 x2 y2 in pixels of the resized picture, within it.
        scores, classes: float32 and int64 (n,), of the likeliest class that is not the background.
        attribute_scores, attributes: the same of the likeliest attribute.
        features: float32 (n, width), 0 or more.
    """

    boxes: Tensor
    scores: Tensor
    classes: Tensor
    attribute_scores: Tensor
    attributes: Tensor
    features: Tensor


class BoxPredictor(nn.Module):
    """Scores of classes and attributes, and changes of boxes, from features (n, width)."""

    def __init__(self, width: int, classes: int, attributes: int) -> None:
        super().__init__()
        self.cls_score = nn.Linear(width, classes + 1)
        self.bbox_pred = nn.Linear(width, 4 * classes)
        self.cls_embedding = nn.Embedding(classes + 1, width // 8)
        self.fc_attr = nn.Linear(width + width // 8, width // 4)
        self.attr_score = nn.Linear(width // 4, attributes + 1)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of classes (background last), logits of attributes ("none" last), and deltas (n, classes, 4)."""
        classes = self.cls_score(features)
        named = self.cls_embedding(classes.argmax(dim=1))
        attributes = self.attr_score(functional.relu(self.fc_attr(torch.cat((features, named), dim=1))))
        return classes, attributes, self.bbox_pred(features).view(-1, self.bbox_pred.out_features // 4, 4)


class RoIHeads(nn.Module):
    """The last stage of the ResNet on what is pooled out of each proposal, and the predictor on its mean."""

    def __init__(self, config: DetectorConfig) -> None:
        super().__init__()
        middle, width = 8 * config.width_per_group, config.features
        # Of stride 1 and with a dilation of 2, so that all of the pooled cells are kept: as trained on Visual Genome.
        self.res5 = stage(config.blocks[3], width // 2, middle, width, stride=1, dilation=2)
        self.box_predictor = BoxPredictor(width, config.classes, config.attributes)
        self._pooled_size = config.pooled_size
        self._scales = config.box_scales

    def forward(self, res4: Tensor, proposals: Tensor, width: int, height: int) -> Candidates:
        """What is made of ``proposals`` (n, 4) in a resized picture of width x height pixels with this ``res4``."""
        features = self._features(res4[0], proposals)
        classes, attributes, deltas = self.box_predictor(features)
        scores, best = classes.softmax(dim=1)[:, :-1].max(dim=1)
        attribute_scores, best_attribute = attributes[:, :-1].softmax(dim=1).max(dim=1)
        own = deltas[torch.arange(len(best), device=best.device), best]
        return Candidates(
            boxes=clipped(changed(proposals, own, self._scales), width, height),
            scores=scores,
            classes=best,
            attribute_scores=attribute_scores,
            attributes=best_attribute,
            features=features,
        )

    def _features(self, res4: Tensor, proposals: Tensor) -> Tensor:
        pool = RoIPool(res4, proposals, self._pooled_size, 1 / STRIDE)
        means = [
            self.res5(pool.cells(start, start + _AT_ONCE)).float().mean(dim=(2, 3))
            for start in range(0, len(proposals), _AT_ONCE)
        ]
        return torch.cat(means) if means else res4.new_zeros((0, 2 * len(res4)), dtype=torch.float32)
