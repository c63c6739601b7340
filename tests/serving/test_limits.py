"""Edits from outside stay within bounds."""

from __future__ import annotations

import io
import math
import sys
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, encode
from pytest_vqamt.core.edits import (
    MAX_PIXELS,
    Beside,
    Blur,
    Brightness,
    Contrast,
    Corrupt,
    Corruption,
    Crop,
    Cut,
    Cutout,
    Edit,
    Erase,
    FileForm,
    Fill,
    Insert,
    Jpeg,
    Mask,
    Mirror,
    Pad,
    Recolour,
    Reencode,
    Rescale,
    Rotate,
    Shear,
    Shift,
    Store,
    Tilt,
    Write,
)
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Failure
from pytest_vqamt.core.recipes import picture_recipe
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.served.answer_requests import PngRow, RecipeRow
from pytest_vqamt.models.served.wire_format import MAX_WORK, PixelsNeeded
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.serving.replica import PictureResolver, ResolvedPicture, check_edit, check_picture
from tests.rows import each_row

BOX = Box(1, 2, 30, 40)
THING = Thing(id="0", name="dog", box=BOX, has_mask=True)
SECOND = Scene(
    id="b", photo=Photo(id="b", digest="c"), width=30, height=20, objects=(THING,), exhaustive=frozenset({"dog"})
)
CUTOUT = Cutout(photo=Photo(id="a", digest="b"), thing=THING)

FAIR: list[Edit] = [
    Erase(box=BOX),
    Erase(box=BOX, fill=Fill.MEAN, colour=(1, 2, 255)),
    Erase(box=BOX, fill=Fill.INPAINT, method="telea"),
    Cut(start=0, stop=10),
    Crop(box=BOX),
    Insert(cutout=CUTOUT, box=Box(-5, -5, 20, 20)),
    Blur(keep=(BOX,), sigma_px=6),
    Blur(keep=(), sigma_px=0),
    Store(form=FileForm.PALETTE),
    Mask(keep=(BOX,), colour=(0, 0, 0)),
    Mirror(),
    Corrupt(kind=Corruption.SNOW, severity=5, boxes=(BOX,)),
    Brightness(offset=-40),
    Contrast(gain=1.5),
    Shear(factor=-0.3),
    Reencode(),
    Shift(dx=3, dy=-8),
    Pad(left=5, colour=(9, 9, 9)),
    Rescale(width=300, height=200),
    Jpeg(quality=85),
    Rotate(degrees=270),
    Tilt(degrees=-5),
    Beside(second=SECOND, gap=8),
    Write(text="DOG", box=BOX),
    Recolour(thing="0", old="red", new="blue", hue=240),
]


@each_row("edit", FAIR)
def test_what_relations_do_is_within_bounds_as_it_comes_over_the_wire(edit: Edit) -> None:
    assert check_edit(encode(edit)) == edit


@each_row(
    "edit",
    [
        Blur(keep=(), sigma_px=1e9),
        Blur(keep=(), sigma_px=-1),
        Blur(keep=(), sigma_px=1001),
        Blur(keep=(BOX,) * 501, sigma_px=1),
        Blur(keep=(), sigma_px=math.nan),
        Contrast(gain=math.inf),
        Brightness(offset=10**9),
        Shear(factor=-1e6),
        Crop(box=Box(0, 0, 1e6, 1)),
        Crop(box=Box(0, 0, -1, 5)),
        Mask(keep=(), colour=(0, 0, 256)),
        Mask(keep=(), colour=(0, 0)),  # type: ignore[arg-type] # as a stranger may send it
        Insert(cutout=CUTOUT, box=Box(0, 0, 30_000, 40_000)),
        Corrupt(kind=Corruption.SNOW, severity=6),
        Corrupt(kind="rain", severity=1),  # type: ignore[arg-type] # as a stranger may send it
        Jpeg(quality=0),
        Jpeg(quality=101),
        Rotate(degrees=45),
        Tilt(degrees=11),
        Tilt(degrees=0),
        Rescale(width=10**9, height=1),
        Pad(left=10**9),
        Pad(left=1, colour=(0, 0, 256)),
        Beside(second=replace(SECOND, height=0)),
        Beside(second=SECOND, gap=-5),
        Beside(second=SECOND, colour=(-1, 0, 0)),
        Write(text="a" * 501, box=BOX),
        Write(text="a", box=BOX, ink=(0, 0, 999)),
        Erase(box=BOX, fill="glue"),  # type: ignore[arg-type] # as a stranger may send it
        Erase(box=BOX, fill=Fill.INPAINT, method="/etc/passwd"),
        Erase(box=BOX, fill=Fill.INPAINT, method=""),
        Erase(box=BOX, fill=Fill.MEAN, colour=(1, 2, 1000)),
        Blur(keep=5, sigma_px=1),  # type: ignore[arg-type] # as a stranger may send it
        Mask(keep=(THING,), colour=(0, 0, 0)),  # type: ignore[arg-type] # as a stranger may send it
        Crop(box=None),  # type: ignore[arg-type] # as a stranger may send it
        Crop(box=Box("0", 0, 1, 1)),  # type: ignore[arg-type] # as a stranger may send it
        THING,
        None,
        7,
    ],
)
def test_what_is_out_of_bounds_is_refused_in_one_line(edit: object) -> None:
    with pytest.raises(DataError) as caught:
        check_edit(encode(edit))
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("Expected ")


def test_a_checkpoint_is_one_that_the_server_was_started_with() -> None:
    with pytest.raises(RenderError, match="digest='/etc/passwd', which is that of no file given in this run"):
        check_edit(encode(Erase(box=BOX, fill=Fill.INPAINT, method="lama:/etc/passwd")))


@pytest.mark.parametrize("size", [(1, 1), (10_000, 5_000)])
def test_pictures_up_to_the_bound_are_drawn(size: tuple[int, int]) -> None:
    assert size[0] * size[1] <= MAX_PIXELS
    check_picture(_picture(*size))


@each_row("size", [(0, 10), (10, 0), (-5, -5), (10_001, 5_000), (10**9, 1)])
def test_no_other_is(size: tuple[int, int]) -> None:
    with pytest.raises(DataError, match="Expected a picture of 1 to 50000000 pixels"):
        check_picture(_picture(*size))


def _picture(width: int, height: int) -> Picture:
    photo = Photo(id="a", digest="b")
    return Picture(photo=photo, scene=Scene(id="a", photo=photo, width=width, height=height))


WORLD = PictureWorld(20)
PHOTO = WORLD.scene(3).picture
FORGED = "../../../etc/passwd"


@pytest.fixture
def resolver() -> Iterator[PictureResolver]:
    made = PictureResolver([WORLD], 8)
    yield made
    made.close()


def shown(resolver: PictureResolver, row: dict[str, Json]) -> ResolvedPicture | Failure | PixelsNeeded:
    return resolver.resolve(RecipeRow(row))


def test_a_recipe_gives_the_very_picture_and_its_pixels(resolver: PictureResolver) -> None:
    picture = PHOTO.crop(Box(10, 10, 100, 80)).blur(sigma=3).mirror()
    found = shown(resolver, picture_recipe(picture))
    assert isinstance(found, tuple)
    assert found[0] == picture
    assert found[0].scene == picture.scene
    assert found[1](found[0]).tobytes() == render(picture, WORLD).tobytes()


def test_a_cut_out_of_served_data_is_inserted(resolver: PictureResolver) -> None:
    picture = PHOTO.insert(_cutout(), at=(5, 5), size=(40, 40))
    assert shown(resolver, picture_recipe(picture)) == (picture, gallery_image(resolver))


def test_a_second_picture_of_served_data_is_put_beside(resolver: PictureResolver) -> None:
    picture = PHOTO.beside(WORLD.scene(7), gap=8)
    assert shown(resolver, picture_recipe(picture)) == (picture, gallery_image(resolver))


@each_row(
    "second",
    [
        replace(WORLD.scene(7), photo=replace(WORLD.scene(7).photo, id=FORGED)),
        replace(WORLD.scene(7), photo=replace(WORLD.scene(7).photo, digest="0")),
        replace(WORLD.scene(7), width=3),
    ],
)
def test_another_second_picture_is_refused(resolver: PictureResolver, second: Scene) -> None:
    found = shown(resolver, picture_recipe(PHOTO.beside(second)))
    assert isinstance(found, Failure)
    assert "Expected a second picture of pictures" in found.reason


def gallery_image(resolver: PictureResolver) -> object:
    found = shown(resolver, picture_recipe(PHOTO))
    assert isinstance(found, tuple)
    return found[1]


@each_row("photo", [FORGED, "pictures-0-20", "pictures-0-²", "pictures-0-" + "9" * 4000, "", "\x00"])
def test_a_photo_that_is_not_served_is_unknown(resolver: PictureResolver, photo: str, opened: list[str]) -> None:
    found = shown(resolver, {**picture_recipe(PHOTO), "photo": photo})
    assert isinstance(found, PixelsNeeded)
    assert found.reason.startswith("Expected a picture of what is served (pictures:20), but got photo=")
    assert opened == []


def test_a_photo_with_other_pixels_is_unknown(resolver: PictureResolver) -> None:
    assert isinstance(shown(resolver, {**picture_recipe(PHOTO), "digest": "0" * 16}), PixelsNeeded)


@each_row("what", ["photo", "digest", "thing"])
def test_a_cut_out_of_anything_else_is_refused(resolver: PictureResolver, what: str, opened: list[str]) -> None:
    cutout = _cutout()
    forged = {
        "photo": replace(cutout, photo=Photo(id=FORGED, digest=cutout.photo.digest)),
        "digest": replace(cutout, photo=replace(cutout.photo, digest="0" * 16)),
        "thing": replace(cutout, thing=replace(cutout.thing, id=FORGED)),
    }[what]
    found = shown(resolver, picture_recipe(PHOTO.insert(forged, at=(5, 5), size=(40, 40))))
    assert isinstance(found, Failure)
    assert "cut-out of a" in found.reason
    assert opened == []


def test_no_picture_of_a_billion_pixels_is_begun(resolver: PictureResolver) -> None:
    # Each step is small for what is before it; together they would not be.
    for picture in (
        PHOTO.crop(Box(0, 0, 99_999, 99_999)),
        forged(PHOTO, Insert(cutout=_cutout(), box=Box(0, 0, 31_623, 31_623))),
    ):
        found = shown(resolver, picture_recipe(picture))
        if isinstance(found, tuple):  # a crop is clipped to what there is
            assert found[0].scene.width * found[0].scene.height <= 224 * 224
        else:
            assert isinstance(found, Failure)


@each_row(
    "edits",
    [
        [{"is": "Erase"}],
        [{"is": "os.system"}],
        [{"is": ["Erase"]}],
        [{"is": "Erase", "box": "here"}],
        [{"is": "Erase", "box": {"is": "Box", "x": "0", "y": 0, "w": 1, "h": 1}}],
        [{"is": "Blur", "keep": 5, "sigma_px": 1}],
        [{"is": "Cut", "start": None, "stop": [], "axis": "z"}],
        [{"is": "Insert", "cutout": None, "box": {"is": "Box", "x": 0, "y": 0, "w": 1, "h": 1}}],
        [{"is": "Photo", "id": "a", "digest": "b"}],
        ["Mirror"],
        [None],
        [[]],
    ],
)
def test_what_is_no_edit_is_told_of_its_sender_alone(resolver: PictureResolver, edits: list[Json]) -> None:
    found = shown(resolver, {**picture_recipe(PHOTO), "edits": edits})
    assert isinstance(found, Failure), found
    assert found.reason.startswith("Expected ")
    assert "\n" not in found.reason


def test_a_picture_comes_as_png(resolver: PictureResolver) -> None:
    found = resolver.resolve(PngRow(_png(Image.new("RGB", (3, 2), (9, 8, 7)))))
    assert isinstance(found, tuple)
    assert (found[0].scene.width, found[0].scene.height) == (3, 2)
    assert found[1](found[0]).getpixel((0, 0)) == (9, 8, 7)


def test_a_png_is_unpacked_when_it_is_looked_at(resolver: PictureResolver) -> None:
    broken = _png(Image.effect_noise((300, 300), 50).convert("RGB"))[:5000]
    found = resolver.resolve(PngRow(broken))
    assert isinstance(found, tuple)
    with pytest.raises(DataError, match="Expected a PNG file that can be read, but got 5000 bytes"):
        found[1](found[0])


def test_a_png_of_too_many_pixels_is_not_unpacked(resolver: PictureResolver) -> None:
    header = bytearray(_png(Image.new("1", (1, 1))))
    header[16:24] = (8_000).to_bytes(4, "big") * 2
    found = resolver.resolve(PngRow(_with_checksum(bytes(header))))
    assert isinstance(found, Failure)
    assert "8000 x 8000" in found.reason


@each_row("png", [b"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n" + b"\x00" * 100, b64encode(b"GIF89a")])
def test_what_is_no_png_is_refused(resolver: PictureResolver, png: bytes) -> None:
    found = resolver.resolve(PngRow(png))
    assert isinstance(found, Failure)
    assert "\n" not in found.reason


@pytest.fixture
def opened(resolver: PictureResolver) -> list[str]:
    """The files outside of the package that are opened from here on."""
    shown(resolver, picture_recipe(PHOTO))  # what is loaded once is loaded
    files: list[str] = []
    _LISTS.append(files)
    return files


_LISTS: list[list[str]] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _LISTS:
        _LISTS[-1].append(str(arguments[0]))


sys.addaudithook(_hook)


def forged(picture: Picture, edit: Edit) -> Picture:
    """The picture with an edit that cannot be made here, as a stranger may send it."""
    return Picture(photo=picture.photo, edits=(*picture.edits, edit), scene=picture.scene)


def _cutout() -> Cutout:
    scene = WORLD.scene(5)
    return Cutout(photo=scene.photo, thing=next(thing for thing in scene.objects if thing.has_mask))


def _png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, format="PNG")
    return file.getvalue()


def _with_checksum(png: bytes) -> bytes:
    """The file with the checksum that its header has now."""
    from zlib import crc32

    return png[:29] + crc32(png[12:29]).to_bytes(4, "big") + png[33:]


def _photographed(width: int, height: int) -> Picture:
    return replace(PHOTO, scene=replace(PHOTO.scene, width=width, height=height))


def _inpainted(picture: Picture, side: int, method: str, times: int = 1) -> Picture:
    for _ in range(times):
        picture = picture.erase(Box(0, 0, side, side), Fill.INPAINT, method=method)
    return picture


@each_row(
    ("picture", "is_fast"),
    [
        (_inpainted(PHOTO, 224, "biharmonic"), True),
        (_inpainted(PHOTO, 224, "biharmonic", 2), False),
        (_inpainted(PHOTO, 224, "biharmonic", 200), False),
        (_inpainted(_photographed(640, 480), 300, "biharmonic"), False),
        (_inpainted(_photographed(1920, 1080), 1000, "telea"), True),
        (_photographed(8000, 6000).corrupt(Corruption.IMPULSE, 5), True),
        (_photographed(8000, 6000).corrupt(Corruption.ZOOM, 5), False),
        (_photographed(4000, 3000).store(FileForm.PALETTE), False),  # 14 s where there are many colours
    ],
)
def test_what_would_block_the_server_is_drawn_by_the_client(picture: Picture, is_fast: bool) -> None:
    assert (picture.work <= MAX_WORK) == is_fast


def test_a_recipe_that_takes_long_to_draw_is_answered_by_a_call_for_its_pixels(resolver: PictureResolver) -> None:
    found = shown(resolver, picture_recipe(_inpainted(PHOTO, 224, "biharmonic", 200)))
    assert isinstance(found, PixelsNeeded)
    assert found.reason.endswith(
        "drawn within seconds, but 200 edits of the recipe may take more: send its pixels (--vqamt-option send=png)"
    )


def test_one_with_what_is_forbidden_is_refused_all_the_same(resolver: PictureResolver) -> None:
    costly = _inpainted(PHOTO, 224, "biharmonic", 3)
    stranger = replace(_cutout(), photo=Photo(id=FORGED, digest="0"))
    endless = Blur(keep=(), sigma_px=1e9)
    for picture in (costly.insert(stranger, at=(0, 0), size=(9, 9)), forged(costly, endless)):
        assert isinstance(shown(resolver, picture_recipe(picture)), Failure)


def test_for_a_model_that_looks_at_no_pixels_nothing_takes_long() -> None:
    picture = _inpainted(PHOTO, 224, "biharmonic", 3)
    resolver = PictureResolver([WORLD], 8, draws=False)
    assert isinstance(shown(resolver, picture_recipe(picture)), tuple)
    resolver.close()
