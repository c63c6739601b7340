"""A corruption stays inside its boxes, and the same seed gives the same pixels."""

from __future__ import annotations

from functools import cache
from math import ceil, cos, degrees, radians, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Corrupt, Corruption
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging import corruptions as snowing
from pytest_vqamt.imaging.corruptions import (
    FACTORS,
    SNOWFALLS,
    Snowfall,
    corrupt,
    impulse_noise,
    low_contrast,
    motion_blurred,
    snow,
    zoom_blur,
)
from tests.imaging.random_images import boxes, images, touched, values
from tests.rows import each_row


@each_row("kind", Corruption)
@given(images(), st.integers(1, 5), st.lists(boxes(), min_size=1, max_size=3), st.integers(0, 2**128 - 1))
def test_inside_the_boxes_stands_the_corrupted_whole(
    kind: Corruption, image: Image.Image, severity: int, some: list[Box], seed: int
) -> None:
    before = values(image).copy()
    whole = values(corrupt(image, Corrupt(kind=kind, severity=severity), seed))
    after = values(corrupt(image, Corrupt(kind=kind, severity=severity, boxes=tuple(some)), seed))
    corrupted = touched(tuple(some), image)
    assert (after[~corrupted] == before[~corrupted]).all()
    assert (after[corrupted] == whole[corrupted]).all()
    assert (values(image) == before).all()


@each_row("kind", [Corruption.IMPULSE, Corruption.SNOW])
def test_another_seed_gives_other_noise(kind: Corruption) -> None:
    image, edit = Image.new("RGB", (60, 40), (99, 99, 99)), Corrupt(kind=kind, severity=3)
    assert (values(corrupt(image, edit, 1)) == values(corrupt(image, edit, 1))).all()
    assert not (values(corrupt(image, edit, 1)) == values(corrupt(image, edit, 2))).all()


@each_row("kind", Corruption)
def test_every_corruption_changes_the_picture(kind: Corruption) -> None:
    image = Image.effect_noise((60, 40), 80).convert("RGB")
    assert not (values(corrupt(image, Corrupt(kind=kind, severity=1), 1)) == values(image)).all()


@each_row("severity", [0, 6])
def test_a_severity_that_is_not_published_is_refused(severity: int) -> None:
    with pytest.raises(RenderError, match=rf"Expected a severity from 1 to 5, but got edit=Corrupt\(.*={severity}"):
        corrupt(Image.new("RGB", (5, 5)), Corrupt(kind=Corruption.SNOW, severity=severity), 1)


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


@each_row("severity, amount", PUBLISHED.items())
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


# make_imagenet_c.py of Hendrycks and Dietterich.
PUBLISHED_OF_LOW_CONTRAST = {1: 0.4, 2: 0.3, 3: 0.2, 4: 0.1, 5: 0.05}


@given(images(), st.integers(1, 5))
def test_each_value_comes_nearer_to_its_channels_mean(image: Image.Image, severity: int) -> None:
    before = values(image).astype(float)
    means = before.mean(axis=(0, 1))
    expected = np.clip((before - means) * PUBLISHED_OF_LOW_CONTRAST[severity] + means, 0, 255)
    assert np.abs(values(low_contrast(image, severity)) - expected).max() <= 0.5 + 1e-9


@each_row("severity", PUBLISHED_OF_LOW_CONTRAST)
def test_the_mean_stays(severity: int) -> None:
    image = Image.fromarray(np.random.default_rng(3).integers(0, 256, (60, 80, 3), dtype=np.uint8))
    before, after = (values(each).mean(axis=(0, 1)) for each in (image, low_contrast(image, severity)))
    assert after == pytest.approx(before, abs=0.5)


# make_imagenet_c.py of Hendrycks and Dietterich.
PUBLISHED_OF_SNOW = (
    (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)

severities = each_row("severity", range(1, 6))


def test_the_figures_are_the_published_ones() -> None:
    figures = tuple(
        (fall.mean, fall.deviation, fall.zoom, fall.threshold, fall.radius_px, fall.sigma_px, fall.kept)
        for fall in SNOWFALLS
    )
    assert figures == PUBLISHED_OF_SNOW


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
    kept = PUBLISHED_OF_SNOW[severity - 1][-1]
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


@cache
def whiteness(severity: int, size: tuple[int, int], seeds: range) -> float:
    """The mean of a black picture after snow."""
    black = Image.new("RGB", size)
    return float(np.mean([values(snow(black, severity, np.random.default_rng(seed))).mean() for seed in seeds]))


@severities
@each_row("size", [(224, 224), (400, 300), (90, 30), (1, 50)])
def test_snow_covers_as_much_of_a_picture_of_any_size(severity: int, size: tuple[int, int]) -> None:
    usual = whiteness(severity, (224, 224), range(4))
    assert whiteness(severity, size, range(4, 8)) == pytest.approx(usual, rel=0.15)


def test_more_severe_snow_covers_more() -> None:
    grey = Image.new("RGB", (160, 120), (90, 90, 90))
    covered = [values(snow(grey, severity, np.random.default_rng(3))).mean() for severity in range(1, 6)]
    assert covered == sorted(covered)


def test_every_seed_has_a_direction_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    directions: list[float] = []

    def seen(flakes: NDArray[np.float32], fall: Snowfall, angle: float) -> NDArray[np.float32]:
        directions.append(degrees(angle))
        return motion_blurred(flakes, fall, angle)

    monkeypatch.setattr(snowing, "motion_blurred", seen)
    for seed in range(30):
        snow(Image.new("RGB", (20, 20)), 1, np.random.default_rng(seed))
    # Thirty of ninety degrees: the ends are missed by ten with a chance of one in thirty.
    assert -135 <= min(directions) < -125
    assert -55 < max(directions) <= -45


@each_row("downwards", [-45, -70, -90, -133])
def test_a_flake_is_drawn_out_downwards_and_fades(downwards: float) -> None:
    flakes = np.zeros((60, 60), np.float32)
    flakes[20, 30] = 1
    weights = np.exp(-((np.arange(21) / 4) ** 2) / 2)  # the mildest snow: a radius of 10 and a sigma of 4
    expected = np.zeros((60, 60))
    for step, weight in enumerate(weights):
        # How ImageMagick rounds a step of motion; where two end in one pixel, it gets both.
        right, down = (-ceil(step * along(radians(downwards)) - 0.5) for along in (cos, sin))
        expected[20 + down, 30 + right] += weight / weights.sum()
    drawn = motion_blurred(flakes, SNOWFALLS[0], radians(downwards))
    assert drawn == pytest.approx(expected, abs=1e-6)
    assert (drawn[:20] == 0).all()
    assert drawn[25:].sum() > 0.05


# make_imagenet_c.py of Hendrycks and Dietterich.
PUBLISHED_OF_ZOOM_BLUR = {
    1: np.arange(1, 1.11, 0.01),
    2: np.arange(1, 1.16, 0.01),
    3: np.arange(1, 1.21, 0.02),
    4: np.arange(1, 1.26, 0.02),
    5: np.arange(1, 1.31, 0.03),
}

severities_of_zoom_blur = each_row("severity", PUBLISHED_OF_ZOOM_BLUR)


@severities_of_zoom_blur
def test_the_factors_are_the_published_ones(severity: int) -> None:
    assert FACTORS[severity - 1] == pytest.approx(tuple(PUBLISHED_OF_ZOOM_BLUR[severity]))


@given(images(), st.integers(1, 5))
def test_no_value_leaves_the_range_of_the_picture(image: Image.Image, severity: int) -> None:
    before = values(image).copy()
    after = values(zoom_blur(image, severity))
    assert after.shape == before.shape
    assert after.dtype == np.uint8
    assert (after >= before.min(axis=(0, 1))).all()
    assert (after <= before.max(axis=(0, 1))).all()
    assert (values(image) == before).all()


@severities_of_zoom_blur
@each_row("size", [(60, 31), (31, 60)])
def test_a_slope_is_flattened_about_the_middle(severity: int, size: tuple[int, int]) -> None:
    """An enlargement by z shows at x what stood at m + (x - m) / z, so a slope is known in full."""
    width, height = size
    xs, ys = np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2
    slope = np.stack(np.broadcast_arrays(128 + 4 * xs, 128 + 4 * ys[:, None], 128 - 4 * xs), axis=-1)
    image = Image.fromarray(np.rint(slope).astype(np.uint8))
    flatter = (1 + (1 / PUBLISHED_OF_ZOOM_BLUR[severity]).sum()) / (1 + len(PUBLISHED_OF_ZOOM_BLUR[severity]))
    expected = 128 + flatter * (slope - 128)
    # Up to a quarter of a pixel off, at the edge, where a picture goes on as it ends, another quarter; and rounded.
    off = values(zoom_blur(image, severity)) - expected
    assert np.abs(off).max() <= 4 * 0.5 + 0.5
    assert np.abs(off).mean() <= 0.5
    assert abs(off.mean()) <= 0.1


@severities_of_zoom_blur
def test_a_spot_moves_away_from_the_middle_as_far_as_the_last_factor(severity: int) -> None:
    image = Image.new("RGB", (200, 100))
    image.paste((255, 255, 255), (150, 49, 153, 52))
    lit = np.nonzero(values(zoom_blur(image, severity))[:, :, 0].max(axis=0))[0]
    assert lit.min() == 150
    assert lit.max() + 1 == pytest.approx(100 + 53 * PUBLISHED_OF_ZOOM_BLUR[severity].max(), abs=1.5)
