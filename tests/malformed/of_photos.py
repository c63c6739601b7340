"""Photos that are broken, that are something else, or that are not the one that was annotated."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from tests.malformed.entries import At, Damage, Malformed
from tests.malformed.good import HEIGHT, WIDTH, Data, encoded, image
from tests.malformed.of_files import PAGE, POINTER

Make = Callable[[], bytes]

_ORIENTATION = 0x0112

PHOTOS: Mapping[str, str] = {
    "graphs": "2.png", "photos": "2.png", "coco": "images/2.jpg", "gqa": "images/2.jpg",
    "visual-genome": "images/2.jpg", "vqa-v2": "images/000000000002.jpg",
}  # fmt: skip
"""The second record's photo in each data set."""


def broken_photos() -> Iterator[Malformed]:
    """An entry for each source and broken photo; the default tier has a PNG of one source and a JPEG of another."""
    for data, name in PHOTOS.items():
        if data == "photos":
            continue  # it reads them as graphs does
        kind = "PNG" if name.endswith(".png") else "JPEG"
        for what, make in {**_cut(kind), **_BROKEN, **_NONE, **({} if data == "vqa-v2" else _ANOTHER)}.items():
            yield Malformed(
                name=f"{data}: a photo that is {what}",
                data=data,
                damage=shown_as(name, make),
                says=(Path(name).name,),
                at=At.USE,
                is_of_full=data not in ("graphs", "coco"),
            )


def shown_as(name: str, make: Make) -> Damage:
    return lambda data: data.photos.update({name: make()})


def saved(picture: Image.Image, kind: str, **settings: object) -> bytes:
    stream = BytesIO()
    picture.save(stream, kind, **settings)
    return stream.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(*chunks: bytes, width: int = WIDTH, height: int = HEIGHT, bits: int = 8, colour: int = 2) -> bytes:
    """A PNG of these chunks between its first and its last."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + chunk(b"IEND", b"")


def _cut(kind: str) -> Mapping[str, Make]:
    """Cut off at several places: in its first bytes, in its head, in its pixels, before its end."""
    whole = encoded(kind, 2)
    places = (1, 7, 11, 20, 60, len(whole) // 2, len(whole) - 20, len(whole) - 2, len(whole) - 1)
    return {f"cut off after {place} bytes": partial(_first, whole, place) for place in places}


def _first(data: bytes, count: int) -> bytes:
    return data[:count]


def _flipped(data: bytes, place: int, bit: int = 0) -> bytes:
    """``data`` with one bit the other way."""
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def _flipped_pixel() -> bytes:
    whole = encoded("PNG", 2)
    return _flipped(whole, (whole.index(b"IDAT") + whole.index(b"IEND")) // 2, 3)


def _closed() -> bytes:
    """Half a JPEG with the mark of its end."""
    picture = Image.effect_noise((WIDTH, HEIGHT), 90).convert("RGB")
    whole = saved(picture, "JPEG")
    return whole[: whole.index(b"\xff\xda") + 60] + b"\xff\xd9"


def _animated(kind: str) -> bytes:
    return saved(image(2), kind, save_all=True, append_images=[image(1)])


def _not_a_number() -> bytes:
    numbers = np.zeros((HEIGHT, WIDTH), dtype=np.float32)
    numbers[3, 4] = np.nan
    return saved(Image.fromarray(numbers), "TIFF")


def _turned() -> bytes:
    exif = Image.Exif()
    exif[_ORIENTATION] = 6
    return saved(image(2), "JPEG", exif=exif)


_PIXELS = zlib.compress((b"\0" + bytes(3 * WIDTH)) * HEIGHT)
_SCAN = b"\xff\xda\0\x0c\x03\x01\0\x02\x11\x03\x11\0\x3f\0"
_BROKEN: Mapping[str, Make] = {
    "of one flipped bit in its pixels": _flipped_pixel,
    "of one flipped bit in its size": lambda: _flipped(encoded("PNG", 2), 19),
    "of one flipped bit in its colours": lambda: _flipped(encoded("PNG", 2), 25),
    "of one flipped bit in its sum": lambda: _flipped(encoded("PNG", 2), 30),
    "without pixels": lambda: png(),
    "of empty pixels": lambda: png(chunk(b"IDAT", b"")),
    "of too few pixels": lambda: png(chunk(b"IDAT", zlib.compress(bytes(3 * WIDTH * HEIGHT // 2)))),
    "of pixels that do not unpack": lambda: png(chunk(b"IDAT", b"x" * 90)),
    "of no width": lambda: png(chunk(b"IDAT", _PIXELS), width=0),
    "of no kind of pixels": lambda: png(chunk(b"IDAT", _PIXELS), bits=3, colour=7),
    "coloured by number without a palette": lambda: png(
        chunk(b"IDAT", zlib.compress((b"\0" + bytes(WIDTH)) * HEIGHT)), colour=3
    ),
    "a text that unpacks to 4 MB": lambda: png(
        chunk(b"zTXt", b"x\0\0" + zlib.compress(bytes(4 * 2**20))), chunk(b"IDAT", _PIXELS)
    ),
    "said to be of 60000 x 60000 px": lambda: png(chunk(b"IDAT", _PIXELS), width=60_000, height=60_000),
    "said to be of 2147483647 px": lambda: png(chunk(b"IDAT", _PIXELS), width=2**31 - 1, height=1),
    "a torn JPEG that was closed": _closed,
    "a JPEG without a frame": lambda: b"\xff\xd8" + _SCAN + bytes(99) + b"\xff\xd9",
    "a JPEG without its tables": lambda: encoded("JPEG", 2).replace(b"\xff\xdb", b"\xff\xe5"),
    "a JPEG of nothing but its ends": lambda: b"\xff\xd8\xff\xd9",
    "a GIF cut off": lambda: _animated("GIF")[:-900],
    "a GIF without a frame": lambda: b"GIF89a" + struct.pack("<HH", WIDTH, HEIGHT) + b"\0\0\0;",
    "a WebP cut off": lambda: encoded("WEBP", 2)[:-20],
    "a BMP cut off": lambda: encoded("BMP", 2)[:-100],
    "a TIFF cut off": lambda: encoded("TIFF", 2)[:-100],
    "a TIFF without its tags": lambda: b"II*\0\x08\0\0\0\0\0\0\0\0\0",
    "a TIFF whose tags lie behind its end": lambda: b"II*\0\xff\xff\xff\x7f",
    "a PPM cut off": lambda: encoded("PPM", 2)[:-100],
    "a PPM of words": lambda: b"P3\n24 16\n255\n" + b"red green blue " * 400,
    "a PPM of a very long number": lambda: b"P6 " + b"9" * 300,
    "of pixels that are no numbers": _not_a_number,
}  # fmt: skip
_NONE: Mapping[str, Make] = {
    "empty": lambda: b"",
    "nothing but NULs": lambda: bytes(5000),
    "a text": lambda: b"a dog beside a cat\n",
    "a web page": lambda: PAGE,
    "a pointer of git lfs": lambda: POINTER,
    "a drawing of lines (SVG)": lambda: b"<svg xmlns='http://www.w3.org/2000/svg' width='24' height='16'/>",
    "a page (PDF)": lambda: b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n",
    "a program (EPS)": lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 24 16\n%%EndComments\nshowpage\n",
    "an archive": lambda: b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(60),
    "an icon": lambda: saved(image(2).resize((16, 16)), "ICO"),
    "a film": lambda: b"\0\0\0\x20ftypisom" + bytes(60),
    "a photo of a telephone (HEIC)": lambda: b"\0\0\0\x20ftypheic" + bytes(60),
    "a JPEG 2000": lambda: b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(60),
}  # fmt: skip
_ANOTHER: Mapping[str, Make] = {
    "of another size": lambda: saved(image(2).resize((WIDTH + 1, HEIGHT)), "PNG"),
    "half as large": lambda: saved(image(2).resize((WIDTH // 2, HEIGHT // 2)), "JPEG"),
    "turned by its EXIF": _turned,
    "turned": lambda: saved(image(2).transpose(Image.Transpose.ROTATE_90), "PNG"),
}


HARMLESS: Mapping[str, Make] = {
    "named JPEG and a PNG": lambda: encoded("PNG", 2),
    "with a camera's own data behind its end": lambda: encoded("PNG", 2) + b"SEFT" * 9,
    "of four inks with a broken profile": lambda: saved(
        image(2).convert("CMYK"), "JPEG", icc_profile=b"no profile" * 20, quality=100, subsampling=0
    ),
    "a PNG with a broken profile": lambda: png(
        chunk(b"iCCP", b"x\0\0nonsense"),
        chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row.tobytes() for row in np.asarray(image(2))))),
    ),
    "an animation, of which the first counts": lambda: _animated("PNG"),
    "with EXIF that is broken": lambda: saved(image(2), "PNG", exif=b"Exif\0\0II*\0\xff\xff\xff\xffnonsense"),
    "with EXIF that tells another size": lambda: saved(image(2), "PNG", exif=_sized(4000, 3000)),
    "a lossless WebP": lambda: saved(image(2), "WEBP", lossless=True),
    "a BMP": lambda: encoded("BMP", 2),
    "a TIFF": lambda: encoded("TIFF", 2),
}
"""What looks wrong, and shows the photo as it is."""


def _sized(width: int, height: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0100], exif[0x0101] = width, height
    return exif


def with_photo(data: Data, make: Make) -> Data:
    """``data`` whose second record has these bytes for its photo."""
    data.photos[PHOTOS[data.kind]] = make()
    return data
