"""Zoom blur smears outwards from the middle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.imaging.corruptions import FACTORS, zoom_blur
from tests.imaging.random_images import images, values

# make_imagenet_c.py of Hendrycks and Dietterich.
PUBLISHED = {
    1: np.arange(1, 1.11, 0.01),
    2: np.arange(1, 1.16, 0.01),
    3: np.arange(1, 1.21, 0.02),
    4: np.arange(1, 1.26, 0.02),
    5: np.arange(1, 1.31, 0.03),
}

severities = pytest.mark.parametrize("severity", PUBLISHED)


@severities
def test_the_factors_are_the_published_ones(severity: int) -> None:
    assert FACTORS[severity - 1] == pytest.approx(tuple(PUBLISHED[severity]))


@given(images(), st.integers(1, 5))
def test_no_value_leaves_the_range_of_the_picture(image: Image.Image, severity: int) -> None:
    before = values(image).copy()
    after = values(zoom_blur(image, severity))
    assert after.shape == before.shape
    assert after.dtype == np.uint8
    assert (after >= before.min(axis=(0, 1))).all()
    assert (after <= before.max(axis=(0, 1))).all()
    assert (values(image) == before).all()


@severities
@pytest.mark.parametrize("size", [(60, 31), (31, 60)])
def test_a_slope_is_flattened_about_the_middle(severity: int, size: tuple[int, int]) -> None:
    """An enlargement by z shows at x what stood at m + (x - m) / z, so a slope is known in full."""
    width, height = size
    xs, ys = np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2
    slope = np.stack(np.broadcast_arrays(128 + 4 * xs, 128 + 4 * ys[:, None], 128 - 4 * xs), axis=-1)
    image = Image.fromarray(np.rint(slope).astype(np.uint8))
    flatter = (1 + (1 / PUBLISHED[severity]).sum()) / (1 + len(PUBLISHED[severity]))
    expected = 128 + flatter * (slope - 128)
    # Up to a quarter of a pixel off, at the edge, where a picture goes on as it ends, another quarter; and rounded.
    off = values(zoom_blur(image, severity)) - expected
    assert np.abs(off).max() <= 4 * 0.5 + 0.5
    assert np.abs(off).mean() <= 0.5
    assert abs(off.mean()) <= 0.1


@severities
def test_a_spot_moves_away_from_the_middle_as_far_as_the_last_factor(severity: int) -> None:
    image = Image.new("RGB", (200, 100))
    image.paste((255, 255, 255), (150, 49, 153, 52))
    lit = np.nonzero(values(zoom_blur(image, severity))[:, :, 0].max(axis=0))[0]
    assert lit.min() == 150
    assert lit.max() + 1 == pytest.approx(100 + 53 * PUBLISHED[severity].max(), abs=1.5)
