"""From a recipe to pixels: what is drawn is what the edit says, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import EDITS, Corruption, Cutout
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.protocols import PhotoStore
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.imaging.render import render
from tests.making import HEIGHT, WIDTH, scene_of, thing_of


@dataclass
class Photos:
    """Noise of the scene's size, so that every pixel differs from its neighbours."""

    image: Image.Image = field(
        default_factory=lambda: Image.fromarray(
            np.random.default_rng(5).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
        )
    )

    def photo(self, photo: Photo) -> Image.Image:
        if photo.id != "made.png":
            raise DataError(f"Expected a photo of this test, but got photo={photo.id!r}")
        return self.image.copy()

    def mask(self, photo: Photo, thing_id: str) -> Image.Image:
        raise DataError(f"Expected a thing with a mask, but got thing_id={thing_id!r}")


SCENE = scene_of("dog", "cat")


def pixels(image: Image.Image) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.asarray(image)


def test_a_picture_without_edits_is_its_photo() -> None:
    photos = Photos()
    image = render(SCENE.picture, photos)
    assert (image.mode, image.size) == ("RGB", (WIDTH, HEIGHT))
    assert (pixels(image) == pixels(photos.image)).all()


def test_mirror_exchanges_the_columns_and_nothing_else() -> None:
    photos = Photos()
    image = render(SCENE.picture.mirror(), photos)
    assert image.mode == "RGB"
    assert (pixels(image) == pixels(photos.image)[:, ::-1]).all()
    assert not (pixels(image) == pixels(photos.image)).all()


def test_mirroring_twice_gives_the_photo_again() -> None:
    photos = Photos()
    assert (pixels(render(SCENE.picture.mirror().mirror(), photos)) == pixels(photos.image)).all()


def test_re_encoding_keeps_every_bit() -> None:
    photos = Photos()
    image = render(SCENE.picture.reencode(), photos)
    assert (image.mode, image.size) == ("RGB", (WIDTH, HEIGHT))
    assert (pixels(image) == pixels(photos.image)).all()


def test_edits_are_made_one_after_the_other() -> None:
    photos = Photos()
    image = render(SCENE.picture.reencode().mirror().reencode(), photos)
    assert (pixels(image) == pixels(photos.image)[:, ::-1]).all()


def test_a_picture_has_the_size_of_its_scene() -> None:
    picture = SCENE.picture.mirror().reencode()
    assert render(picture, Photos()).size == (picture.scene.width, picture.scene.height)


def test_the_stored_photo_is_left_as_it_was() -> None:
    photos = Photos()
    before = pixels(photos.image).copy()
    render(SCENE.picture.mirror().reencode(), photos)
    assert (pixels(photos.image) == before).all()


BOX = Box(0, 0, 10, 10)
CUP = Cutout(photo=SCENE.photo, thing=thing_of("cup"))
NOT_DRAWN: tuple[Callable[[Picture], Picture], ...] = (
    lambda picture: picture.erase(BOX),
    lambda picture: picture.cut(0, 50),
    lambda picture: picture.crop(BOX),
    lambda picture: picture.insert(CUP, at=(0, 0), size=(10, 10)),
    lambda picture: picture.blur(sigma=3),
    lambda picture: picture.mask((BOX,), (0, 0, 0)),
    lambda picture: picture.corrupt(Corruption.SNOW, 1),
    lambda picture: picture.brightness(10),
    lambda picture: picture.contrast(1.5),
    lambda picture: picture.shear(0.1),
)


@pytest.mark.parametrize("edited", [edit(SCENE.picture) for edit in NOT_DRAWN], ids=lambda p: type(p.edits[0]).__name__)
def test_an_edit_that_cannot_be_drawn_is_refused_by_name(edited: Picture) -> None:
    name = type(edited.edits[0]).__name__
    with pytest.raises(RenderError, match=rf"Expected an edit that this version can draw .*got edit={name}\("):
        render(edited, Photos())


def test_every_edit_is_either_drawn_or_refused() -> None:
    refused = {type(edit(SCENE.picture).edits[0]).__name__ for edit in NOT_DRAWN}
    assert refused | {"Mirror", "Reencode"} == {edit.__name__ for edit in EDITS}


def test_a_photo_that_cannot_be_read_is_told_of(bare: Scene) -> None:
    photos: PhotoStore = Photos()
    with pytest.raises(DataError, match=r"photo='bare\.png'"):
        render(bare.picture.mirror(), photos)
