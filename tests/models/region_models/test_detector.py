"""The detector finds what its description says it finds, in every kind of picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageFilter

from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.frcnn.detector import Detection, FrcnnDetector, detector_pixels, resized_shape
from pytest_vqamt.models.region_models.frcnn.detector_config import DetectorConfig
from pytest_vqamt.models.region_models.frcnn.loading import load_detector
from pytest_vqamt.models.region_models.regions import REGIONS
from tests.models.region_models.conftest import options_for
from tests.models.region_models.slow_forward import forward
from tests.models.region_models.small_detector import NARROW, random_weights
from tests.rows import each_row

PHOTOS = sorted((Path(__file__).parents[3] / "../shared/data/coco").resolve().rglob("*.jpg"))


def test_it_sees_what_the_slow_one_sees(detector: FrcnnDetector, noise: Image.Image) -> None:
    slow = forward(noise, random_weights(NARROW), short_side=96, proposals=60, pooled=4)
    fast = detector.find(noise)
    assert fast.names == tuple(f"object {number}" for number in slow.classes)
    assert fast.attributes == tuple(f"attribute {number}" for number in slow.attributes)
    np.testing.assert_allclose(fast.boxes_px, slow.boxes, atol=1e-2)
    np.testing.assert_allclose(fast.features, slow.features, atol=1e-3)
    np.testing.assert_allclose(fast.scores, slow.scores, atol=1e-4)
    np.testing.assert_allclose(fast.attribute_scores, slow.attribute_scores, atol=1e-4)
    assert slow.features.max() > 1  # there is something to compare
    assert len(set(slow.classes)) > 1


@each_row(
    "picture",
    [
        Image.new("RGB", (160, 120), "white"),
        Image.new("RGB", (160, 120), "black"),
        Image.new("RGB", (1, 1), "red"),
        Image.new("RGB", (8, 5), "green"),
        Image.new("RGB", (2000, 1), "blue"),
        Image.new("L", (40, 40), 128),
    ],
)
def test_every_picture_gives_regions_within_it(detector: FrcnnDetector, picture: Image.Image) -> None:
    assert_sound(detector.find(picture), picture)


def test_a_heavily_blurred_picture_gives_regions(detector: FrcnnDetector, noise: Image.Image) -> None:
    blurred = noise.filter(ImageFilter.GaussianBlur(60))
    assert_sound(detector.find(blurred), blurred)


@pytest.mark.skipif(not PHOTOS, reason="needs the photos in ../shared/data/coco")
def test_photos_give_36_regions_that_differ(detector: FrcnnDetector) -> None:
    found = []
    for path in PHOTOS[:3]:
        with Image.open(path) as photo:
            found.append(detector.find(photo))
            assert_sound(found[-1], photo)
        assert len(found[-1].boxes_px) == REGIONS
    assert not np.array_equal(found[0].features, found[1].features)
    assert not np.array_equal(found[1].features, found[2].features)


def test_the_same_picture_gives_the_same_regions(narrow: Path, detector: FrcnnDetector, noise: Image.Image) -> None:
    first, second, other = detector.find(noise), detector.find(noise), load_detector(options_for(narrow)).find(noise)
    for again in (second, other):
        np.testing.assert_array_equal(first.boxes_px, again.boxes_px)
        np.testing.assert_array_equal(first.features, again.features)
        assert first.names == again.names


def test_red_and_blue_are_not_the_same(detector: FrcnnDetector, noise: Image.Image) -> None:
    swapped = Image.merge("RGB", noise.split()[::-1])
    assert not np.array_equal(detector.find(noise).features, detector.find(swapped).features)


def test_the_sizes_that_a_user_sets_change_the_regions(
    narrow: Path, detector: FrcnnDetector, noise: Image.Image
) -> None:
    larger = load_detector(options_for(narrow, **{"region-min-size": "128", "region-max-size": "200"}))
    assert not np.array_equal(larger.find(noise).features, detector.find(noise).features)
    assert larger.fingerprint != detector.fingerprint


def test_bfloat16_is_close_where_the_user_asks_for_it(
    narrow: Path, detector: FrcnnDetector, noise: Image.Image
) -> None:
    options = ModelOptions(device="cpu", dtype="bfloat16", settings={"detector": str(narrow)})
    rough = load_detector(options)
    found = rough.find(noise)
    assert found.features.dtype == np.float32
    assert_sound(found, noise)
    assert found.features.mean() == pytest.approx(detector.find(noise).features.mean(), rel=0.1)
    assert rough.fingerprint != detector.fingerprint


def test_overflowing_features_cost_the_picture_only(narrow: Path, noise: Image.Image) -> None:
    broken = load_detector(options_for(narrow))
    broken._network.backbone.stem.conv1.weight.data *= 1e38
    with pytest.raises(FloatingPointError, match=r"float32.*--vqamt-dtype"):
        broken.find(noise)


def test_a_picture_without_proposals_gives_no_regions(narrow: Path, noise: Image.Image) -> None:
    blind = load_detector(options_for(narrow))
    # Every box moves a hundred widths to the left, where there is no picture.
    blind._network.proposal_generator.rpn_head.anchor_deltas.load_state_dict(
        {"weight": torch.zeros(48, 16, 1, 1), "bias": torch.full((48,), -100.0)}
    )
    found = blind.find(noise)
    assert found.boxes_px.shape == (0, 4)
    assert found.features.shape == (0, 128)
    assert found.names == found.attributes == ()


def test_the_fingerprint_names_the_weights(narrow: Path, detector: FrcnnDetector) -> None:
    from hashlib import sha256

    assert f"weights={sha256((narrow / 'pytorch_model.bin').read_bytes()).hexdigest()} " in detector.fingerprint
    assert f"torch=={torch.__version__}" in detector.fingerprint
    assert load_detector(options_for(narrow)).fingerprint == detector.fingerprint


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_sees_what_the_cpu_sees(narrow: Path, detector: FrcnnDetector, noise: Image.Image) -> None:
    on_cuda = load_detector(ModelOptions(device="cuda:0", settings={"detector": str(narrow)}))
    there, here = on_cuda.find(noise), detector.find(noise)
    assert there.names == here.names
    np.testing.assert_allclose(there.features, here.features, atol=1e-3)
    assert on_cuda.fingerprint == detector.fingerprint


def assert_sound(found: Detection, picture: Image.Image) -> None:
    count = len(found.boxes_px)
    assert 0 < count <= REGIONS
    assert found.boxes_px.dtype == found.features.dtype == found.scores.dtype == np.float32
    assert found.features.shape == (count, 128)
    assert found.scores.shape == found.attribute_scores.shape == (count,)
    assert len(found.names) == len(found.attributes) == count
    x1, y1, x2, y2 = found.boxes_px.T
    assert (x1 >= 0).all()
    assert (y1 >= 0).all()
    assert (x1 <= x2).all()
    assert (y1 <= y2).all()
    assert (x2 <= picture.width).all()
    assert (y2 <= picture.height).all()
    assert (found.features >= 0).all()
    assert (np.diff(found.scores) <= 0).all()
    assert (found.scores > 0).all()
    assert (found.scores <= 1).all()
    assert (found.attribute_scores <= 1).all()


PUBLISHED = DetectorConfig()
UNCHANGED = replace(PUBLISHED, pixel_mean=(0.0, 0.0, 0.0))
CPU = torch.device("cpu")


@each_row(
    "height, width, new_height, new_width",
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


@each_row("mode", ["L", "RGBA", "P", "CMYK"])
def test_pictures_of_other_modes_become_rgb(mode: str) -> None:
    image = Image.new("RGB", (8, 8), (102, 102, 102)).convert(mode)
    assert detector_pixels(image, replace(UNCHANGED, min_size=8), CPU)[0, :, 3, 3].tolist() == [102, 102, 102]


def test_the_picture_itself_stays_as_it_is() -> None:
    image = Image.new("RGB", (8, 8), (10, 20, 30))
    detector_pixels(image, replace(PUBLISHED, min_size=8), CPU)
    assert image.getpixel((0, 0)) == (10, 20, 30)
