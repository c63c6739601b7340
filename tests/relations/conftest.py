"""The picture world, small, for what is told of many draws."""

from __future__ import annotations

import pytest

from pytest_vqamt.core import salience
from pytest_vqamt.picture_world.source import PictureWorld


@pytest.fixture(scope="session")
def world() -> PictureWorld:
    return PictureWorld(60, seed=3)


@pytest.fixture
def small_things_are_salient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the small things of made scenes be recognised; how large a thing must be has tests of its own."""
    monkeypatch.setattr(salience, "MIN_SALIENT_PX", 7)
    monkeypatch.setattr(salience, "MIN_SALIENT_SHARE", 1 / 40)
