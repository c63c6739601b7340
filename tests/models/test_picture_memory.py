"""What was made of a picture is made once, and the oldest goes first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PIL import Image

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.picture_memory import PictureMemory
from tests.models.small.inputs import SIZES, asked

NAMES = tuple(SIZES)


def inputs(*places: int) -> list[ModelInput]:
    return [asked(NAMES[place], f"question {number}") for number, place in enumerate(places)]


class Sizes:
    """Makes of each picture its size, and writes down which it was given."""

    def __init__(self) -> None:
        self.calls: list[list[tuple[int, int]]] = []

    def __call__(self, images: Sequence[Image.Image]) -> list[tuple[int, int]]:
        self.calls.append([image.size for image in images])
        return self.calls[-1]


def test_each_input_gets_what_was_made_of_its_picture() -> None:
    memory, make = PictureMemory[tuple[int, int]](9), Sizes()
    assert memory.of(inputs(0, 1, 0, 2, 1), make) == [SIZES[NAMES[place]] for place in (0, 1, 0, 2, 1)]
    assert make.calls == [[SIZES[NAMES[place]] for place in (0, 1, 2)]]


def test_only_new_pictures_are_made_and_rendered() -> None:
    memory, make = PictureMemory[tuple[int, int]](9), Sizes()
    memory.of(inputs(0, 1), make)
    again = inputs(1, 2, 0)
    assert memory.of(again, make) == [SIZES[NAMES[place]] for place in (1, 2, 0)]
    assert memory.of(inputs(2), make) == [SIZES[NAMES[2]]]
    assert make.calls[1:] == [[SIZES[NAMES[2]]]]
    assert ["image" in vars(each) for each in again] == [False, True, False]


def test_what_was_asked_about_longest_ago_goes_first() -> None:
    memory, make = PictureMemory[tuple[int, int]](2), Sizes()
    memory.of(inputs(0, 1), make)
    memory.of(inputs(0), make)
    memory.of(inputs(2), make)
    make.calls.clear()
    memory.of(inputs(0, 2), make)
    assert not make.calls
    memory.of(inputs(1), make)
    assert make.calls == [[SIZES[NAMES[1]]]]


def test_a_batch_may_have_more_pictures_than_are_kept() -> None:
    memory, make = PictureMemory[tuple[int, int]](2), Sizes()
    assert memory.of(inputs(0, 1, 2, 3, 0), make) == [SIZES[NAMES[place]] for place in (0, 1, 2, 3, 0)]
    make.calls.clear()
    memory.of(inputs(3, 2), make)
    assert not make.calls


def test_nothing_is_kept_of_a_batch_that_failed() -> None:
    def fails(images: Sequence[Image.Image]) -> list[tuple[int, int]]:
        raise RuntimeError("too dark")

    memory, make = PictureMemory[tuple[int, int]](9), Sizes()
    with pytest.raises(RuntimeError, match="too dark"):
        memory.of(inputs(0, 1), fails)
    memory.of(inputs(0), make)
    assert make.calls == [[SIZES[NAMES[0]]]]
