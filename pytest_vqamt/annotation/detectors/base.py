"""A network looks at one picture, and what it says of boxes is brought into the picture's pixels.

Pictures are looked at one by one: beside others they would be padded to the largest, which changes scores and boxes a
little, and a scene graph must not depend on which photos happen to lie beside each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers.image_processing_utils import BaseImageProcessor


LEAST_SIDE_PX = 1.0
"""What is narrower or lower than this is no thing to be seen."""


class Outputs(Protocol):
    """What a detector of transformers gives for a batch of pictures; which of these there are depends on its kind.

    Attributes:
        logits: (pictures, boxes, classes).
        pred_boxes: (pictures, boxes, 4), centre and size as shares of the picture.
        class_queries_logits: (pictures, masks, classes and none).
        masks_queries_logits: (pictures, masks, height, width), of a size of their own.
    """

    logits: torch.Tensor
    pred_boxes: torch.Tensor
    class_queries_logits: torch.Tensor
    masks_queries_logits: torch.Tensor


class _ReadsBoxes(Protocol):
    """An image processor of transformers, which knows how it has resized and padded the picture."""

    def post_process_object_detection(
        self, outputs: Outputs, threshold: float, target_sizes: list[tuple[int, int]]
    ) -> list[dict[str, torch.Tensor]]: ...


class _Network(Protocol):
    @property
    def dtype(self) -> torch.dtype: ...

    def __call__(self, **inputs: torch.Tensor) -> Mapping[str, object]: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Look:
    """A network with what prepares its pictures."""

    network: object
    processor: BaseImageProcessor
    runtime: Runtime

    def pixels(self, image: Image) -> dict[str, torch.Tensor]:
        """The picture as the network takes it: ``pixel_values`` (1, 3, H, W), for some ``pixel_mask`` (1, H, W)."""
        network = cast("_Network", self.network)
        made = self.processor(images=[image], return_tensors="pt")
        device = self.runtime.device
        return {
            name: value.to(device, network.dtype) if value.is_floating_point() else value.to(device)
            for name, value in cast("Mapping[str, torch.Tensor]", made).items()
        }

    def __call__(self, inputs: Mapping[str, torch.Tensor]) -> Outputs:
        """What the network makes of one picture, as float32.

        Raises:
            ModelError: it gives no numbers, as half precision may.
        """
        import torch

        with self.runtime.running():
            told = cast("_Network", self.network)(**inputs)
            for name in ("logits", "pred_boxes", "class_queries_logits", "masks_queries_logits"):
                value = told.get(name)
                if isinstance(value, torch.Tensor):
                    if torch.isnan(value).any():
                        raise ModelError(
                            f"Expected numbers from {type(self.network).__name__}, but got {name} that are none "
                            f"(dtype={self.runtime.dtype!r}): give --vqamt-dtype=float32"
                        )
                    cast("dict[str, object]", told)[name] = value.float()
        return cast("Outputs", told)

    def boxes(self, outputs: Outputs, image: Image, *, above: float) -> Mapping[str, torch.Tensor]:
        """The boxes whose score is ``above``: their ``scores``, ``labels``, and ``boxes`` x0 y0 x1 y1 in pixels."""
        reads = cast("_ReadsBoxes", self.processor)
        (of_the_one,) = reads.post_process_object_detection(
            outputs, threshold=above, target_sizes=[(image.height, image.width)]
        )
        return of_the_one


def box_within(corners: Sequence[float], image: Image) -> Box | None:
    """The part of a box ``x0, y0, x1, y1`` (pixels) that lies in the picture; None where that is hardly anything."""
    x0, y0, x1, y1 = corners
    if not all(map(math.isfinite, corners)):
        return None
    left, top = max(0.0, x0), max(0.0, y0)
    right, bottom = min(float(image.width), x1), min(float(image.height), y1)
    if right - left < LEAST_SIDE_PX or bottom - top < LEAST_SIDE_PX:
        return None
    return Box.between(left, top, right, bottom)
