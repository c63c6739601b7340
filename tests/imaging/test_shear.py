"""A shear shifts each row by its distance below the middle."""

from __future__ import annotations

from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Shear
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging.edits import shear
from tests.imaging.random_images import images, scene_for, values
from tests.making import thing_of


@given(images(most=12), st.integers(-32, 32).map(lambda n: n / 16))
def test_each_pixel_comes_from_where_its_row_was_shifted_from(image: Image.Image, factor: float) -> None:
    before, after = values(image).astype(float), values(shear(image, Shear(factor=factor))).astype(float)
    width, height = image.size
    assert after.shape == before.shape
    for y in range(height):
        for x in range(width):
            source = x + 0.5 - factor * (y + 0.5 - height / 2)  # the middle of the pixel, before
            if not 0 <= source < width:
                assert (after[y, x] == 0).all()
                continue
            left = floor(source - 0.5)
            share = source - 0.5 - left
            both = [before[y, min(width - 1, max(0, column))] for column in (left, left + 1)]
            assert np.abs(after[y, x] - ((1 - share) * both[0] + share * both[1])).max() <= 1


@given(images())
def test_no_shear_changes_nothing(image: Image.Image) -> None:
    assert (values(shear(image, Shear(factor=0))) == values(image)).all()


@pytest.mark.parametrize("factor", [0.25, -0.4])
def test_a_thing_is_inside_the_box_that_the_scene_gives_it(factor: float) -> None:
    image = Image.new("RGB", (60, 40))
    box = Box(20, 4, 15, 10)
    image.paste((255, 255, 255), (20, 4, 35, 14))
    scene = scene_for(image)
    scene = Scene(id="0", photo=scene.photo, width=60, height=40, objects=(thing_of("cup", box=box),))
    found = Shear(factor=factor).after(scene).objects[0].box
    ys, xs = np.nonzero(values(shear(image, Shear(factor=factor)))[:, :, 0] > 127)
    assert (ys.min(), ys.max() + 1) == (found.y, found.y1)
    # A row is shifted as its middle is, half a row less than the box's edge.
    assert xs.min() == pytest.approx(found.x, abs=1)
    assert xs.max() + 1 == pytest.approx(found.x1, abs=1)
