"""Calls on threads of their own give back what they return or raise, and hold up no end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue

import pytest
from PIL.Image import Image

from pytest_vqamt.core import daemon_executor as module
from pytest_vqamt.core.case import RelationInfo
from pytest_vqamt.core.daemon_executor import DaemonExecutor
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.prefetch import InputPipeline, RenderPrefetcher, SharedPipeline
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.models.http.picture_files import LOSSLESS
from pytest_vqamt.sampling.chooser import Sampler
from tests.execution.worlds import Model, Rule, Scenes, loaded, query
from tests.making import scene_of


def test_what_calls_return_and_raise_comes_back() -> None:
    def end() -> int:
        raise SystemExit(3)

    with DaemonExecutor(2, "tried") as executor:
        first, second = executor.submit(lambda: 7), executor.submit(end)
        assert first.result(timeout=30) == 7
        with pytest.raises(SystemExit):
            second.result(timeout=30)


def test_one_thread_does_one_thing_after_the_other() -> None:
    done: list[int] = []
    with DaemonExecutor(1, "tried") as executor:
        for last in [executor.submit(partial(done.append, n)) for n in range(20)]:
            last.result(timeout=30)
    assert done == list(range(20))


def test_threads_end_and_what_has_not_begun_does_not_begin() -> None:
    may_end, began = threading.Event(), threading.Event()
    done: list[str] = []

    def wait() -> None:
        began.set()
        assert may_end.wait(30)
        done.append("first")

    with DaemonExecutor(1, "tried-to-end") as executor:
        first = executor.submit(wait)
        assert began.wait(30)
        executor.submit(lambda: done.append("second"))
    may_end.set()
    first.result(timeout=30)
    deadline = time.monotonic() + 30
    while any(thread.name == "tried-to-end" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert done == ["first"]


def test_closing_does_not_wait_for_what_a_thread_takes_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    class TakenMeanwhile(SimpleQueue[Callable[[], None] | None]):
        """Whoever asks is told of something that is gone when he comes for it."""

        def empty(self) -> bool:
            return False

    monkeypatch.setattr(module, "SimpleQueue", TakenMeanwhile)
    closing = threading.Thread(target=DaemonExecutor(2, "tried").close, daemon=True)
    closing.start()
    closing.join(timeout=5)
    assert not closing.is_alive()


def test_a_thread_that_could_not_be_started_is_not_counted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoMore(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    with DaemonExecutor(1, "tried") as executor:
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(module, "Thread", NoMore)
            with pytest.raises(RuntimeError, match="new thread"):
                executor.submit(int)
        assert executor.submit(lambda: 7).result(timeout=30) == 7


def test_nobody_waits_for_them_at_the_end_of_the_process() -> None:
    script = """
import threading
from pytest_vqamt.core.daemon_executor import DaemonExecutor
executor = DaemonExecutor(1, "long")
executor.submit(lambda: threading.Event().wait(600))
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


def pictures(n: int) -> list[Picture]:
    return [scene_of("dog", id=f"{place}").picture for place in range(n)]


@pytest.fixture
def source() -> Scenes:
    return Scenes(1)


@pytest.fixture
def ahead(source: Scenes) -> Iterator[RenderPrefetcher]:
    made = RenderPrefetcher(source, 4)
    yield made
    made.close()


def test_nothing_is_drawn_for_a_model_that_does_not_look(source: Scenes) -> None:
    ahead = RenderPrefetcher(source, 4)
    ahead.expect(pictures(10))
    ahead.close()
    assert source.drawn == []


def test_what_comes_next_is_drawn_while_the_model_looks_at_the_first(source: Scenes, ahead: RenderPrefetcher) -> None:
    expected = pictures(10)
    ahead.expect(expected)
    ahead.image(expected[0])
    deadline = time.monotonic() + 30
    while len(source.drawn) < 10 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sorted(source.drawn) == sorted(f"{place}.png" for place in range(10))


def test_only_so_much_is_drawn_ahead(source: Scenes) -> None:
    ahead = RenderPrefetcher(source, 4)
    expected = pictures(1000)
    ahead.expect(expected)
    ahead.image(expected[0])
    ahead.close()
    assert len(source.drawn) <= 1 + 64


def test_each_picture_is_drawn_once(source: Scenes, ahead: RenderPrefetcher) -> None:
    expected = pictures(200)
    ahead.expect(expected)
    for picture in expected:
        assert ahead.image(picture).size == (200, 100)
        ahead.image(picture)
    assert sorted(source.drawn) == sorted({f"{place}.png" for place in range(200)})


def test_a_model_may_change_what_it_gets(ahead: RenderPrefetcher) -> None:
    (picture,) = pictures(1)
    first, second = (ModelInput(query("what?", picture=picture), ahead.image) for _ in range(2))
    first.image.paste("black", (0, 0, 200, 100))
    assert first.image.getpixel((0, 0)) == (0, 0, 0)
    assert first.pixels.getpixel((0, 0)) == second.image.getpixel((0, 0)) == (255, 255, 255)
    # What only reads shares one image, whatever the query.
    assert first.pixels is second.pixels


def test_edits_are_drawn(source: Scenes, ahead: RenderPrefetcher) -> None:
    (picture,) = pictures(1)
    assert ahead.image(picture.mirror()).size == (200, 100)


def test_what_cannot_be_drawn_is_told_where_it_is_looked_at(source: Scenes, ahead: RenderPrefetcher) -> None:
    good, bad = pictures(1)[0], scene_of("dog", id="unreadable").picture
    ahead.expect([good, bad])
    ahead.image(good)
    with pytest.raises(OSError, match="no such photo"):
        ahead.image(bad)
    ahead.image(good)


def test_one_that_was_not_expected_is_drawn_too(source: Scenes, ahead: RenderPrefetcher) -> None:
    first, second = pictures(2)
    ahead.expect([first])
    assert ahead.image(second).size == (200, 100)


def test_what_could_not_be_drawn_is_tried_again_by_whoever_looks_next(ahead: RenderPrefetcher, source: Scenes) -> None:
    bad = scene_of("dog", id="unreadable").picture
    for tries in (1, 2):
        with pytest.raises(OSError, match="no such photo"):
            ahead.image(bad)
        assert source.drawn == tries * [bad.photo.id]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Rule):
    """A rule of its own name, so of cases of its own."""

    name: str

    @property
    def info(self) -> RelationInfo:
        return RelationInfo(name=f"ours.{self.name}", task=Task.VQA, claim="All is one.", source="here")


def test_items_in_a_row_on_one_model_and_data_share_a_pipeline() -> None:
    model, source = loaded(Model()), Scenes(5)
    with closing(SharedPipeline()) as shared:
        pipeline = shared.of(model, source)
        assert shared.of(model, source) is pipeline
        assert shared.of(model, Scenes(5)) is not pipeline
        assert shared.of(model, source) is not pipeline, "that one was closed"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no system with fork")
def test_in_a_fork_pictures_are_drawn_by_threads_of_its_own() -> None:
    model, source = loaded(Model()), Scenes(5)
    first, last = (query("a", picture=scene_of(id=name).picture) for name in ("scene 0", "scene 1"))
    with closing(SharedPipeline()) as shared:
        pipeline = shared.of(model, source)
        others = (scene_of(id=f"{place}").picture for place in range(9))
        pipeline.expect([first.picture, *others], 4)  # so many that all threads have begun
        assert pipeline.inputs([first])[0].image.size == (200, 100)
        if (child := os.fork()) == 0:
            signal.alarm(20)  # which ends a process that waits for ever
            (shown,) = shared.of(model, source).inputs([last])
            os._exit(shown.image.size != (200, 100))
        assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no system with fork")
def test_an_input_may_be_read_in_a_fork() -> None:
    """As torch's DataLoader does with ``num_workers``."""
    with closing(InputPipeline(Scenes(5), 4)) as pipeline:
        first, last = pipeline.inputs([query("a", picture=scene_of(id=f"scene {place}").picture) for place in (0, 1)])
        assert first.image.size == (200, 100)  # threads of the parent have begun
        if (child := os.fork()) == 0:
            signal.alarm(20)
            is_whole = last.image.size == (200, 100) and bool(last.file(LOSSLESS).base64)
            os._exit(not is_whole)
        assert os.waitpid(child, 0)[1] == 0


TERMS = RunOptions(sampling=Sampling(max_cases=6, sampler=Sampler.RANDOM), shrink=0)


@dataclass(slots=True)
class Looks(Model):
    """Looks at each picture when it prepares."""

    prepared: list[str] = field(default_factory=list)

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        for each in batch:
            each.prepared = each.image.size
            self.prepared.append(each.text)

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        assert all(each.image.size == (200, 100) for each in batch)
        time.sleep(0.05)  # so long that the next is prepared meanwhile
        return Model.answer(self, batch)


class Broken(Scenes):
    """The photo of its third scene cannot be read."""

    def photo(self, photo: Photo) -> Image:
        if photo.id == "scene 2.png":
            raise OSError(f"cannot read {photo.id}")
        return super().photo(photo)


def about(*numbers: int) -> Callable[[Scene], str | None]:
    return lambda scene: None if len(scene.objects) - 1 in numbers else "another"


def test_a_photo_of_a_later_item_that_cannot_be_read_is_told_by_its_item_alone() -> None:
    model, source = Looks(batch_size=2), Broken(4)
    adopted = loaded(model)
    rules = (Named(name="a", applies=about(0)), Named(name="b", applies=about(1, 2)), Named(name="c", applies=about(3)))
    run = [
        Job(relation=rule, variant="", model=adopted, source=source, position=place) for place, rule in enumerate(rules)
    ]
    with closing(AnswerStores(None)) as stores, closing(SharedPipeline()) as pipeline:
        first, second, third = (run_item(job, TERMS, stores, lambda _: None, pipeline) for job in run)
    for other in (first, third):
        assert (other.tally.holds, other.error) == (other.tally.cases, "")
    assert second.error == "OSError: cannot read scene 2.png"
    assert 0 < second.tally.errors < second.tally.cases
    assert second.tally.holds + second.tally.errors == second.tally.cases
    assert model.prepared
    deadline = time.monotonic() + 30
    while any(each.name.startswith("vqamt-") for each in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_is_prepared_between_two_items_is_paid_by_the_second() -> None:
    @dataclass(slots=True)
    class Counts(Looks):
        """Counts what it prepares, and is still at it when the item at hand has ended."""

        usage: dict[str, int] = field(default_factory=lambda: {"texts": 0})

        def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
            time.sleep(0.05)
            self.usage["texts"] += len(batch)

    model = Counts(batch_size=4)
    model.usage["texts"] = 100  # of before the run
    adopted, source = loaded(model), Scenes(1)
    run = [
        Job(relation=Named(name=name), variant="", model=adopted, source=source, position=place)
        for place, name in enumerate("abcd")
    ]
    used = []
    with closing(AnswerStores(None)) as stores, closing(SharedPipeline()) as pipeline:
        for job in run:
            used.append(dict(run_item(job, TERMS, stores, lambda _: None, pipeline).model.usage))
            time.sleep(0.1)  # as where other tests come in between
    assert model.usage["texts"] > 100
    assert sum(each.get("texts", 0) for each in used) == model.usage["texts"] - 100
