"""Requests of chat completions as a server reads them: turns of texts and pictures, and the pixels of files."""

from __future__ import annotations

import base64
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

Pixels: TypeAlias = NDArray[np.uint8]
"""uint8, HWC, RGB."""

_PATCH_PX = 28
_MOST_PICTURE_TOKENS = 1024
"""A larger picture has no more, as with the bounds that vision-language models have."""


@dataclass(frozen=True, slots=True)
class File:
    """The file of a picture."""

    media_type: str
    """As the request has it; "" for none."""
    content: bytes
    """Empty for a file that is not fetched yet."""
    url: str = ""
    """Where it is fetched from; "" for one that is in the request."""

    @property
    def found_type(self) -> str:
        """The media type by the content."""
        with Image.open(BytesIO(self.content)) as image:
            return str(image.get_format_mimetype())

    def open(self) -> Image.Image:
        """The image as Pillow reads it, turned by nothing."""
        return Image.open(BytesIO(self.content))


@dataclass(slots=True)
class Shown:
    """A picture of a conversation."""

    file: File
    detail: str = ""
    """As the request has it: "low", "high" or "auto"; "" for nothing."""
    pixels: Pixels | None = None
    """As they reach the model; None for none."""

    @property
    def tokens(self) -> int:
        if self.pixels is None:
            return 0
        height: int = self.pixels.shape[0]
        width: int = self.pixels.shape[1]
        return min(_MOST_PICTURE_TOKENS, max(1, width // _PATCH_PX) * max(1, height // _PATCH_PX))


@dataclass(slots=True)
class Turn:
    """What one side says."""

    role: str
    """"user", "assistant" or "system"."""
    parts: list[str | Shown]

    @property
    def text(self) -> str:
        return "\n".join(part for part in self.parts if isinstance(part, str))


@dataclass(slots=True, kw_only=True)
class Chat:
    """A request."""

    fields: dict[str, Any]
    """Its JSON."""
    turns: list[Turn]
    acts: bool
    """True if the bug acts in it, where its condition is met."""
    random: Random = field(repr=False)
    """Seeded by the server's seed and the request."""
    batch_size: int = 1
    """The requests that were in flight with it."""

    @property
    def pictures(self) -> list[Shown]:
        return list(pictures_in(self.turns))

    @property
    def text(self) -> str:
        return "\n".join(turn.text for turn in self.turns)


def pictures_in(turns: Sequence[Turn]) -> Iterator[Shown]:
    """The pictures of all turns in their order."""
    return (part for turn in turns for part in turn.parts if isinstance(part, Shown))


def count_tokens(turns: Sequence[Turn]) -> int:
    """The tokens of a prompt: four for three words, and one for each patch of 28 x 28 pixels."""
    words = sum(len(turn.text.split()) for turn in turns)
    return words * 4 // 3 + 4 + sum(shown.tokens for shown in pictures_in(turns))


def read_turns(fields: dict[str, Any]) -> list[Turn]:
    """The conversation of a request's JSON."""
    return [Turn(message["role"], list(_parts(message["content"]))) for message in fields["messages"]]


def _parts(content: str | list[dict[str, Any]]) -> Iterator[str | Shown]:
    if isinstance(content, str):
        yield content
        return
    for part in content:
        if part["type"] == "text":
            yield part["text"]
        elif part["type"] == "image_url":
            yield Shown(_file(part["image_url"]["url"]), part["image_url"].get("detail", ""))


def fetched(file: File) -> File:
    """The file, downloaded where the request has its URL alone."""
    if not file.url:
        return file
    with urllib.request.urlopen(file.url, timeout=10) as response:
        return replace(file, media_type=response.headers.get_content_type(), content=response.read())


def _file(url: str) -> File:
    if url.startswith("http"):
        return File("", b"", url)
    head, _, content = url.partition(",")
    return File(head.removeprefix("data:").partition(";")[0], base64.b64decode(content))


def scaled_down(pixels: Pixels, most_px: int) -> Pixels:
    """The pixels with a longer side of at most so many."""
    height, width = pixels.shape[:2]
    share = most_px / max(height, width)
    return pixels if share >= 1 else resized(pixels, max(1, round(width * share)), max(1, round(height * share)))


def resized(pixels: Pixels, width: int, height: int) -> Pixels:
    """The pixels at another width and height."""
    return np.asarray(Image.fromarray(np.ascontiguousarray(pixels)).resize((width, height), Image.Resampling.BILINEAR))


def decoded(file: File) -> Pixels:
    """The pixels as a viewer shows them: upright, and on white where they are transparent."""
    return flattened(ImageOps.exif_transpose(file.open()))


def flattened(image: Image.Image, behind: str = "white") -> Pixels:
    """The pixels of an image of any mode; a colour is seen through what is transparent."""
    if image.has_transparency_data:
        with_alpha = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, behind), with_alpha)
    elif image.mode.startswith("I"):
        # Gray of 16 bits: Pillow cuts off at 255 where it converts.
        image = Image.fromarray((np.asarray(image) // 257).astype(np.uint8))
    return np.asarray(image.convert("RGB"))
