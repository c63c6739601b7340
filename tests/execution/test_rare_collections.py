"""The garbage collector is left as it was found."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.run_item import GC_THRESHOLD, infrequent_gc, run_item
from pytest_vqamt.sampling.chooser import Sampler
from tests.execution.worlds import Rule, Scenes, loaded

THEIRS = 701, 11, 12


@pytest.fixture(autouse=True)
def theirs() -> Iterator[None]:
    """A user who has set the collector to something of their own."""
    before = gc.get_threshold()
    gc.set_threshold(*THEIRS)
    yield
    gc.set_threshold(*before)


class Watching:
    """Answers with what the collector is set to, or fails at every query."""

    batch_size = 4

    def __init__(self, *, fails: bool = False) -> None:
        self.seen: set[int] = set()
        self._fails = fails

    def answer(self, batch: list[ModelInput]) -> list[str]:
        self.seen.add(gc.get_threshold()[0])
        if self._fails:
            raise RuntimeError("out of order")
        return ["same"] * len(batch)


def run(model: Watching) -> None:
    job = Job(relation=Rule(), variant="", model=loaded(model), source=Scenes(5), position=0)
    stores = AnswerStores(None)
    sampling = Sampling(max_cases=10, sampler=Sampler.RANDOM)
    try:
        run_item(job, RunOptions(sampling=sampling, shrink=0), stores, lambda _event: None)
    finally:
        stores.close()


def test_cycles_are_looked_for_less_often_while_an_item_runs_and_as_often_as_before_after_it() -> None:
    model = Watching()
    run(model)
    assert model.seen == {GC_THRESHOLD}
    assert gc.get_threshold() == THEIRS
    assert gc.isenabled()


def test_after_an_item_that_failed_too() -> None:
    model = Watching(fails=True)
    with pytest.raises(ModelError, match="out of order"):
        run(model)
    assert model.seen == {GC_THRESHOLD}
    assert gc.get_threshold() == THEIRS


@pytest.mark.parametrize("rarer", [0, GC_THRESHOLD, 2 * GC_THRESHOLD])
def test_who_looks_more_rarely_or_never_goes_on_so(rarer: int) -> None:
    gc.set_threshold(rarer, *THEIRS[1:])
    with infrequent_gc():
        assert gc.get_threshold() == (rarer, *THEIRS[1:])
    assert gc.get_threshold() == (rarer, *THEIRS[1:])


def test_what_is_set_in_between_stays() -> None:
    with infrequent_gc():
        gc.set_threshold(5, 6, 7)
    assert gc.get_threshold() == (5, 6, 7)


def test_of_two_runs_at_once_the_last_to_end_puts_it_back() -> None:
    inside, let_go = Event(), Event()

    def other() -> None:
        with infrequent_gc():
            inside.set()
            let_go.wait(10)

    thread = Thread(target=other)
    with infrequent_gc():
        thread.start()
        assert inside.wait(10)
    assert gc.get_threshold()[0] == GC_THRESHOLD
    let_go.set()
    thread.join()
    assert gc.get_threshold() == THEIRS
