"""A mirror exchanges left and right."""

from __future__ import annotations

from hypothesis import given
from PIL import Image

from pytest_vqamt.imaging.edits import mirror
from tests.imaging.random_images import images, values


@given(images(most=9))
def test_each_pixel_stands_as_far_from_the_other_edge(image: Image.Image) -> None:
    mirrored = mirror(image)
    assert mirrored.size == image.size
    for x in range(image.width):
        for y in range(image.height):
            assert mirrored.getpixel((image.width - 1 - x, y)) == image.getpixel((x, y))


@given(images())
def test_mirroring_twice_changes_nothing(image: Image.Image) -> None:
    assert (values(mirror(mirror(image))) == values(image)).all()
