"""Nothing is lost on the way through a file."""

from __future__ import annotations

from hypothesis import given
from PIL import Image

from pytest_vqamt.imaging.edits import reencode
from tests.imaging.random_images import images, values


@given(images())
def test_every_bit_comes_back(image: Image.Image) -> None:
    reread = reencode(image)
    assert reread is not image
    assert (values(reread) == values(image)).all()
