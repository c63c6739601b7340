"""Scenes that were laid out beforehand are the scenes that would be laid out now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import PIL
import pytest

from pytest_vqamt.picture_world import source as module
from pytest_vqamt.picture_world.source import COUNT, PART, PictureWorld, laid_out, made_with

REMAKE = "run: python -m pytest_vqamt.picture_world.source"


@pytest.fixture
def unread() -> Iterator[None]:
    """The files as nobody has read them, before and after."""
    module._part.cache_clear()
    yield
    module._part.cache_clear()


def hold_to_the_pixel(indices: Iterable[int]) -> None:
    if laid_out(0) is None:
        pytest.skip(f"the files were made by another Pillow than {PIL.__version__}, or for another world; {REMAKE}")
    world = PictureWorld(COUNT)
    for index in indices:
        assert laid_out(index) == world.lay_out(index), f"scene {index} has changed; {REMAKE}"


def test_the_files_hold_the_first_scenes_to_the_pixel() -> None:
    # Some of each file, and where one ends and the next begins.
    ends = (at for start in range(0, COUNT, PART) for at in (start, start + PART - 1))
    hold_to_the_pixel(sorted({*range(0, COUNT, 41), *ends}))


@pytest.mark.slow
def test_the_files_hold_each_of_the_first_scenes_to_the_pixel() -> None:
    hold_to_the_pixel(range(COUNT))


def test_a_world_gives_them_as_they_stand() -> None:
    world = PictureWorld(COUNT + 2)
    places = (0, PART - 1, PART, COUNT - 1, COUNT, COUNT + 1)
    assert [world.scene(index) for index in places] == [world.lay_out(index) for index in places]
    assert [world.scene(index).id for index in places] == [f"pictures-0-{index}" for index in places]
    assert PictureWorld(1, seed=1).scene(0) != world.scene(0)


def test_there_is_none_before_the_first_and_after_the_last() -> None:
    assert laid_out(-1) is None
    assert laid_out(COUNT) is None


@pytest.mark.usefixtures("unread")
def test_whoever_wants_few_reads_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    file_of = module._file

    def noted(part: int) -> Path:
        read.append(part)
        return file_of(part)

    monkeypatch.setattr(module, "_file", noted)
    world = PictureWorld(COUNT)
    for index in (PART, PART + 1, 2 * PART - 1):
        world.scene(index)
    assert read == [1]


@pytest.mark.usefixtures("unread")
def test_files_of_another_pillow_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "made_with", lambda: [*made_with(), "another"])
    assert laid_out(0) is None
    assert PictureWorld(1).scene(0) == PictureWorld(1).lay_out(0)
