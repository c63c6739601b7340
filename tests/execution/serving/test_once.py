"""Each distinct query is asked once, whoever asks it and however often."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.models.served.protocol import QueryRow, RecipeRow, Request
from pytest_vqamt.serving.app import GivenUpError, Once, Remembered
from pytest_vqamt.serving.messages import Chunk, Outcome


class Replicas:
    """Answers after a moment with the text and the photo, and writes down what it was asked."""

    def __init__(self, given_up: str = "") -> None:
        self.chunks: list[Chunk] = []
        self.given_up = given_up

    async def ask(self, chunk: Chunk) -> Outcome:
        self.chunks.append(chunk)
        await asyncio.sleep(0.01)
        told = tuple(self._told(chunk, row) for row in chunk.queries)
        return Outcome(told=told, busy_s=0.5, batch_size=4, given_up=self.given_up)

    @property
    def asked(self) -> list[str]:
        return [f"{chunk.pictures[row.picture].key} {row.text}" for chunk in self.chunks for row in chunk.queries]

    @staticmethod
    def _told(chunk: Chunk, row: QueryRow) -> Answer | Failure:
        picture = chunk.pictures[row.picture]
        assert isinstance(picture, RecipeRow)
        return Failure(reason="no") if row.text == "fail" else Answer(f"{row.text} of {picture.photo}")


def request(*asked: tuple[str, str], task: Task = Task.VQA, trial: int = 0) -> Request:
    """Questions about photos: (photo, text)."""
    photos = list(dict.fromkeys(photo for photo, _ in asked))
    return Request(
        model="m",
        pictures=tuple(RecipeRow({"photo": photo, "digest": photo, "edits": []}) for photo in photos),
        queries=tuple(
            QueryRow(task=task, text=text, picture=photos.index(photo), trial=trial) for photo, text in asked
        ),
    )


def once(replicas: Replicas, folder: Path, batch_size: int = 4) -> Once:
    return Once(replicas.ask, Remembered(folder / "answers.sqlite"), batch_size)


def test_one_answer_each_in_order_and_each_asked_once(tmp_path: Path) -> None:
    replicas = Replicas()
    made = once(replicas, tmp_path)
    asked = [(f"p{number % 3}", f"q{number % 5}") for number in range(40)]
    told = asyncio.run(made.answers(request(*asked)))
    assert told == [Answer(f"{text} of {photo}") for photo, text in asked]
    assert len(replicas.asked) == len(set(replicas.asked)) == 15
    assert (made.received, made.asked, made.remembered) == (40, 15, 15)


def test_chunks_are_batches_of_one_task_with_a_picture_in_a_row(tmp_path: Path) -> None:
    replicas = Replicas()
    asyncio.run(once(replicas, tmp_path).answers(request(*[(f"p{n % 2}", f"q{n}") for n in range(10)])))
    assert [len(chunk.queries) for chunk in replicas.chunks] == [4, 4, 2]
    assert [len(chunk.pictures) for chunk in replicas.chunks] == [1, 2, 1]


def test_what_is_under_way_is_waited_for(tmp_path: Path) -> None:
    replicas = Replicas()
    made = once(replicas, tmp_path)

    async def three() -> list[list[object]]:
        wanted = [request(("p", "a"), ("p", "b")), request(("p", "b"), ("p", "c")), request(("p", "a"))]
        return [list(told) for told in await asyncio.gather(*map(made.answers, wanted))]

    assert asyncio.run(three()) == [
        [Answer("a of p"), Answer("b of p")],
        [Answer("b of p"), Answer("c of p")],
        [Answer("a of p")],
    ]
    assert len(replicas.asked) == 3
    assert made.asked == 3


def test_a_trial_and_a_task_are_queries_of_their_own(tmp_path: Path) -> None:
    replicas = Replicas()
    made = once(replicas, tmp_path)

    async def all_of_them() -> None:
        await made.answers(request(("p", "a")))
        await made.answers(request(("p", "a"), trial=1))
        await made.answers(request(("p", "a"), task=Task.CAPTIONING))
        await made.answers(request(("p", "a"), trial=1))

    asyncio.run(all_of_them())
    assert len(replicas.asked) == 3


def test_a_failure_is_told_and_not_remembered(tmp_path: Path) -> None:
    replicas = Replicas()
    made = once(replicas, tmp_path)

    async def twice() -> list[object]:
        return [*await made.answers(request(("p", "fail"))), *await made.answers(request(("p", "fail")))]

    assert asyncio.run(twice()) == [Failure(reason="no")] * 2
    assert len(replicas.asked) == 2
    assert made.remembered == 0


def test_who_leaves_early_finds_the_answer_later(tmp_path: Path) -> None:
    replicas = Replicas()
    made = once(replicas, tmp_path)

    async def impatient() -> list[object]:
        leaving = asyncio.create_task(made.answers(request(("p", "a"))))
        await asyncio.sleep(0.005)
        leaving.cancel()
        await asyncio.sleep(0.05)
        return list(await made.answers(request(("p", "a"))))

    assert asyncio.run(impatient()) == [Answer("a of p")]
    assert len(replicas.asked) == 1


def test_a_model_that_is_given_up_is_told_to_all_that_wait(tmp_path: Path) -> None:
    made = once(Replicas(given_up="no weights"), tmp_path)

    async def two() -> list[object]:
        wanted = [request(("p", "a")), request(("p", "a"), ("p", "b"))]
        return list(await asyncio.gather(*map(made.answers, wanted), return_exceptions=True))

    for error in asyncio.run(two()):
        assert isinstance(error, GivenUpError)
        assert str(error) == "no weights"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_batches_change_as_the_replicas_say(tmp_path: Path, size: int) -> None:
    made = once(Replicas(), tmp_path, batch_size=size)
    asyncio.run(made.answers(request(("p", "a"))))
    assert made.batch_size == 4
    assert made.busy_s == 0.5


def test_answers_that_cannot_be_written_down_are_told_all_the_same(tmp_path: Path) -> None:
    replicas, store = Replicas(), Remembered(tmp_path / "answers.sqlite")
    once = Once(replicas.ask, store, 4)
    store._db.execute("pragma query_only = on")  # as on a disk that takes nothing any more

    async def run() -> list[object]:
        return [*await once.answers(request(("a", "q"))), *await once.answers(request(("a", "q")))]

    assert asyncio.run(run()) == [Answer("q of a")] * 2
    assert (once.asked, once.under_way, once.remembered) == (2, 0, 0)
