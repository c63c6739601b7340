"""Deterministic patches of pictures for ViLT, each picture by itself.

``ViltEmbeddings.visual_embed`` of transformers draws from torch's global random state in two places: it shuffles the
patches of the picture that has most of them (harmless but for rounding), and where ``max_image_length`` is less than a
picture has, it samples the visible patches, so that the same picture gives another answer each time. Here patches stay
in reading order, and the visible ones depend only on the numbers of rows and columns: a picture and its edited
follow-up are seen at the same places, whatever else is in the batch, and no global random state is touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers.image_processing_utils import BaseImageProcessor
    from transformers.models.vilt.modeling_vilt import ViltEmbeddings


_LONGEST_TO_SHORTEST = 1333 / 800
"""The largest longer edge of ViLT's processor, divided by its target for the shorter edge."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Patches:
    """The embedded patches of some pictures, the class token first.

    Attributes:
        embedded: (pictures, tokens, width), padded with zeros.
        counted: int64 (pictures, tokens), 1 for a patch and 0 for padding.
    """

    embedded: torch.Tensor
    counted: torch.Tensor


def vilt_pixels(image: Image, processor: BaseImageProcessor) -> torch.Tensor:
    """The picture resized and normalized for ViLT: float32, (3, height, width), RGB, unpadded.

    Args:
        image: a PIL image, left unchanged.
        processor: ViLT's image processor, over PIL.
    """
    import torch

    (pixels,) = processor(_widened(image.convert("RGB"), processor), do_pad=False)["pixel_values"]
    return torch.as_tensor(pixels, dtype=torch.float32)


def embed_pictures(pictures: Sequence[torch.Tensor], embeddings: ViltEmbeddings) -> list[torch.Tensor]:
    """The class token and the patches of each picture with their positions: (1 + patches, width).

    Pictures of the same size go through the convolution together.

    Args:
        pictures: (3, height, width) each, on the embeddings' device.
        embeddings: of the model; their configuration limits the visible patches.
    """
    import torch

    places: dict[torch.Size, list[int]] = {}
    for place, pixels in enumerate(pictures):
        places.setdefault(pixels.shape, []).append(place)
    embedded: dict[int, torch.Tensor] = {}
    for some in places.values():
        together = _embed_equal(torch.stack([pictures[place] for place in some]), embeddings)
        # Cloned, since a slice would keep all of them in memory.
        embedded.update((place, tokens.clone()) for place, tokens in zip(some, together, strict=True))
    return [embedded[place] for place in range(len(pictures))]


def pad_patches(tokens: Sequence[torch.Tensor]) -> Patches:
    """Pads the tokens of several pictures to one length."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    return Patches(
        embedded=pad_sequence(list(tokens), batch_first=True),
        counted=pad_sequence(
            [torch.ones(len(each), dtype=torch.int64, device=each.device) for each in tokens], batch_first=True
        ),
    )


def visible_patches(rows: int, columns: int, most: int) -> list[int]:
    """The visible patches of a grid, in reading order: all, or ``most`` of them in a fixed random sample.

    >>> visible_patches(2, 3, -1)
    [0, 1, 2, 3, 4, 5]
    >>> len(visible_patches(20, 20, 200)), visible_patches(20, 20, 200) == visible_patches(20, 20, 200)
    (200, True)
    """
    count = rows * columns
    if most < 0 or count <= most:
        return list(range(count))
    return sorted(Random(f"{rows}x{columns}").sample(range(count), most))


def _embed_equal(pixels: torch.Tensor, embeddings: ViltEmbeddings) -> torch.Tensor:
    """(pictures, 3, height, width) to (pictures, 1 + patches, width)."""
    import torch
    from torch.nn.functional import interpolate

    patches = embeddings.patch_embeddings(pixels)
    pictures, width, rows, columns = patches.shape
    side = embeddings.config.image_size // embeddings.config.patch_size
    positions = embeddings.position_embeddings
    grid = positions[:, 1:].transpose(1, 2).reshape(1, width, side, side)
    fitted = interpolate(grid, size=(rows, columns), mode="bilinear", align_corners=True)
    tokens = (patches + fitted).flatten(2).transpose(1, 2)
    first = (embeddings.cls_token + positions[:, :1]).expand(pictures, -1, -1)
    return torch.cat((first, tokens[:, visible_patches(rows, columns, embeddings.config.max_image_length)]), dim=1)


def _widened(image: Image, processor: BaseImageProcessor) -> Image:
    """Widens a picture that resizing would leave without a single column of patches."""
    shortest = getattr(getattr(processor, "size", None), "shortest_edge", None)
    divisor = getattr(processor, "size_divisor", None)
    if not shortest or not divisor:
        return image
    longest = int(_LONGEST_TO_SHORTEST * shortest)
    least = -(-max(image.size) * divisor // longest)
    if min(image.size) >= least:
        return image
    return image.resize((max(image.width, least), max(image.height, least)))
