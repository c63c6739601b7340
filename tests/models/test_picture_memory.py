"""What was made of a picture is made once, what was asked about longest ago goes first, and two threads may use it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PIL import Image

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.transformers.inputs import PictureFeatureCache
from tests.models.small.inputs import SIZES, query, render

NAMES = tuple(SIZES)

Size = tuple[int, int]


class Sizes:
    """Makes of each picture its size, in two steps, and writes down what was drawn, made ready and encoded."""

    def __init__(self, most: int = 9) -> None:
        self.drawn: list[str] = []
        self.ready: list[list[Size]] = []
        self.encoded: list[list[Size]] = []
        self.fails: list[Exception] = []
        self.cache: PictureFeatureCache[Size, Size] = PictureFeatureCache(
            self._ready, self._encode, lambda _size: 1, most
        )

    def inputs(self, *places: int) -> list[ModelInput]:
        return [
            ModelInput(query(NAMES[place], f"question {number}"), self._draw) for number, place in enumerate(places)
        ]

    def of(self, *places: int) -> list[Size]:
        """Both steps, one after the other."""
        return self.cache.encoded(self.cache.preprocess(self.inputs(*places)))

    def _draw(self, picture: Picture) -> Image.Image:
        self.drawn.append(picture.photo.id)
        return render(picture)

    def _ready(self, images: Sequence[Image.Image]) -> list[Size]:
        self.ready.append([image.size for image in images])
        return self.ready[-1]

    def _encode(self, ready: Sequence[Size]) -> list[Size]:
        if self.fails:
            raise self.fails.pop()
        self.encoded.append(list(ready))
        return self.encoded[-1]


def sizes(*places: int) -> list[Size]:
    return [SIZES[NAMES[place]] for place in places]


def names(*places: int) -> list[str]:
    return [NAMES[place] for place in places]


def test_each_input_gets_what_was_made_of_its_picture() -> None:
    made = Sizes()
    assert made.of(0, 1, 0, 2, 1) == sizes(0, 1, 0, 2, 1)
    assert (made.drawn, made.ready, made.encoded) == (names(0, 1, 2), [sizes(0, 1, 2)], [sizes(0, 1, 2)])


def test_only_new_pictures_are_drawn_made_ready_and_encoded() -> None:
    made = Sizes()
    made.of(0, 1)
    assert made.of(1, 2, 0) == sizes(1, 2, 0)
    assert made.of(2) == sizes(2)
    assert (made.drawn, made.ready, made.encoded) == (names(0, 1, 2), [sizes(0, 1), sizes(2)], [sizes(0, 1), sizes(2)])


def test_what_was_asked_about_longest_ago_goes_first() -> None:
    made = Sizes(2)
    made.of(0, 1)
    made.of(0)
    made.of(2)
    made.encoded.clear()
    made.of(0, 2)
    assert not made.encoded
    made.of(1)
    assert made.encoded == [sizes(1)]


def test_a_batch_may_have_more_pictures_than_are_kept() -> None:
    made = Sizes(2)
    assert made.of(0, 1, 2, 3, 0) == sizes(0, 1, 2, 3, 0)
    made.encoded.clear()
    made.of(3, 2)
    assert not made.encoded


def test_nothing_is_kept_of_a_batch_that_failed() -> None:
    made = Sizes()
    made.fails.append(RuntimeError("too dark"))
    with pytest.raises(RuntimeError, match="too dark"):
        made.of(0, 1)
    assert made.of(0) == sizes(0)
    assert made.encoded == [sizes(0)]


def test_a_picture_that_the_batch_before_has_too_is_drawn_and_encoded_once() -> None:
    """The second batch is made ready while the first is being answered, so that nothing of that is kept yet."""
    made = Sizes()
    first = made.cache.preprocess(made.inputs(0, 1))
    second = made.cache.preprocess(made.inputs(1, 2))
    assert made.cache.encoded(first) == sizes(0, 1)
    assert made.cache.encoded(second) == sizes(1, 2)
    assert (made.drawn, made.encoded) == (names(0, 1, 2), [sizes(0, 1), sizes(2)])


def test_the_second_of_two_batches_stands_where_the_first_fails() -> None:
    made = Sizes()
    first, second = (made.cache.preprocess(made.inputs(*places)) for places in ((0, 1), (1, 2)))
    made.fails.append(RuntimeError("too dark"))
    with pytest.raises(RuntimeError, match="too dark"):
        made.cache.encoded(first)
    assert made.cache.encoded(second) == sizes(1, 2)
    assert made.drawn == names(0, 1, 2)


def test_what_was_kept_when_a_batch_was_made_ready_is_there_for_it_though_others_took_its_place() -> None:
    made = Sizes(2)
    made.of(0, 1)
    waiting = made.cache.preprocess(made.inputs(0, 1))
    made.of(2, 3)
    made.encoded.clear()
    assert made.cache.encoded(waiting) == sizes(0, 1)
    assert not made.encoded


def test_what_is_given_up_is_made_again_and_half_as_much_is_kept_from_then_on() -> None:
    made = Sizes(4)
    made.of(0, 1, 2, 3)
    assert made.cache.release()
    assert not made.cache.release()
    made.encoded.clear()
    assert made.of(0, 1) == sizes(0, 1)
    assert made.encoded == [sizes(0, 1)]
    made.of(1)
    made.encoded.clear()
    made.of(0)
    assert made.encoded == [sizes(0)], "of four one is kept, after it was halved twice"
