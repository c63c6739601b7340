"""Faults of servers in decoding files: each is wrong about the files that it says, and right about all else."""

from __future__ import annotations

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import FileForm, Store
from pytest_vqamt.core.meaning import Choice, Count, Group, Has, Located, Meaning, Property, Side
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.models.reference.faults import FAULTS
from tests.making import scene_of, thing_of
from tests.rows import each_row

SCENE = scene_of(
    thing_of("red car", id="1", box=Box(10, 10, 40, 30)), thing_of("green dog", id="2", box=Box(140, 60, 40, 30))
)
CAR, DOG = Group(name="car"), Group(name="dog")
RED_OR_BLUE = Choice(what=CAR, options=("red", "blue"))
LEFT, RIGHT, ABOVE, BELOW = (
    Located(group=CAR, other=DOG, side=side) for side in (Side.LEFT, Side.RIGHT, Side.ABOVE, Side.BELOW)
)


def said(fault: str, meaning: Meaning, picture: Picture) -> str:
    return FAULTS[fault].replies()(Query(picture=picture, text="?", meaning=meaning))


@each_row("form", FileForm)
def test_who_exchanges_red_and_blue_does_so_in_jpeg_files_with_colors(form: FileForm) -> None:
    quality = 90 if form.is_lossy else 0
    stored, plain = (SCENE.picture.store(form, quality=quality, plain=plain) for plain in (False, True))
    wrong = form in (FileForm.JPEG, FileForm.PROGRESSIVE_JPEG, FileForm.CMYK_JPEG)
    assert said("jpeg-swapped", RED_OR_BLUE, stored) == ("blue" if wrong else "red")
    for picture in (SCENE.picture, plain, stored.mirror(), SCENE.picture.jpeg(90)):
        assert said("jpeg-swapped", RED_OR_BLUE, picture) == "red"


@each_row(
    "meaning, answer",
    [
        (Property(group=CAR, category="color", values=("red", "green", "blue")), "blue"),
        (Property(group=DOG, category="color", values=("red", "green", "blue")), "green"),
        (Has(group=CAR, attribute="red"), "no"),
        (Has(group=CAR, attribute="blue"), "yes"),
        (Count(groups=(Group(name="car", attributes=("red",)),)), "1"),
        (Count(groups=(CAR,)), "1"),
        (LEFT, "yes"),
    ],
)
def test_what_the_exchange_changes(meaning: Meaning, answer: str) -> None:
    assert said("jpeg-swapped", meaning, SCENE.picture.store(FileForm.JPEG, quality=90)) == answer


@each_row(
    "orientation, left, right, above, below",
    [
        # The car is at the upper left of the dog.
        (1, "yes", "no", "yes", "no"),
        (2, "no", "yes", "yes", "no"),
        (3, "no", "yes", "no", "yes"),
        (4, "yes", "no", "no", "yes"),
        # Exchanged along the diagonal through the upper left.
        (5, "yes", "no", "yes", "no"),
        (6, "yes", "no", "no", "yes"),
        # Along the other one.
        (7, "no", "yes", "no", "yes"),
        (8, "no", "yes", "yes", "no"),
    ],
)
def test_who_ignores_the_orientation_sees_the_picture_as_it_is_stored(
    orientation: int, left: str, right: str, above: str, below: str
) -> None:
    picture = SCENE.picture.store(FileForm.PNG, orientation=orientation)
    found = tuple(said("ignores-orientation", meaning, picture) for meaning in (LEFT, RIGHT, ABOVE, BELOW))
    assert found == (left, right, above, below)
    assert said("ignores-orientation", RED_OR_BLUE, picture) == "red"
    assert said("ignores-orientation", Count(groups=(DOG,)), picture) == "1"
    for other in (SCENE.picture, SCENE.picture.edit(Store(form=FileForm.PNG, orientation=orientation, plain=True))):
        assert said("ignores-orientation", LEFT, other) == "yes"
