"""What stays in sight of a picture whose background is obscured."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.meaning import Both, Exists, Has
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.templates import Askable, Asking, QuestionType
from pytest_vqamt.relations.carets_arguments import Argument
from pytest_vqamt.relations.carets_visual import Obscuring, kept_boxes
from tests.making import FirstOption, choosers, group_of, scene_of, thing_of
from tests.relations.carets.draws import view_of
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

BLUR, MASK, CROP = Obscuring.BLUR, Obscuring.MASK, Obscuring.CROP
HALF_HIDDEN = NotApplicable(reason="the half-hidden thing could be mistaken for the thing asked about")

# 200 x 100, far apart: 32 pixels around the one show nothing of another.
DOG = thing_of("red dog", id="dog", box=Box(0, 0, 40, 40))
CAT = thing_of("cat", id="cat", box=Box(80, 0, 40, 40))
CAR = thing_of("car", id="car", box=Box(160, 60, 40, 40))


def kept(meaning: Askable, scene: Scene, how: Obscuring, truth: str = "yes") -> tuple[Box, ...] | NotApplicable:
    asking = Asking(type=QuestionType.OBJECT, meaning=meaning)
    return kept_boxes(Argument(asking=asking, truth=truth, subject=""), view_of(scene), FirstOption(), how)


IS_THERE_A_DOG = Exists(group=group_of("dog"))
IS_THERE_A_COW = Exists(group=group_of("cow"))
IS_THE_DOG_RED = Has(group=group_of("dog"), attribute="red")


@each_row("how", Obscuring)
def test_what_is_there_is_kept(how: Obscuring) -> None:
    assert kept(IS_THERE_A_DOG, scene_of(DOG, CAT, CAR), how) == (Box(0, 0, 40, 40),)


def test_a_crop_is_the_tightest_rectangle_around_all() -> None:
    dog_and_cat = Both(groups=(group_of("dog"), group_of("cat")))
    assert kept(dog_and_cat, scene_of(DOG, CAT, CAR), CROP) == (Box(0, 0, 120, 40),)
    assert kept(dog_and_cat, scene_of(DOG, CAT, CAR), MASK) == (Box(0, 0, 40, 40), Box(80, 0, 40, 40))


def test_a_foreground_that_fills_the_picture_leaves_nothing_to_obscure() -> None:
    whole = scene_of(thing_of("dog", box=Box(0, 0, 200, 100)))
    for how in Obscuring:
        assert kept(IS_THERE_A_DOG, whole, how) == NotApplicable(reason="the foreground fills the picture")
    both = Both(groups=(group_of("dog"), group_of("car")))
    found = kept(both, scene_of(DOG, CAT, CAR), CROP)
    assert found == NotApplicable(reason="the foreground fills the picture")


def test_of_what_is_not_there_something_is_kept_beside_which_nothing_could_be_it() -> None:
    # Blurred, the dog could be the cow; painted over or cut off, it is not seen, or seen whole.
    assert kept(IS_THERE_A_COW, scene_of(DOG, CAR), MASK, "no") == (Box(0, 0, 40, 40),)
    assert kept(IS_THERE_A_COW, scene_of(DOG, CAR), CROP, "no") == (Box(0, 0, 40, 40),)
    assert kept(IS_THERE_A_COW, scene_of(CAR, DOG), BLUR, "no") == HALF_HIDDEN
    assert kept(IS_THERE_A_COW, scene_of(DOG, CAR), BLUR, "no") == (Box(0, 0, 40, 40),)


def test_of_what_is_not_there_no_half_of_something_like_it_is_seen() -> None:
    # The cat reaches 10 pixels into the car's box.
    near = thing_of("cat", id="cat", box=Box(130, 60, 40, 40))
    assert kept(IS_THERE_A_COW, scene_of(CAR, near), MASK, "no") == HALF_HIDDEN
    assert kept(IS_THERE_A_COW, scene_of(CAR, near), CROP, "no") == HALF_HIDDEN
    assert kept(IS_THERE_A_DOG, scene_of(DOG, CAR, near), CROP) == (Box(0, 0, 40, 40),)


def test_of_the_only_one_nothing_like_it_is_half_seen() -> None:
    assert kept(IS_THE_DOG_RED, scene_of(DOG, CAT, CAR), BLUR) == HALF_HIDDEN
    assert kept(IS_THE_DOG_RED, scene_of(DOG, CAR), BLUR) == (Box(0, 0, 40, 40),)
    assert kept(IS_THE_DOG_RED, scene_of(DOG, CAT, CAR), MASK) == (Box(0, 0, 40, 40),)


def test_of_what_is_there_something_like_it_may_be_half_seen() -> None:
    # A dog is there, whatever else is; of the blurred cat nobody is asked.
    assert kept(IS_THERE_A_DOG, scene_of(DOG, CAT, CAR), BLUR) == (Box(0, 0, 40, 40),)


def test_no_plain_rectangle_is_said_to_be_absent_where_one_is_painted() -> None:
    asked = Exists(group=group_of("book"))
    painted = NotApplicable(reason="the thing painted over could be mistaken for the thing asked about")
    assert kept(asked, scene_of(DOG, CAR), MASK, "no") == painted
    assert kept(asked, scene_of(DOG, CAR), CROP, "no") == (Box(0, 0, 40, 40),)


def test_what_is_too_small_to_be_told_by_itself_is_not_left_alone() -> None:
    small = scene_of(thing_of("dog", box=Box(50, 50, 6, 6)), CAR)
    for how in (MASK, CROP):
        reason = "the thing asked about is too small to be recognised alone"
        assert kept(IS_THERE_A_DOG, small, how) == NotApplicable(reason=reason)
    assert kept(IS_THERE_A_DOG, small, BLUR) == (Box(37, 37, 32, 32),)


def test_of_a_false_attribute_all_things_of_the_name_are_kept() -> None:
    other = thing_of("brown dog", id="other", box=Box(80, 0, 40, 40))
    white = Exists(group=group_of("white dog"))
    assert kept(white, scene_of(DOG, other, CAR), MASK, "no") == (Box(0, 0, 40, 40), Box(80, 0, 40, 40))


def test_nothing_can_be_kept_of_nothing() -> None:
    assert kept(IS_THERE_A_COW, scene_of(), MASK, "no") == NotApplicable(reason="no thing in the scene")


def test_of_what_is_not_there_one_or_two_things_are_kept() -> None:
    argument = Argument(asking=Asking(type=QuestionType.OBJECT, meaning=IS_THERE_A_COW), truth="no", subject="")
    found = [kept_boxes(argument, view_of(scene_of(DOG, CAT, CAR)), choose, MASK) for choose in choosers(100)]
    assert {len(each) for each in found if isinstance(each, tuple)} == {1, 2}


def test_alone_on_a_plain_ground_only_what_is_twice_as_large_is_told() -> None:
    """The least is 7 pixels in these tests."""
    patch = scene_of(thing_of("dog", box=Box(50, 50, 12, 12)), CAR)
    assert kept(IS_THERE_A_DOG, patch, MASK) == NotApplicable(
        reason="the thing asked about is too small to be recognised alone"
    )
    assert kept(IS_THERE_A_DOG, patch, CROP) == (Box(40, 40, 32, 32),)
