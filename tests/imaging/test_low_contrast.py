"""Low contrast against plain arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.imaging.corruptions import low_contrast
from tests.imaging.random_images import images, values

# make_imagenet_c.py of Hendrycks and Dietterich.
PUBLISHED = {1: 0.4, 2: 0.3, 3: 0.2, 4: 0.1, 5: 0.05}


@given(images(), st.integers(1, 5))
def test_each_value_comes_nearer_to_its_channels_mean(image: Image.Image, severity: int) -> None:
    before = values(image).astype(float)
    means = before.mean(axis=(0, 1))
    expected = np.clip((before - means) * PUBLISHED[severity] + means, 0, 255)
    assert np.abs(values(low_contrast(image, severity)) - expected).max() <= 0.5 + 1e-9


@pytest.mark.parametrize("severity", PUBLISHED)
def test_the_mean_stays(severity: int) -> None:
    image = Image.fromarray(np.random.default_rng(3).integers(0, 256, (60, 80, 3), dtype=np.uint8))
    before, after = (values(each).mean(axis=(0, 1)) for each in (image, low_contrast(image, severity)))
    assert after == pytest.approx(before, abs=0.5)
