"""Photos of a folder: any kind of image comes out as the RGB that a viewer shows, and every broken one is named."""

from __future__ import annotations

import os
import struct
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageFile, ImageOps

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.photo_io import PhotoFiles, PhotoFolders, bare_file, decode, refusing_truncated_images
from tests.rows import each_row

COCO = Path(__file__).parents[2] / "../shared/data/coco/images"
ORIENTATION = 0x0112

Pixel = tuple[int, int, int]


@pytest.fixture
def photos(tmp_path: Path) -> PhotoFiles:
    (tmp_path / "photos").mkdir()
    return PhotoFiles(tmp_path / "photos")


def drawing(width: int = 24, height: int = 16) -> Image.Image:
    """No two corners alike, and smooth enough for a JPEG to keep it."""
    image = Image.new("RGB", (width, height), (20, 200, 20))
    image.paste((220, 20, 20), (0, 0, width // 2, height // 2))
    image.paste((20, 20, 220), (width // 2, 0, width, height // 2))
    return image


def noise(width: int = 192, height: int = 128) -> Image.Image:
    """Grains of 2 x 2 px of any colour: a JPEG of it is long."""
    grains = Random(0).randbytes(width * height // 4 * 3)
    return Image.frombytes("RGB", (width // 2, height // 2), grains).resize((width, height))


def encoded(image: Image.Image, kind: str, **settings: object) -> bytes:
    stream = BytesIO()
    image.save(stream, kind, **settings)
    return stream.getvalue()


def tiff(values: np.ndarray[tuple[int, int], np.dtype[np.number]], *, photometric: int = 1) -> bytes:
    """A TIFF of one channel, which Pillow does not write with other tags than its own."""
    height, width = values.shape
    kinds = {"u": 1, "i": 2, "f": 3}
    tags = {256: width, 257: height, 258: values.itemsize * 8, 259: 1, 262: photometric, 273: 0, 277: 1, 278: height}
    tags |= {279: values.nbytes, 339: kinds[values.dtype.kind]}
    tags[273] = 8 + 2 + 12 * len(tags) + 4
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    return struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + entries + bytes(4) + values.tobytes()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_header(width: int, height: int) -> bytes:
    """A PNG that says it is of this size, and has no pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def opened(photos: PhotoFiles, data: bytes, name: str = "") -> Image.Image:
    name = name or sha256(data).hexdigest()
    (photos.folder / name).write_bytes(data)
    image = photos.open(name)
    assert image.mode == "RGB"
    photos.check_size(name, *image.size)
    return image


def row_of(image: Image.Image) -> list[Pixel]:
    """The pixels of the first row."""
    return [(int(r), int(g), int(b)) for r, g, b in np.asarray(image)[0]]


# What a file of each kind looks like.


@each_row("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
@each_row("orientation", range(1, 9))
def test_a_photo_is_turned_as_its_exif_says(photos: PhotoFiles, kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    name = f"{kind} {orientation}"
    image = opened(photos, encoded(drawing(), kind, exif=exif), name)
    assert image.size == ((16, 24) if orientation >= 5 else (24, 16))
    upright = Image.open(BytesIO(encoded(drawing(), kind))).convert("RGB")
    upright.getexif()[ORIENTATION] = orientation
    assert image.tobytes() == ImageOps.exif_transpose(upright).tobytes()
    with pytest.raises(DataError, match="to be 24 x 16 px" if orientation >= 5 else "to be 16 x 24 px"):
        photos.check_size(name, *image.size[::-1])


@each_row("orientation", [0, 9, 255])
def test_an_orientation_that_exif_does_not_know_is_upright(photos: PhotoFiles, orientation: int) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    assert opened(photos, encoded(drawing(), "JPEG", exif=exif)).size == (24, 16)


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
def test_a_photo_whose_exif_is_broken_is_upright(photos: PhotoFiles) -> None:
    data = encoded(drawing(), "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xffnonsense")
    assert opened(photos, data).size == (24, 16)


def test_orientation_behind_the_pixels_of_a_png_is_left_alone_by_both(photos: PhotoFiles) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    whole = encoded(drawing(), "PNG")
    end = whole.index(b"IEND") - 4
    behind = chunk(b"eXIf", exif.tobytes().removeprefix(b"Exif\0\0"))
    assert opened(photos, whole[:end] + behind + whole[end:]).tobytes() == drawing().tobytes()


def test_cmyk_jpeg(photos: PhotoFiles) -> None:
    image = opened(photos, encoded(drawing().convert("CMYK"), "JPEG", quality=100, subsampling=0))
    difference = np.abs(np.asarray(image).astype(int) - np.asarray(drawing()).astype(int))
    assert np.median(difference) <= 3


def test_sixteen_bits_are_scaled_not_clipped(photos: PhotoFiles) -> None:
    wide = np.array([[0, 128, 129, 257, 32768, 65535]], dtype=np.uint16)  # 257 is 65535 / 255
    assert row_of(opened(photos, encoded(Image.fromarray(wide), "PNG"))) == [(n, n, n) for n in (0, 0, 1, 1, 128, 255)]


def test_thirty_two_bits_are_stretched_over_what_occurs(photos: PhotoFiles) -> None:
    wide = np.array([[-100_000, 0, 100_000]], dtype=np.int32)
    assert [r for r, _, _ in row_of(opened(photos, encoded(Image.fromarray(wide), "TIFF")))] == [0, 128, 255]


def test_floats_from_0_to_1_are_scaled_and_others_stretched(photos: PhotoFiles) -> None:
    unit = np.array([[0.0, 0.2, 0.6]], dtype=np.float32)
    assert [r for r, _, _ in row_of(opened(photos, encoded(Image.fromarray(unit), "TIFF"), "unit"))] == [0, 51, 153]
    wide = np.array([[-3.0, 0.0, 12.0]], dtype=np.float32)
    assert [r for r, _, _ in row_of(opened(photos, encoded(Image.fromarray(wide), "TIFF"), "wide"))] == [0, 51, 255]


def test_pixels_that_are_no_numbers_are_refused(photos: PhotoFiles) -> None:
    numbers = np.array([[0.0, np.nan]], dtype=np.float32)
    with pytest.raises(DataError, match="finite"):
        opened(photos, encoded(Image.fromarray(numbers), "TIFF"))


def palette_image(colours: list[int], places: list[int]) -> Image.Image:
    image = Image.new("P", (len(places), 1))
    image.putpalette(colours)
    image.putdata(places)
    return image


def test_palette(photos: PhotoFiles) -> None:
    image = palette_image([255, 0, 0, 0, 0, 255], [1, 0])
    assert row_of(opened(photos, encoded(image, "PNG"))) == [(0, 0, 255), (255, 0, 0)]


@each_row("transparency", [0, b"\x00\xff"])
def test_palette_with_transparency_on_white(photos: PhotoFiles, transparency: int | bytes) -> None:
    image = palette_image([255, 0, 0, 0, 0, 255], [1, 0])
    assert row_of(opened(photos, encoded(image, "PNG", transparency=transparency))) == [(0, 0, 255), (255, 255, 255)]


def test_a_colour_that_stands_for_transparent_is_white(photos: PhotoFiles) -> None:
    image = Image.new("RGB", (2, 1), (9, 8, 7))
    image.putpixel((0, 0), (1, 2, 3))
    assert row_of(opened(photos, encoded(image, "PNG", transparency=(9, 8, 7)))) == [(1, 2, 3), (255, 255, 255)]


def test_grey_with_alpha_on_white(photos: PhotoFiles) -> None:
    image = Image.new("LA", (3, 1))
    image.putdata([(100, 255), (100, 0), (55, 51)])  # 51 is a fifth of 255
    assert row_of(opened(photos, encoded(image, "PNG"))) == [(n, n, n) for n in (100, 255, 215)]


def test_colour_with_alpha_on_white(photos: PhotoFiles) -> None:
    image = Image.new("RGBA", (3, 1))
    image.putdata([(10, 20, 30, 255), (10, 20, 30, 0), (255, 55, 155, 51)])
    assert row_of(opened(photos, encoded(image, "PNG"))) == [(10, 20, 30), (255, 255, 255), (255, 215, 235)]


def test_one_bit(photos: PhotoFiles) -> None:
    image = Image.new("1", (2, 1))
    image.putpixel((1, 0), 255)
    assert row_of(opened(photos, encoded(image, "PNG"))) == [(0, 0, 0), (255, 255, 255)]


def test_the_first_frame_of_an_animation(photos: PhotoFiles) -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "lime", "blue")]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert set(row_of(opened(photos, data))) == {(255, 0, 0)}


@each_row("kind", ["BMP", "PPM", "WEBP", "TIFF", "GIF", "PNG"])
def test_other_kinds_of_files(photos: PhotoFiles, kind: str) -> None:
    settings = {"lossless": True} if kind == "WEBP" else {}
    assert opened(photos, encoded(drawing(), kind, **settings)).tobytes() == drawing().tobytes()


# Broken files.


def refused(photos: PhotoFiles, name: str, look: str, pattern: str) -> None:
    looks: dict[str, Callable[[], object]] = {
        "open": lambda: photos.open(name),
        "bare": lambda: photos.bare(name),
        "digest": lambda: photos.digest(name),
        "check_size": lambda: photos.check_size(name, 24, 16),
    }
    with pytest.raises(DataError, match=pattern) as caught:
        looks[look]()
    assert name[-50:] in str(caught.value)
    assert "\n" not in str(caught.value)


@each_row("look", ["open", "digest"])
@each_row("kind", ["JPEG", "PNG"])
@each_row("lost", [1, 3, 40, 0.5])
def test_truncated(photos: PhotoFiles, kind: str, look: str, lost: float) -> None:
    whole = encoded(drawing(200, 100), kind)
    kept = len(whole) - lost if lost >= 1 else len(whole) * lost
    (photos.folder / "torn").write_bytes(whole[: int(kept)])
    refused(photos, "torn", look, "is truncated: fetch it again")


@each_row("kind", ["GIF", "WEBP", "BMP", "TIFF", "PPM"])
def test_truncated_of_another_kind(photos: PhotoFiles, kind: str) -> None:
    whole = encoded(drawing(200, 100), kind)
    (photos.folder / "torn").write_bytes(whole[: len(whole) // 2])
    refused(photos, "torn", "open", "broken")


@each_row("kind", ["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "PPM"])
def test_truncated_where_pillow_was_told_to_put_up_with_it(
    photos: PhotoFiles, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    (photos.folder / "torn").write_bytes(encoded(drawing(200, 100), kind)[:-100])
    refused(photos, "torn", "open", "is truncated|is broken")
    assert ImageFile.LOAD_TRUNCATED_IMAGES


def test_what_others_told_pillow_comes_back_when_the_last_thread_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    first, second = refusing_truncated_images(), refusing_truncated_images()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    seen = [ImageFile.LOAD_TRUNCATED_IMAGES]
    second.__exit__(None, None, None)
    assert [*seen, ImageFile.LOAD_TRUNCATED_IMAGES] == [False, True]


# A photo of which Pillow would show one half, and grey for the other.


# Nor is it sent as its own file: the answers of a server that does the same would count.
SENT = ("open", "bare")


@each_row("look", SENT)
@each_row("settings", [{}, {"restart_marker_rows": 1}, {"subsampling": 0}])
def test_a_torn_jpeg_that_was_closed(photos: PhotoFiles, settings: dict[str, object], look: str) -> None:
    whole = encoded(noise(), "JPEG", **settings)
    torn = whole[: len(whole) // 2] + b"\xff\xd9"
    with Image.open(BytesIO(torn)) as image:
        image.load()  # Pillow alone has nothing against it
    (photos.folder / "half.jpg").write_bytes(torn)
    refused(photos, "half.jpg", look, "is broken")


@each_row("look", SENT)
def test_a_jpeg_that_has_lost_a_block(photos: PhotoFiles, look: str) -> None:
    # As in most photos, a pixel takes less room than one of those that the zeros stand for.
    whole = encoded(noise(), "JPEG", quality=20)
    start = len(whole) // 3
    torn = whole[:start] + bytes(1024) + whole[start + 1024 :]
    with Image.open(BytesIO(torn)) as image:
        image.load()
    (photos.folder / "hole.jpg").write_bytes(torn)
    refused(photos, "hole.jpg", look, "is broken")


@each_row("mode", ["RGB", "L", "CMYK"])
@each_row("size", [(1, 1), (7, 9), (16, 16), (33, 17), (192, 128)])
@each_row(
    "settings",
    [{}, {"subsampling": 1}, {"restart_marker_blocks": 1}, {"progressive": True}, {"quality": 1}, {"optimize": True}],
)
def test_a_whole_jpeg_is_what_pillow_makes_of_it(
    photos: PhotoFiles, mode: str, size: tuple[int, int], settings: dict[str, object]
) -> None:
    whole = encoded(noise().resize(size).convert(mode), "JPEG", **settings)
    expected = Image.open(BytesIO(whole)).convert("RGB").tobytes()
    assert opened(photos, whole).tobytes() == expected
    assert opened(photos, whole + b"\0\0\xff\xd8\xff\xd9").tobytes() == expected


def test_the_first_of_several_photos_in_one_jpeg(photos: PhotoFiles) -> None:
    whole = encoded(noise(), "MPO", save_all=True, append_images=[drawing()])
    assert opened(photos, whole).tobytes() == Image.open(BytesIO(encoded(noise(), "JPEG"))).convert("RGB").tobytes()


@each_row("look", ["open", "digest"])
def test_truncated_with_a_whole_thumbnail_in_its_exif(photos: PhotoFiles, look: str) -> None:
    thumbnail = encoded(drawing(16, 16), "JPEG")
    whole = encoded(drawing(200, 100), "JPEG", exif=b"Exif\0\0" + thumbnail)
    assert b"\xff\xd9" in whole[:-100]
    (photos.folder / "torn").write_bytes(whole[:-100])
    refused(photos, "torn", look, "is truncated")


@each_row("kind", ["JPEG", "PNG"])
@each_row("after", [b"\0" * 700, b"SEFT and what else a camera writes"])
def test_more_after_the_end_is_no_harm(photos: PhotoFiles, kind: str, after: bytes) -> None:
    whole = encoded(drawing(), kind)
    name = f"{kind} {len(after)}"
    (photos.folder / name).write_bytes(whole + after)
    assert photos.digest(name) == sha256(whole + after).hexdigest()[:16]
    assert photos.open(name).tobytes() == Image.open(BytesIO(whole)).tobytes()


@each_row("look", ["open", "check_size"])
@each_row("side", [11_000, 40_000])
@each_row("filtered", ["error", "ignore"])
def test_more_pixels_than_pillow_allows(photos: PhotoFiles, look: str, side: int, filtered: str) -> None:
    (photos.folder / "bomb.png").write_bytes(png_header(side, side))
    with warnings.catch_warnings():
        warnings.simplefilter(filtered)  # type: ignore[arg-type]  # one of the actions, as a parameter
        refused(photos, "bomb.png", look, "too many pixels")


@each_row("look", ["open", "digest", "check_size"])
def test_an_empty_file(photos: PhotoFiles, look: str) -> None:
    (photos.folder / "none.jpg").write_bytes(b"")
    refused(photos, "none.jpg", look, "is empty")


@each_row("look", ["open", "check_size"])
@each_row(
    "data", [b"<html>404 Not Found</html>", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 24 16\n", b"\xff\xd8\xff"]
)
def test_what_is_no_image(photos: PhotoFiles, look: str, data: bytes) -> None:
    (photos.folder / "text.jpg").write_bytes(data)
    refused(photos, "text.jpg", look, "no image|is truncated")


def test_a_png_of_colours_by_number_without_a_palette(photos: PhotoFiles) -> None:
    header = struct.pack(">IIBBBBB", 2, 1, 8, 3, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(b"\0\1\2"))
    (photos.folder / "bare.png").write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")
    )
    refused(photos, "bare.png", "open", "it has no palette")


@each_row("look", SENT)
@each_row("flipped", [0.2, 0.5, 0.8])
def test_a_png_of_which_one_bit_is_wrong(photos: PhotoFiles, flipped: float, look: str) -> None:
    data = bytearray(encoded(noise(), "PNG"))
    data[int(len(data) * flipped)] ^= 4
    (photos.folder / "flipped.png").write_bytes(data)
    refused(photos, "flipped.png", look, "is broken")


def test_a_photo_that_changes_after_it_was_named(photos: PhotoFiles) -> None:
    (photos.folder / "dog.png").write_bytes(encoded(drawing(), "PNG"))
    photos.digest("dog.png")
    (photos.folder / "dog.png").write_bytes(encoded(drawing().transpose(Image.Transpose.ROTATE_180), "PNG"))
    refused(photos, "dog.png", "open", "has changed: start again")


def test_pixels_that_do_not_decode(photos: PhotoFiles) -> None:
    (photos.folder / "hollow.png").write_bytes(png_header(24, 16))
    refused(photos, "hollow.png", "open", "is broken")


def test_the_size_is_read_without_decoding(photos: PhotoFiles) -> None:
    (photos.folder / "hollow.png").write_bytes(png_header(24, 16))
    photos.check_size("hollow.png", 24, 16)
    refused(photos, "hollow.png", "open", "is broken")


@each_row("look", ["open", "digest", "check_size"])
def test_a_file_that_is_not_there(photos: PhotoFiles, look: str) -> None:
    refused(photos, "absent.jpg", look, "there is no file")


# Names.

OUTSIDE = (
    "https://example.org/dog.jpg", "file:///etc/hostname", "//server/share/dog.jpg", "\\\\server\\share\\dog.jpg",
    "", "/etc/hostname", "../secret.png", "a/../../secret.png", "a/..", "..", "C:/secret.png", "c:secret.png",
    "a\\secret.png", "..\\secret.png", "secret\0.png", "\ud800.png",
)  # fmt: skip


@each_row("name", OUTSIDE)
def test_names_that_lead_out_of_the_folder_are_refused(photos: PhotoFiles, name: str) -> None:
    (photos.folder / "a").mkdir(exist_ok=True)
    (photos.folder.parent / "secret.png").write_bytes(encoded(drawing(), "PNG"))
    looks: tuple[Callable[[str], object], ...] = (
        photos.has, photos.size_bytes, photos.digest, photos.open, lambda name: photos.check_size(name, 24, 16),
    )  # fmt: skip
    for look in looks:
        with pytest.raises(DataError, match="the name of a photo within"):
            look(name)


def test_links_are_followed_within_the_folder_only(photos: PhotoFiles) -> None:
    (photos.folder.parent / "secret.png").write_bytes(encoded(drawing(), "PNG"))
    (photos.folder / "a").mkdir()
    (photos.folder / "a" / "here.png").write_bytes(encoded(drawing(), "PNG"))
    (photos.folder / "in.png").symlink_to("a/here.png")
    (photos.folder / "out.png").symlink_to("../secret.png")
    (photos.folder / "up").symlink_to("..")
    (photos.folder / "circle.png").symlink_to("circle.png")
    (photos.folder / "nowhere.png").symlink_to("gone.png")
    assert photos.has("in.png")
    assert not photos.has("nowhere.png")
    for name in ("out.png", "up/secret.png"):
        refused(photos, name, "open", "leads outside")
    refused(photos, "circle.png", "open", "cannot be read")


def test_a_folder_that_is_itself_a_link(photos: PhotoFiles, tmp_path: Path) -> None:
    (photos.folder / "dog.png").write_bytes(encoded(drawing(), "PNG"))
    (tmp_path / "link").symlink_to("photos")
    (photos.folder / "also.png").symlink_to("dog.png")
    assert PhotoFiles(tmp_path / "link").open("also.png").size == (24, 16)


@each_row("name", ["a/b/dog.png", "Hündchen 狗.png", "9.41\u202fAM.png", "..dog.png", "a..b.png"])
def test_names_that_are_as_good_as_any(photos: PhotoFiles, name: str) -> None:
    (photos.folder / name).parent.mkdir(parents=True, exist_ok=True)
    data = encoded(drawing(), "PNG")
    assert not photos.has(name)
    (photos.folder / name).write_bytes(data)
    assert photos.has(name)
    assert photos.size_bytes(name) == len(data)
    assert photos.open(name).size == (24, 16)


def test_what_is_there_but_no_file(photos: PhotoFiles) -> None:
    (photos.folder / "folder.jpg").mkdir()
    refused(photos, "folder.jpg", "open", "is no file")
    assert not photos.has("folder.jpg/dog.png")
    refused(photos, "x" * 5000, "open", "cannot be read")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such folder"):
        PhotoFiles(tmp_path / "absent")
    with pytest.raises(DataError, match="File name too long"):
        PhotoFiles(tmp_path / ("x" * 5000))


RAMP = np.arange(0, 256, 5, dtype=np.uint32).reshape(4, 13)


@each_row(
    ("data", "shown"),
    [
        (tiff(RAMP * 16_843_009), RAMP),  # up to 2**32 - 1
        (tiff(RAMP.astype(np.int32)), RAMP),
        (tiff((RAMP * 257).astype(np.uint16), photometric=0), 255 - RAMP),
        (tiff((RAMP / 255).astype(np.float32), photometric=0), 255 - RAMP),
    ],
)
def test_numbers_of_tiff_have_the_sign_and_the_white_of_their_tags(
    data: bytes, shown: np.ndarray[tuple[int, int], np.dtype[np.uint32]]
) -> None:
    assert (np.asarray(decode(data, "a.tif"))[..., 0] == shown).all()


@each_row("missing", [-9999, float("nan")])
def test_a_missing_number_does_not_flatten_the_others(missing: float) -> None:
    values = np.resize(RAMP, (20, 20)).astype(np.float32)
    values[0, 0] = missing
    with pytest.raises(DataError, match=r"a few pixels of -9999 or 255 leave one grey to all others|no finite numbers"):
        decode(tiff(values), "a.tif")


# What is kept.


def test_the_digest_is_of_the_bytes_and_computed_once(photos: PhotoFiles) -> None:
    data = encoded(drawing(), "PNG")
    (photos.folder / "dog.png").write_bytes(data)
    named = sha256(data).hexdigest()[:16]
    assert photos.digest("dog.png") == named
    (photos.folder / "dog.png").unlink()
    assert photos.digest("dog.png") == named


def test_every_copy_is_fresh(photos: PhotoFiles) -> None:
    (photos.folder / "dog.png").write_bytes(encoded(drawing(), "PNG"))
    photos.open("dog.png").paste((0, 0, 0), (0, 0, 24, 16))
    assert photos.open("dog.png").tobytes() == drawing().tobytes()


def test_what_is_kept_is_bounded_in_bytes(photos: PhotoFiles) -> None:
    names = ("a.png", "b.png", "c.png")
    for name in names:
        (photos.folder / name).write_bytes(encoded(drawing(), "PNG"))
    two = PhotoFiles(photos.folder, cache_bytes=2 * 24 * 16 * 3)
    for name in names:
        two.open(name)
    for name in names:
        (photos.folder / name).unlink()
    assert [two.open(name).size for name in names[1:]] == [(24, 16)] * 2
    with pytest.raises(DataError, match="there is no file"):
        two.open("a.png")


def test_many_threads_get_the_same(photos: PhotoFiles) -> None:
    names = [f"{number}.png" for number in range(12)]
    for number, name in enumerate(names):
        (photos.folder / name).write_bytes(encoded(Image.new("RGB", (24, 16), (number, 0, 0)), "PNG"))
    few = PhotoFiles(photos.folder, cache_bytes=5 * 24 * 16 * 3)
    with ThreadPoolExecutor(8) as threads:
        seen = list(threads.map(lambda name: few.open(name).getpixel((0, 0)), names * 20))
    assert seen == [(number, 0, 0) for number in range(12)] * 20


def test_folders_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(DataError, match=r"photos, but '.*' cannot be read \(Permission denied\): make it readable$"):
        PhotoFolders.of([tmp_path])


@pytest.mark.skipif(not COCO.is_dir(), reason="../shared/data/coco is not there")
def test_real_photos() -> None:
    photos = PhotoFiles(COCO)
    names = sorted(path.name for path in COCO.iterdir())
    assert len(names) == 40
    for name in names[::8]:
        with Image.open(COCO / name) as plain:
            photos.check_size(name, *plain.size)
            assert photos.open(name).tobytes() == plain.convert("RGB").tobytes()
        assert photos.digest(name) == sha256((COCO / name).read_bytes()).hexdigest()[:16]


def with_metadata() -> dict[str, object]:
    """The settings of a file that says where it was taken, in which colours, and by whom."""
    exif = Image.Exif()
    exif[ORIENTATION] = 1
    exif.get_ifd(0x8825)[1] = "N"  # GPS
    exif[0x010F] = "a maker"
    return {"exif": exif, "icc_profile": ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()}


@each_row(
    "kind, settings",
    [
        ("JPEG", {"quality": 60}),
        ("JPEG", {"quality": 95, "progressive": True, "subsampling": 0}),
        ("JPEG", {"restart_marker_blocks": 1}),
        ("PNG", {}),
    ],
)
def test_a_bare_file_has_its_pixels_and_nothing_else(kind: str, settings: dict[str, object]) -> None:
    image = noise()
    plain = encoded(image, kind, **settings)
    comment = {"comment": b"at home"} if kind == "JPEG" else {}
    full = encoded(image, kind, **settings, **comment, **with_metadata()) + b"a video of the moment before"
    assert len(full) > len(plain)
    for data in (plain, full):
        bare = bare_file(data, "a")
        assert bare is not None
        assert (bare.media_type, bare.content) == (f"image/{kind.lower()}", plain)


def test_a_bare_webp_is_the_file(photos: PhotoFiles) -> None:
    for lossless in (False, True):
        data = encoded(drawing(), "WEBP", lossless=lossless)
        (photos.folder / "a.webp").write_bytes(data)
        bare = photos.bare("a.webp")
        assert bare is not None
        assert (bare.media_type, bare.content) == ("image/webp", data)
        assert photos.is_lossy("a.webp") is not lossless
    # In the form that may hold a profile.
    assert bare_file(encoded(drawing(), "WEBP", **with_metadata()), "a") is None


def test_files_that_show_something_else_are_not_sent(photos: PhotoFiles) -> None:
    turned = Image.Exif()
    turned[ORIENTATION] = 6
    image, transparent = drawing(), Image.new("RGBA", (8, 8), (9, 9, 9, 99))
    for name, data in {
        "turned.jpg": encoded(image, "JPEG", exif=turned),
        "gray.jpg": encoded(image.convert("L"), "JPEG"),
        "print.jpg": encoded(image.convert("CMYK"), "JPEG"),
        "palette.png": encoded(image.quantize(8), "PNG"),
        "transparent.png": encoded(transparent, "PNG"),
        "transparent.webp": encoded(transparent, "WEBP"),
        "moving.png": encoded(image, "PNG", save_all=True, append_images=[drawing(24, 16)]),
        "a.bmp": encoded(image, "BMP"),
        "a.gif": encoded(image, "GIF"),
    }.items():
        (photos.folder / name).write_bytes(data)
        assert photos.bare(name) is None, name
        assert photos.is_lossy(name) == name.endswith((".jpg", ".webp")), name


def test_a_bare_file_is_that_of_the_photo_whose_digest_is_known(photos: PhotoFiles) -> None:
    (photos.folder / "a.png").write_bytes(encoded(drawing(), "PNG"))
    assert photos.digest("a.png")
    (photos.folder / "a.png").write_bytes(encoded(noise(), "PNG"))
    with pytest.raises(DataError, match=r"to stay as it is, but it has changed"):
        photos.bare("a.png")
    with pytest.raises(DataError, match="there is no file"):
        photos.is_lossy("b.png")
