"""Cases come in the order of their plan, each once, however far somebody looked ahead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.plan import Drawing, Plan, Sampling
from pytest_vqamt.sampling.samplers import Sampler
from tests.execution.worlds import Rule, Scenes

NUMBERS = Sampling(max_cases=12, sampler=Sampler.RANDOM)


def plan(rule: Rule | None = None, sampling: Sampling = NUMBERS) -> Plan:
    return Plan(rule or Rule(), "", Scenes(5), sampling)


def ids(drawing: Drawing, n: int) -> list[str]:
    return [each.case.id for _, each in zip(range(n), drawing, strict=False)]


WHOLE = [case.id for case in plan()]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=8))
def test_who_looks_ahead_takes_nothing_away(steps: list[tuple[bool, int]]) -> None:
    drawing = Drawing(plan())
    had: list[str] = []
    for looks, n in steps:
        if looks:
            for _ in range(n):
                drawing.look_ahead(Task.VQA, room=100)
        else:
            had += ids(drawing, n)
    assert had + ids(drawing, 100) == WHOLE
    assert drawing.waiting == 0


def test_it_tells_of_each_case_what_its_plan_told_when_it_was_drawn() -> None:
    many = Sampling(max_cases=150, sampler=Sampler.HYPOTHESIS)
    alone, drawing = plan(sampling=many), Drawing(plan(sampling=many))
    while drawing.look_ahead(Task.VQA, room=120) is not None:
        pass
    assert drawing.waiting == 120
    assert [(each.case.id, each.part, each.position) for each in drawing] == [
        (case.id, alone.part, alone.position) for case in alone
    ]
    assert drawing.plan.part >= 1, "Hypothesis draws a hundred at a time"


def test_each_query_is_shown_once_and_none_of_a_case_whose_turn_has_come() -> None:
    drawing = Drawing(plan())
    queries = [query for case in plan() for query in case.queries]
    # Two of each case: three are shown, then the first two cases have their turn, and with them the fourth query.
    assert [drawing.look_ahead(Task.VQA, room=100) for _ in range(3)] == queries[:3]
    assert ids(drawing, 2) == WHOLE[:2]
    assert drawing.look_ahead(Task.VQA, room=100) == queries[4]
    assert ids(drawing, 4) == WHOLE[2:6]
    rest = list(iter(lambda: drawing.look_ahead(Task.VQA, room=100), None))
    assert rest == queries[12:]


def test_no_more_wait_than_there_is_room_for() -> None:
    drawing = Drawing(plan())
    assert len(list(iter(lambda: drawing.look_ahead(Task.VQA, room=3), None))) == 6
    assert drawing.waiting == 3
    assert drawing.look_ahead(Task.VQA, room=0) is None


def test_a_query_of_another_task_is_passed_over() -> None:
    assert Drawing(plan()).look_ahead(Task.CAPTIONING, room=100) is None


def raises_at(number: int) -> Rule:
    """A relation that raises at its scene of so many dogs, and else has a case."""

    def applies(scene: Scene) -> str | None:
        if len(scene.objects) == number:
            raise RuntimeError("no")
        return None

    return Rule(applies=applies)


def test_an_error_comes_in_its_place_whoever_met_it() -> None:
    alone = Drawing(plan(raises_at(4)))
    before: list[str] = []
    with pytest.raises(VqamtError, match="it raised RuntimeError: no"):
        before.extend(each.case.id for each in alone)
    drawing = Drawing(plan(raises_at(4)))
    shown = list(iter(lambda: drawing.look_ahead(Task.VQA, room=100), None))
    assert len(shown) == 2 * len(before) > 0
    assert ids(drawing, len(before)) == before
    with pytest.raises(VqamtError, match="it raised RuntimeError: no"):
        next(drawing)
    with pytest.raises(VqamtError, match="it raised RuntimeError: no"):
        next(drawing)


class TimeIsUp(BaseException):
    """What a time limit raises wherever the program is."""


def test_what_was_broken_off_says_so() -> None:
    left = 3

    def applies(scene: Scene) -> str | None:
        nonlocal left
        left -= 1
        if not left:
            raise TimeIsUp
        return None

    drawing = Drawing(plan(Rule(applies=applies)))
    with pytest.raises(TimeIsUp):
        list(iter(lambda: drawing.look_ahead(Task.VQA, room=100), None))
    assert drawing.is_spoilt
