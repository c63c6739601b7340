"""Detectors with random weights, written as the published one is: for tests that need one that loads and runs.

Random weights see nothing, but boxes and features differ from picture to picture and from region to region.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod, sqrt
from pathlib import Path

import torch
import yaml

from tests.models.region_models.layout import PUBLISHED, Widths, table

Weights = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a detector is made by: widths, and what goes into its configuration."""

    widths: Widths = PUBLISHED
    depth: int = 101
    min_size: int = 800
    max_size: int = 1333
    anchor_sizes: tuple[int, ...] = (64, 128, 256, 512)
    proposals: int = 300
    pooled_size: int = 14


FULL = Made()
"""As published: 65.5 million values, a quarter of a minute for a picture."""

SMALL = Made(
    widths=Widths(stem=8, middle=4, blocks=(3, 4, 6, 3), hidden=16, classes=20, attributes=10),
    depth=50,
    min_size=96,
    max_size=160,
    anchor_sizes=(16, 32, 48, 64),
    proposals=60,
    pooled_size=4,
)
"""2,048 features a region, as LXMERT takes them, and everything else small: a tenth of a second for a picture."""

NARROW = replace(SMALL, widths=replace(SMALL.widths, out=16))
"""128 features a region: for tests of the detector alone."""


def write_small_detector(folder: Path, seed: int = 0) -> None:
    """A detector of 2,048 features a region, 20 classes and 10 attributes: 20 MB, with a vocabulary."""
    write_detector(folder, SMALL, seed)


def write_full_detector(folder: Path, seed: int = 0) -> None:
    """A detector of the published size, 262 MB, with a vocabulary."""
    write_detector(folder, FULL, seed)


def write_detector(folder: Path, made: Made, seed: int = 0) -> None:
    """``config.yaml``, ``pytorch_model.bin`` and the two files of names."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(configuration(made)))
    torch.save(random_weights(made, seed), folder / "pytorch_model.bin")
    for what, count in (("objects", made.widths.classes), ("attributes", made.widths.attributes)):
        (folder / f"{what}_vocab.txt").write_text("\n".join(f"{what[:-1]} {number}" for number in range(count)))


def configuration(made: Made) -> dict[str, object]:
    """The sections of the published file, with some keys that no network is built by."""
    widths = made.widths
    return {
        "model": {
            "load_proposals": False, "device": "cpu", "max_pool": True, "pixel_mean": [102.9801, 115.9465, 122.7717],
            "pixel_std": [1.0, 1.0, 1.0],
        },
        "input": {"min_size_test": made.min_size, "max_size_test": made.max_size, "format": "BGR"},
        "backbone": {"freeze_at": 2},
        "proposal_generator": {"hidden_channels": widths.hidden, "min_size": 0.0},
        "anchor_generator": {"sizes": [list(made.anchor_sizes)], "aspect_ratios": [[0.5, 1.0, 2.0]], "offset": 0.0},
        "rpn": {
            "pre_nms_topk_test": 6000, "post_nms_topk_test": made.proposals, "nms_thresh": 0.7, "in_features": ["res4"],
            "bbox_reg_weights": [1.0, 1.0, 1.0, 1.0],
        },
        "roi_heads": {
            "num_classes": widths.classes, "in_features": ["res4"], "score_thresh_test": 0.2,
            "nms_thresh_test": [0.5, 0.6, 0.7],
        },
        "roi_box_head": {
            "bbox_reg_weights": [10.0, 10.0, 5.0, 5.0], "pooler_resolution": made.pooled_size, "res5halve": False,
            "attr": True, "num_attrs": widths.attributes, "cls_agnostic_bbox_reg": False,
        },
        "resnets": {
            "depth": made.depth, "out_features": ["res4"], "num_groups": 1, "norm": "BN",
            "width_per_group": widths.middle, "stride_in_1x1": True, "res5_dilation": 1,
            "res2_out_channels": widths.out, "stem_out_channels": widths.stem,
        },
        "size_divisibility": 0, "pad_value": 0.0, "min_detections": 36, "max_detections": 36,
    }  # fmt: skip


def random_weights(made: Made, seed: int = 0) -> Weights:
    """Every tensor of the layout, of such sizes that activations stay about 1 from layer to layer."""
    generator = torch.Generator().manual_seed(seed)
    weights: Weights = {}
    for name, shape in table(made.widths).items():
        if name.endswith("num_batches_tracked"):
            weights[name] = torch.tensor(1)
        elif name.endswith("cell_anchors.0"):
            weights[name] = anchors_of_a_cell(made.anchor_sizes)
        else:
            low, spread = _about(name, shape)
            weights[name] = low + spread * torch.randn(shape, generator=generator)
            if name.endswith("running_var"):
                weights[name].abs_()
    return weights


def anchors_of_a_cell(sizes: tuple[int, ...]) -> torch.Tensor:
    """By size, and for each with half, equal and twice as much height as width: boxes around the origin, (n, 4)."""
    sides = [(size / sqrt(ratio), size * sqrt(ratio)) for size in sizes for ratio in (0.5, 1.0, 2.0)]
    return torch.tensor([(-width / 2, -height / 2, width / 2, height / 2) for width, height in sides])


def _about(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Mean and deviation of a tensor."""
    part = name.rpartition(".")[2]
    if ".norm." in name:
        if part == "running_var":
            # The first layer sees pixels of about 70 each way, all others what the layers before have scaled.
            return (1e4, 1e3) if "stem" in name else (1.0, 0.1)
        if part == "weight":
            return (0.15, 0.02) if "conv3" in name else (1.0, 0.1)
        # Features that most regions lack tell regions apart.
        return (-0.6, 0.1) if "res5" in name and "conv3.norm.bias" in name else (0.0, 0.1)
    if part == "bias":
        return (0.0, 0.1)
    into = prod(shape[1:])
    if "cls_score" in name:
        return (0.0, 2 / sqrt(into))
    if "deltas" in name:
        return (0.0, 0.3 / sqrt(into))
    return (0.0, sqrt(2 / into))
