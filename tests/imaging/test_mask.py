"""What is masked shows its kept boxes and one colour."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Mask
from pytest_vqamt.imaging.edits import mask
from tests.imaging.random_images import boxes, images, touched, values


@given(images(), st.lists(boxes(), max_size=3))
def test_what_no_kept_box_touches_is_painted(image: Image.Image, keep: list[Box]) -> None:
    before = values(image).copy()
    after = values(mask(image, Mask(keep=tuple(keep), colour=(10, 20, 30))))
    kept = touched(tuple(keep), image)
    assert (after[kept] == before[kept]).all()
    assert (after[~kept] == (10, 20, 30)).all()
    assert (values(image) == before).all()
