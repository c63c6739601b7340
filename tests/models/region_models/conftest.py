"""Detectors with random weights, written once a session."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.frcnn.detector import FrcnnDetector
from pytest_vqamt.models.region_models.frcnn.loading import load_detector
from tests.models.region_models.small_detector import NARROW, write_detector


@pytest.fixture(scope="session")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a detector of 128 features a region; nobody writes to it."""
    folder = tmp_path_factory.mktemp("narrow") / "detector"
    write_detector(folder, NARROW)
    return folder


@pytest.fixture(scope="session")
def detector(narrow: Path) -> FrcnnDetector:
    return load_detector(options_for(narrow))


@pytest.fixture(scope="session")
def noise() -> Image.Image:
    """A picture of coloured blocks of 10 pixels, 150 x 110."""
    blocks = np.random.default_rng(5).integers(0, 256, (11, 15, 3), dtype=np.uint8)
    return Image.fromarray(blocks.repeat(10, axis=0).repeat(10, axis=1))


def options_for(path: Path, **settings: str) -> ModelOptions:
    """Options that name a detector, on the CPU."""
    return ModelOptions(device="cpu", settings={"detector": str(path), **settings})
