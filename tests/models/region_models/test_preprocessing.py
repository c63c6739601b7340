"""Pictures reach the network in the size, order and range that its weights expect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig
from pytest_vqamt.models.region_models.frcnn.detector import detector_pixels, resized_shape

PUBLISHED = DetectorConfig()
UNCHANGED = replace(PUBLISHED, pixel_mean=(0.0, 0.0, 0.0))
CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("height", "width", "new_height", "new_width"),
    [
        (480, 640, 800, 1067),
        (333, 500, 800, 1201),
        (400, 1000, 533, 1333),
        (640, 480, 1067, 800),
        (300, 300, 800, 800),
        (5, 8, 800, 1280),
        (1, 1, 800, 800),
        (1000, 1, 1333, 3),  # 1.3 wide, on which the network could not pool
    ],
)
def test_the_short_side_becomes_800_or_the_long_one_1333(
    height: int, width: int, new_height: int, new_width: int
) -> None:
    assert resized_shape(width, height, PUBLISHED) == (new_width, new_height)


def test_the_channels_are_blue_green_red_less_their_means() -> None:
    red = detector_pixels(Image.new("RGB", (20, 10), (255, 0, 0)), replace(PUBLISHED, min_size=32), CPU)
    assert red.shape == (1, 3, 32, 64)
    assert red.dtype == torch.float32
    for channel, expected in enumerate((-102.9801, -115.9465, 255 - 122.7717)):
        torch.testing.assert_close(red[0, channel], torch.full((32, 64), expected))


def test_a_configuration_may_ask_for_red_green_blue() -> None:
    config = replace(UNCHANGED, min_size=32, channel_order="RGB")
    red = detector_pixels(Image.new("RGB", (20, 10), (255, 0, 0)), config, CPU)
    assert red[0, :, 0, 0].tolist() == [255, 0, 0]


def test_deviations_divide() -> None:
    config = replace(UNCHANGED, min_size=32, pixel_std=(1.0, 2.0, 5.0))
    white = detector_pixels(Image.new("RGB", (20, 10), "white"), config, CPU)
    assert white[0, :, 0, 0].tolist() == [255, 127.5, 51]


def test_making_smaller_does_not_smooth() -> None:
    # A quarter of the size: each new pixel lies between the second and third of four old ones, whatever the others are.
    columns = np.tile(np.array([0, 200, 100, 0], np.uint8), 64)
    image = Image.fromarray(np.repeat(columns[None, :, None], 256, axis=0).repeat(3, axis=2))
    small = detector_pixels(image, replace(UNCHANGED, min_size=64), CPU)
    torch.testing.assert_close(small, torch.full((1, 3, 64, 64), 150.0))


def test_making_larger_goes_from_centre_to_centre() -> None:
    image = Image.fromarray(np.array([[0, 100], [0, 100]], np.uint8)).convert("RGB")
    large = detector_pixels(image, replace(UNCHANGED, min_size=4), CPU)
    # The centres of four new pixels lie at -0.25, 0.25, 0.75 and 1.25 of the old ones.
    assert large[0, 0, 0].tolist() == [0, 25, 75, 100]


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "CMYK"])
def test_pictures_of_other_modes_become_rgb(mode: str) -> None:
    image = Image.new("RGB", (8, 8), (102, 102, 102)).convert(mode)
    assert detector_pixels(image, replace(UNCHANGED, min_size=8), CPU)[0, :, 3, 3].tolist() == [102, 102, 102]


def test_the_picture_itself_stays_as_it_is() -> None:
    image = Image.new("RGB", (8, 8), (10, 20, 30))
    detector_pixels(image, replace(PUBLISHED, min_size=8), CPU)
    assert image.getpixel((0, 0)) == (10, 20, 30)
