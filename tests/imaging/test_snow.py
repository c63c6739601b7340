"""Snow whitens, and falls in two directions."""

from __future__ import annotations

from math import ceil, cos, degrees, radians, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.imaging import corruptions as snowing
from pytest_vqamt.imaging.corruptions import SNOWFALLS, Snowfall, drawn_out, snow
from tests.imaging.random_images import images, values

# make_imagenet_c.py of Hendrycks and Dietterich.
PUBLISHED = (
    (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)

severities = pytest.mark.parametrize("severity", range(1, 6))


def test_the_figures_are_the_published_ones() -> None:
    figures = tuple(
        (fall.mean, fall.deviation, fall.zoom, fall.threshold, fall.radius_px, fall.sigma_px, fall.kept)
        for fall in SNOWFALLS
    )
    assert figures == PUBLISHED


@settings(max_examples=30)
@given(images(), st.integers(1, 5), st.integers(0, 2**64 - 1))
def test_nothing_gets_darker_and_the_seed_decides(image: Image.Image, severity: int, seed: int) -> None:
    before = values(image).copy()
    after = values(snow(image, severity, np.random.default_rng(seed)))
    assert after.shape == before.shape
    assert (after >= before).all()
    assert (values(image) == before).all()
    assert (values(snow(image, severity, np.random.default_rng(seed))) == after).all()


@severities
def test_between_flakes_dark_places_are_whitened_as_published(severity: int) -> None:
    kept = PUBLISHED[severity - 1][-1]
    rng = np.random.default_rng(7)
    before = rng.integers(0, 256, (120, 160, 3), dtype=np.uint8)
    grey = before @ (0.299, 0.587, 0.114)
    paler = kept * before + (1 - kept) * np.maximum(before, 1.5 * grey[:, :, None] + 127.5)
    after = values(snow(Image.fromarray(before), severity, rng)).astype(float)
    added = after - np.minimum(255, paler)
    assert added.min() > -2
    # Where no flake falls; a flake adds the same to all three channels, as far as white lets it.
    bare = np.abs(added).max(axis=2) < 2
    assert bare.mean() > 0.01
    lit = (added.max(axis=2) > 20) & (after.max(axis=2) < 255)
    assert np.ptp(added[lit], axis=1).max(initial=0) <= 3


@severities
def test_the_second_layer_is_the_first_turned_round(severity: int) -> None:
    after = values(snow(Image.new("RGB", (150, 90), (40, 40, 40)), severity, np.random.default_rng(1)))
    assert (after == after[::-1, ::-1]).all()


@severities
@pytest.mark.parametrize("size", [(224, 224), (640, 480), (90, 30), (1, 50)])
def test_snow_covers_as_much_of_a_picture_of_any_size(severity: int, size: tuple[int, int]) -> None:
    def whiteness(size: tuple[int, int], seed: int) -> float:
        return float(values(snow(Image.new("RGB", size), severity, np.random.default_rng(seed))).mean())

    usual = np.mean([whiteness((224, 224), seed) for seed in range(4)])
    assert np.mean([whiteness(size, seed) for seed in range(4, 8)]) == pytest.approx(usual, rel=0.15)


def test_more_severe_snow_covers_more() -> None:
    grey = Image.new("RGB", (320, 240), (90, 90, 90))
    covered = [values(snow(grey, severity, np.random.default_rng(3))).mean() for severity in range(1, 6)]
    assert covered == sorted(covered)


def test_every_seed_has_a_direction_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    directions: list[float] = []

    def seen(flakes: NDArray[np.float32], fall: Snowfall, angle: float) -> NDArray[np.float32]:
        directions.append(degrees(angle))
        return drawn_out(flakes, fall, angle)

    monkeypatch.setattr(snowing, "drawn_out", seen)
    for seed in range(30):
        snow(Image.new("RGB", (20, 20)), 1, np.random.default_rng(seed))
    # Thirty of ninety degrees: the ends are missed by ten with a chance of one in thirty.
    assert -135 <= min(directions) < -125
    assert -55 < max(directions) <= -45


@pytest.mark.parametrize("downwards", [-45, -70, -90, -133])
def test_a_flake_is_drawn_out_downwards_and_fades(downwards: float) -> None:
    flakes = np.zeros((60, 60), np.float32)
    flakes[20, 30] = 1
    weights = np.exp(-((np.arange(21) / 4) ** 2) / 2)  # the mildest snow: a radius of 10 and a sigma of 4
    expected = np.zeros((60, 60))
    for step, weight in enumerate(weights):
        # How ImageMagick rounds a step of motion; where two end in one pixel, it gets both.
        right, down = (-ceil(step * along(radians(downwards)) - 0.5) for along in (cos, sin))
        expected[20 + down, 30 + right] += weight / weights.sum()
    drawn = drawn_out(flakes, SNOWFALLS[0], radians(downwards))
    assert drawn == pytest.approx(expected, abs=1e-6)
    assert (drawn[:20] == 0).all()
    assert drawn[25:].sum() > 0.05
