"""The pictures of a probe and their files: cards with a number, coloured corners or dots, and photos of the user's."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING, cast
from unicodedata import normalize

from pytest_vqamt.core.edits import Colour, FileForm, Store
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import PhotoStore, PictureFile
from pytest_vqamt.core.text import short_name
from pytest_vqamt.models.http.picture_files import png_bytes
from pytest_vqamt.probing.changes import CHANGES

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

SIDE_PX = 224
"""The side of an ordinary card."""
LARGE_PX, LARGER_PX = 1024, 1536
"""Sides of large cards: as of a photo on a page, and of one from a camera that was scaled down."""
INK = (190, 60, 40)
"""Of digits on transparent pixels: dark enough to be read on white and light enough on black."""
IDLE_S = 3.0
"""The pause after which a server may have let go of something."""

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

GRAY: Colour = (128, 128, 128)
MARGIN: Colour = (127, 127, 127)
"""Around photos."""

NUMBER = "Which number is written in this picture?"
COLOUR = "What colour is the background of this picture?"
DOTS = "How many black dots are in this picture?"
CORNERS = ("top left", "top right", "bottom left", "bottom right")
"""The order of a card's corners."""
CORNER_COLOURS = ("red", "green", "blue", "yellow")
"""The colours of the squares in them, where no others are drawn."""
IN_FORM = '{}\nAnswer in this form: "{}"'
CODE_WORD = "What is the code word?"
BEHIND = "Answer with the number behind the word {}"
OF_PICTURE = "In the {} picture: {}"
OF_MESSAGE = "In the picture of my {} message: {}"
CORNER = "What colour is the square in the {} corner of this picture?"

_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

_GROUPED = re.compile(r"(?<=\d)[ ,.'\u2019](?=\d{3}(?!\d))")
"""Between thousands: "6,451", in other languages "6.451", "6 451" and "6'451"."""
_SPELT = re.compile(r"(?<!\d)\d(?:[ -]\d){2,}(?!\d)")
"""A number digit by digit: "9 6 4"."""

_NONCE_PX = 4
"""The side of the block in the bottom right corner that makes two cards of one look differ in their bytes."""

# The sum of three channels from which on digits are black.
_BRIGHT = 3 * 128
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)

_CORNER_SHARE, _INSET_SHARE = 0.25, 0.04
"""The sides of coloured corners, and their distance from the edges, in shares of the shorter side."""

_VARIANTS = 700
"""Variants of each of two cards: 65,536 values are met by 7 of the 490,000 pairs on average."""

_COLLIDING_SIZE = (96, 96)
_SMALL_DIGITS_PX = 28
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


class Hidden(StrEnum):
    """What lies under the transparent ground of a card."""

    WHITE = "white"
    BLACK = "black"
    NOISE = "noise"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFile:
    """How a card is sent to a server, where it is not as the model's adapter encodes it."""

    form: FileForm = FileForm.PNG
    quality: int = 0
    """Of JPEG and lossy WebP."""
    orientation: int = 1
    """Of EXIF: a viewer turns the file back."""
    hidden: Hidden | None = None
    """Of a PNG whose ground is transparent; None for an opaque file."""
    unpacked: bool = False
    """A PNG without compression: cards of one size have files of one length."""
    media_type: str | None = None
    """What the request says of the file, if not what it is; "" for nothing."""
    is_linked: bool = False
    """True for an http URL that the server fetches it from."""
    detail: str = ""
    """Of ``image_url``: "low", "high" or "auto"; "" for what the adapter sends."""

    @property
    def words(self) -> str:
        """For display.

        >>> CardFile(form=FileForm.JPEG, quality=30, orientation=6).words
        'jpeg of quality 30, EXIF orientation 6'
        """
        if self.unpacked:
            return "png without compression"
        if self.hidden is not None:
            return f"png, transparent over {self.hidden.value}"
        quality = f" of quality {self.quality}" if self.quality else ""
        orientation = f", EXIF orientation {self.orientation}" if self.orientation != 1 else ""
        named = "" if self.media_type is None else f", sent as {self.media_type or 'no media type'}"
        linked = ", by URL" if self.is_linked else ""
        detail = f", detail {self.detail}" if self.detail else ""
        return f"{self.form.value}{quality}{orientation}{named}{linked}{detail}"


@dataclass(frozen=True, slots=True)
class OwnPhoto:
    """A photo of the user's, as it is."""

    picture: Picture
    """Without edits."""
    store: PhotoStore = field(compare=False, repr=False)
    """Reads its pixels, and its file where it has one."""

    @property
    def size(self) -> tuple[int, int]:
        return self.picture.scene.width, self.picture.scene.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A picture on which something can be read without doubt, or a photo of the user's."""

    number: int | None = None
    """Of three or four digits, in the middle; None for a card without a number."""
    ground: Colour
    """The colour of the background."""
    ink: Colour | None = None
    """The colour of the digits; by default black or white."""
    corners: tuple[str, ...] = ()
    """The names of the colours of four squares, in the order of ``CORNERS``; empty for a card without."""
    dots: int = 0
    """Black dots in a row of up to five."""
    digit_px: int = 0
    """The height of the digits in pixels; 0 for digits that fill the card."""
    size: tuple[int, int] = (SIDE_PX, SIDE_PX)
    """Width and height in pixels."""
    file: CardFile | None = None
    """How it is sent; None for as the adapter encodes it."""
    nonce: int = 0
    """Changes a block of 4 x 4 pixels in the corner by at most 15 of 255 a channel, of a photo by 1; 0 for no block."""
    is_noise: bool = False
    """Random pixels in place of the ground."""
    changes: tuple[str, ...] = ()
    """What is done to its pixels, in order: names of ``CHANGES``."""
    photo: OwnPhoto | None = None
    """A photo in place of all that is drawn: as large as fits into ``size``, in the middle, on the ground."""
    digest: str = field(init=False, compare=False)
    """Of all other fields."""

    def __post_init__(self) -> None:
        named = (
            *(self.number, self.ground, self.ink, self.corners, self.dots, self.digit_px, self.size),
            *(self.file and self.file.words, self.nonce, self.is_noise),
            *self.changes,
            *(() if self.photo is None else (self.photo.picture.digest,)),
        )
        # Computed once: every request compares digests, and the class is frozen.
        object.__setattr__(self, "digest", digest("probe card", repr(named)))

    @classmethod
    def of_photo(cls, photo: OwnPhoto, size: tuple[int, int] | None = None, file: CardFile | None = None) -> Card:
        """The card of a photo; without a size and a file it is sent as the model's adapter sends photos."""
        return cls(photo=photo, ground=MARGIN, size=size or photo.size, file=file)

    @property
    def is_own_file(self) -> bool:
        """True if it is a photo that the adapter may send as the file that it is."""
        return (
            self.photo is not None
            and self.file is None
            and not (self.nonce or self.changes)
            and self.size == self.photo.size
        )

    @property
    def look(self) -> str:
        """The card in words.

        >>> Card(number=417, ground=COLOURS["red"]).look
        '417 on red, 224 x 224 px'
        """
        if self.photo is not None:
            return self._photo_look(self.photo)
        ground = "noise" if self.is_noise else colour_name(self.ground) or str(self.ground)
        parts = [str(self.number)] if self.number is not None else []
        if self.corners:
            parts.append(f"squares ({', '.join(self.corners)})")
        if self.dots:
            parts.append(f"{self.dots} dots")
        shown = f"{' and '.join(parts)} on {ground}" if parts else f"nothing but {ground}"
        digits = f", digits of {self.digit_px} px" if self.digit_px else ""
        file = f", {self.file.words}" if self.file else ""
        ink = f", ink {self.ink}" if self.ink else ""
        changes = "".join(f", {each}" for each in self.changes)
        return f"{shown}, {self.size[0]} x {self.size[1]} px{digits}{ink}{changes}{file}"

    def _photo_look(self, photo: OwnPhoto) -> str:
        form = f", {self.file.words}" if self.file else ""
        changed = f", {self.nonce.bit_count()} pixels one level off" if self.nonce else ""
        changes = "".join(f", {each}" for each in self.changes)
        sides = f"{self.size[0]} x {self.size[1]} px"
        return f"photo {short_name(photo.picture.photo.id)}, {sides}{changed}{changes}{form}"

    def right(self, question: str) -> str:
        """What is right to answer; "" where the card does not tell, as of a photo.

        >>> Card(ground=GRAY, corners=("red", "blue", "green", "white")).right(CORNER.format("bottom left"))
        'green'
        """
        if self.photo is not None:
            return ""
        if question.endswith(COLOUR):
            return colour_name(self.ground)
        if question.endswith(DOTS):
            return str(self.dots)
        for place, corner in enumerate(CORNERS if self.corners else ()):
            if question.endswith(CORNER.format(corner)):
                return self.corners[place]
        return "" if self.number is None else str(self.number)


def colour_name(colour: Colour) -> str:
    """The name of a ground; "" for any other colour."""
    return next((name for name, each in COLOURS.items() if each == colour), "")


def says(reading: str, right: str) -> bool:
    """True if an answer names what is right: the number as digits or a word, the colour as a word.

    >>> says("there are three dots", "3"), says("it is 41", "417"), says("417", "417")
    (True, False, True)
    >>> says("6 451", "6451"), says("6.451", "6451"), says("9-6-4", "964"), says("4 1 7", "41")
    (True, True, True, False)
    >>> says("it is four-one-seven", "417")
    True
    """
    joined = _SPELT.sub(lambda found: re.sub(r"\D", "", found[0]), _GROUPED.sub("", normalize("NFKC", reading)))
    words = re.findall(r"[a-z]+|\d+", joined.casefold())
    word = _COUNTS[int(right)] if right.isdecimal() and int(right) < len(_COUNTS) else right
    return bool(right) and (right in words or word in words or (len(right) > 1 and right in _spelt(words)))


def _spelt(words: Sequence[str]) -> list[str]:
    """The numbers of which each digit is a word of its own."""
    digits = (str(_COUNTS.index(each)) if each in _COUNTS else each for each in words)
    # What is no single digit ends a number.
    return "".join(each if len(each) == 1 and each.isdecimal() else " " for each in digits).split()


def faint_card(number: int, level: int, step: int) -> Card:
    """A gray card with digits that are ``step`` of 255 brighter (darker if negative) than its ground at ``level``."""
    return Card(number=number, ground=(level,) * 3, ink=(level + step,) * 3)


def render_card(card: Card) -> Image:
    """Draws the card as RGB, without smoothing: as a viewer shows its file, of a transparent one on white."""
    image = _drawn(card)
    for each in card.changes:
        image = CHANGES[each](image)
    return image


def _drawn(card: Card) -> Image:
    from PIL import Image as Pillow
    from PIL.ImageDraw import Draw

    if card.photo is not None:
        return _photo(card, card.photo)
    if card.is_noise:
        return _noise(card)
    image = Pillow.new("RGB", card.size, card.ground)
    draw = Draw(image)
    if card.corners:
        _draw_corners(draw, card)
    if card.dots:
        _draw_dots(draw, card)
    if card.number is not None:
        _write(draw, card)
    side, (width, height) = _NONCE_PX, card.size
    if card.nonce:
        # Four bits of the nonce for each channel: 4,096 cards of one look.
        parts = tuple(_near(value, card.nonce >> 4 * place & 15) for place, value in enumerate(card.ground))
        draw.rectangle((width - side, height - side, width, height), fill=parts)
    return image


def card_file(card: Card) -> PictureFile | None:
    """The file of a card that is sent in a form of its own, else None."""
    file = card.file
    if file is None:
        return None
    media_type, content = _content(card, file)
    given = media_type if file.media_type is None else file.media_type
    return PictureFile(given, b64encode(content).decode("ascii"), detail=file.detail)


def _content(card: Card, file: CardFile) -> tuple[str, bytes]:
    from pytest_vqamt.imaging.file_forms import in_form, store, stored_file

    image = render_card(card)
    if file.unpacked:
        content = BytesIO()
        image.save(content, "PNG", compress_level=0)
        return "image/png", content.getvalue()
    if file.hidden is not None:
        return "image/png", png_bytes(_transparent(image, card, file.hidden))
    if file.form in (FileForm.ALPHA, FileForm.PALETTE, FileForm.GRAYSCALE):
        return "image/png", png_bytes(in_form(image, file.form))
    stored = stored_file(store(image, Store(form=file.form, quality=file.quality, orientation=file.orientation)))
    assert stored is not None, file  # all other forms have a file
    return stored.media_type, stored.content


def _transparent(image: Image, card: Card, hidden: Hidden) -> Image:
    from PIL import Image as Pillow
    from PIL import ImageChops

    plain = Pillow.new("RGB", image.size, card.ground)
    # Opaque where a pixel differs from the ground: the digits alone.
    shown = ImageChops.difference(image, plain).convert("L").point(lambda value: 255 if value else 0)
    under = {Hidden.WHITE: Pillow.new("RGB", image.size, _WHITE), Hidden.BLACK: Pillow.new("RGB", image.size, _BLACK)}
    made = Pillow.composite(image, under.get(hidden) or _noise(card), shown)
    made.putalpha(shown)
    return made


def _draw_corners(draw: ImageDraw, card: Card) -> None:
    width, height = card.size
    side, inset = (round(min(card.size) * share) for share in (_CORNER_SHARE, _INSET_SHARE))
    for place, name in enumerate(card.corners):
        x = inset if place % 2 == 0 else width - inset - side
        y = inset if place < 2 else height - inset - side
        draw.rectangle((x, y, x + side - 1, y + side - 1), fill=COLOURS[name])


def _draw_dots(draw: ImageDraw, card: Card) -> None:
    width, height = card.size
    cell = width / (card.dots + 1)
    radius = min(cell * 0.35, height * 0.1)
    for place in range(card.dots):
        x = cell * (place + 1)
        draw.ellipse((x - radius, height / 2 - radius, x + radius, height / 2 + radius), fill=_BLACK)


def _write(draw: ImageDraw, card: Card) -> None:
    from pytest_vqamt.imaging.lettering import font

    digits, (width, height) = str(card.number), card.size
    # The digits fit into 80 % of the width, whatever the aspect ratio.
    cell = min(width * 0.8 / len(digits), height * 0.5) if not card.digit_px else card.digit_px
    letters = font(max(8, round(cell * 1.4)))
    ink = card.ink or (_BLACK if sum(card.ground) > _BRIGHT else _WHITE)
    # Without antialiasing: a palette holds the few colours exactly.
    draw.fontmode = "1"
    for place, digit in enumerate(digits):
        x = width / 2 + (place - (len(digits) - 1) / 2) * cell
        draw.text((x, height / 2), digit, fill=ink, anchor="mm", font=letters)


def _near(value: int, step: int) -> int:
    """``value`` and at most 15 more, or less where it is bright."""
    # No channel may leave 0 to 255.
    return value - step if value > 200 else value + step


def _photo(card: Card, photo: OwnPhoto) -> Image:
    from pytest_vqamt.imaging.render import render

    picture, (width, height), (own_width, own_height) = photo.picture, card.size, photo.size
    scale = min(width / own_width, height / own_height)
    # A rounded side may miss the size by a pixel, which no margin should fill.
    across, down = (
        side if abs(side - own * scale) < 1 else max(1, round(own * scale))
        for side, own in ((width, own_width), (height, own_height))
    )
    if (across, down) != photo.size:
        picture = picture.rescale(across, down)
    if (across, down) != card.size:
        left, top = (width - across) // 2, (height - down) // 2
        picture = picture.pad(
            left=left, top=top, right=width - across - left, bottom=height - down - top, colour=card.ground
        )
    image = render(picture, photo.store)
    for place in range(_NONCE_PX**2):
        at = place % _NONCE_PX, place // _NONCE_PX
        if card.nonce >> place & 1 and at[0] < width and at[1] < height:
            red, green, blue = cast("Colour", image.getpixel(at))
            image.putpixel(at, (red, green, blue - 1 if blue else 1))
    return image


def _noise(card: Card) -> Image:
    from random import Random

    from PIL import Image as Pillow

    width, height = card.size
    # Seeded by the nonce, so that the picture is the same in every run.
    return Pillow.frombytes("RGB", card.size, Random(card.nonce).randbytes(3 * width * height))


# Cards of which two and two collide where a cache keeps only 16 bits of a picture's hash


@cache
def colliding_pairs(cards: tuple[Card, Card]) -> dict[str, tuple[tuple[Card, Card], ...]]:
    """For each of ``HASHES`` two pairs, of a variant of each card, that have the same short hash."""
    sides = [[replace(card, size=_COLLIDING_SIZE, nonce=nonce) for nonce in range(1, _VARIANTS + 1)] for card in cards]
    stored = [[_stored(card) for card in side] for side in sides]
    return {name: _pairs(sides, stored, *how) for name, how in HASHES.items()}


def alike_pairs(cards: Iterable[Card], numbers: Iterable[int]) -> dict[int, tuple[Card, Card]]:
    """By the place of a card: its number behind another one, in small digits on white, of one average hash (8 x 8)."""
    by_look: dict[bytes, list[Card]] = {}
    for number in numbers:
        by_look.setdefault(_average_hash(_small(number)), []).append(_small(number))
    pairs: dict[int, tuple[Card, Card]] = {}
    for place, card in enumerate(cards):
        second = _small(card.number or 0)
        # Each is taken once: what was sent may be in a cache.
        if alike := by_look.get(_average_hash(second)):
            pairs[place] = alike.pop(0), second
    return pairs


def _small(number: int) -> Card:
    return Card(number=number, ground=COLOURS["white"], digit_px=_SMALL_DIGITS_PX)


def _average_hash(card: Card) -> bytes:
    from PIL.Image import Resampling

    pixels = render_card(card).convert("L").resize((8, 8), Resampling.BOX).tobytes()
    mean = sum(pixels) / len(pixels)
    return bytes(value > mean for value in pixels)


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
