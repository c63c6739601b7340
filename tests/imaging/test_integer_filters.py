"""Filters in whole numbers against plain readings of what they compute, on pictures of any size and across bands."""

from __future__ import annotations

from math import ceil, floor

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.imaging import corruptions, integer_filters
from pytest_vqamt.imaging.corruptions import AMOUNTS, FACTORS, SNOWFALLS, impulse_noise, snow, zoom_blur
from pytest_vqamt.imaging.integer_filters import doubled, gaussian_blurred, packed, sheared, unpacked
from tests.imaging.random_images import Values, images, values
from tests.rows import each_row

sigmas = st.sampled_from([0.3, 0.8, 1, 1.7, 2.9])
factors = st.sampled_from([0, 0.1, -0.3, 1 / 3, 2, -50])
SIZES = [(1, 1), (1, 300), (300, 1), (257, 131), (403, 98)]
"""Widths and heights; the last two take more than one band."""


def noise(size: tuple[int, int]) -> Image.Image:
    return Image.fromarray(np.random.default_rng(5).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))


@given(images())
def test_pixels_come_back_from_words(image: Image.Image) -> None:
    assert packed(image).shape == (image.height, image.width)
    assert (values(unpacked(packed(image))) == values(image)).all()


def test_the_weights_of_a_gaussian_by_hand() -> None:
    """Of sigma 1 they are 0.3989, 0.2420, 0.0540 and 0.0044: 102, 62, 14 and 1 of 256."""
    line = Image.new("RGB", (9, 1))
    line.putpixel((4, 0), (255, 0, 255))
    blurred = values(gaussian_blurred(line, 1))[0]
    assert blurred[:, 0].tolist() == [0, 1, 14, 62, 102, 62, 14, 1, 0]
    assert blurred[:, 1].tolist() == [0] * 9
    upright = values(gaussian_blurred(line.transpose(Image.Transpose.ROTATE_90), 1))[:, 0]
    assert (upright == blurred).all()


@given(images(), sigmas)
def test_a_small_picture_is_blurred_as_a_gaussian_does(image: Image.Image, sigma: float) -> None:
    expected = cv2.GaussianBlur(
        values(image).astype(float), (2 * ceil(4 * sigma) + 1,) * 2, sigma, borderType=cv2.BORDER_REPLICATE
    )
    # Half for each rounding, and what weights of 256ths are off; Pillow's own blur is off by 10.
    assert np.abs(values(gaussian_blurred(image, sigma)) - expected).max() <= 4
    assert np.abs(values(gaussian_blurred(image, sigma)) - expected).mean() <= 1


@each_row("size", SIZES)
@each_row("sigma", [0.8, 1.7, 2.9])
def test_a_picture_of_any_size_is_blurred_as_a_gaussian_does(size: tuple[int, int], sigma: float) -> None:
    image = noise(size)
    expected = cv2.GaussianBlur(values(image).astype(float), (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    assert np.abs(values(gaussian_blurred(image, sigma)) - expected).max() <= 3


def plainly_sheared(before: Values, factor: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Each row between its two nearest pixels, black beyond its ends."""
    height, width, _ = before.shape
    after = np.zeros(before.shape)
    for y in range(height):
        for x in range(width):
            source = x + (0.5 - factor * (y + 0.5 - height / 2))
            if 0 <= source < width:
                left = floor(source - 0.5)
                share = source - 0.5 - left
                row = before[y].astype(float)
                after[y, x] = (1 - share) * row[max(0, left)] + share * row[min(width - 1, left + 1)]
    return after


@given(images(), factors)
def test_a_small_picture_is_sheared_to_the_nearest_value(image: Image.Image, factor: float) -> None:
    assert np.abs(values(sheared(image, factor)) - plainly_sheared(values(image), factor)).max() <= 1


@each_row("size", SIZES)
def test_a_picture_of_any_size_is_sheared_to_the_nearest_value(size: tuple[int, int]) -> None:
    # 0.1 has pixels that come from the very edge: no rounding on the way may decide about them.
    image = noise(size)
    assert np.abs(values(sheared(image, 0.1)) - plainly_sheared(values(image), 0.1)).max() <= 1


@given(images())
def test_a_doubled_picture_is_pillows(image: Image.Image) -> None:
    expected = image.resize((2 * image.width, 2 * image.height), Image.Resampling.BILINEAR)
    assert (values(unpacked(doubled(image))) == values(expected)).all()


@each_row("size", SIZES)
def test_a_doubled_picture_of_any_size_is_pillows(size: tuple[int, int]) -> None:
    expected = noise(size).resize((2 * size[0], 2 * size[1]), Image.Resampling.BILINEAR)
    assert (values(unpacked(doubled(noise(size)))) == values(expected)).all()


@each_row("band", [1, 700])
def test_bands_leave_no_seams(band: int, monkeypatch: pytest.MonkeyPatch) -> None:
    image = noise((31, 43))
    whole = [gaussian_blurred(image, 2.9), sheared(image, -0.3), unpacked(doubled(image))]
    monkeypatch.setattr(integer_filters, "_BAND", band)
    banded = [gaussian_blurred(image, 2.9), sheared(image, -0.3), unpacked(doubled(image))]
    assert banded == whole


@each_row("severity", range(1, 6))
@each_row("size", SIZES)
def test_zoom_blur_is_the_mean_of_pillows_enlargements(severity: int, size: tuple[int, int]) -> None:
    image = noise(size)
    width, height = size
    finer = image.resize((2 * width, 2 * height), Image.Resampling.BILINEAR)
    layers = [values(image), values(image)]
    for factor in FACTORS[severity - 1][1:]:
        x, y = width * (1 - 1 / factor), height * (1 - 1 / factor)
        layers.append(values(finer.resize(size, Image.Resampling.NEAREST, box=(x, y, 2 * width - x, 2 * height - y))))
    assert (values(zoom_blur(image, severity)) == np.floor(np.mean(layers, axis=0) + 0.5)).all()


@given(images(), st.integers(1, 5), st.integers(0, 2**64 - 1))
def test_each_value_is_lost_by_its_own_number(image: Image.Image, severity: int, seed: int) -> None:
    def generator() -> np.random.Generator:
        return np.random.Generator(np.random.PCG64(seed))

    drawn = generator().bytes(2 * values(image).size)
    amount = AMOUNTS[severity - 1]
    expected = []
    for place, value in enumerate(values(image).ravel().tolist()):
        number = int.from_bytes(drawn[2 * place : 2 * place + 2], "little")
        expected.append(255 if number < round(amount / 2 * 65536) else 0 if number < round(amount * 65536) else value)
    assert values(impulse_noise(image, severity, generator())).ravel().tolist() == expected


def test_the_numbers_of_a_large_picture_are_those_drawn_at_once() -> None:
    image = noise((257, 131))
    drawn = np.frombuffer(np.random.Generator(np.random.PCG64(3)).bytes(2 * values(image).size), "<u2")
    lost = (drawn < round(AMOUNTS[4] * 65536)).reshape(values(image).shape)
    after = values(impulse_noise(image, 5, np.random.Generator(np.random.PCG64(3))))
    assert (after[~lost] == values(image)[~lost]).all()
    assert set(after[lost].tolist()) == {0, 255}


@each_row("severity", range(1, 6))
@each_row("size", SIZES)
def test_without_flakes_snow_only_whitens(
    severity: int, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corruptions, "motion_blurred", lambda flakes, _fall, _angle: np.zeros_like(flakes))
    image, kept = noise(size), SNOWFALLS[severity - 1].kept
    grey = np.asarray(image.convert("L"))[:, :, None]
    mixed = np.rint(kept * values(image)) + np.rint((1 - kept) * (1.5 * grey + 127.5))
    expected = np.maximum(values(image), np.minimum(255, mixed))
    assert (values(snow(image, severity, np.random.default_rng(1))) == expected).all()


def test_shear_and_snow_keep_what_decides_about_the_form_of_the_file() -> None:
    image = noise((9, 7))
    image.info["mark"] = "of a test"
    assert sheared(image, 0.1).info == image.info
    assert snow(image, 1, np.random.default_rng(1)).info == image.info
