"""A photo is on one side of the split, the same in every export."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.export.export import TEST, TRAIN, photos_in, side_of
from tests.making import scene_of, thing_of


@given(st.text(), st.text(), st.text(max_size=20), st.floats(0, 1), st.integers())
def test_the_name_of_a_photo_makes_no_difference(one: str, other: str, digest: str, share: float, seed: int) -> None:
    sides = {side_of(Photo(id=name, digest=digest), share, seed) for name in (one, other)}
    assert len(sides) == 1


@given(st.text(max_size=20), st.floats(0, 1), st.floats(0, 1), st.integers())
def test_what_a_smaller_share_trains_on_a_larger_one_does_too(digest: str, a: float, b: float, seed: int) -> None:
    photo = Photo(id="a", digest=digest)
    if side_of(photo, min(a, b), seed) == TRAIN:
        assert side_of(photo, max(a, b), seed) == TRAIN


def test_the_share_is_that_of_the_photos() -> None:
    """Of 5,000 drawn with p = 0.8, 4,000 are expected, with a standard deviation of 28."""
    sides = [side_of(Photo(id="", digest=str(number)), 0.8, 7) for number in range(5000)]
    assert 3880 < sides.count(TRAIN) < 4120
    assert sides.count(TRAIN) + sides.count(TEST) == 5000


def test_a_share_of_one_is_all() -> None:
    assert {side_of(Photo(id="", digest=str(number)), 1.0, 0) for number in range(500)} == {TRAIN}


def test_another_seed_splits_otherwise() -> None:
    photos = [Photo(id="", digest=str(number)) for number in range(100)]
    assert [side_of(each, 0.5, 0) for each in photos] != [side_of(each, 0.5, 1) for each in photos]


def test_a_photo_that_a_thing_was_cut_out_of_is_in_the_picture() -> None:
    scene, other = scene_of("dog"), Photo(id="other.png", digest="other")
    cutout = Cutout(photo=other, thing=thing_of("cat"))
    picture = scene.picture.insert(cutout, (0, 0), (9, 9)).mirror().insert(cutout, (20, 0), (9, 9))
    assert photos_in(scene.picture) == (scene.photo,)
    assert photos_in(picture) == (scene.photo, other)
