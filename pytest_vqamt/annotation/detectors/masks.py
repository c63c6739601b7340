"""Masks of a closed list of classes: Mask2Former and MaskFormer, trained for instances or for whole scenes (panoptic).

transformers' own reading of these models is not used: it takes every picture to be resized to 384 x 384 pixels, cuts
masks out at that size, and lays them over the picture as if no padding had been (huggingface/transformers#44901).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_vqamt.annotation.detectors.base import (
    LEAST_SIDE_PX,
    DetectionNetwork,
    DetectionOutputs,
    Label,
    class_labels,
)
from pytest_vqamt.annotation.detectors.outlines import outlines
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.detections import DetectedObject
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    files_digest,
    load_weights,
    locate_checkpoint,
)
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedModel


VERSION = 1
"""Goes up when other things are found with the same weights and packages."""

LEAST_SCORE = 0.5
"""That of transformers' own reading of these models."""


class ClosedSetMasks:
    """One checkpoint."""

    name = "masks"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions, least_score: float) -> None:
        """Loads all of it.

        Raises:
            ModelError: a file is missing or of another model.
        """
        from transformers import Mask2FormerForUniversalSegmentation, MaskFormerForInstanceSegmentation

        kinds: dict[str, type[PreTrainedModel]] = {
            "mask2former": Mask2FormerForUniversalSegmentation,
            "maskformer": MaskFormerForInstanceSegmentation,
        }
        kind = check_model_type(checkpoint, tuple(kinds), "boxes= takes DETR and RT-DETR; OneFormer is not read")
        self._runtime = Runtime.of(options)
        network = load_weights(kinds[kind], checkpoint, self._runtime)
        self._labels = class_labels(checkpoint)
        self._look = DetectionNetwork(
            network=network, processor=load_image_processor(checkpoint), runtime=self._runtime
        )
        self._least_score = least_score
        self._folder = checkpoint.folder

    @property
    def fingerprint(self) -> str:
        return self._runtime.fingerprint(self.name, VERSION, files_digest(self._folder), str(self._least_score))

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        inputs = self._look.pixels(image)
        outputs = self._look(inputs)
        found = []
        for score, label, shown in _confident_masks(
            outputs, inputs, self._labels, self._least_score, (image.height, image.width)
        ):
            x0, y0, x1, y1 = _extent(shown)
            if min(x1 - x0, y1 - y0) < LEAST_SIDE_PX:
                continue
            found.append(
                DetectedObject(
                    name=label.name,
                    box=Box.from_corners(x0, y0, x1, y1),
                    score=score,
                    by=self.name,
                    polygons=() if label.is_crowd else outlines(shown[y0:y1, x0:x1].numpy(), left=x0, top=y0),
                    is_crowd=label.is_crowd,
                )
            )
        return tuple(sorted(found, key=lambda each: -each.score))


def _confident_masks(
    outputs: DetectionOutputs,
    inputs: Mapping[str, torch.Tensor],
    labels: Mapping[int, Label],
    least_score: float,
    size: tuple[int, int],
) -> Iterator[tuple[float, Label, torch.Tensor]]:
    """The masks that are sure enough: score, label, and which pixels of a picture of ``size`` (H, W) they show (bool).

    A score is that of the class times how sure the mask is of the pixels that it shows, as in Cheng et al. (CVPR 2022);
    each mask has one class, its likeliest.
    """
    import torch

    pixels = inputs["pixel_values"]
    # What lies beyond the picture's own pixels is padding, of which the masks know nothing.
    own = inputs["pixel_mask"][0].bool() if "pixel_mask" in inputs else torch.ones(pixels.shape[-2:], dtype=torch.bool)
    height, width = int(own.any(dim=1).sum()), int(own.any(dim=0).sum())
    # The last class is that of no thing.
    likely, numbers = outputs.class_queries_logits[0].softmax(-1)[:, :-1].max(-1)
    for place in (likely > least_score).nonzero().flatten().tolist():
        label = labels.get(int(numbers[place]))
        if label is None:
            continue
        whole = _resized(outputs.masks_queries_logits[0, place], (int(pixels.shape[-2]), int(pixels.shape[-1])))
        logits = _resized(whole[:height, :width], size).cpu()
        shown = logits > 0
        if not shown.any():
            continue
        score = float(likely[place]) * float(logits[shown].sigmoid().mean())
        if score > least_score:
            yield score, label, shown


def _resized(logits: torch.Tensor, size: tuple[int, int]) -> torch.Tensor:
    """The logits (H, W) at another size, linearly between their pixels."""
    from torch.nn.functional import interpolate

    return interpolate(logits[None, None], size=size, mode="bilinear", align_corners=False)[0, 0]


def _extent(shown: torch.Tensor) -> tuple[int, int, int, int]:
    """The box ``x0, y0, x1, y1`` around the pixels that are true."""
    rows, columns = shown.any(dim=1).nonzero().flatten(), shown.any(dim=0).nonzero().flatten()
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def load(argument: str, options: ModelOptions, least_score: float | None) -> ClosedSetMasks:
    """The detector of ``masks=ARGUMENT``, a folder or a name on the hub.

    Raises:
        ModelError: it cannot be loaded.
    """
    checkpoint = locate_checkpoint(
        argument, default="", kind=ClosedSetMasks.name, typed=f"--vqamt-option {ClosedSetMasks.name}="
    )
    return ClosedSetMasks(checkpoint, options, LEAST_SCORE if least_score is None else least_score)
