"""A picture of a form has the pixels of that form, and a server gets a file of it."""

from __future__ import annotations

import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageFilter, ImageOps

from pytest_vqamt.core.edits import FileForm, Store, checked_edit
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.imaging.file_forms import store, stored_file
from pytest_vqamt.models.http.picture_files import png_bytes
from tests.imaging.random_images import values
from tests.rows import each_row

NOISE = Image.fromarray(np.random.default_rng(7).integers(0, 256, (40, 60, 3), dtype=np.uint8))
MODES = {FileForm.ALPHA: "RGBA", FileForm.PALETTE: "P", FileForm.GRAYSCALE: "L"}


def sent(image: Image.Image) -> Image.Image:
    return Image.open(BytesIO(png_bytes(image)))


@pytest.mark.parametrize("form", MODES)
def test_a_file_of_the_form_is_sent_with_the_pixels_that_all_models_see(form: FileForm) -> None:
    stored, plain = store(NOISE, Store(form=form)), store(NOISE, Store(form=form, plain=True))
    assert stored.mode == plain.mode == "RGB"
    assert (values(stored) == values(plain)).all()
    assert (sent(stored.copy()).mode, sent(plain).mode) == (MODES[form], "RGB")
    assert (values(sent(stored.copy()).convert("RGB")) == values(plain)).all()


def test_what_the_forms_hold() -> None:
    alpha, palette, grey = (values(store(NOISE, Store(form=form))) for form in MODES)
    assert (alpha == values(NOISE)).all()
    assert len(np.unique(palette.reshape(-1, 3), axis=0)) <= 256
    assert (grey == np.asarray(NOISE.convert("L"))[..., None]).all()


SMOOTH = NOISE.filter(ImageFilter.GaussianBlur(4))
"""Of small detail JPEG keeps little."""
QUALITY = 90


def stored(image: Image.Image, form: FileForm, orientation: int = 1, *, plain: bool = False) -> Image.Image:
    quality = QUALITY if form.is_lossy else 0
    edit = Store(form=form, plain=plain, quality=quality, orientation=orientation)
    return store(image, edit)


def content_of(image: Image.Image) -> bytes:
    file = stored_file(image)
    assert file is not None
    assert file.media_type == f"image/{(Image.open(BytesIO(file.content)).format or '').lower()}"
    return file.content


@each_row(
    "form, format, mode, off",
    [
        (FileForm.PNG, "PNG", "RGB", 0),
        (FileForm.SIXTEEN_BITS, "PNG", "RGB", 0),
        (FileForm.INTERLACED, "PNG", "RGB", 0),
        (FileForm.JPEG, "JPEG", "RGB", 3),
        (FileForm.PROGRESSIVE_JPEG, "JPEG", "RGB", 3),
        (FileForm.CMYK_JPEG, "JPEG", "CMYK", 3),
        (FileForm.WEBP, "WEBP", "RGB", 0),
        (FileForm.LOSSY_WEBP, "WEBP", "RGB", 4),
    ],
)
def test_a_file_holds_the_pixels_that_all_models_see(form: FileForm, format: str, mode: str, off: int) -> None:  # noqa: A002  # Pillow's name
    found = stored(SMOOTH, form)
    file = Image.open(BytesIO(content_of(found)))
    assert (file.format, file.mode) == (format, mode)
    assert (values(file.convert("RGB")) == values(found)).all()
    assert found.mode == "RGB"
    assert abs(values(found).astype(int) - values(SMOOTH)).mean() <= off
    assert form.keeps_pixels == (found.tobytes() == SMOOTH.tobytes())
    assert values(stored(SMOOTH, form, plain=True)).tobytes() == found.tobytes()
    assert stored_file(stored(SMOOTH, form, plain=True)) is None


def test_a_gray_jpeg_has_no_colours() -> None:
    found = stored(SMOOTH, FileForm.GRAYSCALE_JPEG)
    assert Image.open(BytesIO(content_of(found))).mode == "L"
    assert len({channel.tobytes() for channel in found.split()}) == 1


def test_kinds_of_jpeg_and_webp_are_told_by_their_bytes() -> None:
    baseline, progressive = (content_of(stored(SMOOTH, f)) for f in (FileForm.JPEG, FileForm.PROGRESSIVE_JPEG))
    # The marks of a frame: SOF0 and SOF2.
    assert (b"\xff\xc0" in baseline, b"\xff\xc2" in progressive) == (True, True)
    lossless, lossy = (content_of(stored(SMOOTH, f)) for f in (FileForm.WEBP, FileForm.LOSSY_WEBP))
    assert (lossless[12:16], lossy[12:16]) == (b"VP8L", b"VP8 ")


def test_16_bits_are_16_bits() -> None:
    content = content_of(stored(NOISE, FileForm.SIXTEEN_BITS))
    # Behind the mark of PNG, the length and the name of the head, and two sides of 4 bytes.
    assert content[24:26] == bytes([16, 2])
    assert (values(Image.open(BytesIO(content))) == values(NOISE)).all()


# Fewer than eight columns or rows leave passes without a pixel.
@pytest.mark.parametrize("size", [(1, 1), (1, 9), (9, 1), (3, 2), (5, 5), (8, 8), (17, 23)])
def test_interlaced_rows_are_read_back_at_any_size(size: tuple[int, int]) -> None:
    image = NOISE.crop((0, 0, *size))
    content = content_of(stored(image, FileForm.INTERLACED))
    # The last byte of the head, behind sides, bits, colour, compression and filters.
    assert content[28] == 1
    assert (values(Image.open(BytesIO(content))) == values(image)).all()


def test_the_first_pass_of_interlaced_rows_is_the_picture_at_an_eighth() -> None:
    content = content_of(stored(NOISE, FileForm.INTERLACED))
    length = int.from_bytes(content[33:37], "big")
    lines = zlib.decompress(content[41 : 41 + length])
    across = len(range(0, NOISE.width, 8))
    # Behind the number of the row's filter.
    assert lines[1 : 1 + 3 * across] == values(NOISE)[0, ::8].tobytes()


@pytest.mark.parametrize("form", [FileForm.JPEG, FileForm.PNG])
@pytest.mark.parametrize("orientation", range(2, 9))
def test_a_picture_is_turned_in_its_file_and_turned_back_by_its_exif(form: FileForm, orientation: int) -> None:
    found = stored(SMOOTH, form, orientation)
    file = Image.open(BytesIO(content_of(found)))
    assert file.getexif()[0x0112] == orientation
    assert file.size == (SMOOTH.size if orientation < 5 else SMOOTH.size[::-1])
    assert ImageOps.exif_transpose(file).tobytes() == found.tobytes()
    assert found.size == SMOOTH.size
    # As the pixels lie in the file they are another picture.
    assert file.convert("RGB").tobytes() != found.tobytes()
    assert abs(values(found).astype(int) - values(SMOOTH)).mean() <= 3
    assert not found.getexif()


@each_row(
    "edit, told",
    [
        (Store(form=FileForm.JPEG), "quality from 1 to 100"),
        (Store(form=FileForm.LOSSY_WEBP, quality=101), "quality from 1 to 100"),
        (Store(form=FileForm.WEBP, quality=90), "quality from 0 to 0"),
        (Store(form=FileForm.PNG, orientation=9), "orientation from 1 to 8"),
        (Store(form=FileForm.PNG, orientation=0), "orientation from 1 to 8"),
        (Store(form=FileForm.ALPHA, orientation=6), "orientation from 1 to 1"),
    ],
)
def test_a_file_that_is_none_is_refused(edit: Store, told: str) -> None:
    with pytest.raises(DataError, match=told):
        checked_edit(edit)
