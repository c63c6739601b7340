"""What comes next fills batches: in its order, up to a bound, and without being drawn twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution import lookahead as module
from pytest_vqamt.execution.lookahead import LookAhead, UpcomingItem
from pytest_vqamt.execution.plan import Job, Sampling
from pytest_vqamt.sampling.chooser import Chooser
from pytest_vqamt.sampling.samplers import Sampler
from tests.execution.worlds import Model, Rule, Scenes, loaded
from tests.making import scene_of

FIVE = Sampling(max_cases=5, sampler=Sampler.RANDOM)
MODEL = loaded(Model())
SCENES = Scenes(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Rule):
    """A rule of its own name, so of cases of its own; ``draws`` counts."""

    name: str
    task: Task = Task.VQA
    draws: list[str] = field(default_factory=list, compare=False)

    @property
    def info(self) -> RelationInfo:
        return RelationInfo(name=f"ours.{self.name}", task=self.task, claim="All is one.", source="here")

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        self.draws.append(scene.id)
        return Rule.derive(self, scene, corpus, choose, variant)


def jobs(*rules: Rule) -> list[Job]:
    return [
        Job(relation=rule, variant="", model=MODEL, source=SCENES, position=place) for place, rule in enumerate(rules)
    ]


def coming(them: Sequence[Job]) -> Callable[[], Sequence[UpcomingItem]]:
    def job_of(place: int) -> Callable[[], Job]:
        return lambda: them[place]

    return lambda: [UpcomingItem(position=job.position, job=job_of(place)) for place, job in enumerate(them)]


def queries(job: Job, sampling: Sampling = FIVE) -> list[Query]:
    return [query for case in job.plan(sampling) for query in case.queries]


def test_first_comes_the_item_at_hand_and_then_the_next_ones_in_their_order() -> None:
    run = jobs(Named(name="a"), Named(name="b"), Named(name="c"))
    ahead = LookAhead(FIVE, coming(run))
    stream = ahead.start(run[0])
    assert [each.case for _, each in zip(range(3), stream, strict=False)] == list(run[0].plan(FIVE))[:3]
    rest, second, third = queries(run[0])[6:], queries(run[1]), queries(run[2])
    assert ahead.take(Task.VQA, 3) == tuple(rest[:3])
    assert ahead.take(Task.VQA, 3) == (rest[3], *second[:2])
    assert ahead.take(Task.VQA, 100) == (*second[2:], *third)
    assert ahead.take(Task.VQA, 100) == ()


def test_to_ask_what_comes_later_takes_nothing_away() -> None:
    run = jobs(Named(name="a"), Named(name="b"), Named(name="c", task=Task.CAPTIONING), Named(name="d"))
    ahead = LookAhead(FIVE, coming(run))
    stream = ahead.start(run[0])
    assert len(list(zip(range(3), stream, strict=False))) == 3
    wanted = (*queries(run[0])[6:], *queries(run[1]), *queries(run[3]))
    assert ahead.peek(Task.VQA, 7) == wanted[:7]
    assert ahead.take(Task.VQA, 3) == wanted[:3]
    assert ahead.peek(Task.VQA, 99) == wanted[3:]
    assert ahead.take(Task.VQA, 99) == wanted[3:]
    assert ahead.peek(Task.VQA, 99) == ()
    assert [len(list(some)) for some in (stream, *map(ahead.start, run[1:]))] == [2, 5, 5, 5]


@dataclass(frozen=True, slots=True, kw_only=True)
class Captioned(Named):
    """A rule whose cases ask for a caption first."""

    @property
    def info(self) -> RelationInfo:
        return RelationInfo(name=f"ours.{self.name}", task=Task.VQA, captioned=("",), claim="So it is.", source="here")

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        case = Named.derive(self, scene, corpus, choose, variant)
        assert isinstance(case, Case)
        return replace(case, queries=(replace(case.queries[0], task=Task.CAPTIONING), case.queries[1]))


def test_both_tasks_of_an_item_are_looked_for() -> None:
    run = jobs(Named(name="a"), Captioned(name="b"))
    captions, questions = queries(run[1])[::2], queries(run[1])[1::2]
    for task, wanted in ((Task.CAPTIONING, captions), (Task.VQA, [*queries(run[0]), *questions])):
        ahead = LookAhead(FIVE, coming(run))
        ahead.start(run[0])
        assert ahead.take(task, 99) == tuple(wanted)


def test_what_is_shown_goes_on_with_the_same_model_and_data() -> None:
    first, second = jobs(Named(name="a"), Named(name="b"))
    with closing(LookAhead(FIVE)) as ahead:
        pipeline = ahead.pipeline(first)
        assert ahead.pipeline(second) is pipeline
        assert ahead.pipeline(replace(second, source=Scenes(5))) is not pipeline
        assert ahead.pipeline(first) is not pipeline, "that one was closed"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no system with fork")
def test_in_a_fork_pictures_are_drawn_by_threads_of_its_own() -> None:
    (job,) = jobs(Named(name="a"))
    first, *rest = queries(job)
    last = next(each for each in rest if each.picture != first.picture)
    with closing(LookAhead(FIVE)) as ahead:
        pipeline = ahead.pipeline(job)
        others = (scene_of(id=f"{place}").picture for place in range(9))
        pipeline.expect([first.picture, *others], 4)  # so many that all threads have begun
        assert pipeline.inputs([first])[0].image.size == (200, 100)
        if (child := os.fork()) == 0:
            signal.alarm(20)  # which ends a process that waits for ever
            (shown,) = ahead.pipeline(job).inputs([last])
            os._exit(shown.image.size != (200, 100))
        assert os.waitpid(child, 0)[1] == 0


def test_an_item_goes_on_from_what_was_drawn_of_it() -> None:
    rules = [Named(name="a"), Named(name="b")]
    run = jobs(*rules)
    ahead = LookAhead(FIVE, coming(run))
    cases = [each.case for each in ahead.start(run[0])]
    assert len(ahead.take(Task.VQA, 5)) == 5
    cases += [each.case for each in ahead.start(run[1])]
    assert cases == [case for job in jobs(Named(name="a"), Named(name="b")) for case in job.plan(FIVE)]
    assert [len(rule.draws) for rule in rules] == [5, 5], "each case is drawn once"


def test_items_of_another_task_are_passed_over_and_keep_their_turn() -> None:
    caption = Named(name="b", task=Task.CAPTIONING)
    run = jobs(Named(name="a"), caption, Named(name="c"))
    ahead = LookAhead(FIVE, coming(run))
    assert len(list(ahead.start(run[0]))) == 5
    assert ahead.take(Task.VQA, 100) == tuple(queries(run[2]))
    assert caption.draws == []
    assert len(list(ahead.start(run[1]))) == 5
    assert [each.case for each in ahead.start(run[2])] == list(run[2].plan(FIVE))


def test_an_item_that_cannot_be_made_ready_is_passed_over() -> None:
    run = jobs(Named(name="a"), Named(name="b"))
    known = [
        UpcomingItem(position=0, job=lambda: run[0]),
        UpcomingItem(position=7, job=lambda: None),
        *coming(run)()[1:],
    ]
    ahead = LookAhead(FIVE, lambda: known)
    assert len(list(ahead.start(run[0]))) == 5
    assert ahead.take(Task.VQA, 100) == tuple(queries(run[1]))


def test_no_more_cases_wait_than_the_bound_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_CASES", 7)
    last = Named(name="c")
    run = jobs(Named(name="a"), Named(name="b"), last)
    ahead = LookAhead(FIVE, coming(run))
    assert len(list(ahead.start(run[0]))) == 5
    given = ahead.take(Task.VQA, 100)
    assert len(last.draws) == 2
    assert given == (*queries(run[1]), *queries(run[2])[:4])
    # The next item's turn makes room for five.
    assert len(list(ahead.start(run[1]))) == 5
    assert ahead.take(Task.VQA, 100) == tuple(queries(run[2])[4:])


def test_no_more_items_are_looked_at_than_the_bound_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_UPCOMING_ITEMS", 1)
    run = jobs(Named(name="a"), Named(name="b"), Named(name="c"))
    ahead = LookAhead(FIVE, coming(run))
    assert len(list(ahead.start(run[0]))) == 5
    assert ahead.take(Task.VQA, 100) == tuple(queries(run[1]))


def test_what_was_passed_over_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_CASES", 5)
    run = jobs(Named(name="a"), Named(name="b"), Named(name="c"), Named(name="d"))
    known = coming(run)()
    later = {0: known[1:], 2: known[3:]}  # the second item is skipped when its turn comes
    at_hand = 0
    ahead = LookAhead(FIVE, lambda: later[at_hand])
    assert len(list(ahead.start(run[0]))) == 5
    assert ahead.take(Task.VQA, 100) == tuple(queries(run[1]))
    at_hand = 2
    assert len(list(ahead.start(run[2]))) == 5
    assert ahead.take(Task.VQA, 100) == tuple(queries(run[3]))


class TimeIsUp(BaseException):
    """What a time limit raises wherever the program is."""


def test_an_item_whose_drawing_was_broken_off_is_drawn_from_its_start() -> None:
    broken: list[Scene] = []

    def applies(scene: Scene) -> str | None:
        broken.append(scene)
        if len(broken) == 3:
            raise TimeIsUp
        return None

    run = jobs(Named(name="a"), Named(name="b", applies=applies))
    ahead = LookAhead(FIVE, coming(run))
    assert len(list(ahead.start(run[0]))) == 5
    with pytest.raises(TimeIsUp):
        ahead.take(Task.VQA, 100)
    assert ahead.take(Task.VQA, 100) == ()
    assert [each.case for each in ahead.start(run[1])] == list(jobs(Named(name="a"), Named(name="b"))[1].plan(FIVE))


def test_by_itself_an_item_fills_its_batches_with_its_own_cases() -> None:
    (job,) = jobs(Named(name="a"))
    ahead = LookAhead(FIVE)
    assert ahead.take(Task.VQA, 3) == ()
    next(ahead.start(job))
    assert ahead.take(Task.VQA, 100) == tuple(queries(job)[2:])
