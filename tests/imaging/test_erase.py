"""What is erased is covered, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Colour, Erase, Fill
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.edits import erase
from tests.imaging.random_images import boxes, images, touched, values

levels = st.integers(0, 255)


@given(images(), boxes(), st.tuples(levels, levels, levels) | st.none())
def test_every_pixel_that_the_box_touches_is_covered(image: Image.Image, box: Box, colour: Colour | None) -> None:
    before = values(image).copy()
    edit = Erase(box=box, fill=Fill.MEAN if colour else Fill.WHITE, colour=colour)
    after = values(erase(image, edit))
    covered = touched((box,), image)
    assert (after[covered] == (colour or (255, 255, 255))).all()
    assert (after[~covered] == before[~covered]).all()
    assert (values(image) == before).all()


def test_erasing_with_the_mean_needs_a_colour() -> None:
    with pytest.raises(RenderError, match=r"Expected the colour to erase with, but got edit=Erase\(.*colour=None"):
        erase(Image.new("RGB", (9, 9)), Erase(box=Box(1, 1, 2, 2), fill=Fill.MEAN))


def test_erasing_by_inpainting_needs_a_method() -> None:
    with pytest.raises(RenderError, match=r"Expected an inpainter \(telea, biharmonic, lama\), but got method=''"):
        erase(Image.new("RGB", (9, 9)), Erase(box=Box(1, 1, 2, 2), fill=Fill.INPAINT))
