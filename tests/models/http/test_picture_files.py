"""A picture is sent as its own file where that shows it, and else in the format of the user."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PIL import Image, ImageCms, ImageOps
from PIL.JpegImagePlugin import get_sampling
from PIL.PngImagePlugin import PngInfo

from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import PhotoFile, PhotoStore, PictureFile
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.imaging.file_forms import stored_file
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.http.picture_files import LOSSLESS, FileEncoder, Form, ImageFormat
from tests.rows import each_row

WIDTH, HEIGHT = 48, 32
ORIENTATION = 0x0112


class Folder:
    """A ``FiledStore`` of a folder; a photo's id is the name of its file."""

    def __init__(self, folder: Path) -> None:
        self.files = PhotoFiles(folder)

    def photo(self, photo: Photo) -> Image.Image:
        return self.files.open(photo.id)

    def mask(self, photo: Photo, thing_id: str) -> Image.Image:
        raise NotImplementedError

    def is_lossy(self, photo: Photo) -> bool:
        return self.files.is_lossy(photo.id)

    def file(self, photo: Photo) -> PhotoFile | None:
        return self.files.bare(photo.id)


class Drawn:
    """A ``PhotoStore`` that draws its photos: there is no file."""

    def photo(self, photo: Photo) -> Image.Image:
        return noise()

    def mask(self, photo: Photo, thing_id: str) -> Image.Image:
        raise NotImplementedError


def noise() -> Image.Image:
    return Image.frombytes("RGB", (WIDTH, HEIGHT), Random(1).randbytes(WIDTH * HEIGHT * 3))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    image = noise()
    image.save(tmp_path / "a.jpg", quality=60)
    image.save(tmp_path / "a.png")
    image.save(tmp_path / "a.webp", quality=60)
    image.save(tmp_path / "a.bmp")
    image.convert("L").save(tmp_path / "gray.jpg")
    turned = Image.Exif()
    turned[ORIENTATION] = 3  # upside down
    image.save(tmp_path / "turned.jpg", exif=turned)
    return Folder(tmp_path)


def picture(name: str) -> Picture:
    photo = Photo(id=name, digest=f"digest of {name}")
    return Scene(id=name, photo=photo, width=WIDTH, height=HEIGHT).picture


def sent(picture: Picture, store: PhotoStore, given: str, *, lossless: bool = False) -> PictureFile:
    encoder = FileEncoder(format=ImageFormat.of({"image-format": given}))
    return encoder.encode(picture, lambda: render(picture, store), store, lossless=lossless)


def content(file: PictureFile) -> bytes:
    return b64decode(file.base64, validate=True)


def opened(file: PictureFile) -> Image.Image:
    image = Image.open(BytesIO(content(file)))
    assert file.media_type == f"image/{(image.format or '').lower()}"
    return image


def tables(quality: int) -> object:
    """The quantization of a JPEG, which says its quality."""
    file = BytesIO()
    Image.new("RGB", (8, 8)).save(file, "JPEG", quality=quality)
    return getattr(Image.open(file), "quantization")  # noqa: B009  # of the class of JPEG alone


@each_row("name", ["a.jpg", "a.png", "a.webp"])
def test_a_photo_without_edits_goes_as_its_file(folder: Folder, name: str) -> None:
    file = sent(picture(name), folder, "auto")
    assert content(file) == (folder.files.folder / name).read_bytes()
    assert file.data_uri.startswith(f"data:image/{name[2:].replace('jpg', 'jpeg')};base64,")
    assert opened(file).size == (WIDTH, HEIGHT)


@each_row(
    "name, is_edited, given, quality",
    [
        ("a.jpg", True, "auto", 95),
        ("a.webp", True, "auto", 95),
        ("turned.jpg", False, "auto", 95),
        ("gray.jpg", False, "auto", 95),
        # Not the file itself: all pictures of a run are to have lost alike.
        ("a.jpg", False, "jpeg", 95),
        ("a.jpg", False, "jpeg:80", 80),
        ("a.png", True, "jpeg:100", 100),
    ],
)
def test_others_of_photos_go_as_jpeg_with_whole_chroma(
    folder: Folder, name: str, is_edited: bool, given: str, quality: int
) -> None:
    plain = picture(name)
    image = opened(sent(plain.mirror() if is_edited else plain, folder, given))
    assert (image.format, get_sampling(image)) == ("JPEG", 0)  # 0 is 4:4:4
    assert getattr(image, "quantization") == tables(quality)  # noqa: B009
    assert ORIENTATION not in image.getexif()


@each_row(
    "name, given, lossless, form",
    [
        ("a.jpg", "auto", True, "PNG"),
        ("a.jpg", "jpeg:80", True, "PNG"),
        ("a.jpg", "png", False, "PNG"),
        ("a.png", "auto", False, "PNG"),
        ("a.bmp", "auto", False, "PNG"),
        ("a.jpg", "webp", False, "WEBP"),
        ("a.jpg", "webp", True, "WEBP"),
    ],
)
def test_the_very_pixels_come_out_again(folder: Folder, name: str, given: str, lossless: bool, form: str) -> None:
    for each in (picture(name), picture(name).mirror()):
        image = opened(sent(each, folder, given, lossless=lossless))
        assert (image.format, image.mode) == (form, "RGB")
        assert image.tobytes() == render(each, folder).tobytes()


XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>"""
MARKS = {"icc_profile", "comment", "xmp", "exif"}


@each_row("name", ["a.jpg", "a.png"])
@each_row("given", ["auto", "png", "jpeg", "webp"])
def test_no_file_has_metadata_of_the_photo(folder: Folder, name: str, given: str) -> None:
    """A server that turns a picture by XMP, or applies its profile, would see another one than in the twin's file."""
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    if name == "a.jpg":
        noise().save(folder.files.folder / name, icc_profile=profile, comment=b"at home", xmp=XMP.encode())
    else:
        chunks = PngInfo()
        chunks.add_itxt("XML:com.adobe.xmp", XMP)
        noise().save(folder.files.folder / name, icc_profile=profile, pnginfo=chunks)
    for each in (picture(name), picture(name).mirror()):
        image = opened(sent(each, folder, given))
        image.load()
        assert not MARKS.intersection(image.info)
        assert ORIENTATION not in image.getexif()


def test_what_is_drawn_stays_exact() -> None:
    for each in (picture("drawn"), picture("drawn").mirror()):
        image = opened(sent(each, Drawn(), "auto"))
        assert (image.format, image.tobytes()) == ("PNG", render(each, Drawn()).tobytes())


@each_row("form, mode", [(FileForm.PALETTE, "P"), (FileForm.GRAYSCALE, "L"), (FileForm.ALPHA, "RGBA")])
def test_a_form_of_file_that_is_tested_is_kept(folder: Folder, form: FileForm, mode: str) -> None:
    image = opened(sent(picture("a.jpg").store(form), folder, "jpeg:80"))
    assert (image.format, image.mode) == ("PNG", mode)


FORMS = [
    (FileForm.JPEG, 90, 1, "image/jpeg"),
    (FileForm.JPEG, 90, 6, "image/jpeg"),
    (FileForm.CMYK_JPEG, 90, 1, "image/jpeg"),
    (FileForm.WEBP, 0, 1, "image/webp"),
    (FileForm.PNG, 0, 5, "image/png"),
    (FileForm.SIXTEEN_BITS, 0, 1, "image/png"),
    (FileForm.INTERLACED, 0, 1, "image/png"),
]


@each_row("form, quality, orientation, media_type", FORMS)
@each_row("given", ["auto", "jpeg:80", "webp"])
def test_the_very_file_is_sent_whatever_the_format(
    folder: Folder, form: FileForm, quality: int, orientation: int, media_type: str, given: str
) -> None:
    each = picture("a.jpg").store(form, quality=quality, orientation=orientation)
    made = stored_file(render(each, folder))
    file = sent(each, folder, given, lossless=True)
    assert made is not None
    assert (file.media_type, content(file)) == (media_type, made.content)
    # The other side of the comparison has the same pixels, in a plain file.
    plain = picture("a.jpg").store(form, quality=quality, orientation=orientation, plain=True)
    image = opened(sent(plain, folder, given, lossless=True))
    assert (image.format, image.tobytes()) == ("WEBP" if given == "webp" else "PNG", render(each, folder).tobytes())
    assert ORIENTATION not in image.getexif()


@each_row("form, quality, orientation, media_type", FORMS)
def test_a_wire_of_png_alone_gets_other_files_by_their_pixels(
    folder: Folder, form: FileForm, quality: int, orientation: int, media_type: str
) -> None:
    each = picture("a.jpg").store(form, quality=quality, orientation=orientation)
    image = render(each, folder)
    made = stored_file(image)
    file = LOSSLESS.encode(each, lambda: image, folder, lossless=True)
    assert made is not None
    assert (content(file) == made.content) == (media_type == "image/png")
    assert ImageOps.exif_transpose(opened(file)).tobytes() == image.tobytes()


@each_row("turn", [lambda each: each.mirror(), lambda each: each.reencode()])
def test_no_file_is_sent_of_a_picture_that_was_edited_since(folder: Folder, turn: Callable[[Picture], Picture]) -> None:
    each = turn(picture("a.jpg").store(FileForm.JPEG, quality=50))
    image = opened(sent(each, folder, "auto", lossless=True))
    assert (image.format, image.tobytes()) == ("PNG", render(each, folder).tobytes())


def test_a_stored_picture_beyond_the_bounds_is_sent_by_its_pixels(folder: Folder) -> None:
    each = picture("a.jpg").store(FileForm.JPEG, quality=50)
    encoder = FileEncoder(format=ImageFormat(), max_pixels=384)
    image = opened(encoder.encode(each, lambda: render(each, folder), folder, lossless=True))
    assert (image.format, image.size) == ("PNG", (24, 16))


@each_row(
    "bounds, size",
    [
        # 48 x 32 are 1,536 pixels.
        ({"max_pixels": 1_536}, (48, 32)),
        ({"min_pixels": 1_536}, (48, 32)),
        # Halved, 24 x 16 are 384.
        ({"max_pixels": 384}, (24, 16)),
        ({"min_pixels": 6_144}, (96, 64)),
    ],
)
def test_a_photo_beyond_the_bounds_is_resized(folder: Folder, bounds: dict[str, Any], size: tuple[int, int]) -> None:
    plain = picture("a.jpg")
    encoder = FileEncoder(format=ImageFormat(), **bounds)
    file = encoder.encode(plain, lambda: render(plain, folder), folder, lossless=False)
    assert opened(file).size == size
    assert (content(file) == (folder.files.folder / "a.jpg").read_bytes()) == (size == (WIDTH, HEIGHT))


@each_row(
    "given, format, words",
    [
        ("auto", ImageFormat(), "auto"),
        ("png", ImageFormat(form=Form.PNG), "png"),
        ("jpeg", ImageFormat(form=Form.JPEG, quality=95), "jpeg:95"),
        ("jpeg:7", ImageFormat(form=Form.JPEG, quality=7), "jpeg:7"),
        ("webp", ImageFormat(form=Form.WEBP), "webp"),
    ],
)
def test_what_is_given_is_taken(given: str, format: ImageFormat, words: str) -> None:  # noqa: A002  # the setting's name
    assert ImageFormat.of({"image-format": given}) == format
    assert str(format) == words
    assert format.is_lossy == (format.form in ("auto", "jpeg"))


def test_what_is_not_given_is_automatic() -> None:
    assert ImageFormat.of({}) == ImageFormat(form=Form.AUTO)


@each_row("given", ["", "gif", "JPEG", "jpg", "png:9", "auto:95", "jpeg:", "jpeg:0", "jpeg:101", "jpeg:9.5"])
def test_anything_else_is_refused(given: str) -> None:
    with pytest.raises(OptionError, match=r"^Expected .*, but got image-format"):
        ImageFormat.of({"image-format": given})
