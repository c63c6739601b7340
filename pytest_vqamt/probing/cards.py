"""The pictures of a probe: cards with a number on a ground of one colour."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_vqamt.core.edits import Colour, FileForm
from pytest_vqamt.core.identity import digest
from pytest_vqamt.models.http.picture_files import png_bytes

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

SIDE_PX = 224
"""The side of an ordinary card."""

COLOURS: Mapping[str, Colour] = MappingProxyType(
    {
        "red": (210, 30, 30),
        "green": (30, 140, 50),
        "blue": (30, 60, 205),
        "yellow": (250, 225, 50),
        "orange": (250, 140, 20),
        "purple": (130, 40, 160),
        "black": (15, 15, 15),
        "white": (245, 245, 245),
    }
)
"""The grounds, each far from the others."""

_NONCE_PX = 4
"""The side of the block in the bottom right corner that makes two cards of one look differ in their bytes."""

# The sum of three channels from which on digits are black.
_BRIGHT = 3 * 128
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)


_VARIANTS = 700
"""Variants of each of two cards: 65,536 values are met by 7 of the 490,000 pairs on average."""

_COLLIDING_SIZE = (96, 96)
_COLLIDING_PAIRS = 2

HASHES: dict[str, tuple[str, str, slice]] = {
    "the last 16 bits of SHA-256 of the pixels": ("pixels", "sha256", slice(-4, None)),
    "the first 16 bits of SHA-256 of the pixels": ("pixels", "sha256", slice(4)),
    "the last 16 bits of MD5 of the pixels": ("pixels", "md5", slice(-4, None)),
    "the last 16 bits of SHA-1 of the pixels": ("pixels", "sha1", slice(-4, None)),
    "the last 16 bits of SHA-256 of the file": ("file", "sha256", slice(-4, None)),
    "the first 16 bits of SHA-256 of the file": ("file", "sha256", slice(4)),
    "the last 16 bits of MD5 of the file": ("file", "md5", slice(-4, None)),
}
"""Short hashes of which collisions can be made: of RGB pixels, or of the PNG as ``openai:`` sends it."""


class CardForm(StrEnum):
    """How the pixels are stored in the file that a server gets."""

    RGB = "RGB"
    OPAQUE = "RGBA, opaque"
    TRANSPARENT = "RGBA, transparent background"
    PALETTE = "palette"
    GREY = "grayscale"
    TURNED = "EXIF rotation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A number on a ground of one colour."""

    number: int | None
    """Of three digits; None for a card without a number."""
    ground: Colour
    """The colour of the background."""
    ink: Colour | None = None
    """The colour of the digits; by default black or white."""
    size: tuple[int, int] = (SIDE_PX, SIDE_PX)
    """Width and height in pixels."""
    form: CardForm = CardForm.RGB
    """How the file stores the pixels."""
    nonce: int = 0
    """Changes a block of 4 x 4 pixels in the corner by at most 15 of 255 a channel; 0 for no block."""
    is_noise: bool = False
    """Random pixels in place of the ground."""
    digest: str = field(init=False, compare=False)
    """Of all other fields."""

    def __post_init__(self) -> None:
        named = (self.number, self.ground, self.ink, self.size, self.form.value, self.nonce, self.is_noise)
        # Computed once: every request compares digests, and the class is frozen.
        object.__setattr__(self, "digest", digest("probe card", repr(named)))

    @property
    def look(self) -> str:
        """The card in words.

        >>> Card(number=417, ground=COLOURS["red"]).look
        '417 on red, 224 x 224 px'
        """
        ground = (
            "noise" if self.is_noise else next((n for n, c in COLOURS.items() if c == self.ground), str(self.ground))
        )
        shown = f"{self.number} on {ground}" if self.number is not None else f"nothing but {ground}"
        form = f", {self.form.value}" if self.form is not CardForm.RGB else ""
        ink = f", ink {self.ink}" if self.ink else ""
        return f"{shown}, {self.size[0]} x {self.size[1]} px{ink}{form}"


def faint_card(number: int, level: int, step: int) -> Card:
    """A gray card with digits that are ``step`` of 255 brighter than its ground at ``level``."""
    return Card(number=number, ground=(level,) * 3, ink=(level + step,) * 3)


def render_card(card: Card) -> Image:
    """Draws the card in the mode of its form (RGB, RGBA, P or L), without smoothing: all forms have equal pixels."""
    from PIL import Image as Pillow
    from PIL.ImageDraw import Draw

    if card.is_noise:
        return _noise(card)
    image = Pillow.new("RGB", card.size, card.ground)
    draw = Draw(image)
    if card.number is not None:
        _write(draw, card)
    side, (width, height) = _NONCE_PX, card.size
    if card.nonce:
        # Four bits of the nonce for each channel: 4,096 cards of one look.
        parts = tuple(_near(value, card.nonce >> 4 * place & 15) for place, value in enumerate(card.ground))
        draw.rectangle((width - side, height - side, width, height), fill=parts)
    return _in_form(image, card)


def _write(draw: ImageDraw, card: Card) -> None:
    from pytest_vqamt.imaging.lettering import font

    width, height = card.size
    # Three digits fit into 80 % of the width, whatever the aspect ratio.
    cell = min(width * 0.8 / 3, height * 0.5)
    letters = font(max(8, round(cell * 1.4)))
    ink = card.ink or (_BLACK if sum(card.ground) > _BRIGHT else _WHITE)
    # Without antialiasing: a palette holds the few colours exactly.
    draw.fontmode = "1"
    for place, digit in enumerate(str(card.number)):
        x = width / 2 + (place - 1) * cell
        draw.text((x, height / 2), digit, fill=ink, anchor="mm", font=letters)


def _near(value: int, step: int) -> int:
    """``value`` and at most 15 more, or less where it is bright."""
    # No channel may leave 0 to 255.
    return value - step if value > 200 else value + step


def _noise(card: Card) -> Image:
    from random import Random

    from PIL import Image as Pillow

    width, height = card.size
    # Seeded by the nonce, so that the picture is the same in every run.
    return Pillow.frombytes("RGB", card.size, Random(card.nonce).randbytes(3 * width * height))


def _in_form(image: Image, card: Card) -> Image:
    from PIL import Image as Pillow
    from PIL import ImageChops

    from pytest_vqamt.imaging.file_forms import in_form

    match card.form:
        case CardForm.OPAQUE:
            return in_form(image, FileForm.ALPHA)
        case CardForm.TRANSPARENT:
            plain = Pillow.new("RGB", image.size, card.ground)
            clear = image.convert("RGBA")
            # Opaque where a pixel differs from the ground: the digits alone.
            clear.putalpha(ImageChops.difference(image, plain).convert("L").point(lambda value: 255 if value else 0))
            return clear
        case CardForm.PALETTE:
            return in_form(image, FileForm.PALETTE)
        case CardForm.GREY:
            return in_form(image, FileForm.GRAYSCALE)
        case CardForm.TURNED:
            turned = image.transpose(Pillow.Transpose.ROTATE_90)
            turned.getexif()[0x0112] = 6  # Orientation: the top is at the right, so turn by 270 degrees to show it
            return turned
    return image


# Cards of which two and two collide where a cache keeps only 16 bits of a picture's hash


@cache
def colliding_pairs(cards: tuple[Card, Card]) -> dict[str, tuple[tuple[Card, Card], ...]]:
    """For each of ``HASHES`` two pairs, of a variant of each card, that have the same short hash."""
    sides = [[replace(card, size=_COLLIDING_SIZE, nonce=nonce) for nonce in range(1, _VARIANTS + 1)] for card in cards]
    stored = [[_stored(card) for card in side] for side in sides]
    return {name: _pairs(sides, stored, *how) for name, how in HASHES.items()}


def _stored(card: Card) -> dict[str, bytes]:
    image = render_card(card)
    return {"pixels": image.tobytes(), "file": png_bytes(image)}


def _pairs(
    sides: Sequence[Sequence[Card]], stored: Sequence[Sequence[dict[str, bytes]]], of: str, name: str, part: slice
) -> tuple[tuple[Card, Card], ...]:
    hashed: Callable[..., hashlib._Hash] = getattr(hashlib, name)
    keys = [[hashed(each[of]).hexdigest()[part] for each in side] for side in stored]
    # A birthday search: 700 x 700 pairs and 65,536 values.
    first = dict(zip(keys[0], sides[0], strict=True))
    found = [(first[key], card) for key, card in zip(keys[1], sides[1], strict=True) if key in first]
    return tuple(found[:_COLLIDING_PAIRS])
