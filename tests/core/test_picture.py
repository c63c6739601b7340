"""Pictures: recipes whose digest names the pixels without rendering them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import (
    Blur,
    Brightness,
    Contrast,
    Corrupt,
    Corruption,
    Crop,
    Cut,
    Cutout,
    Erase,
    Fill,
    Insert,
    Mask,
    Mirror,
    Reencode,
    Shear,
)
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene
from tests.making import scene_of, thing_of

ROOT = Path(__file__).parents[2]
PHOTO = Photo(id="photo.png", digest="0123456789abcdef")
CUP = Cutout(
    photo=Photo(id="other.png", digest="feedfacefeedface"),
    thing=replace(thing_of("cup", id="7", box=Box(0, 0, 1, 2)), has_mask=True),
)


def plain(digest: str = PHOTO.digest) -> Picture:
    return replace(scene_of("dog"), photo=replace(PHOTO, digest=digest)).picture


INSERTED = (
    '[{"box":{"h":20,"is":"Box","w":10,"x":5,"y":6},"cutout":{"is":"Cutout","photo":{"digest":"feedfacefeedface",'
    '"id":"other.png","is":"Photo"},"thing":{"box":{"h":2,"is":"Box","w":1,"x":0,"y":0},"has_mask":true,"id":"7",'
    '"is":"Thing","name":"cup"}},"is":"Insert"}]'
)


@pytest.mark.parametrize(
    ("picture", "recipe", "digest"),
    [
        (plain().mirror(), '[{"is":"Mirror"}]', "8178476017cd1cfd"),
        (
            plain().erase(Box(1, 2, 3, 4)),
            '[{"box":{"h":4,"is":"Box","w":3,"x":1,"y":2},"is":"Erase"}]',
            "766e8415047ca193",
        ),
        (
            plain().blur(sigma=1.5).cut(0, 10),
            '[{"is":"Blur","keep":[],"sigma_px":1.5},{"is":"Cut","start":0,"stop":10}]',
            "89c606e1a8d78a46",
        ),
        (plain().insert(CUP, at=(5, 6), size=(10, 20)), INSERTED, "a08a7f48a7269e32"),
    ],
    ids=["mirror", "erase", "blur and cut", "insert"],
)
def test_digests_never_change(picture: Picture, recipe: str, digest: str) -> None:
    assert sha256(f"0123456789abcdef\x1f{recipe}".encode()).hexdigest()[:16] == digest
    assert picture.digest == digest


def test_without_an_edit_a_picture_has_the_digest_of_its_photo() -> None:
    assert plain().digest == "0123456789abcdef"


def test_pictures_that_differ_have_other_digests() -> None:
    box, other = Box(0, 0, 5, 5), Box(0, 0, 5, 6)
    pictures = [
        plain(),
        plain("another photo"),
        plain().erase(box),
        plain().erase(other),
        plain().erase(box, Fill.INPAINT),
        plain().erase(box, Fill.MEAN, (1, 2, 3)),
        plain().erase(box, Fill.MEAN, (1, 2, 4)),
        plain().cut(0, 5),
        plain().cut(1, 5),
        plain().cut(0, 5, "y"),
        plain().crop(box),
        plain().insert(CUP, at=(0, 0), size=(5, 5)),
        plain().insert(CUP, at=(0, 0), size=(5, 6)),
        plain().insert(replace(CUP, photo=PHOTO), at=(0, 0), size=(5, 5)),
        plain().insert(replace(CUP, thing=replace(CUP.thing, id="8")), at=(0, 0), size=(5, 5)),
        plain().blur((box,), sigma=3),
        plain().blur((box,), sigma=6),
        plain().blur((box, other), sigma=3),
        plain().blur(sigma=3),
        plain().mask((box,), (0, 0, 0)),
        plain().mask((box,), (0, 0, 1)),
        plain().mirror(),
        plain().mirror().mirror(),
        plain().reencode(),
        plain().corrupt(Corruption.SNOW, 3),
        plain().corrupt(Corruption.SNOW, 4),
        plain().corrupt(Corruption.ZOOM, 3),
        plain().corrupt(Corruption.SNOW, 3, (box,)),
        plain().brightness(10),
        plain().contrast(10),
        plain().shear(10),
        plain().mirror().cut(0, 5),
        plain().cut(0, 5).mirror(),
    ]
    for one, another in combinations(pictures, 2):
        assert one.digest != another.digest, (one, another)
        assert one != another


def test_the_scene_is_no_part_of_what_a_picture_is() -> None:
    other = replace(scene_of("dog", "cat", id="another"), photo=PHOTO).picture
    assert plain() == other
    assert plain().mirror().digest == other.mirror().digest


def test_a_whole_number_is_the_same_with_and_without_a_point() -> None:
    whole, pointed = plain().erase(Box(1, 2, 3, 4)), plain().erase(Box(1.0, 2.0, 3.0, 4.0))
    assert whole == pointed
    assert whole.digest == pointed.digest


def test_each_method_makes_its_edit() -> None:
    box, colour = Box(1, 2, 3, 4), (7, 8, 9)
    picture = (
        plain()
        .insert(CUP, at=(5, 6), size=(10, 20))
        .erase(box, Fill.MEAN, colour)
        .blur((box,), sigma=6)
        .mask((box,), colour)
        .mirror()
        .corrupt(Corruption.ZOOM, 2, (box,))
        .brightness(-5)
        .contrast(0.5)
        .shear(0.1)
        .reencode()
        .cut(0, 90, "y")
        .crop(box)
    )
    assert picture.edits == (
        Insert(cutout=CUP, box=Box(5, 6, 10, 20)),
        Erase(box=box, fill=Fill.MEAN, colour=colour),
        Blur(keep=(box,), sigma_px=6),
        Mask(keep=(box,), colour=colour),
        Mirror(),
        Corrupt(kind=Corruption.ZOOM, severity=2, boxes=(box,)),
        Brightness(offset=-5),
        Contrast(gain=0.5),
        Shear(factor=0.1),
        Reencode(),
        Cut(start=0, stop=90, axis="y"),
        Crop(box=box),
    )


def test_edits_add_up_and_each_sees_the_scene_that_the_last_one_left(yard: Scene) -> None:
    # Mirrored, the dogs are at 120, 150 and 180; the piece from 110 on moves them to 10, 40 and 70.
    picture = yard.picture.mirror().cut(110, 200)
    assert [(thing.id, thing.box) for thing in picture.scene.objects] == [
        ("d1", Box(70, 60, 20, 20)),
        ("d2", Box(40, 60, 20, 20)),
        ("d3", Box(10, 60, 20, 20)),
    ]
    assert yard.picture.edits == ()
    assert yard.picture.scene == yard


def test_a_digest_needs_no_imaging() -> None:
    code = (
        "import sys\n"
        "from pytest_vqamt.core.box import Box\n"
        "from tests.making import scene_of\n"
        "print(scene_of('dog').picture.erase(Box(0, 0, 1, 1)).mirror().digest)\n"
        "print({'PIL', 'numpy'} & set(sys.modules))\n"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[1] == "set()"


def test_a_crop_is_rounded_outwards_and_clipped(yard: Scene) -> None:
    assert yard.picture.crop(Box(-3, 59.5, 20.2, 60)) == yard.picture.crop(Box(0, 59, 18, 41))
    with pytest.raises(VqamtError, match="Expected a box that reaches into the picture"):
        yard.picture.crop(Box(300, 0, 5, 5))
