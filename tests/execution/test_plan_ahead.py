"""The next cases are planned while the model works on these, and are the same."""

from __future__ import annotations

import random
import time
from contextlib import closing
from threading import Event, current_thread

import pytest

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution import plan_ahead
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.prefetch import SharedPipeline
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.catalogue import select
from pytest_vqamt.relations.contradictions import derive_case
from tests.execution.worlds import Model, Rule, loaded

OPTIONS = RunOptions(sampling=Sampling(max_cases=10, contrast=0.5))
WAIT_S = 60


class Planning:
    """Notes the threads that cases are derived on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads: list[str] = []
        self.began = Event()

        def noted(relation: Relation, scene: Scene, *rest: object) -> Case | NotApplicable:
            self.threads.append(current_thread().name)
            if current_thread().name == "vqamt-plan":
                self.began.set()
            return derive_case(relation, scene, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr("pytest_vqamt.execution.plan.derive_case", noted)


@pytest.fixture
def planning(monkeypatch: pytest.MonkeyPatch) -> Planning:
    return Planning(monkeypatch)


def jobs_of(model: LoadedModel, *names: str, pictures: int = 20) -> list[Job]:
    world = PictureWorld(pictures, seed=1)
    return [
        Job(relation=relation, variant=variant, model=model, source=world, position=position)
        for position, (relation, variant) in enumerate(each for name in names for each in select([name]))
    ]


def run(jobs: list[Job], *, ahead: bool) -> list[RelationResult]:
    def upcoming(place: int) -> Job | None:
        return jobs[place + 1] if ahead and place + 1 < len(jobs) else None

    with closing(SharedPipeline()) as pipeline, closing(AnswerStores(None)) as stores:
        return [run_item(job, OPTIONS, stores, _silent, pipeline, upcoming(place)) for place, job in enumerate(jobs)]


def timeless(results: list[RelationResult]) -> list[RelationResult]:
    return [replace(each, model=replace(each.model, busy_s=0.0, items_s=0.0)) for each in results]


def _silent(event: object) -> None:
    """Hears nothing."""


NAMES = ("metavqa.partition[object]", "metavqa.removal[count]", "carets.negation")


def test_the_next_item_is_planned_while_the_model_works(planning: Planning) -> None:
    def answer(text: str) -> str:
        assert planning.began.wait(WAIT_S)
        return "2"

    run(jobs_of(loaded(Model(reply=answer)), *NAMES[:2]), ahead=True)
    assert set(planning.threads) == {"MainThread", "vqamt-plan"}


def test_the_next_window_of_an_item_is_planned_while_the_model_works(
    planning: Planning, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_ahead, "WINDOW", 4)
    (job,) = jobs_of(loaded(Model(reply=lambda _: "2" if planning.began.wait(WAIT_S) else "")), NAMES[0])
    (result,) = run([job], ahead=False)
    assert result.tally.cases == 10
    assert "vqamt-plan" in planning.threads


@pytest.mark.parametrize("window", [1024, 3])
def test_the_results_are_the_same(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_ahead, "WINDOW", window)
    ahead, after = (timeless(run(jobs_of(loaded(Model()), *NAMES), ahead=ahead)) for ahead in (True, False))
    assert ahead == after


def test_relations_and_data_of_users_are_planned_in_their_turn(planning: Planning) -> None:
    """Their code may draw from the generators that all threads share."""
    model = loaded(Model())
    first, second = jobs_of(model, *NAMES[:2])
    run([first, Job(relation=Rule(), variant="", model=model, source=second.source, position=1)], ahead=True)
    assert set(planning.threads) == {"MainThread"}


def test_a_model_that_draws_at_random_draws_the_same(planning: Planning) -> None:
    pytest.importorskip("sklearn")

    def drawn(*names: str) -> list[float]:
        found: list[float] = []

        def answer(text: str) -> str:
            time.sleep(0.001)  # leaves the lock, as a model does
            found.append(random.random())
            return "2"

        random.seed(5)
        run(jobs_of(loaded(Model(reply=answer)), *names), ahead=True)
        return found

    first = drawn(NAMES[0])
    assert drawn(NAMES[0], "basic_questions.noise[1]")[: len(first)] == first
    assert set(planning.threads) == {"MainThread"}


def test_an_item_whose_data_are_broken_says_so_in_its_own_turn() -> None:
    model = loaded(Model())
    first, second = jobs_of(model, *NAMES[:2])

    class Broken(PictureWorld):
        def scene(self, index: int) -> Scene:
            raise DataError("scene 3 is broken")

    Broken.__module__ = PictureWorld.__module__
    other = Job(relation=second.relation, variant=second.variant, model=model, source=Broken(20, seed=1), position=1)
    with closing(SharedPipeline()) as pipeline, closing(AnswerStores(None)) as stores:
        assert run_item(first, OPTIONS, stores, _silent, pipeline, other).tally.cases == 10
        with pytest.raises(DataError, match="scene 3 is broken"):
            run_item(other, OPTIONS, stores, _silent, pipeline)


def test_another_item_than_was_announced_has_its_own_cases() -> None:
    model = loaded(Model())
    first, second, third = jobs_of(model, *NAMES)
    with closing(SharedPipeline()) as pipeline, closing(AnswerStores(None)) as stores:
        run_item(first, OPTIONS, stores, _silent, pipeline, second)
        found = run_item(third, OPTIONS, stores, _silent, pipeline)
    assert found.item == NAMES[2]
