"""The yard with a lamp on its list: two names that are surely absent there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.scene import Scene


@pytest.fixture
def yard(yard: Scene) -> Scene:
    return replace(yard, exhaustive=yard.exhaustive | {"lamp"})
