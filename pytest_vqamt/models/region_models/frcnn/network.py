"""The network of the detector: from the pixels of one picture to its candidates for regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn import functional

from pytest_vqamt.core.spelling import option
from pytest_vqamt.models.region_models.frcnn.detector_config import DetectorConfig
from pytest_vqamt.models.region_models.frcnn.ops import RoIPool, apply_deltas, clip_boxes, has_sides_above, nms

_PROPOSALS_PER_BATCH = 25
"""The number of proposals that go through res5 together: on the CPU more are no faster, and 300 take gigabytes."""

STRIDE = 16
"""Pixels of the resized picture per cell of the map of features."""


class FasterRcnn(nn.Module):
    """Faster R-CNN with attributes (Anderson et al., CVPR 2018); its keys are those of the published checkpoint."""

    def __init__(self, config: DetectorConfig) -> None:
        super().__init__()
        self.backbone = Backbone(config)
        self.proposal_generator = ProposalGenerator(config)
        self.roi_heads = RoIHeads(config)

    def forward(self, pixels: Tensor) -> Candidates:
        """The candidates of each proposal, the best first, from pixels, float32 (1, 3, height, width), minus the mean.

        Raises:
            FloatingPointError: the features overflow.
        """
        height, width = pixels.shape[2:]
        res4 = self.backbone(pixels.to(self.precision, memory_format=torch.channels_last))
        if not res4.isfinite().all():
            raise FloatingPointError(
                f"Expected features of the picture that are numbers, but in {self.precision} some are not: give "
                f"{option('dtype', 'float32')}"
            )
        proposals = self.proposal_generator(res4.float(), width, height)
        candidates: Candidates = self.roi_heads(res4, proposals, width, height)
        return candidates

    @property
    def precision(self) -> torch.dtype:
        """The precision of the backbone and of res5, which take nearly all the time."""
        return self.backbone.stem.conv1.weight.dtype

    def reduce(self, precision: torch.dtype) -> None:
        """Makes the ResNet compute in another precision; the layers that choose among boxes stay in float32."""
        self.backbone.to(precision)
        self.roi_heads.res5.to(precision)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """The regions predicted from n proposals."""

    boxes: Tensor
    """Float32 (n, 4), x1 y1 x2 y2 in pixels of the resized picture, within it."""
    scores: Tensor
    """Float32 (n,), of the likeliest class that is not the background."""
    classes: Tensor
    """Int64 (n,), the likeliest class that is not the background."""
    attribute_scores: Tensor
    """Float32 (n,), of the likeliest attribute."""
    attributes: Tensor
    """Int64 (n,), the likeliest attribute."""
    features: Tensor
    """Float32 (n, width), 0 or more."""


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
        # An attribute is predicted given the likeliest class, the background included, as in the training.
        named = self.cls_embedding(classes.argmax(dim=1))
        attributes = self.attr_score(functional.relu(self.fc_attr(torch.cat((features, named), dim=1))))
        return classes, attributes, self.bbox_pred(features).view(-1, self.bbox_pred.out_features // 4, 4)


class RoIHeads(nn.Module):
    """The last stage of the ResNet, on the pooled cells of each proposal, and the predictor on its mean."""

    def __init__(self, config: DetectorConfig) -> None:
        super().__init__()
        middle, width = 8 * config.width_per_group, config.features
        # Of stride 1 and with a dilation of 2, so that all of the pooled cells are kept: as trained on Visual Genome.
        self.res5 = resnet_stage(config.blocks[3], width // 2, middle, width, stride=1, dilation=2)
        self.box_predictor = BoxPredictor(width, config.classes, config.attributes)
        self._pooled_size = config.pooled_size
        self._scales = config.box_scales

    def forward(self, res4: Tensor, proposals: Tensor, width: int, height: int) -> Candidates:
        """The candidates of ``proposals`` (n, 4) in a resized picture of width x height pixels with this ``res4``."""
        features = self._features(res4[0], proposals)
        classes, attributes, deltas = self.box_predictor(features)
        # The background takes its share of the probability, but "no attribute" is left out before: as the original
        # does.
        scores, best = classes.softmax(dim=1)[:, :-1].max(dim=1)
        attribute_scores, best_attribute = attributes[:, :-1].softmax(dim=1).max(dim=1)
        own = deltas[torch.arange(len(best), device=best.device), best]
        return Candidates(
            boxes=clip_boxes(apply_deltas(proposals, own, self._scales), width, height),
            scores=scores,
            classes=best,
            attribute_scores=attribute_scores,
            attributes=best_attribute,
            features=features,
        )

    def _features(self, res4: Tensor, proposals: Tensor) -> Tensor:
        pool = RoIPool(res4, proposals, self._pooled_size, 1 / STRIDE)
        means = [
            self.res5(pool.cells(start, start + _PROPOSALS_PER_BATCH)).float().mean(dim=(2, 3))
            for start in range(0, len(proposals), _PROPOSALS_PER_BATCH)
        ]
        return torch.cat(means) if means else res4.new_zeros((0, 2 * len(res4)), dtype=torch.float32)


class ConvBN(nn.Conv2d):
    """A convolution without bias, then batch normalisation by the statistics of the training."""

    def __init__(
        self, inputs: int, outputs: int, size: int, *, stride: int = 1, padding: int = 0, dilation: int = 1
    ) -> None:
        super().__init__(inputs, outputs, size, stride=stride, padding=padding, dilation=dilation, bias=False)
        self.norm: nn.Module = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        normed: Tensor = self.norm(super().forward(x))
        return normed

    def fold(self) -> None:
        """Folds the normalisation into the convolution: two sevenths faster, and equal to 7 digits."""
        norm = self.norm
        if isinstance(norm, nn.BatchNorm2d) and norm.running_var is not None and norm.running_mean is not None:
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            self.bias = nn.Parameter(norm.bias - norm.running_mean * scale, requires_grad=False)
            weight = (self.weight * scale[:, None, None, None]).contiguous(memory_format=torch.channels_last)
            self.weight = nn.Parameter(weight, requires_grad=False)
            self.norm = nn.Identity()


class Bottleneck(nn.Module):
    """Three convolutions, 1x1, 3x3 and 1x1, beside a shortcut; ``dilation`` widens the middle one."""

    def __init__(self, inputs: int, middle: int, outputs: int, *, stride: int = 1, dilation: int = 1) -> None:
        super().__init__()
        self.shortcut = ConvBN(inputs, outputs, 1, stride=stride) if inputs != outputs else None
        # The stride is in the 1x1 convolution, as in Caffe's ResNet; torchvision's has it in the 3x3.
        self.conv1 = ConvBN(inputs, middle, 1, stride=stride)
        self.conv2 = ConvBN(middle, middle, 3, padding=dilation, dilation=dilation)
        self.conv3 = ConvBN(middle, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.conv1(x), inplace=True)
        y = functional.relu(self.conv2(y), inplace=True)
        y = self.conv3(y)
        y += x if self.shortcut is None else self.shortcut(x)
        return functional.relu(y, inplace=True)


class Stem(nn.Module):
    """Pixels to a map of a quarter of their size."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.conv1 = ConvBN(3, outputs, 7, stride=2, padding=3)

    def forward(self, pixels: Tensor) -> Tensor:
        x = functional.relu(self.conv1(pixels), inplace=True)
        # Caffe's pooling: no padding, and the size rounded up.
        return functional.max_pool2d(x, kernel_size=3, stride=2, padding=0, ceil_mode=True)


class Backbone(nn.Module):
    """Pixels (1, 3, h, w), the mean subtracted, to res4 (1, 4 * res2_channels, h / 16, w / 16), zero or more."""

    def __init__(self, config: DetectorConfig) -> None:
        super().__init__()
        self.stem = Stem(config.stem_channels)
        width, middle = config.res2_channels, config.width_per_group
        blocks = config.blocks
        self.res2 = resnet_stage(blocks[0], config.stem_channels, middle, width, stride=1)
        self.res3 = resnet_stage(blocks[1], width, 2 * middle, 2 * width, stride=2)
        self.res4 = resnet_stage(blocks[2], 2 * width, 4 * middle, 4 * width, stride=2)

    def forward(self, pixels: Tensor) -> Tensor:
        res4: Tensor = self.res4(self.res3(self.res2(self.stem(pixels))))
        return res4


def resnet_stage(
    blocks: int, inputs: int, middle: int, outputs: int, *, stride: int, dilation: int = 1
) -> nn.Sequential:
    """Blocks in a row, of which the first changes width and size."""
    first = Bottleneck(inputs, middle, outputs, stride=stride, dilation=dilation)
    rest = (Bottleneck(outputs, middle, outputs, dilation=dilation) for _ in range(blocks - 1))
    return nn.Sequential(first, *rest)


def fold_batch_norms(network: nn.Module) -> None:
    """Folds every normalisation of a loaded network, which changes the keys of its weights."""
    for module in network.modules():
        if isinstance(module, ConvBN):
            module.fold()


class ProposalHead(nn.Module):
    """Scores each anchor of each cell for holding an object, and predicts the change that fits its box to it."""

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
    """Proposes the best few hundred boxes, from one map of features."""

    def __init__(self, config: DetectorConfig) -> None:
        super().__init__()
        cell = cell_anchors(config.anchor_sizes, config.anchor_ratios)
        self.anchor_generator = Anchors(cell, config.anchor_offset)
        self.rpn_head = ProposalHead(4 * config.res2_channels, config.hidden_channels, len(cell))
        self._config = config

    def forward(self, res4: Tensor, width: int, height: int) -> Tensor:
        """Boxes (n, 4) in pixels of the resized picture of width x height, best first, each with some area.

        ``res4`` is float32 (1, channels, rows, columns).
        """
        config = self._config
        logits, deltas = self.rpn_head(res4)
        # Stable, so that equal scores have one order on every device.
        logits, best = torch.sort(logits, descending=True, stable=True)
        logits, best = logits[: config.best_anchors], best[: config.best_anchors]
        anchors = self.anchor_generator(*res4.shape[2:])
        boxes = clip_boxes(apply_deltas(anchors[best], deltas[best], config.proposal_scales), width, height)
        sound = has_sides_above(boxes, config.proposal_min_side)
        boxes, logits = boxes[sound], logits[sound]
        return boxes[nms(boxes, logits, config.proposal_overlap, limit=config.proposals)]


class Anchors(nn.Module):
    """Keeps the anchors of a cell as the checkpoint has them; float32 (n, 4), x1 y1 x2 y2 around the cell's origin."""

    def __init__(self, cell: Tensor, offset: float) -> None:
        super().__init__()
        # A parameter, since the published checkpoint has them under this key.
        self.cell_anchors = nn.ParameterList([nn.Parameter(cell, requires_grad=False)])
        self.offset = offset

    def forward(self, rows: int, columns: int) -> Tensor:
        """The anchors of every cell, row by row, float32 (rows * columns * n, 4), in pixels of the resized picture."""
        cell: Tensor = self.cell_anchors[0]
        x = (torch.arange(columns, device=cell.device, dtype=cell.dtype) + self.offset) * STRIDE
        y = (torch.arange(rows, device=cell.device, dtype=cell.dtype) + self.offset) * STRIDE
        origins = torch.stack((x.repeat(rows), y.repeat_interleave(columns)), dim=1).repeat(1, 2)
        return (origins[:, None] + cell).view(-1, 4)


def cell_anchors(sizes: Sequence[float], ratios: Sequence[float]) -> Tensor:
    """The anchors of one cell, one for each size and ratio of height to width; float32 (n, 4).

    >>> cell_anchors([64], [1.0]).tolist()
    [[-32.0, -32.0, 32.0, 32.0]]
    """
    anchors = []
    for size in sizes:
        for ratio in ratios:
            width = sqrt(size * size / ratio)
            height = ratio * width
            anchors.append((-width / 2, -height / 2, width / 2, height / 2))
    return torch.tensor(anchors, dtype=torch.float32)
