"""The detector at its published size, with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.models.region_models.frcnn.loading import load_detector
from pytest_vqamt.models.region_models.regions import FEATURE_WIDTH, REGIONS
from tests.models.region_models.conftest import options_for
from tests.models.region_models.small_detector import write_full_detector, write_small_detector


def test_the_small_one_has_the_features_of_the_full_one(tmp_path: Path) -> None:
    write_small_detector(tmp_path)
    found = load_detector(options_for(tmp_path), with_names=True).find(Image.new("RGB", (90, 60), "red"))
    assert found.features.shape[1] == FEATURE_WIDTH


@pytest.mark.slow
def test_a_picture_of_480_by_640(tmp_path: Path) -> None:
    write_full_detector(tmp_path)
    assert (tmp_path / "pytorch_model.bin").stat().st_size == pytest.approx(262e6, rel=0.01)
    blocks = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    picture = Image.fromarray(blocks.repeat(10, axis=0).repeat(10, axis=1))
    found = load_detector(options_for(tmp_path), with_names=True).find(picture)
    assert found.features.shape == (REGIONS, FEATURE_WIDTH)
    assert found.features.min() >= 0
    assert len(np.unique(found.boxes_px, axis=0)) == REGIONS
    assert found.boxes_px.min() >= 0
    assert (found.boxes_px <= [640, 480, 640, 480]).all()
