"""The encoder of pictures in a checkpoint, which sees each picture once for all that is said about it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pytest_vqamt.models.hf.pictures import Pictures, Pixels
from pytest_vqamt.models.transformers.feature_cache import PictureMemory
from pytest_vqamt.models.transformers.prompted.base import Encoded, Model
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Seen:
    """What the encoder makes of a picture.

    Attributes:
        encoding: (tokens, width), or (parts, tokens, width), on the device.
        layers: what Qwen3-VL adds to the picture's places further up, (tokens, width) each.
        told: what else is known of it.
    """

    encoding: torch.Tensor
    layers: tuple[torch.Tensor, ...]
    told: Pixels

    @property
    def length(self) -> int:
        """How many tokens it takes."""
        return self.encoding.shape[:-1].numel()

    @property
    def nbytes(self) -> int:
        return self.encoding.nbytes + sum(layer.nbytes for layer in self.layers)


class Encoder:
    """Makes pictures ready, and has them encoded by the method ``get_image_features`` of a model.

    Attributes:
        memory: what it has made of the latest pictures.
    """

    def __init__(self, pictures: Pictures, model: Model, runtime: Runtime, parts: Callable[[Pixels], int]) -> None:
        """Puts it together; ``parts`` says in how many parts a picture is encoded, where all are in one tensor."""
        self.memory: PictureMemory[Pixels, Seen] = PictureMemory(self._ready, self._encode, lambda seen: seen.nbytes)
        self._pictures = pictures
        self._model = model
        self._runtime = runtime
        self._parts = parts
        self._lengths: dict[tuple[object, ...], int] = {}
        self._form: Callable[[], Encoded] | None = None
        self._in_one = False

    def length(self, pixels: Pixels) -> int:
        """How many tokens the picture will take, as others of its form did; 0 where none has been encoded yet."""
        return self._lengths.get(pixels.form, 0)

    def together(self, seen: Sequence[Seen]) -> Encoded:
        """Encodings as the model has them of several pictures at once."""
        import torch

        assert self._form is not None, "what was seen has been encoded"
        chosen = [each.encoding for each in seen]
        encoded = self._form()
        encoded.pooler_output = torch.cat(chosen) if self._in_one else chosen
        if seen[0].layers:
            layers = zip(*(each.layers for each in seen), strict=True)
            encoded.deepstack_features = [list(layer) for layer in layers]  # type: ignore[attr-defined]  # of one kind
        return encoded

    def _ready(self, images: Sequence[Image]) -> list[Pixels]:
        return [each.ready(self._runtime, self._model.dtype) for each in self._pictures.each(images)]

    def _encode(self, ready: Sequence[Pixels]) -> list[Seen]:
        import torch

        wanted = inspect.signature(self._model.get_image_features).parameters
        pixels = Pixels.together([each.here(self._runtime, wanted) for each in ready])
        encoded = self._model.get_image_features(**pixels.tensors)
        found = encoded.pooler_output
        self._form, self._in_one = type(encoded), isinstance(found, torch.Tensor)
        if isinstance(found, torch.Tensor):
            found = cast("Sequence[torch.Tensor]", torch.split(found, [self._parts(each) for each in ready]))
        layers: Sequence[Sequence[torch.Tensor]] = getattr(encoded, "deepstack_features", None) or ()
        # Cloned, since a slice would keep all of them in memory.
        seen = [
            Seen(encoding=each.clone(), layers=tuple(layer[place].clone() for layer in layers), told=one.told)
            for place, (one, each) in enumerate(zip(ready, found, strict=True))
        ]
        self._lengths.update((one.form, each.length) for one, each in zip(ready, seen, strict=True))
        return seen
