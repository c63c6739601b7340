"""From a recipe to pixels: what is drawn is what the edits say, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import registered_types
from pytest_vqamt.core.edits import (
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
    Move,
    Pad,
    Recolour,
    Redraw,
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
from pytest_vqamt.core.query import PhotoStore
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.imaging.render import inside, nearest, outwards, render, renderers
from tests.imaging.random_images import Photos, boxes, images, touched, values
from tests.making import HEIGHT, WIDTH, scene_of, thing_of
from tests.rows import each_row

SCENE = scene_of("dog", "cat")
NOISE = np.random.default_rng(5).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
CUTOUT = Cutout(photo=SCENE.photo, thing=thing_of("cup", box=Box(20, 10, 30, 40)))

BOX = Box(5.3, 3.6, 20, 15)
ONE_OF_EACH: tuple[Edit, ...] = (
    Erase(box=BOX),
    Cut(start=10, stop=70),
    Crop(box=Box(5, 4, 60, 50)),
    Insert(cutout=CUTOUT, box=Box(8, 9, 25, 30)),
    Blur(keep=(BOX,), sigma_px=3),
    Mask(keep=(BOX, Box(30, 20, 9, 9)), colour=(1, 2, 3)),
    Mirror(),
    *(Corrupt(kind=kind, severity=2, boxes=(BOX,)) for kind in Corruption),
    Brightness(offset=30),
    Contrast(gain=1.3),
    Shear(factor=0.2),
    Reencode(),
    Shift(dx=3, dy=-2),
    Pad(left=3, bottom=7, colour=(9, 9, 9)),
    Rescale(width=50, height=90),
    Jpeg(quality=80),
    Rotate(degrees=90),
    Tilt(degrees=-4),
    Beside(second=SCENE, gap=4),
    Write(text="DOG", box=Box(5, 5, 40, 20)),
    Recolour(thing=SCENE.objects[0].id, old="red", new="blue", hue=240),
    *(Store(form=form, quality=90 if form.is_lossy else 0) for form in FileForm),
    Store(form=FileForm.PNG, orientation=6),
)
PLAIN = [edit for edit in ONE_OF_EACH if not isinstance(edit, Corrupt | Recolour)]


def store() -> Photos:
    """Noise of the scene's size, so that every pixel differs from its neighbours."""
    mask = np.zeros((HEIGHT, WIDTH), np.bool_)
    mask[12:48, 22:46] = True
    return Photos({SCENE.photo.id: Image.fromarray(NOISE)}, {SCENE.photo.id: mask})


def edited(*edits: Edit, scene: Scene = SCENE) -> Picture:
    picture = scene.picture
    for edit in edits:
        picture = picture.edit(edit)
    return picture


def test_a_picture_without_edits_is_its_photo() -> None:
    image = render(SCENE.picture, store())
    assert (image.mode, image.size) == ("RGB", (WIDTH, HEIGHT))
    assert (values(image) == NOISE).all()


DRAWN = {Move, Redraw}


def test_there_is_one_of_each_edit() -> None:
    # Only the picture world draws its photos anew: see test_parts.py and test_moves.py of tests/picture_world.
    assert {type(edit) for edit in ONE_OF_EACH} == set(registered_types(Edit)) - DRAWN == set(renderers()) - DRAWN


@each_row("edit", ONE_OF_EACH)
def test_every_edit_is_drawn_at_the_size_of_its_scene(edit: Edit) -> None:
    photos, picture = store(), edited(edit)
    image = render(picture, photos)
    assert image.mode == "RGB"
    assert image.size == (picture.scene.width, picture.scene.height)
    assert (values(image) == values(render(edited(edit), store()))).all()
    assert (values(photos.images[SCENE.photo.id]) == NOISE).all()
    if not isinstance(edit, Reencode) and not (isinstance(edit, Store) and edit.form.keeps_pixels):
        assert image.tobytes() != NOISE.tobytes()


@given(st.lists(st.sampled_from(PLAIN), max_size=3), st.sampled_from(PLAIN))
def test_an_edit_sees_what_those_before_it_left(first: list[Edit], last: Edit) -> None:
    # A piece can be larger than what another piece, or another size, left.
    first = [edit for edit in first if not isinstance(edit, Cut | Crop | Rescale | Rotate | Tilt)]
    photos, before = store(), edited(*first)
    stored = Photo(id="stored", digest="stored")
    photos.images["stored"] = render(before, photos)
    of_stored = Scene(id="stored", photo=stored, width=before.scene.width, height=before.scene.height)
    at_once = render(edited(*first, last), photos)
    assert (values(at_once) == values(render(edited(last, scene=of_stored), photos))).all()


def noise(picture: Picture) -> bytes:
    """What a corruption draws is seen on one colour, which no edit but it changes."""
    grey = Image.new("RGB", (picture.scene.width, picture.scene.height), (90, 90, 90))
    return render(picture, Photos({picture.photo.id: grey}, {})).tobytes()


@each_row("kind", [Corruption.IMPULSE, Corruption.SNOW])
def test_noise_depends_on_the_recipe_and_on_nothing_else(kind: Corruption) -> None:
    corrupted = Corrupt(kind=kind, severity=2)
    another = scene_of("dog", id="another")
    same = [noise(edited(corrupted)) for _ in range(2)]
    others = [
        noise(edited(corrupted, scene=another)),
        noise(edited(Mirror(), corrupted)),
        noise(edited(Reencode(), corrupted)),
        noise(edited(Corrupt(kind=kind, severity=2, boxes=(SCENE.frame,)))),
    ]
    assert len({*same, *others}) == 5
    # What comes after an edit has no say in it.
    assert noise(edited(corrupted, Reencode())) == same[0]


def test_inpainting_is_drawn() -> None:
    pytest.importorskip("cv2")
    erased = values(render(edited(Erase(box=BOX, fill=Fill.INPAINT, method="telea")), store()))
    changed = (erased != NOISE).any(axis=2)
    assert changed[4:18, 6:25].mean() > 0.95
    changed[3:19, 5:26] = False
    assert not changed.any()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sepia(Edit):
    """An edit of somebody else's."""

    strength: int = 1


def test_an_edit_that_is_not_ours_is_refused_by_name() -> None:
    with pytest.raises(RenderError, match=r"Expected an edit that can be drawn \(Erase, Cut, .*got edit=Sepia\("):
        render(SCENE.picture.edit(Sepia()), store())


def test_a_photo_that_cannot_be_read_is_told_of(bare: Scene) -> None:
    photos: PhotoStore = store()
    with pytest.raises(DataError, match=r"photo='bare\.png'"):
        render(bare.picture.mirror(), photos)


# Boxes in whole pixels.


@given(images(), boxes())
def test_outwards_is_every_pixel_that_the_box_touches(image: Image.Image, box: Box) -> None:
    covered = np.zeros((image.height, image.width), np.bool_)
    if found := outwards(box, image.size):
        covered[found[1] : found[3], found[0] : found[2]] = True
    assert (covered == touched((box,), image)).all()


def test_what_floating_point_adds_touches_no_further_pixel() -> None:
    assert 0.1 + 2.9000000000000004 > 3
    assert outwards(Box(0.1, 0, 2.9000000000000004, 1), (9, 9)) == (0, 0, 3, 1)


@each_row(
    "box, expected",
    [
        (Box(2, 3, 4, 5), (2, 3, 6, 8)),
        (Box(2.4, 2.6, 3.3, 3.1), (2, 3, 6, 6)),
        (Box(2.4, 2.6, 0.2, 0.1), (2, 3, 3, 4)),
        (Box(-2.6, -0.4, 1, 1), (-3, 0, -2, 1)),
    ],
)
def test_nearest_moves_each_edge_to_a_whole_pixel(box: Box, expected: tuple[int, int, int, int]) -> None:
    assert nearest(box) == expected


@each_row("box", [Box(-1, 0, 5, 5), Box(0, 0, 5, 11), Box(8, 8, 3, 1), Box(3, 3, 0, 2), Box(3, 3, 2, 0.3)])
def test_what_is_empty_or_partly_outside_is_not_inside(box: Box) -> None:
    assert inside(box, (10, 10)) is None


@each_row("box", [Box(1.5, 0, 99.5, 1), Box(0.5, 0, 100.5, 1), Box(0.6, 0, 100.4, 1)])
def test_a_box_up_to_the_edge_stays_inside_in_whole_pixels(box: Box) -> None:
    found = inside(box, (101, 1))
    assert found is not None
    assert 0 <= found[0] < found[2] <= 101
    assert found[2] - found[0] == round(box.w)
