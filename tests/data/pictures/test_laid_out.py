"""Scenes that were laid out beforehand are the scenes that would be laid out now."""

from __future__ import annotations

import PIL
import pytest

from pytest_vqamt.data.pictures import laid_out as module
from pytest_vqamt.data.pictures.laid_out import COUNT, laid_out, made_with
from pytest_vqamt.data.pictures.source import PictureWorld

REMAKE = "run: python -m pytest_vqamt.data.pictures.laid_out"


def test_the_file_holds_the_first_scenes_to_the_pixel() -> None:
    scenes = laid_out()
    if not scenes:
        pytest.skip(f"the file was made by another Pillow than {PIL.__version__}, or for another world; {REMAKE}")
    assert len(scenes) == COUNT
    world = PictureWorld(COUNT)
    for index, scene in enumerate(scenes):
        assert scene == world.lay_out(index), f"scene {index} has changed; {REMAKE}"


def test_a_world_gives_them_as_they_stand() -> None:
    world = PictureWorld(COUNT + 1)
    assert [world.scene(index) for index in range(COUNT + 1)] == [world.lay_out(index) for index in range(COUNT + 1)]
    assert PictureWorld(1, seed=1).scene(0) != world.scene(0)


def test_a_file_of_another_pillow_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "made_with", lambda: [*made_with(), "another"])
    assert laid_out.__wrapped__() == ()
