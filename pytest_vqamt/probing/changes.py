"""What may be done to the pixels of a card: what a faulty server would do, and small marks that must be seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

_BAND = 0.04
"""The breadth of a band at an edge, in shares of the side."""
_BAND_LEVEL = 20
_CENTRE = 0.8
"""The share of each side that a crop to the centre keeps."""


def _exchanged(order: tuple[int, int, int], image: Image) -> Image:
    from PIL import Image as Pillow

    channels = image.split()
    return Pillow.merge("RGB", [channels[place] for place in order])


def _turned(name: str, image: Image) -> Image:
    from PIL.Image import Transpose

    return image.transpose(Transpose[name])


def _gray(image: Image) -> Image:
    return image.convert("L").convert("RGB")


def _centre(image: Image) -> Image:
    width, height = image.size
    x, y = round(width * (1 - _CENTRE) / 2), round(height * (1 - _CENTRE) / 2)
    return image.crop((x, y, width - x, height - y))


def _square(image: Image) -> Image:
    width, height = image.size
    side = min(width, height)
    x, y = (width - side) // 2, (height - side) // 2
    return image.crop((x, y, x + side, y + side))


def _padded(level: int, image: Image) -> Image:
    from PIL import Image as Pillow

    width, height = image.size
    side = max(width, height)
    made = Pillow.new("RGB", (side, side), (level,) * 3)
    made.paste(image, ((side - width) // 2, (side - height) // 2))
    return made


def _squashed(image: Image) -> Image:
    side = min(image.size)
    return image.resize((side, side))


def _through(px: int, image: Image) -> Image:
    """Scaled down so that its longer side has ``px``; smaller ones stay."""
    width, height = image.size
    scale = px / max(width, height)
    return image if scale >= 1 else image.resize((max(1, round(width * scale)), max(1, round(height * scale))))


def _inverted(image: Image) -> Image:
    return image.point(lambda value: 255 - value)


def _darker(image: Image) -> Image:
    return image.point(lambda value: value // 2)


def _blank(level: int, image: Image) -> Image:
    from PIL import Image as Pillow

    return Pillow.new("RGB", image.size, (level,) * 3)


def _decoded_jpeg(quality: int, image: Image) -> Image:
    from PIL import Image as Pillow

    file = BytesIO()
    image.save(file, "JPEG", quality=quality)
    return Pillow.open(file).convert("RGB")


def _tiles_exchanged(image: Image) -> Image:
    width, height = image.size
    half, made = width // 2, image.copy()
    made.paste(image.crop((width - half, 0, width, height)), (0, 0))
    made.paste(image.crop((0, 0, half, height)), (width - half, 0))
    return made


def _banded(edge: str, image: Image) -> Image:
    width, height = image.size
    breadth = max(1, round(min(width, height) * _BAND))
    box = {
        "left": (0, 0, breadth, height),
        "right": (width - breadth, 0, width, height),
        "top": (0, 0, width, breadth),
        "bottom": (0, height - breadth, width, height),
    }[edge]
    made = image.copy()
    # The opposite of what is there, so that any band differs from its ground.
    made.paste(made.crop(box).point(lambda value: 235 if value < 128 else _BAND_LEVEL), box[:2])
    return made


def _striped(width: int, image: Image) -> Image:
    from PIL import Image as Pillow

    one = Pillow.new("RGB", (2 * width, 1), (255, 255, 255))
    one.paste((0, 0, 0), (0, 0, width, 1))
    made = Pillow.new("RGB", image.size)
    for x in range(0, image.size[0], 2 * width):
        made.paste(one.resize((2 * width, image.size[1])), (x, 0))
    return made


def _half(box: tuple[float, float, float, float], image: Image) -> Image:
    width, height = image.size
    left, upper, right, lower = box
    sides = round(left * width), round(upper * height), round(right * width), round(lower * height)
    # A side of one pixel has no half.
    return image.crop(sides) if sides[2] > sides[0] and sides[3] > sides[1] else image


def _scaled(image: Image) -> Image:
    return image.resize((max(1, image.width // 2), max(1, image.height // 2)))


HALVES: Mapping[str, Callable[[Image], Image]] = MappingProxyType(
    {
        "at half its size": _scaled,
        "its left half": partial(_half, (0, 0, 0.5, 1)),
        "its right half": partial(_half, (0.5, 0, 1, 1)),
        "its upper half": partial(_half, (0, 0, 1, 0.5)),
        "its lower half": partial(_half, (0, 0.5, 1, 1)),
    }
)
"""What makes a photo smaller."""

FAULTS: Mapping[str, Callable[[Image], Image]] = MappingProxyType(
    {
        "red and blue exchanged": partial(_exchanged, (2, 1, 0)),
        "green and blue exchanged": partial(_exchanged, (0, 2, 1)),
        "red and green exchanged": partial(_exchanged, (1, 0, 2)),
        "without its colours": _gray,
        "mirrored": partial(_turned, "FLIP_LEFT_RIGHT"),
        "upside down": partial(_turned, "FLIP_TOP_BOTTOM"),
        "turned by a quarter to the left": partial(_turned, "ROTATE_90"),
        "turned by a quarter to the right": partial(_turned, "ROTATE_270"),
        "turned by a half": partial(_turned, "ROTATE_180"),
        "with rows and columns exchanged": partial(_turned, "TRANSPOSE"),
        "cropped to its centre": _centre,
        "cropped to a square": _square,
        "squashed to a square": _squashed,
        "padded to a square with black": partial(_padded, 0),
        "padded to a square with grey": partial(_padded, 127),
        "padded to a square with white": partial(_padded, 255),
        "scaled down to 448 px": partial(_through, 448),
        "scaled down to 336 px": partial(_through, 336),
        "scaled down to 224 px": partial(_through, 224),
        "inverted": _inverted,
        "of half its brightness": _darker,
        "with its halves exchanged": _tiles_exchanged,
        "as JPEG of quality 75": partial(_decoded_jpeg, 75),
        "replaced with black": partial(_blank, 0),
        "replaced with grey": partial(_blank, 127),
        "replaced with white": partial(_blank, 255),
    }
)
"""What a server may do to a picture: one of them that explains a difference names it."""

CHANGES: Mapping[str, Callable[[Image], Image]] = MappingProxyType(
    {
        **FAULTS,
        **HALVES,
        **{f"with a band at the {edge}": partial(_banded, edge) for edge in ("left", "right", "top", "bottom")},
        **{f"as stripes of {width} px": partial(_striped, width) for width in (64, 32, 16, 8, 4, 2)},
        **{f"as decoded from JPEG of quality {each}": partial(_decoded_jpeg, each) for each in (30, 85, 95)},
    }
)
"""By the words that a card's look has for it."""
