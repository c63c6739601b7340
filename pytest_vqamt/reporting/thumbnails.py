"""Pictures drawn small enough that a page holds thousands of them."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from pytest_vqamt.core.edits import Erase
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.data.base import SceneSource

if TYPE_CHECKING:
    from PIL.Image import Image

_SIDE_PX = 224
"""Of the longer side: the size of the picture world's own pictures."""
_LADDER: tuple[tuple[int, int], ...] = (
    (224, 75), (224, 50), (192, 40), (160, 40), (160, 25), (128, 35), (128, 20), (96, 30), (64, 25), (48, 20), (32, 20),
)  # fmt: skip
"""Pixels of the longer side and quality, tried in turn until the file is small enough.

At the first, pictures of the picture world come out in 2.8 kB and photos in 6; at (160, 25) photos take 2 kB. The last
ones are for pictures of noise, of which no photo of COCO is one.
"""
_THREADS_AT_MOST = 8
_TELEA = "telea"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thumbnail:
    """A small picture as a page embeds it; ``width`` and ``height`` in pixels, ``bytes`` of its file."""

    uri: str
    width: int
    height: int
    bytes: int


class Wanted(NamedTuple):
    """A picture that is to be drawn, and the data that its photos come from."""

    picture: Picture
    photos: SceneSource


def takes_long(picture: Picture) -> bool:
    """Whether it takes a second and more to draw: an inpainter other than OpenCV's has to make up a part of it."""
    return any(isinstance(edit, Erase) and edit.method not in ("", _TELEA) for edit in picture.edits)


def thumbnails(
    wanted: Sequence[Wanted], most_bytes: int, drawn: Callable[[], object] = lambda: None
) -> Iterator[Thumbnail | str]:
    """A thumbnail of each picture, in their order, or why there is none; each of ``most_bytes`` where that can be.

    They are drawn on as many threads as there are cores, and the same bytes come of it on any number. ``drawn`` is told
    of each.
    """

    def draw(each: Wanted) -> Thumbnail | str:
        from pytest_vqamt.imaging.render import render  # brings PIL, which a report without pictures can do without

        try:
            return thumbnail(render(each.picture, each.photos), most_bytes)
        except Exception as error:  # a photo on the disk, or a source of the user's, may fail in any way
            return str(error) or type(error).__name__

    with ThreadPoolExecutor(min(_THREADS_AT_MOST, os.cpu_count() or 1), "vqamt-thumbnail") as pool:
        try:
            for made in pool.map(draw, wanted):
                drawn()
                yield made
        finally:
            pool.shutdown(cancel_futures=True)


def thumbnail(image: Image, most_bytes: int) -> Thumbnail:
    """``image`` (RGB, uint8, of any size) made small; it is never enlarged, and left as it is."""
    large = _resized(image, _SIDE_PX)
    *first, last = _LADDER
    for side, quality in first:
        made = _made(_resized(large, side), quality)
        if made.bytes <= most_bytes:
            return made
    return _made(_resized(large, last[0]), last[1])


def _resized(image: Image, side: int) -> Image:
    from PIL import Image as Pillow

    scale = side / max(image.size)
    if scale >= 1:
        return image
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    return image.resize(size, Pillow.Resampling.LANCZOS, reducing_gap=3)


def _made(image: Image, quality: int) -> Thumbnail:
    kind, settings = _format()
    file = BytesIO()
    image.save(file, kind, quality=quality, **settings)
    text = b64encode(file.getvalue()).decode("ascii")
    uri = f"data:image/{kind.lower()};base64,{text}"
    return Thumbnail(uri=uri, width=image.width, height=image.height, bytes=file.tell())


@cache
def _format() -> tuple[str, dict[str, int]]:
    """The format of the files: JPEG, half as large again, where Pillow was built without WebP.

    WebP's third method of six takes half the time of the usual one, for a twentieth more bytes.
    """
    from PIL import features

    return ("WEBP", {"method": 2}) if features.check("webp") else ("JPEG", {"optimize": True})
