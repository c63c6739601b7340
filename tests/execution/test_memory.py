"""Where memory runs out the batch is halved and asked again: nothing is lost, and nothing answered is asked twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil

import pytest

from pytest_vqamt.core.query import Answer, Failure, ModelInput
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import QueryRunner
from pytest_vqamt.execution.prefetch import InputPipeline
from tests.execution.worlds import Scenes, loaded, query
from tests.making import scene_of
from tests.rows import each_row
from tools.benchmarks.trace import PHOTOS, padding


class OutOfMemoryError(RuntimeError):
    """What torch raises, by its name."""


class Small:
    """A device that has room for so many at once."""

    batch_size = 2
    largest_batch = 64

    def __init__(self, room: int, too_long: str = "") -> None:
        self.room = room
        self.too_long = too_long
        self.tried: list[int] = []
        self.answered: list[str] = []

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        self.tried.append(len(batch))
        texts = [asked.text for asked in batch]
        if len(batch) > self.room or self.too_long in texts:
            raise OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        self.answered += texts
        return [f"to {text}" for text in texts]


@pytest.fixture
def store() -> Iterator[AnswerStore]:
    with AnswerStore(None) as opened:
        yield opened


def ask(model: Small, store: AnswerStore, texts: Sequence[str]) -> dict[str, Answer | Failure]:
    pipeline = InputPipeline(Scenes(1), 2)
    queries = [query(text) for text in texts]
    try:
        found = QueryRunner(loaded(model), store, pipeline, lambda _: None).run({each.id: each for each in queries})
    finally:
        pipeline.close()
    return {each.text: found[each.id] for each in queries}


TEXTS = [f"number {place}" for place in range(40)]


def test_batches_grow_until_memory_runs_out_and_then_stay(store: AnswerStore) -> None:
    model = Small(room=6)
    found = ask(model, store, TEXTS)
    assert found == {text: Answer(f"to {text}") for text in TEXTS}
    # 2, 4, then 8 are too many: halved, and 4 from then on. 2 + 4 + 8 = 14 are answered by then, 26 are left.
    assert model.tried == [2, 4, 8, 4, 4, 4, 4, 4, 4, 4, 4, 2]
    assert model.answered == TEXTS


def test_one_large_picture_in_ten_does_not_shrink_the_batches_of_the_others(store: AnswerStore) -> None:
    """Of the large ones the device has room for two at once; over several windows, as in a run."""

    class Mixed(Small):
        batch_size = 32
        largest_batch = 32

        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            self.room = 2 if any(each.query.picture.scene.width > 1_000 for each in batch) else 32
            return super().answer(batch)

    model, asked, ideal = Mixed(room=32), 0, 0
    adopted, pipeline = loaded(model), InputPipeline(Scenes(1), 2)
    small = scene_of("dog", id="small")
    large = replace(small, id="large", photo=Photo(id="large.png", digest="large"), width=4_000, height=3_000)
    for window in range(5):
        queries = [
            query(f"number {place} of {window}", picture=(small if place % 10 else large).picture)
            for place in range(1_000)
        ]
        QueryRunner(adopted, store, pipeline, lambda _: None).run({each.id: each for each in queries})
        asked, ideal = asked + len(queries), ideal + ceil(900 / 32) + 50
    pipeline.close()
    assert len(model.answered) == asked
    assert len(model.tried) < 1.2 * ideal


@each_row("largest, most", [(64, 0.04), (2, 1.0)])
def test_batches_that_grow_are_little_padded(store: AnswerStore, largest: int, most: float) -> None:
    """Unless they are less than half full. Where a user or a server names the size, each batch is as large."""
    batches: list[list[int]] = []

    class Padded(Small):
        largest_batch = largest

        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            batches.append([each.query.picture.scene.width for each in batch])
            return super().answer(batch)

    pipeline = InputPipeline(Scenes(1), 2)
    shown = scene_of("dog", id="shown")
    sizes = [
        replace(shown, id=f"{width}", photo=Photo(id=f"{width}.png", digest=f"{width}"), width=width, height=100)
        for width in range(100, 1_000, 20)
    ]
    queries = [query(f"number {place}", picture=sizes[place % len(sizes)].picture) for place in range(1_000)]
    QueryRunner(loaded(Padded(room=64)), store, pipeline, lambda _: None).run({each.id: each for each in queries})
    pipeline.close()
    assert sum(map(len, batches)) == 1_000
    full = [each for each in batches if len(each) > largest // 2]
    assert all(1 - sum(each) / (len(each) * max(each)) <= most for each in full)
    assert full
    # Once it has grown; the last is what is left.
    assert min(map(len, batches[-12:-1])) >= largest // 2


@pytest.mark.slow
@pytest.mark.skipif(not PHOTOS.is_dir(), reason="../shared/data/coco is not there")
@pytest.mark.parametrize("largest", [8, 32, 128])
def test_a_run_of_today_pads_little(largest: int) -> None:
    """On 40 photos of COCO and their edits, of a model that makes a token of 28 x 28 pixels."""
    _, _, share = padding(f"coco:{PHOTOS}", largest)
    assert share < 0.03


def test_what_was_learned_is_remembered_by_the_next_item(store: AnswerStore) -> None:
    model = Small(room=6)
    adopted = loaded(model)
    pipeline = InputPipeline(Scenes(1), 2)
    for texts in (TEXTS[:20], TEXTS[20:]):
        QueryRunner(adopted, store, pipeline, lambda _: None).run({query(text).id: query(text) for text in texts})
    pipeline.close()
    assert model.tried.count(8) == 1


def test_one_query_that_does_not_fit_costs_only_itself(store: AnswerStore) -> None:
    model = Small(room=64, too_long=TEXTS[5])
    found = ask(model, store, TEXTS[:8])
    lost = found.pop(TEXTS[5])
    assert isinstance(lost, Failure)
    assert lost.reason.startswith("OutOfMemoryError: memory ran out on a single query: load the model in a lower prec")
    assert "--vqamt" not in lost.reason  # no option reaches the user's own code
    assert all(isinstance(answer, Answer) for answer in found.values())
    assert sorted(model.answered) == sorted(found)


def test_models_that_options_reach_are_told_of_these(store: AnswerStore) -> None:
    model = replace(loaded(Small(room=0)), is_users=False)
    pipeline = InputPipeline(Scenes(1), 2)
    lost = QueryRunner(model, store, pipeline, lambda _: None).run({query("a").id: query("a")})[query("a").id]
    pipeline.close()
    assert isinstance(lost, Failure)
    assert lost.reason.startswith("OutOfMemoryError: memory ran out on a single query: give --vqamt-dtype=bfloat16")


def test_one_query_that_does_not_fit_makes_no_batch_smaller(store: AnswerStore) -> None:
    """The halves beside it were answered, so their number was not too large."""
    model = Small(room=64, too_long=TEXTS[9])
    ask(model, store, TEXTS)
    # 2, 4, then the 8 from 6 to 13 fail: their first 4 too, of which 2 go, and 2 fail: 1 and 1. The other 4 go.
    # So 8 may be asked again, then 16, and what is left.
    assert model.tried == [2, 4, 8, 4, 2, 2, 1, 1, 4, 8, 16, 2]


def test_batches_that_are_too_many_and_a_query_that_never_fits_are_told_apart(store: AnswerStore) -> None:
    model = Small(room=6, too_long=TEXTS[30])
    ask(model, store, TEXTS)
    assert model.tried[:6] == [2, 4, 8, 4, 4, 4]
    assert model.tried[-1] in (2, 4)
    assert sorted(model.answered) == sorted(text for text in TEXTS if text != TEXTS[30])


class Unnamed(Small):
    """A library that says nothing of memory where there is no room."""

    batch_size = 8

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        try:
            return super().answer(batch)
        except OutOfMemoryError:
            raise RuntimeError("the workspace is too small") from None


def test_what_fails_twice_as_a_whole_and_not_in_halves_is_too_large(store: AnswerStore) -> None:
    model = Unnamed(room=6)
    found = ask(model, store, TEXTS)
    assert found == {text: Answer(f"to {text}") for text in TEXTS}
    # Once may be chance; after the second time batches have the size of the halves.
    assert model.tried == [8, 4, 4, 8, 4, 4, *[4] * 6]


def test_a_size_that_did_not_fit_once_is_tried_again(store: AnswerStore) -> None:
    class Briefly(Small):
        """Another process took the memory for a while."""

        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            self.room = 6 if len(self.tried) < 10 else 64
            return super().answer(batch)

    model = Briefly(room=6)
    ask(model, store, [f"number {place}" for place in range(300)])
    # 4 after the failure of 8, until 16 batches of it were answered; then 8, which fits, and so on.
    assert model.tried[:3] == [2, 4, 8]
    assert model.tried.count(4) == 1 + 2 + 16
    assert model.tried[-1] <= 16
    assert max(model.tried) == 16
