"""Impulse noise loses as many values as it says, and no more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.imaging.corruptions import impulse_noise
from tests.imaging.random_images import images, values

# make_imagenet_c.py of Hendrycks and Dietterich.
PUBLISHED = {1: 0.03, 2: 0.06, 3: 0.09, 4: 0.17, 5: 0.27}


@given(images(), st.integers(1, 5), st.integers(0, 2**64 - 1))
def test_a_value_is_lost_or_as_it_was(image: Image.Image, severity: int, seed: int) -> None:
    before = values(image).copy()
    after = values(impulse_noise(image, severity, np.random.default_rng(seed)))
    assert after.dtype == np.uint8
    assert ((after == before) | (after == 0) | (after == 255)).all()
    assert (values(image) == before).all()
    assert (values(impulse_noise(image, severity, np.random.default_rng(seed))) == after).all()


@pytest.mark.parametrize(("severity", "amount"), PUBLISHED.items())
def test_the_share_of_lost_values_is_the_published_one(severity: int, amount: float) -> None:
    after = values(impulse_noise(Image.new("RGB", (400, 300), (100, 150, 200)), severity, np.random.default_rng(1)))
    lost = after != (100, 150, 200)
    # Four standard deviations of a binomial share.
    assert lost.mean() == pytest.approx(amount, abs=4 * (amount * (1 - amount) / lost.size) ** 0.5)
    assert (after[lost] == 255).mean() == pytest.approx(0.5, abs=4 * 0.5 / lost.sum() ** 0.5)


def test_channels_are_lost_one_by_one() -> None:
    lost = values(impulse_noise(Image.new("RGB", (400, 300), (100, 150, 200)), 5, np.random.default_rng(2))) != (
        100, 150, 200,
    )  # fmt: skip
    assert lost.all(axis=2).mean() == pytest.approx(0.27**3, rel=0.1)
