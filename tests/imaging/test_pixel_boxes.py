"""Boxes in whole pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.imaging.pixel_boxes import inside, nearest, outwards
from tests.imaging.random_images import boxes, images, touched


@given(images(), boxes())
def test_outwards_is_every_pixel_that_the_box_touches(image: Image.Image, box: Box) -> None:
    covered = np.zeros((image.height, image.width), np.bool_)
    if found := outwards(box, image.size):
        covered[found[1] : found[3], found[0] : found[2]] = True
    assert (covered == touched((box,), image)).all()


def test_what_floating_point_adds_touches_no_further_pixel() -> None:
    assert 0.1 + 2.9000000000000004 > 3
    assert outwards(Box(0.1, 0, 2.9000000000000004, 1), (9, 9)) == (0, 0, 3, 1)


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (Box(2, 3, 4, 5), (2, 3, 6, 8)),
        (Box(2.4, 2.6, 3.3, 3.1), (2, 3, 6, 6)),
        (Box(2.4, 2.6, 0.2, 0.1), (2, 3, 3, 4)),
        (Box(-2.6, -0.4, 1, 1), (-3, 0, -2, 1)),
    ],
)
def test_nearest_moves_each_edge_to_a_whole_pixel(box: Box, expected: tuple[int, int, int, int]) -> None:
    assert nearest(box) == expected


@pytest.mark.parametrize(
    "box", [Box(-1, 0, 5, 5), Box(0, 0, 5, 11), Box(8, 8, 3, 1), Box(3, 3, 0, 2), Box(3, 3, 2, 0.3)]
)
def test_what_is_empty_or_partly_outside_is_not_inside(box: Box) -> None:
    assert inside(box, (10, 10)) is None


@pytest.mark.parametrize("box", [Box(1.5, 0, 99.5, 1), Box(0.5, 0, 100.5, 1), Box(0.6, 0, 100.4, 1)])
def test_a_box_up_to_the_edge_stays_inside_in_whole_pixels(box: Box) -> None:
    found = inside(box, (101, 1))
    assert found is not None
    assert 0 <= found[0] < found[2] <= 101
    assert found[2] - found[0] == round(box.w)
