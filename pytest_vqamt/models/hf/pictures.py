"""Pictures as an encoder reads them: each made ready alone."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.models.made_ready import made_ready
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


_TOLD = 16
"""A tensor of no more numbers than so many tells of a picture, such as its size."""


class _ImageProcessor(Protocol):
    def __call__(self, images: object, **settings: object) -> Mapping[str, object]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Pixels:
    """What an encoder reads of a picture, or of some.

    Attributes:
        tensors: by the names that the model gives them, each with the pictures, or their parts, along its first axis.
        lists: what else is told of each picture.
    """

    tensors: Mapping[str, torch.Tensor]
    lists: Mapping[str, Sequence[object]]

    @classmethod
    def of(cls, found: Mapping[str, object]) -> Pixels:
        """What an image processor has made of a picture."""
        import torch

        return cls(
            {name: value for name, value in found.items() if isinstance(value, torch.Tensor)},
            {
                name: cast("Sequence[object]", value)
                for name, value in found.items()
                if not isinstance(value, torch.Tensor)
            },
        )

    @classmethod
    def together(cls, each: Sequence[Pixels]) -> Pixels:
        """What there is of several pictures; parts that some have fewer of are filled up with zeros."""
        first = each[0]
        return cls(
            {name: _joined([one.tensors[name] for one in each]) for name in first.tensors},
            {name: [told for one in each for told in one.lists[name]] for name in first.lists},
        )

    def ready(self, runtime: Runtime, dtype: torch.dtype) -> Pixels:
        """The same in the encoder's precision, where the device gets it without a wait."""
        rounded = {**self.tensors, "pixel_values": self.tensors["pixel_values"].to(dtype)}
        return Pixels({name: runtime.pinned(tensor) for name, tensor in rounded.items()}, self.lists)

    def here(self, runtime: Runtime, wanted: Container[str]) -> Pixels:
        """Those tensors that are wanted, on the device."""
        return Pixels(
            {name: runtime.here(tensor) for name, tensor in self.tensors.items() if name in wanted}, self.lists
        )

    @property
    def told(self) -> Pixels:
        """What it says of the picture rather than shows of it: how large it is, and in which parts it is seen."""
        return Pixels(
            {name: tensor.clone() for name, tensor in self.tensors.items() if tensor.numel() <= _TOLD}, self.lists
        )

    @property
    def form(self) -> tuple[object, ...]:
        """Pictures of the same form are encoded in as many tokens."""
        return (
            *((name, *tensor.shape) for name, tensor in self.tensors.items()),
            *((name, *tensor.flatten().tolist()) for name, tensor in self.told.tensors.items()),
            repr(self.lists),
        )


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

    def each(self, images: Sequence[Image]) -> list[Pixels]:
        """What the encoder reads of each picture, RGB; float32 values of whatever range it was trained on."""
        return made_ready(images, self._one, self._runtime)

    def _one(self, image: Image) -> Pixels:
        found = self._process([[image]] if self._nested else [image], return_tensors="pt", **self._settings)
        return Pixels.of(found)


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
