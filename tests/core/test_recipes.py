"""A picture as files name it, and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.edits import Corruption, Cutout, Fill
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.recipes import picture_from_recipe, picture_recipe
from pytest_vqamt.core.scene import Scene

Made = Callable[[Picture], Picture]

BOX = Box(10, 20, 30.5, 15)

EDITED: tuple[Made, ...] = (
    lambda picture: picture,
    lambda picture: picture.erase(BOX, Fill.MEAN, (9, 8, 7)).erase(BOX, Fill.INPAINT, method="telea"),
    lambda picture: picture.cut(20, 180).cut(10, 90, "y").crop(Box(5, 5, 60, 40)),
    lambda picture: picture.insert(Cutout(photo=picture.photo, thing=picture.scene.objects[0]), (1.5, 2), (20, 20)),
    lambda picture: picture.blur((BOX,), sigma=6).mask((BOX, Box(0, 0, 5, 5)), (1, 2, 3)),
    lambda picture: picture.mirror().reencode().shear(0.25).brightness(-10).contrast(1.5),
    lambda picture: picture.corrupt(Corruption.SNOW, 3, (BOX,)),
)


def through_a_file(picture: Picture) -> Json:
    row: Json = json.loads(json.dumps(picture_recipe(picture)))
    return row


@pytest.mark.parametrize("made", EDITED)
def test_a_picture_comes_back_whole(made: Made, yard: Scene) -> None:
    picture = made(yard.picture)
    again = picture_from_recipe(through_a_file(picture), {yard.photo.id: yard}.__getitem__)
    assert again == picture
    assert again.digest == picture.digest
    # The scene is no part of a picture's identity, and comes back too.
    assert again.scene == picture.scene


def test_a_recipe_is_photo_digest_and_edits(yard: Scene) -> None:
    picture = yard.picture.mirror()
    assert picture_recipe(picture) == {"photo": "yard.png", "digest": picture.digest, "edits": [{"is": "Mirror"}]}


def test_a_photo_with_other_pixels_is_refused(yard: Scene) -> None:
    repainted = replace(yard, photo=replace(yard.photo, digest="f" * 16))
    with pytest.raises(DataError) as told:
        picture_from_recipe(picture_recipe(yard.picture), lambda _: repainted)
    assert str(told.value) == (
        "Expected the photo that the picture was made of, but photo='yard.png' gives digest='ffffffffffffffff' "
        "and not '00000000000000a1': name the same data"
    )


def test_edits_other_than_the_digest_says_are_refused(yard: Scene) -> None:
    row: Json = {**picture_recipe(yard.picture.erase(BOX)), "edits": [{"is": "Mirror"}]}
    with pytest.raises(DataError, match="Expected the photo that the picture was made of"):
        picture_from_recipe(row, lambda _: yard)


def test_whoever_finds_scenes_says_which_photo_is_missing(yard: Scene) -> None:
    def scene_of(photo_id: str) -> Scene:
        raise DataError(f"no {photo_id}")

    with pytest.raises(DataError, match=r"^no yard\.png$"):
        picture_from_recipe(picture_recipe(yard.picture), scene_of)


@pytest.mark.parametrize(
    "row",
    [
        None,
        "yard.png",
        [],
        {},
        {"photo": "yard.png", "edits": []},
        {"photo": 7, "digest": "00000000000000a1", "edits": []},
        {"photo": "yard.png", "digest": None, "edits": []},
        {"photo": "yard.png", "digest": "00000000000000a1", "edits": None},
        {"photo": "yard.png", "digest": "00000000000000a1", "edits": "none"},
    ],
)
def test_what_is_no_recipe_is_refused(row: Json, yard: Scene) -> None:
    with pytest.raises(DataError, match="Expected a recipe of 'photo', 'digest' and 'edits', but got picture="):
        picture_from_recipe(row, lambda _: yard)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ("Mirror", "Expected a record whose 'is' is one of Erase, Cut, .*, but got 'Mirror'"),
        (3, "Expected a record whose 'is' is one of Erase, Cut, .*, but got 3"),
        (
            {"is": "Group", "name": "dog"},
            r"Expected a record whose 'is' is one of Erase, Cut, .*, but got {'is': 'Group'",
        ),
        ({"is": "Melt"}, "Expected a record whose 'is' is one of "),
        ({"is": "Erase"}, "Expected Erase with box, but box is missing"),
        ({"is": "Erase", "box": 3}, "Expected a record whose 'is' is one of Box as box of Erase, but got box=3"),
        (
            {"is": "Crop", "box": {"is": "Box", "x": 0, "y": 0, "w": float("inf"), "h": 5}},
            "Expected a number as w of Box, but got w=inf",
        ),
        ({"is": "Cut", "start": "left", "stop": 5}, "Expected a whole number as start of Cut, but got start='left'"),
    ],
)
def test_an_edit_that_cannot_be_read_is_refused(edit: Json, told: str, yard: Scene) -> None:
    with pytest.raises(DataError, match=f"^Expected a recipe that this version reads: {told}"):
        picture_from_recipe({**picture_recipe(yard.picture), "edits": [edit]}, lambda _: yard)
