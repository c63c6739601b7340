"""The picture world, small, for what is told of many draws."""

from __future__ import annotations

import pytest

from pytest_vqamt.data.pictures.source import PictureWorld


@pytest.fixture(scope="session")
def world() -> PictureWorld:
    return PictureWorld(60, seed=3)
