"""The perceiver of pixels describes pictures drawn in letters, and relations of captions that are wrong are told of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import Blur, Brightness, Contrast, Cutout, Edit, Erase, Insert, Shear
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Region, Scene
from pytest_vqamt.relations.catalogue import get
from tests.rows import each_row
from tests.soundness.asking import Item
from tests.soundness.letters import PORTRAIT, YARD, Letters, photo
from tests.soundness.looking import wrong
from tests.soundness.perceiver import UNSURE, Perceiver

# Three times as large, so that what is left of a thing can be more than a remnant and less than a tenth.
YARD_X3 = ["".join(3 * letter for letter in row) for row in YARD for _ in range(3)]
LETTERS = Letters({"yard": YARD_X3, "portrait": PORTRAIT, "crowd": [row.replace("c", "C") for row in YARD_X3]})
PERCEIVER = Perceiver(LETTERS)

DOG_BOX, CAT_BOX = Box(6, 3, 24, 21), Box(48, 3, 24, 21)
(WOMAN,) = (each.thing for each in LETTERS.of(photo("portrait")) if each.thing.name == "woman")
CUTOUT = Cutout(photo=photo("portrait"), thing=WOMAN)

BESIDE = Insert(cutout=CUTOUT, box=Box(32, 2, 8, 12))
THE_FRONT_HALF = Insert(cutout=CUTOUT, box=Box(18, 3, 14, 21))
THE_MIDDLE = Insert(cutout=CUTOUT, box=Box(15, 3, 6, 21))
ALL_BUT_A_STRIP = Insert(cutout=CUTOUT, box=Box(8, 3, 24, 21))
ALL_OF_THE_DOG = Insert(cutout=CUTOUT, box=DOG_BOX)
ALL_OF_THE_CAT = Insert(cutout=CUTOUT, box=CAT_BOX)


def scene(name: str) -> Scene:
    """The photo's scene; a crowd of cats is told of as one."""
    crowds = (Region(name="cat", box=CAT_BOX),) if name == "crowd" else ()
    return replace(LETTERS.scene(photo(name)), regions=crowds)


def caption(name: str, *edits: Edit) -> str:
    empty = replace(LETTERS.scene(photo(name)), objects=())
    return PERCEIVER.answer(described(Picture(photo=photo(name), edits=edits, scene=empty)))


def described(picture: Picture) -> Query:
    return Query(picture=picture, meaning=Describe(), task=Task.CAPTIONING)


@each_row(
    ("edits", "said"),
    [
        ((), "a cat and a dog"),
        ((BESIDE,), "a cat, a dog, a hat and a woman"),
        ((THE_FRONT_HALF,), "a cat, a dog, a hat and a woman"),
        # A dog in two pieces is one dog, with somebody before it.
        ((THE_MIDDLE,), "a cat, a dog, a hat and a woman"),
        # 3 of 24 columns are more than a tenth, 2 are less, and 1 has 21 pixels, too few to be taken for anything.
        ((Erase(box=Box(9, 3, 21, 21)),), "a cat and a dog"),
        ((Erase(box=Box(8, 3, 22, 21)),), UNSURE),
        ((Erase(box=Box(7, 3, 23, 21)),), "a cat"),
        ((Blur(keep=(), sigma_px=1.7),), "a cat and a dog"),
        ((Blur(keep=(), sigma_px=3),), UNSURE),
        ((Brightness(offset=100),), "a cat and a dog"),
        ((Contrast(gain=3),), "a cat and a dog"),
        ((Shear(factor=-1),), "a cat and a dog"),
    ],
)
def test_what_is_there_is_described(edits: tuple[Edit, ...], said: str) -> None:
    assert caption("yard", *edits) == said


def test_a_crowd_is_described_as_several() -> None:
    assert caption("crowd") == "a dog and two cats"
    assert caption("crowd", ALL_OF_THE_CAT) == "a dog, a hat and a woman"


def told(relation: str, variant: str, edit: Edit, name: str = "yard", after: Scene | None = None) -> str:
    before = scene(name).picture
    edited = before.edit(edit) if after is None else replace(before.edit(edit), scene=after)
    case = Case(
        relation=relation,
        variant=variant,
        scene=name,
        queries=(described(before), described(edited)),
        expected="",
        facts=(("inserted", "woman"),),
    )
    return "; ".join(each.what for each in wrong(Item(get(relation), variant), [case], PERCEIVER))


@pytest.mark.parametrize("edit", [BESIDE, THE_FRONT_HALF, THE_MIDDLE], ids=str)
@pytest.mark.parametrize("relation", ["metaic.object_appearance", "metaic.singular_plural"])
@pytest.mark.parametrize("name", ["yard", "crowd"])
def test_a_relation_that_inserts_beside_or_before_things_holds(relation: str, edit: Edit, name: str) -> None:
    # The scene of the second picture has no hat in it, and that of the crowd no cats.
    assert told(relation, "45", edit, name) == ""


@pytest.mark.parametrize(
    ("edit", "name"), [(ALL_OF_THE_DOG, "yard"), (ALL_BUT_A_STRIP, "yard"), (ALL_OF_THE_CAT, "crowd")], ids=str
)
def test_a_relation_that_hides_what_is_there_is_told_of(edit: Edit, name: str) -> None:
    assert told("metaic.object_appearance", "45", edit, name).startswith("It does not hold")


@pytest.mark.parametrize(
    ("variant", "edit"),
    [("shear", Shear(factor=100)), ("blur", Blur(keep=(), sigma_px=3)), ("brightness", Erase(box=DOG_BOX))],
    ids=str,
)
def test_a_transformation_that_loses_something_is_told_of(variant: str, edit: Edit) -> None:
    assert told("metaic.deeptest", variant, edit).startswith("It does not hold")


def test_a_scene_that_says_what_its_picture_does_not_show_is_told_of() -> None:
    relation, variant = "metaic.object_appearance", "0"
    inserted = scene("yard").picture.edit(BESIDE).scene
    hidden = replace(inserted, objects=inserted.objects[1:])
    assert "Picture 2 shows 'a cat, a dog, a hat and a woman'" in told(relation, variant, BESIDE, after=hidden)
    two_dogs = replace(inserted, objects=(*inserted.objects, replace(inserted.objects[1], id="another")))
    assert "scene says 'a cat, two dogs and a woman'" in told(relation, variant, BESIDE, after=two_dogs)
    no_crowd = replace(scene("crowd").picture.edit(BESIDE).scene, regions=())
    assert "scene says 'a dog and a woman'" in told(relation, variant, BESIDE, "crowd", after=no_crowd)


def test_the_same_said_twice_is_told_of_where_it_is_that_one_cannot_tell() -> None:
    blurred = scene("yard").picture.blur(sigma=3)
    case = Case(
        relation="metaic.deeptest",
        variant="contrast",
        scene="yard",
        queries=(described(blurred), described(blurred.contrast(2))),
        expected="",
    )
    (found,) = wrong(Item(get("metaic.deeptest"), "contrast"), [case], PERCEIVER)
    assert [answer.text for answer in found.judged.answers] == [UNSURE, UNSURE]
