"""Brightness and contrast against plain arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.edits import Brightness, Contrast
from pytest_vqamt.imaging.edits import brightness, contrast, toned
from tests.imaging.random_images import images, values


@given(images(), st.integers(-300, 300))
def test_brightness_adds_and_clips(image: Image.Image, offset: int) -> None:
    expected = np.clip(values(image).astype(int) + offset, 0, 255)
    assert (values(brightness(image, Brightness(offset=offset))) == expected).all()


@given(images(), st.floats(0, 5))
def test_contrast_multiplies_and_clips(image: Image.Image, gain: float) -> None:
    expected = np.clip(np.rint(values(image) * gain), 0, 255)
    assert (values(contrast(image, Contrast(gain=gain))) == expected).all()


@pytest.mark.parametrize(("gain", "value", "expected"), [(0.5, 5, 2), (0.5, 7, 4), (1.5, 171, 255), (2, 100, 200)])
def test_contrast_by_hand(gain: float, value: int, expected: int) -> None:
    image = Image.new("RGB", (2, 1), (value, 0, value))
    assert values(contrast(image, Contrast(gain=gain))).tolist() == [[[expected, 0, expected]] * 2]


def test_each_channel_may_have_its_own_curve() -> None:
    image = toned(
        Image.new("RGB", (1, 1), (10, 20, 30)), lambda red: red + 1, lambda _green: -5, lambda blue: 100 * blue
    )
    assert image.getpixel((0, 0)) == (11, 0, 255)
