"""The forms of file in which a picture can be sent to a server: PNG, JPEG and WebP of many kinds, turned by EXIF.

Clients import this module to ask, so numpy is loaded only where a palette, 16 bits or interlaced rows are made.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image, ImageOps

from pytest_vqamt.core.edits import FileForm, Store
from pytest_vqamt.imaging.render import renders

if TYPE_CHECKING:
    import numpy as np

_FORM = "vqamt-file-form"
"""The key of an image's ``info`` that names the mode of its file."""

_FILE = "vqamt-file"
"""The key of an image's ``info`` that has its file."""

_COLOURS = 256
"""The colours of a palette of 8 bits."""

_ORIENTATION = 0x0112
"""EXIF's tag of the orientation; 1 is upright."""

_TURNED_BACK = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    # A viewer turns the file clockwise by 90 degrees, so it holds the picture turned by 90 the other way.
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""How the picture is turned in a file of each orientation."""

_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""The passes of an interlaced PNG: the first column and row, and the steps between columns and rows."""

_BY_MODE = (FileForm.ALPHA, FileForm.PALETTE, FileForm.GRAYSCALE)
"""The forms of PNG that are another mode of image."""


class StoredFile(NamedTuple):
    """A file that is sent as it is."""

    media_type: str
    content: bytes


@renders(Store)
def store(image: Image.Image, edit: Store) -> Image.Image:
    """An RGB uint8 image of what a file of the form holds, upright; a copy.

    256 colours by median cut for a palette, ITU-R 601 luma for grayscale, the same pixels with alpha, which is
    opaque, and else what Pillow decodes from the file. Unless ``plain``, ``in_its_form`` makes an image of the form of
    it, or ``stored_file`` has the very file.
    """
    if edit.form not in _BY_MODE:
        file = _file(image, edit)
        shown = _decoded(file.content)
        if not edit.plain:
            shown.info[_FILE] = file
        return shown
    reduced = image.copy()
    # The reduction is visible in either form of file, so that only the form differs between them.
    if edit.form is FileForm.PALETTE:
        reduced = image.quantize(_COLOURS, dither=Image.Dither.NONE).convert("RGB")
    elif edit.form is FileForm.GRAYSCALE:
        reduced = image.convert("L").convert("RGB")
    if not edit.plain:
        reduced.info[_FORM] = edit.form
    return reduced


def stored_file(image: Image.Image) -> StoredFile | None:
    """The file of an image that ``Store`` has just made; None if it has none but by ``in_its_form``.

    Another edit after it copies the file along, so ask only where ``Store`` is the last.
    """
    file = image.info.get(_FILE)
    return file if isinstance(file, StoredFile) else None


def in_its_form(image: Image.Image) -> Image.Image:
    """The image in the mode of the file that is to be sent: RGBA, P or L, or as it is."""
    form = image.info.get(_FORM)
    return image if form is None else in_form(image, FileForm(form))


def in_form(image: Image.Image, form: FileForm) -> Image.Image:
    """An image of mode RGBA, P or L with the pixels of an RGB image, of at most 256 colours for a palette."""
    match form:
        case FileForm.ALPHA:
            return image.convert("RGBA")
        case FileForm.PALETTE:
            return _with_palette(image)
        case FileForm.GRAYSCALE:
            return image.convert("L")
    return image


def _with_palette(image: Image.Image) -> Image.Image:
    """The image with its colours in a palette, in the order of their frequency; Pillow's own would merge near ones."""
    import numpy as np

    pixels = np.asarray(image)
    packed = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)  # a number for each colour
    found, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")  # stable: the same palette on every machine
    rank = np.empty(len(found), np.uint8)
    rank[order] = np.arange(len(found))
    # Versions of NumPy give ``places`` flat or in the shape of the picture.
    made = Image.fromarray(rank[places].reshape(packed.shape), "P")
    made.putpalette([int(colour) >> shift & 255 for colour in found[order] for shift in (16, 8, 0)])
    return made


def _file(image: Image.Image, edit: Store) -> StoredFile:
    """The file of the edit's form with the pixels of an RGB image."""
    if edit.form is FileForm.SIXTEEN_BITS:
        return StoredFile("image/png", _png_of_16_bits(image))
    if edit.form is FileForm.INTERLACED:
        return StoredFile("image/png", _interlaced_png(image))
    file = BytesIO()
    exif = Image.Exif()
    if edit.orientation != 1:
        image = image.transpose(_TURNED_BACK[edit.orientation])
        exif[_ORIENTATION] = edit.orientation
    if edit.form is FileForm.PNG:
        image.save(file, "PNG", compress_level=1, exif=exif)
        return StoredFile("image/png", file.getvalue())
    if edit.form in (FileForm.WEBP, FileForm.LOSSY_WEBP):
        is_lossless = edit.form is FileForm.WEBP
        # Without loss the quality is the effort, and 0 the fastest.
        image.save(file, "WEBP", lossless=is_lossless, quality=edit.quality, method=0 if is_lossless else 4)
        return StoredFile("image/webp", file.getvalue())
    mode = {FileForm.GRAYSCALE_JPEG: "L", FileForm.CMYK_JPEG: "CMYK"}.get(edit.form, "RGB")
    is_progressive = edit.form is FileForm.PROGRESSIVE_JPEG
    # Pillow writes chroma of 4:2:0 as most programs do; of a gray file, and of CMYK, there is none.
    image.convert(mode).save(file, "JPEG", quality=edit.quality, progressive=is_progressive, exif=exif)
    return StoredFile("image/jpeg", file.getvalue())


def _decoded(content: bytes) -> Image.Image:
    """The pixels of the file, upright and RGB, without anything else that is in it."""
    with Image.open(BytesIO(content)) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
    # A fresh image: Pillow would write the tags of this one into the next file.
    return Image.frombytes("RGB", upright.size, upright.tobytes())


def _png_of_16_bits(image: Image.Image) -> bytes:
    """A PNG file of 16 bits a colour, which Pillow reads and cannot write."""
    import numpy as np

    # 257 * 255 is 65,535, so white stays white, whether a reader takes the upper byte or divides.
    return _png(image.size, (np.asarray(image).astype(">u2") * np.uint16(257)).astype(">u2"), bits=16)


def _interlaced_png(image: Image.Image) -> bytes:
    """A PNG file with the pixels in the passes of Adam7, which Pillow reads and cannot write."""
    import numpy as np

    pixels = np.asarray(image)
    # A pass without a column has no rows either.
    passes = (pixels[y::down, x::across] for x, y, across, down in _ADAM7 if x < image.width)
    return _png(image.size, (row for each in passes for row in each), bits=8, interlaced=True)


def _png(size: tuple[int, int], rows: Iterable[np.ndarray], *, bits: int, interlaced: bool = False) -> bytes:
    """A PNG file of rows of RGB pixels (uint8, or uint16 with the high byte first), in the order of the file."""
    # Each row begins with the number of its filter; 0 is none.
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    width, height = (side.to_bytes(4, "big") for side in size)
    # RGB, and the only compression and filters that there are.
    head = width + height + bytes((bits, 2, 0, 0, interlaced))
    chunks = (b"IHDR", head), (b"IDAT", zlib.compress(lines, 1)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big") for name, data in chunks
    )
