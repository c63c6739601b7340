"""A blur leaves the kept boxes as they are and softens its edge outside of them."""

from __future__ import annotations

from math import exp

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Blur
from pytest_vqamt.imaging.pixel_edits import blur
from tests.imaging.random_images import boxes, images, touched, values
from tests.rows import each_row

sigmas = st.sampled_from([0.5, 1, 3, 6])


@given(images(), st.lists(boxes(), max_size=3), sigmas)
def test_the_picture_fades_into_its_blurred_copy(image: Image.Image, keep: list[Box], sigma: float) -> None:
    before = values(image).copy()
    blurred = values(image.filter(ImageFilter.GaussianBlur(sigma))).astype(float)
    after = values(blur(image, Blur(keep=tuple(keep), sigma_px=sigma)))
    weight = weight_of_picture(keep, image, sigma)
    assert np.abs(after - (weight * before + (1 - weight) * blurred)).max() <= 1.5
    kept = touched(tuple(keep), image)
    assert (after[kept] == before[kept]).all()
    far = weight[:, :, 0] < 1 / 1000
    assert (after[far] == blurred[far]).all()
    assert (values(image) == before).all()


def weight_of_picture(keep: list[Box], image: Image.Image, sigma: float) -> NDArray[np.float64]:
    """HW1, pixel by pixel: by the distance to the nearest pixel that a kept box touches."""
    weights = np.zeros((image.height, image.width, 1))
    for box in keep:
        ys, xs = np.nonzero(touched((box,), image))
        for y in range(image.height if len(ys) else 0):
            for x in range(image.width):
                squared = ((xs - x) ** 2 + (ys - y) ** 2).min()
                weights[y, x] = max(weights[y, x, 0], exp(-squared / sigma**2 / 2))
    return weights


@given(images(), sigmas)
def test_with_nothing_kept_it_is_pillows_own_blur(image: Image.Image, sigma: float) -> None:
    expected = values(image.filter(ImageFilter.GaussianBlur(sigma)))
    assert (values(blur(image, Blur(keep=(), sigma_px=sigma))) == expected).all()


@given(st.tuples(*[st.integers(0, 255)] * 3), boxes(), sigmas)
def test_one_colour_stays_that_colour(colour: tuple[int, int, int], box: Box, sigma: float) -> None:
    image = Image.new("RGB", (20, 15), colour)
    assert (values(blur(image, Blur(keep=(box,), sigma_px=sigma))) == colour).all()


def test_a_sigma_of_zero_changes_nothing() -> None:
    image = Image.effect_noise((9, 7), 50).convert("RGB")
    assert (values(blur(image, Blur(keep=(), sigma_px=0))) == values(image)).all()


@each_row("sigma", [3, 6, 9])
def test_a_thin_line_spreads_as_a_gaussian_does(sigma: float) -> None:
    image = Image.new("RGB", (201, 9))
    image.paste((255, 255, 255), (100, 0, 101, 9))
    row = values(blur(image, Blur(keep=(), sigma_px=sigma)))[4, :, 0].astype(float)
    spread = (row * (np.arange(201) - 100) ** 2).sum() / row.sum()
    assert spread**0.5 == pytest.approx(sigma, rel=0.1)  # values are rounded to whole ones, which cuts off the tails


@each_row("size", [(403, 401), (640, 480), (224, 224)], sample=3)
@each_row("sigma", [2.9, 3, 6, 9, 20])
def test_a_large_picture_is_blurred_as_a_gaussian_does(size: tuple[int, int], sigma: float) -> None:
    random = np.random.default_rng(7)
    noise = Image.fromarray(random.integers(0, 256, (24, 32, 3), np.uint8))
    image = noise.resize(size, Image.Resampling.NEAREST)  # blocks with sharp edges
    after = values(blur(image, Blur(keep=(), sigma_px=sigma))).astype(float)
    pixels = values(image).astype(float)
    expected = cv2.GaussianBlur(pixels, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    pillows = values(image.filter(ImageFilter.GaussianBlur(sigma))).astype(float)
    # Pillow approximates the Gaussian too, and worst at the edges; doing it at a smaller size adds next to nothing.
    ours, theirs = (np.abs(each - expected)[20:-20, 20:-20] for each in (after, pillows))
    assert ours.mean() < theirs.mean() + 0.3
    assert ours.max() < theirs.max() + 5
