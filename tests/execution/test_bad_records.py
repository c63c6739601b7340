"""A scene that turns out to be broken ends the run, or is left out and told of where the user allows it."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.events import Event
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.sampling.chooser import Sampler
from tests.execution.worlds import Model, Rule, Scenes, loaded


class Broken(Scenes):
    """The scene at index 2 cannot be read once the corpus is known, and one record was bad from the start."""

    @property
    def bad_records(self) -> tuple[str, ...]:
        return ("made.json: record 9: no size",)

    def scene(self, index: int) -> Scene:
        if index == 2 and "corpus" in self.__dict__:
            raise DataError("made.json: record 2: its photo is cut short")
        return super().scene(index)


def _silent(event: Event) -> None:
    """Listens to nothing."""


def result_of(*, allow: bool, shard: tuple[int, int] = (1, 1)) -> RelationResult:
    sampling = Sampling(max_cases=30, sampler=Sampler.RANDOM, allow_bad_records=allow, shard=shard)
    job = Job(relation=Rule(), variant="", model=loaded(Model()), source=Broken(5))
    stores = AnswerStores(None)
    try:
        return run_item(job, RunOptions(sampling=sampling), stores, _silent)
    finally:
        stores.close()


def test_it_ends_the_run_with_its_one_line() -> None:
    with pytest.raises(DataError, match=r"^made\.json: record 2: its photo is cut short$"):
        result_of(allow=False)


def test_where_it_is_allowed_the_others_give_all_cases() -> None:
    result = result_of(allow=True)
    assert result.tally.holds == 30
    assert result.not_applicable == {"a record that cannot be used": 1}
    assert result.data.bad_records == ("made.json: record 2: its photo is cut short", "made.json: record 9: no size")


def test_every_shard_tells_of_the_same_records() -> None:
    shards = [result_of(allow=True, shard=(number, 3)) for number in (1, 2, 3)]
    assert len({shard.data.bad_records for shard in shards}) == 1
    assert sum(shard.scenes_not_applicable for shard in shards) == 1
    assert sum(shard.tally.cases for shard in shards) == 30
