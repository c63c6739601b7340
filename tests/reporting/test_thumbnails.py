"""Small pictures: within their bytes, true to what they show, and the same on any number of threads."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image, features

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.reporting.html import cards as module
from pytest_vqamt.reporting.html.cards import Thumbnail, Wanted, thumbnail, thumbnails


def noise(width: int, height: int) -> Image.Image:
    """The hardest there is to make small."""
    return Image.fromarray(np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8))


def opened(small: Thumbnail) -> Image.Image:
    _, _, text = small.uri.partition(";base64,")
    return Image.open(BytesIO(b64decode(text))).convert("RGB")


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((448, 224), (224, 112)),
        ((224, 224), (224, 224)),
        ((60, 448), (30, 224)),
        ((50, 40), (50, 40)),
        ((1, 1), (1, 1)),
    ],
)
def test_the_longer_side_is_224_pixels_at_most(size: tuple[int, int], shown: tuple[int, int]) -> None:
    small = thumbnail(Image.new("RGB", size, (200, 30, 30)), 100_000)
    assert (small.width, small.height) == shown
    assert opened(small).size == shown


def test_a_long_strip_keeps_a_pixel() -> None:
    assert opened(thumbnail(Image.new("RGB", (4000, 3)), 100_000)).size == (224, 1)


def test_it_shows_the_picture() -> None:
    source = load("pictures:20")
    image = source.photo(source.scene(3).photo)
    small = opened(thumbnail(image, 100_000))
    difference = np.abs(np.asarray(small, dtype=int) - np.asarray(image.resize(small.size), dtype=int))
    assert difference.mean() < 3


def test_what_is_hard_to_make_small_is_made_smaller_until_it_fits() -> None:
    image = noise(640, 480)
    sizes = [thumbnail(image, most) for most in (100_000, 12_000, 3_000, 10)]
    assert [each.bytes <= most for each, most in zip(sizes, (100_000, 12_000, 3_000, 10), strict=True)] == [
        True, True, True, False,
    ]  # fmt: skip
    assert [each.width for each in sizes] == sorted((each.width for each in sizes), reverse=True)
    assert sizes[0].width == 224
    assert sizes[-1].width == 32
    assert all(len(b64decode(each.uri.partition(",")[2])) == each.bytes for each in sizes)


def test_without_webp_it_is_jpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    assert thumbnail(noise(64, 64), 100_000).uri.startswith("data:image/webp;base64,UklGR")
    monkeypatch.setattr(features, "check", lambda feature: feature != "webp")
    module._format.cache_clear()
    try:
        small = thumbnail(noise(64, 64), 100_000)
    finally:
        module._format.cache_clear()
    assert small.uri.startswith("data:image/jpeg;base64,/9j/")
    assert opened(small).size == (64, 64)


def test_any_number_of_threads_draws_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    source = load("pictures:20")
    pictures = [source.scene(index).picture for index in range(8)]
    wanted = [Wanted(each, source) for picture in pictures for each in (picture, picture.blur(sigma=4))]
    told: list[int] = []
    made = []
    for cores in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        made.append(list(thumbnails(wanted, 4_000, lambda: told.append(1))))
    assert made[0] == made[1]
    assert len({each.uri for each in made[0] if isinstance(each, Thumbnail)}) == 16
    assert len(told) == 32


def test_a_picture_that_cannot_be_drawn_says_why_and_the_others_are_drawn() -> None:
    class Photos(PictureWorld):
        """Has lost the photo of one scene, and fails in its own way on another."""

        def photo(self, photo: Photo) -> Image.Image:
            if photo.id == "pictures-0-1":
                raise DataError("Expected a photo, but got none")
            if photo.id == "pictures-0-2":
                raise MemoryError
            return super().photo(photo)

    world = Photos(20)
    made = list(thumbnails([Wanted(world.scene(index).picture, world) for index in range(4)], 4_000))
    assert [isinstance(each, Thumbnail) for each in made] == [True, False, False, True]
    assert made[1:3] == ["Expected a photo, but got none", "MemoryError"]
