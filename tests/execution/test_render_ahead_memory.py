"""However many pictures a run has, few of their images are in memory at once."""

from __future__ import annotations

from weakref import ref

import pytest
from PIL import Image

from pytest_vqamt.core.scene import Photo
from pytest_vqamt.execution import prefetch as module
from pytest_vqamt.execution.prefetch import RenderPrefetcher
from tests.execution.worlds import Scenes
from tests.making import scene_of


class Counting(Scenes):
    """Knows which of the images that it gave out are still held."""

    def __init__(self) -> None:
        super().__init__(1)
        self.given: list[ref[Image.Image]] = []

    def photo(self, photo: Photo) -> Image.Image:
        image = super().photo(photo)
        self.given.append(ref(image))
        return image

    @property
    def held(self) -> int:
        return sum(each() is not None for each in tuple(self.given))


@pytest.mark.parametrize("told", [True, False], ids=["told what comes", "surprised"])
def test_images_that_were_looked_at_are_let_go(told: bool) -> None:
    source = Counting()
    ahead = RenderPrefetcher(source, 4)
    pictures = [scene_of("dog", id=f"{place}").picture for place in range(600)]
    if told:
        ahead.expect(pictures)
    most = 0
    for picture in pictures:
        ahead.image(picture)
        most = max(most, source.held)
    ahead.close()
    assert len(source.given) == 600
    # 64 ahead and 64 behind, and those that its two threads and this test have in hand.
    assert most <= 2 * 64 + 4


def test_of_large_photos_fewer_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_IMAGE_BYTES", 20 * 4 * 200 * 100)
    source = Counting()
    ahead = RenderPrefetcher(source, 200)
    pictures = [scene_of("dog", id=f"{place}").picture for place in range(600)]
    ahead.expect(pictures)
    most = 0
    for picture in (*pictures, *pictures[:300]):
        ahead.image(picture)
        most = max(most, source.held)
    ahead.close()
    assert len(source.given) == 900
    assert most <= 20 + 4


def test_a_large_batch_is_held_whole() -> None:
    source = Scenes(1)
    ahead = RenderPrefetcher(source, 200)
    pictures = [scene_of("dog", id=f"{place}").picture for place in range(200)]
    ahead.expect(pictures)
    for picture in (*pictures, *pictures):
        ahead.image(picture)
    ahead.close()
    assert len(source.drawn) == 200, "a model may look at its batch more than once"
