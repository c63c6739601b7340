"""Pictures as an encoder reads them: each made ready alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.models.loading.pixels import load_image_processor
from pytest_vqamt.models.loading.places import Checkpoint
from pytest_vqamt.models.loading.runtime import Runtime
from pytest_vqamt.models.made_ready import made_ready

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


class _ImageProcessor(Protocol):
    def __call__(self, images: object, **settings: object) -> Mapping[str, object]: ...


class Pixels:
    """What an encoder reads of some pictures.

    Attributes:
        tensors: by the names that the model gives them, each with the pictures, or their parts, along its first axis.
        lists: what else is told of each picture.
    """

    def __init__(self, each: Sequence[Mapping[str, object]]) -> None:
        """Puts together what there is of each picture; parts that some have fewer of are filled up with zeros."""
        import torch

        self.tensors: dict[str, torch.Tensor] = {}
        self.lists: dict[str, list[object]] = {}
        for name in each[0]:
            values = [one[name] for one in each]
            if all(isinstance(value, torch.Tensor) for value in values):
                self.tensors[name] = _joined(cast("list[torch.Tensor]", values))
            else:
                self.lists[name] = [told for value in values for told in cast("Sequence[object]", value)]


class Pictures:
    """Makes pictures ready for the encoder of one checkpoint."""

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, *, nested: bool = False, **settings: object) -> None:
        """Finds out how.

        Args:
            checkpoint: where the files are.
            runtime: where the encoder computes: on a CPU it needs the processor's cores for itself.
            nested: whether the image processor takes a list of pictures for each text.
            settings: what it is told beside the pictures.

        Raises:
            ModelError: the checkpoint does not say how.
        """
        self._process = cast(_ImageProcessor, load_image_processor(checkpoint))
        self._nested, self._settings = nested, settings
        self._runtime = runtime

    def read(self, images: Sequence[Image]) -> Pixels:
        """What the encoder reads of the pictures, RGB; float32 values of whatever range it was trained on."""
        return Pixels(made_ready(images, self._one, self._runtime))

    def _one(self, image: Image) -> Mapping[str, object]:
        return self._process([[image]] if self._nested else [image], return_tensors="pt", **self._settings)


def _joined(parts: Sequence[torch.Tensor]) -> torch.Tensor:
    import torch

    sizes = [max(sizes) for sizes in zip(*(part.shape[1:] for part in parts), strict=True)]
    if all(list(part.shape[1:]) == sizes for part in parts):
        return torch.cat(list(parts))
    joined = parts[0].new_zeros((sum(len(part) for part in parts), *sizes))
    row = 0
    for part in parts:
        joined[(slice(row, row + len(part)), *(slice(size) for size in part.shape[1:]))] = part
        row += len(part)
    return joined
