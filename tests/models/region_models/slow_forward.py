"""The detector once more, from its description alone: one function, float64, loops where the original has kernels.

It shares no code with the package. In the order of the description: pre-processing, stem, blocks, anchors, proposals,
RoIPool, res5, heads, selection.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch.nn import functional

Array = NDArray[np.float64]
Weights = Mapping[str, torch.Tensor]
Real = TypeVar("Real", np.float32, np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Boxes in pixels of the picture, and what is in them, the surest first."""

    boxes: Array
    features: Array
    classes: list[int]
    scores: list[float]
    attributes: list[int]
    attribute_scores: list[float]


def forward(image: Image.Image, weights: Weights, *, short_side: int, proposals: int, pooled: int) -> Seen:
    """What the network sees in a picture whose long side need not be bounded."""
    double = {name: value.double() for name, value in weights.items()}
    pixels = resize(np.asarray(image)[:, :, ::-1].astype(np.float64), short_side) - [102.9801, 115.9465, 122.7717]
    height, width = pixels.shape[:2]
    res4 = backbone(torch.from_numpy(pixels.transpose(2, 0, 1).copy())[None], double)
    found = propose(res4, double, width, height, proposals)
    features = np.stack([region(res4, box, double, pooled) for box in found])
    return choose(found, features, double, (width, height), image.size)


def resize(pixels: Array, short_side: int) -> Array:
    """Bilinear between the centres of pixels, without smoothing: two taps along each axis."""
    scale = short_side / min(pixels.shape[:2])
    for axis in (0, 1):
        old = pixels.shape[axis]
        new = int(scale * old + 0.5)
        at = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
        low = np.floor(at).astype(int)
        share = (at - low).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        near, next_one = pixels.take(low, axis), pixels.take(np.minimum(low + 1, old - 1), axis)
        pixels = near * (1 - share) + next_one * share
    return pixels


def backbone(x: torch.Tensor, weights: Weights) -> torch.Tensor:
    x = conv_bn(x, weights, "backbone.stem.conv1", stride=2, padding=3).relu()
    x = functional.max_pool2d(x, 3, 2, padding=0, ceil_mode=True)
    for number in (2, 3, 4):
        x = stage(x, weights, f"backbone.res{number}", first_stride=1 if number == 2 else 2, dilation=1)
    return x


def stage(x: torch.Tensor, weights: Weights, name: str, *, first_stride: int, dilation: int) -> torch.Tensor:
    block = 0
    while f"{name}.{block}.conv1.weight" in weights:
        here, stride = f"{name}.{block}", first_stride if block == 0 else 1
        y = conv_bn(x, weights, f"{here}.conv1", stride=stride).relu()
        y = conv_bn(y, weights, f"{here}.conv2", padding=dilation, dilation=dilation).relu()
        y = conv_bn(y, weights, f"{here}.conv3")
        x = (y + (conv_bn(x, weights, f"{here}.shortcut", stride=stride) if block == 0 else x)).relu()
        block += 1
    return x


def conv_bn(
    x: torch.Tensor, weights: Weights, name: str, stride: int = 1, padding: int = 0, dilation: int = 1
) -> torch.Tensor:
    y = functional.conv2d(x, weights[f"{name}.weight"], None, stride, padding, dilation)
    norm = (weights[f"{name}.norm.{part}"] for part in ("running_mean", "running_var", "weight", "bias"))
    mean, variance, scale, shift = (each[:, None, None] for each in norm)
    return (y - mean) / torch.sqrt(variance + 1e-5) * scale + shift


def propose(res4: torch.Tensor, weights: Weights, width: int, height: int, count: int) -> list[Array]:
    rpn = "proposal_generator.rpn_head"
    hidden = conv(res4, weights, f"{rpn}.conv", padding=1).relu()
    logits = conv(hidden, weights, f"{rpn}.objectness_logits")[0].numpy()
    deltas = conv(hidden, weights, f"{rpn}.anchor_deltas")[0].numpy()
    cell = weights["proposal_generator.anchor_generator.cell_anchors.0"].numpy()
    candidates = []
    for row in range(logits.shape[1]):
        for column in range(logits.shape[2]):
            for number in range(len(cell)):
                anchor = cell[number] + 16 * np.array([column, row, column, row])
                change = deltas[4 * number : 4 * number + 4, row, column]
                candidates.append((float(logits[number, row, column]), move(anchor, change, width, height)))
    candidates.sort(key=lambda each: -each[0])
    boxes = [box for _, box in candidates[:6000] if box[2] > box[0] and box[3] > box[1]]
    return [boxes[place] for place in suppress(boxes, 0.7)][:count]


def conv(x: torch.Tensor, weights: Weights, name: str, padding: int = 0) -> torch.Tensor:
    return functional.conv2d(x, weights[f"{name}.weight"], weights[f"{name}.bias"], padding=padding)


def move(box: Array, change: Array, width: int, height: int) -> Array:
    w, h = box[2] - box[0], box[3] - box[1]
    x, y = box[0] + w / 2 + change[0] * w, box[1] + h / 2 + change[1] * h
    w *= math.exp(min(change[2], math.log(1000 / 16)))
    h *= math.exp(min(change[3], math.log(1000 / 16)))
    corners = np.array([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
    return cast("Array", np.minimum(np.maximum(corners, 0), [width, height, width, height]))


def suppress(boxes: list[Array], overlap: float) -> list[int]:
    """Which boxes, the best first, stay."""
    kept: list[int] = []
    for place, box in enumerate(boxes):
        if all(iou(boxes[better], box) <= overlap for better in kept):
            kept.append(place)
    return kept


def iou(a: Array, b: Array) -> float:
    shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    return float(shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared))


def region(res4: torch.Tensor, box: Array, weights: Weights, pooled: int) -> Array:
    crop = torch.from_numpy(roi_pool(res4[0].numpy(), box / 16, pooled))[None]
    return cast("Array", stage(crop, weights, "roi_heads.res5", first_stride=1, dilation=2).mean((2, 3))[0].numpy())


def roi_pool(features: NDArray[Real], box: NDArray[Real], size: int) -> NDArray[Real]:
    """The largest in each of size x size bins of a box in cells of the map, as ``torchvision.ops.roi_pool`` says it."""
    x1, y1, x2, y2 = (int(math.copysign(math.floor(abs(edge) + 0.5), edge)) for edge in box)
    found = np.zeros((len(features), size, size), features.dtype)
    rows, columns = features.shape[1:]
    for i in range(size):
        top, bottom = bin_of(i, y1, y2, size, rows)
        for j in range(size):
            left, right = bin_of(j, x1, x2, size, columns)
            if bottom > top and right > left:
                found[:, i, j] = features[:, top:bottom, left:right].max(axis=(1, 2))
    return found


def bin_of(number: int, start: int, end: int, size: int, most: int) -> tuple[int, int]:
    step = np.float32(max(end - start + 1, 1)) / np.float32(size)
    first = start + math.floor(np.float32(number) * step)
    after = start + math.ceil(np.float32(number + 1) * step)
    return min(max(first, 0), most), min(max(after, 0), most)


def choose(
    proposals: list[Array], features: Array, weights: Weights, resized: tuple[int, int], size: tuple[int, int]
) -> Seen:
    head = {name.partition("box_predictor.")[2]: value.numpy() for name, value in weights.items()}
    logits = features @ head["cls_score.weight"].T + head["cls_score.bias"]
    named = head["cls_embedding.weight"][logits.argmax(axis=1)]
    hidden = np.concatenate([features, named], axis=1) @ head["fc_attr.weight"].T + head["fc_attr.bias"]
    attributes = np.maximum(hidden, 0) @ head["attr_score.weight"].T + head["attr_score.bias"]
    deltas = features @ head["bbox_pred.weight"].T + head["bbox_pred.bias"]
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    likely = np.exp(attributes[:, :-1]) / np.exp(attributes[:, :-1]).sum(axis=1, keepdims=True)
    scores, classes = chances[:, :-1].max(axis=1), chances[:, :-1].argmax(axis=1)
    boxes = [
        move(proposal, deltas[place, 4 * classes[place] :][:4] / [10, 10, 5, 5], *resized)
        for place, proposal in enumerate(proposals)
    ]
    order = sorted(range(len(boxes)), key=lambda place: -scores[place])
    kept = order[:36]
    for overlap in (0.5, 0.6, 0.7, 0.8, 0.9):
        apart = [order[place] for place in suppress([boxes[place] for place in order], overlap)]
        if len(apart) >= 36:
            kept = apart[:36]
            break
    scale = np.array(size * 2) / np.array(resized * 2)
    return Seen(
        boxes=np.stack([boxes[place] for place in kept]) * scale,
        features=features[kept],
        classes=[int(classes[place]) for place in kept],
        scores=[float(scores[place]) for place in kept],
        attributes=[int(attributes[place, :-1].argmax()) for place in kept],
        attribute_scores=[float(likely[place].max()) for place in kept],
    )
