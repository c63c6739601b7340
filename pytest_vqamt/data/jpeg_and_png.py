"""What the bytes of a JPEG or a PNG say of themselves before any pixel is decoded."""

from __future__ import annotations

from dataclasses import dataclass

_JPEG_START, _JPEG_END = b"\xff\xd8", b"\xff\xd9"
_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
_SCAN = 0xDA
_FRAMES = (*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0))
_SEQUENTIAL = (0xC0, 0xC1)
_PADDING = bytes(64)
"""A decoder reads some bytes further than it needs."""


def is_whole(data: bytes) -> bool:
    """Whether a JPEG or PNG ends where its format says; other formats are taken to be whole.

    Padding or a camera's own data may follow the end.
    """
    if data.startswith(_PNG_START):
        return _PNG_END in data
    if data.startswith(_JPEG_START):
        return data.rstrip(b"\0").endswith(_JPEG_END) or _JPEG_END in data[_Head.of(data).pixels :]
    return True


def without_end(data: bytes) -> bytes:
    """The bytes such that Pillow refuses a JPEG of fewer pixels than it should have; those of other files as they are.

    At the mark that ends a JPEG, Pillow leaves grey whatever has not come until then: half a photo, where a torn file
    was closed, and in most photos where a block in the middle was lost. Without the mark it waits for the rest, and
    says that it is missing. Where the pixels are told in several passes, Pillow needs the mark: these stay as they are.
    """
    if not data.startswith(_JPEG_START):
        return data
    head = _Head.of(data)
    end = data.find(_JPEG_END, head.pixels)
    return data[:end] + _PADDING if head.is_one_pass and end >= 0 else data


@dataclass(frozen=True, slots=True)
class _Head:
    """Where the pixels of a JPEG begin, and whether they are told in one pass.

    What comes before may hold a thumbnail, with an end of its own.
    """

    pixels: int
    is_one_pass: bool

    @classmethod
    def of(cls, data: bytes) -> _Head:
        place, frame, channels = len(_JPEG_START), 0, 0
        while place + 4 <= len(data) and data[place] == 0xFF and data[place + 1] != _SCAN:
            if data[place + 1] in _FRAMES:
                frame, channels = data[place + 1], int.from_bytes(data[place + 9 : place + 10])
            place += 2 + int.from_bytes(data[place + 2 : place + 4])
        in_first_pass = int.from_bytes(data[place + 4 : place + 5])
        return cls(pixels=place, is_one_pass=frame in _SEQUENTIAL and channels == in_first_pass)
