"""Pictures are encoded once and kept within a limit; texts are cut and counted."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from PIL import Image
from transformers import BertTokenizer

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers import inputs as module
from pytest_vqamt.models.transformers.inputs import (
    PictureFeatureCache,
    preprocess_images,
    preprocessing_threads,
    tokenize,
)
from pytest_vqamt.models.transformers.runtime import Runtime
from tests.models.small.inputs import SIZES, query, render
from tests.models.small.tokenizers import bert_tokenizer

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
    for _ in range(2):
        made.cache.halve()
    made.encoded.clear()
    assert made.of(0, 1) == sizes(0, 1)
    assert made.encoded == [sizes(0, 1)]
    made.of(1)
    made.encoded.clear()
    made.of(0)
    assert made.encoded == [sizes(0)], "of four one is kept, after it was halved twice"


CPU = Runtime.of(ModelOptions(device="cpu"))
PAD, CLS, SEP = 0, 2, 3


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> BertTokenizer:
    return bert_tokenizer(tmp_path_factory.mktemp("words"), ("is", "there", "dog"), longest=8)


def number(tokenizer: BertTokenizer, word: str) -> int:
    found = tokenizer.convert_tokens_to_ids(word)
    assert isinstance(found, int)
    return found


def test_texts_are_padded_on_the_right_to_the_longest(tokenizer: BertTokenizer) -> None:
    is_, there, dog, mark = (number(tokenizer, word) for word in ("is", "there", "dog", "?"))
    tokens = tokenize(["Is there a dog?", "dog"], tokenizer, 40, CPU)
    a = number(tokenizer, "a")
    assert tokens.ids.tolist() == [[CLS, is_, there, a, dog, mark, SEP], [CLS, dog, SEP, PAD, PAD, PAD, PAD]]
    assert tokens.attended.tolist() == [[1] * 7, [1, 1, 1, 0, 0, 0, 0]]
    assert tokens.cut == (False, False)


@pytest.mark.parametrize(("longest", "room"), [(6, 4), (8, 6), (40, 6)])
def test_a_longer_text_is_cut_and_said_to_be(tokenizer: BertTokenizer, longest: int, room: int) -> None:
    """The shorter of what the model and what the tokenizer takes (8) counts, two tokens of which are added ones."""
    dog = number(tokenizer, "dog")
    tokens = tokenize(["dog " * room, "dog " * (room + 1), "dog"], tokenizer, longest, CPU)
    assert tokens.cut == (False, True, False)
    assert tokens.ids[:2].tolist() == [[CLS, *[dog] * room, SEP]] * 2


def test_no_word_is_unknown_to_the_small_tokenizer(tokenizer: BertTokenizer) -> None:
    ids = tokenizer("Zebra, 42 café!")["input_ids"]
    assert tokenizer.unk_token_id not in ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == "zebra, 42 cafe!"


CUDA = replace(CPU, device=torch.device("cuda:0"))
IMAGES = [Image.new("RGB", (width, 1)) for width in range(1, 21)]


def test_a_gpu_is_not_kept_waiting_for_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "available_cores", lambda: 16)
    assert preprocessing_threads(CPU) == 1
    assert preprocessing_threads(CUDA) == 8
    assert preprocessing_threads(replace(CUDA, threads=4)) == 4


@pytest.mark.parametrize(("runtime", "at_once"), [(CPU, 1), (replace(CUDA, threads=3), 3)])
def test_each_comes_out_in_its_place(runtime: Runtime, at_once: int) -> None:
    """Three wait for each other, which they could not one by one."""
    together = threading.Barrier(at_once)

    def width(image: Image.Image) -> int:
        if image.width <= at_once:
            together.wait(timeout=10)
        return image.width

    assert preprocess_images(IMAGES, width, runtime) == list(range(1, 21))
    assert preprocess_images([], width, runtime) == []


def test_what_goes_wrong_with_one_is_told() -> None:
    def fails(image: Image.Image) -> int:
        return 1 // (image.width - 5)

    for runtime in (CPU, replace(CUDA, threads=3)):
        with pytest.raises(ZeroDivisionError):
            preprocess_images(IMAGES, fails, runtime)
