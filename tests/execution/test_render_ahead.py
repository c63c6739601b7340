"""Pictures are drawn once, a little ahead of the model, and not at all for one that never looks."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.execution.prefetch import RenderAhead
from tests.execution.worlds import Scenes
from tests.making import scene_of


def pictures(n: int) -> list[Picture]:
    return [scene_of("dog", id=f"{place}").picture for place in range(n)]


@pytest.fixture
def source() -> Scenes:
    return Scenes(1)


@pytest.fixture
def ahead(source: Scenes) -> Iterator[RenderAhead]:
    made = RenderAhead(source, 4)
    yield made
    made.close()


def test_nothing_is_drawn_for_a_model_that_does_not_look(source: Scenes) -> None:
    ahead = RenderAhead(source, 4)
    ahead.expect(pictures(10))
    ahead.close()
    assert source.drawn == []


def test_what_comes_next_is_drawn_while_the_model_looks_at_the_first(source: Scenes, ahead: RenderAhead) -> None:
    expected = pictures(10)
    ahead.expect(expected)
    ahead.image(expected[0])
    deadline = time.monotonic() + 30
    while len(source.drawn) < 10 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sorted(source.drawn) == sorted(f"{place}.png" for place in range(10))


def test_only_so_much_is_drawn_ahead(source: Scenes) -> None:
    ahead = RenderAhead(source, 4)
    expected = pictures(1000)
    ahead.expect(expected)
    ahead.image(expected[0])
    ahead.close()
    assert len(source.drawn) <= 1 + 64


def test_each_picture_is_drawn_once(source: Scenes, ahead: RenderAhead) -> None:
    expected = pictures(200)
    ahead.expect(expected)
    for picture in expected:
        assert ahead.image(picture).size == (200, 100)
        ahead.image(picture)
    assert sorted(source.drawn) == sorted({f"{place}.png" for place in range(200)})


def test_a_model_may_change_what_it_gets(ahead: RenderAhead) -> None:
    (picture,) = pictures(1)
    ahead.image(picture).paste("black", (0, 0, 200, 100))
    assert ahead.image(picture).getpixel((0, 0)) == (255, 255, 255)


def test_edits_are_drawn(source: Scenes, ahead: RenderAhead) -> None:
    (picture,) = pictures(1)
    assert ahead.image(picture.mirror()).size == (200, 100)


def test_what_cannot_be_drawn_is_told_where_it_is_looked_at(source: Scenes, ahead: RenderAhead) -> None:
    good, bad = pictures(1)[0], scene_of("dog", id="unreadable").picture
    ahead.expect([good, bad])
    ahead.image(good)
    with pytest.raises(OSError, match="no such photo"):
        ahead.image(bad)
    ahead.image(good)


def test_one_that_was_not_expected_is_drawn_too(source: Scenes, ahead: RenderAhead) -> None:
    first, second = pictures(2)
    ahead.expect([first])
    assert ahead.image(second).size == (200, 100)


def test_what_could_not_be_drawn_is_tried_again_by_whoever_looks_next(ahead: RenderAhead, source: Scenes) -> None:
    bad = scene_of("dog", id="unreadable").picture
    for tries in (1, 2):
        with pytest.raises(OSError, match="no such photo"):
            ahead.image(bad)
        assert source.drawn == tries * [bad.photo.id]
